/**
 * Has the lots' journals say which second chances were taken: from then on the price, the winner and the list of bids
 * are those of the new sale everywhere. An acceptance is billed first, in Postgres; the accepting process, and the
 * clock after them, call here until the journal has it. Saying it twice changes nothing.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { raw } from 'objection';
import type { Engine } from '../../../engine/actor/engine.ts';
import { userKey } from '../../../engine/auction/record.ts';
import type { Resell } from '../../../engine/lot/commands.ts';
import { forEachDue } from '../../shared/due-rows.ts';
import { Offer } from './offer.model.ts';

export interface ResaleParts {
  readonly knex: Knex;
  readonly engine: Pick<Engine, 'submit'>;
}

/** Records in the journals what they do not have yet. Returns how many were changed. */
export function recordResales(parts: ResaleParts): Promise<number> {
  // Of two second chances of one lot the later is what became of it.
  const accepted = Offer.query(parts.knex)
    .where('status', 'accepted')
    .whereNull('recorded_at')
    .whereRaw(
      `NOT EXISTS (SELECT FROM offers later WHERE later.lot_id = offers.lot_id AND later.status = 'accepted'
         AND later.id > offers.id)`,
    );
  return forEachDue('the sale by offer', accepted, (offer) => recordResale(parts, offer));
}

async function recordResale({ knex, engine }: ResaleParts, offer: Offer): Promise<void> {
  const { id, lot_id } = offer;
  const result = await engine.submit(lot_id, resaleOf(offer));
  if (result.kind !== 'answer' || result.answer.kind === 'refused') {
    throw new Error(`the journal does not take the second sale of lot ${lot_id}: ${JSON.stringify(result)}`);
  }
  await Offer.query(knex)
    .where({ lot_id, status: 'accepted' })
    .where('id', '<=', id)
    .patch({ recorded_at: raw('now()') });
}

/** The same names on every attempt. */
function resaleOf({ id, user_id, amount_cents, unit_price_cents }: Offer): Resell {
  const name = (what: string) =>
    createHash('sha256').update(`${what} of offer ${id}`).digest('hex').slice(0, 32);
  return {
    type: 'resell',
    bidId: name('row'),
    salt: name('salt'),
    hammerCents: unit_price_cents ?? amount_cents,
    buyer: { key: userKey(user_id), userId: user_id, paddle: null },
  };
}
