/** Lots with sealed bids are published, and closed, only where there is the key that these are sealed with. */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import { decodeEvents, SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import type { Seals } from '../../../engine/lot/seals.ts';
import type { AddError } from '../../shared/add-error.ts';
import { Refusal } from '../../shared/refusal.ts';

/** Throws 409 `sealing_unavailable` where bids of the format cannot be sealed. */
export function requireSealing({ seals }: Pick<Engine, 'seals'>, format: string): void {
  if (SEALED_FORMATS.includes(format) && seals.newLotKey() === null)
    throw new Refusal('sealing_unavailable', {
      message: 'Set SEAL_KEY: there is nothing to seal bids with.',
    });
}

/** Adds an error for an auction of an import file whose bids could not be sealed. */
export function checkSealing(
  { status, format }: { readonly status?: string; readonly format?: string },
  canSeal: boolean,
  addError: AddError,
): void {
  const isPublished = status === 'scheduled' || status === 'active';
  if (isPublished && !canSeal && SEALED_FORMATS.includes(format ?? ''))
    addError('format', 'needs SEAL_KEY: there is nothing to seal bids with');
}

const MAX_CHECKED = 500;

/** Open lots whose bids nobody here can open: they stay open past their end until the key is back. */
export async function lotsWithoutKey(knex: Knex, seals: Seals): Promise<number[]> {
  // A lot's state is as long as it has bids; its key is in its first entry, and never another one.
  const rows: { lot_id: number; first: string | null }[] = await knex('lot_states as s')
    .join('auctions as a', 'a.id', 's.auction_id')
    .whereNull('s.finished_at')
    .whereRaw('a.format = any(?)', [[...SEALED_FORMATS]])
    .orderBy('s.lot_id')
    .limit(MAX_CHECKED)
    .select(
      's.lot_id',
      knex('journal_entries as e')
        .whereRaw('e.lot_id = s.lot_id')
        .orderBy('e.sequence')
        .first('e.private_text')
        .as('first'),
    );
  return rows.filter(({ first }) => first !== null && !isOpenable(first, seals)).map(({ lot_id }) => lot_id);
}

function isOpenable(firstEntry: string, seals: Seals): boolean {
  const [event] = decodeEvents(firstEntry);
  const lotKey = event?.type === 'lot_scheduled' ? event.lotKey : undefined;
  return lotKey === undefined || seals.seal(lotKey, '') !== null;
}
