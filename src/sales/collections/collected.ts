/** The gate: a team finds a collection by its code, sees who comes when, and ticks the lots that go. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { inTransaction } from '../../shared/transactions.ts';
import { Collection, CollectionLot } from './collection.model.ts';
import { type FullCollection, full, isStillPaid, readCollection, whole } from './collections.ts';

/** A collection of the team's sales. Throws 404. */
export async function teamsCollection(knex: Knex, teamId: number, code: string): Promise<FullCollection> {
  const found = await readCollection(knex, { code: code.toUpperCase() });
  if (found === null || found.row.auction?.team_id !== teamId)
    throw notFound('There is no collection with this code.');
  return found;
}

/** Those with lots that are still there, by time; at most 200. */
export async function teamsCollections(knex: Knex, teamId: number): Promise<FullCollection[]> {
  const rows = await whole(
    Collection.query(knex)
      .joinRelated('auction')
      .where('auction.team_id', teamId)
      .whereExists(Collection.relatedQuery('lots').whereNull('collected_at'))
      .orderBy(['collections.starts_at', 'collections.id'])
      .limit(200),
  );
  return rows.map(full);
}

/**
 * Notes that these lots of a collection are gone; those that were before stay as they are. Throws 404, 422 for a lot
 * that is not on it, and 409 `not_paid` for one that is no longer paid.
 */
export async function markCollected(
  knex: Knex,
  teamId: number,
  code: string,
  lotIds: readonly number[],
): Promise<FullCollection> {
  const { row } = await teamsCollection(knex, teamId, code);
  await inTransaction(knex, async (trx) => {
    const known = await CollectionLot.query(trx)
      .where('collection_id', row.id)
      .forUpdate()
      .withGraphFetched('invoice');
    const strange = lotIds.filter((id) => !known.some(({ lot_id }) => lot_id === id));
    if (strange.length > 0) throw invalid({ lot_ids: [`not in this collection: ${strange.join(', ')}`] });
    const there = known.filter(
      ({ lot_id, collected_at }) => lotIds.includes(lot_id) && collected_at === null,
    );
    const going = there.filter(isStillPaid);
    // Of what was bought by several bids all that is paid goes.
    if (there.some(({ lot_id }) => !going.some((one) => one.lot_id === lot_id)))
      throw new Refusal('not_paid');
    await CollectionLot.query(trx)
      .whereIn(
        'id',
        going.map(({ id }) => id),
      )
      .patch({ collected_at: raw('now()') });
  });
  return teamsCollection(knex, teamId, code);
}
