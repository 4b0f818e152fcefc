/** The display order of one lot's or auction's media. Both functions run alone for their owner, whose row they lock. */
import type { Knex } from 'knex';
import type { Principal } from '../../adapters/http/endpoint.ts';
import { Media } from '../catalog/media.model.ts';
import { invalid, notFound } from '../shared/refusal.ts';
import { inTransaction } from '../shared/transactions.ts';
import {
  areMediaFixed,
  type IsFixed,
  ownerColumn,
  ownerOf,
  requireNotFixed,
  requireOwned,
} from './media-owner.ts';

/**
 * Puts the named media first, in the order given; those not named keep theirs behind them. Throws 404 where one is
 * unknown, 422 where they belong to two owners, 403 where the caller does not own what they are attached to, 409 for
 * those of a lot with bids.
 */
export async function reorderMedia(
  knex: Knex,
  mediaIds: readonly number[],
  caller: Principal,
  isFixed: IsFixed,
): Promise<void> {
  const named = await Media.query(knex)
    .whereIn('id', [...mediaIds])
    .first();
  const areFixed = named !== undefined && (await areMediaFixed(ownerOf(named), isFixed));
  await inTransaction(knex, async (trx) => {
    const rows = await Media.query(trx).findByIds([...mediaIds]);
    const [first] = rows;
    if (first === undefined || rows.length < mediaIds.length) throw notFound('There is no such media.');
    const owner = ownerOf(first);
    const column = ownerColumn(owner);
    if (rows.some((row) => row[column] !== owner.id)) {
      throw invalid({ media_ids: ['The media must all belong to the same lot or auction.'] });
    }
    await requireOwned(trx, owner, caller, 'order', { lock: true });
    requireNotFixed('order', areFixed);
    const all = (await Media.query(trx).where(column, owner.id).orderBy(['position', 'id'])).map(
      ({ id }) => id,
    );
    const present = new Set(all);
    // Somebody may have deleted one while this waited for the owner's row.
    if (mediaIds.some((id) => !present.has(id))) throw notFound('There is no such media.');
    const moved = new Set(mediaIds);
    const order = [...mediaIds, ...all.filter((id) => !moved.has(id))];
    // SQL: every row its own position, in one statement.
    await trx.raw(
      `UPDATE media m SET position = o.place - 1
       FROM unnest(?::bigint[]) WITH ORDINALITY AS o (id, place)
       WHERE m.id = o.id AND m.position <> o.place - 1`,
      [order],
    );
  });
}
