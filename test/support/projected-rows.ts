/**
 * All that the projection has written for one auction, in a form that two runs can be compared by; and the way to
 * take it back.
 */
import type { Knex } from 'knex';
import { factsOf, type StoredFact } from '../../src/events/bid-runs.ts';

type Row = Record<string, unknown>;

export interface ProjectedRows {
  readonly entries: Row[];
  readonly bids: Row[];
  readonly states: Row[];
  readonly lots: Row[];
  readonly auction: Row;
  readonly registrations: Row[];
  /** Lot by lot, then the auction's own, each in the order of delivery. */
  readonly events: Row[];
}

export async function projectedRows(knex: Knex, auctionId: number): Promise<ProjectedRows> {
  const lots: Row[] = await knex('lots').where('auction_id', auctionId).orderBy('id');
  const lotIds = lots.map((lot) => Number(lot['id']));
  return {
    lots,
    entries: await knex('journal_entries').whereIn('lot_id', lotIds).orderBy(['lot_id', 'sequence']),
    bids: await knex('bids').where('auction_id', auctionId).orderBy(['lot_id', 'sequence']),
    states: await knex('lot_states')
      .where('auction_id', auctionId)
      .orderBy('lot_id')
      .select(
        'lot_id',
        'sequence',
        'entry_count',
        'place',
        'snapshot',
        knex.raw('finished_at IS NOT NULL AS over'),
      ),
    auction: (await knex('auctions').where('id', auctionId).first()) as Row,
    registrations: await knex('registrations')
      .where('auction_id', auctionId)
      .orderBy('user_id')
      .select('user_id', 'status', 'paddle_number', 'alias', 'bid_limit_cents', 'reason'),
    events: await readEvents(knex, auctionId),
  };
}

interface EventRow extends StoredFact {
  readonly type: string;
  readonly team_id: number | null;
  readonly user_id: number | null;
}

/** One by one: which of them share a row, and how lots take turns, depends on what was projected together. */
async function readEvents(knex: Knex, auctionId: number): Promise<Row[]> {
  const rows: EventRow[] = await knex('events')
    .where('auction_id', auctionId)
    .orderBy('id')
    .select(
      'id',
      'type',
      'team_id',
      'user_id',
      'auction_id',
      'lot_id',
      'bids',
      knex.raw('data::text AS data_text'),
    );
  const facts = rows
    .flatMap((row) => factsOf(row))
    .map(({ id: _id, data_text, bids: _bids, ...row }): EventRowRead => {
      const data = JSON.parse(data_text) as Row;
      return { ...row, event_key: data['event_key'], data };
    });
  const orderOf = ({ lot_id }: EventRowRead) => lot_id ?? Number.POSITIVE_INFINITY;
  return facts.toSorted((a, b) => (orderOf(a) === orderOf(b) ? 0 : orderOf(a) - orderOf(b)));
}

type EventRowRead = Row & { readonly lot_id: number | null };
/** Takes back everything that was projected for an auction, so that its shard is projected again from the start. */
export async function takeBack(knex: Knex, auctionId: number, shard: number): Promise<void> {
  await knex.raw('DELETE FROM journal_entries WHERE lot_id IN (SELECT id FROM lots WHERE auction_id = ?)', [
    auctionId,
  ]);
  for (const table of ['bids', 'lot_states', 'events', 'registrations']) {
    await knex(table).where('auction_id', auctionId).delete();
  }
  await knex('projection_positions').where({ shard }).delete();
  await knex('auctions').where('id', auctionId).update({ status: 'active', record_version: 0 });
  await knex('lots')
    .where('auction_id', auctionId)
    .update({ status: 'active', journal_opened: false, sequence: 0 });
}
