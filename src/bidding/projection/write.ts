/**
 * Writes pending rows: every kind of row in one statement, all in the caller's transaction. Decides nothing;
 * the caller has locked the shard's position and moves it in the same transaction.
 */
import type { Knex } from 'knex';
import { recordArray } from '../../../adapters/postgres/binary-rows.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { AUCTION_STATUSES } from '../../shared/statuses/auction-statuses.ts';
import { DECISION_SQL } from '../../shared/statuses/registration-statuses.ts';
import { writeAmendments } from '../records/amendments.ts';
import { endAuctions, startAuctions } from '../records/auction-moves.ts';
import { chargeOnline } from './charge-online.ts';
import { cleanText } from './clean-text.ts';
import { columnsOfAll, LOT_COLUMNS } from './live-lot-columns.ts';
import { writeAnnouncements } from './lot-announcements.ts';
import { insertBids, insertEntries } from './new-rows.ts';
import type { ClosedLot, PendingWrites } from './pending-writes.ts';
import type { ProjectionTraces } from './projection-traces.ts';
import { RECORD_COLUMNS, recordColumns } from './record-columns.ts';

/**
 * Something that must happen together with the close of lots (their invoices): called once for each closed lot in the
 * very transaction that writes the close. It must be repeatable, as a transaction that fails is retried. Facts
 * that it returns follow on those of the lots.
 */
export type LotClosedHook = (
  trx: Knex.Transaction,
  lots: readonly ClosedLot[],
) => Promise<readonly OutboxEvent[]>;

/**
 * Writes everything that is pending, and gives the facts but for those of bids. `recordOf` knows the auctions'
 * records.
 */
export async function writePending(
  trx: Knex.Transaction,
  pending: PendingWrites,
  recordOf: (auctionId: number) => AuctionRecord | null,
  hooks: readonly LotClosedHook[],
  traces: ProjectionTraces | null = null,
): Promise<readonly OutboxEvent[]> {
  await insertEntries(trx, pending);
  await insertBids(trx, pending);
  await changeBids(trx, pending);
  await traces?.follow(trx, pending);
  await writeLots(trx, pending, recordOf);
  await writeAmendments(trx, pending.amendments);
  await writeAnnouncements(trx, pending.announcements);
  const started = await startAuctions(trx, startedBy(pending));
  await writeRecords(trx, pending);
  await writeRegistrations(trx, pending);
  const made: OutboxEvent[] = [];
  await chargeOnline(trx, pending.closed);
  // Before the invoices: whoever makes an invoice holds its auction first.
  const ended = await endAuctions(trx, [...pending.ended]);
  if (pending.closed.length > 0) for (const hook of hooks) made.push(...(await hook(trx, pending.closed)));
  traces?.followInvoices(made);
  const facts = [...started, ...pending.events, ...made, ...ended];
  await appendEvents(trx, facts);
  return facts.filter((fact) => 'data' in fact);
}

/** An auction that is paused before any of its lots has opened has started all the same, if its time had come. */
function startedBy(pending: PendingWrites): number[] {
  const started = new Set(pending.opened);
  for (const { auctionId, pauses, startsAtUs } of pending.records.values()) {
    const pause = pauses.at(-1);
    if (pause !== undefined && pause.fromUs >= startsAtUs) started.add(auctionId);
  }
  return [...started];
}

const moment = (column: string) => `timestamptz 'epoch' + ${column} * interval '1 microsecond'`;

async function changeBids(trx: Knex.Transaction, { bidChanges }: PendingWrites): Promise<void> {
  if (bidChanges.size === 0) return;
  // SQL: each bid its own columns, many in one statement (measured).
  await trx.raw(
    `UPDATE bids b SET
       amount_cents = coalesce(n.amount_cents, b.amount_cents),
       outcome = coalesce(n.outcome, b.outcome),
       listed = coalesce(n.outcome, b.outcome) <> 'max_raised',
       voided = coalesce(n.voided, b.voided),
       void_reason = coalesce(n.void_reason, b.void_reason)
     FROM json_to_recordset(?::json) AS n (bid_id text, amount_cents bigint, outcome text, voided boolean,
       void_reason text)
     WHERE b.bid_id = n.bid_id`,
    [JSON.stringify([...bidChanges.values()])],
  );
}

async function writeLots(
  trx: Knex.Transaction,
  { lots }: PendingWrites,
  recordOf: (auctionId: number) => AuctionRecord | null,
): Promise<void> {
  if (lots.size === 0) return;
  const rows = [...lots.values()].flatMap((lot) => columnsOfAll(lot, recordOf(lot.state.auctionId)));
  // SQL: the id of a type. It is asked for each time: a database that is restored has another.
  const { rows: types } = await trx.raw<{ rows: { id: number }[] }>(
    `SELECT 'projected_lot'::regtype::oid::bigint AS id`,
  );
  // SQL: lots and their states, many in one statement (measured).
  await trx.raw(
    `WITH n AS MATERIALIZED (SELECT * FROM unnest(?::projected_lot[])),
     states AS (
       INSERT INTO lot_states AS s (lot_id, auction_id, sequence, entry_count, finished_at, snapshot)
       SELECT id, auction_id, sequence, entry_count, CASE WHEN is_finished THEN now() END, snapshot FROM n
       ON CONFLICT (lot_id) DO UPDATE SET sequence = excluded.sequence, entry_count = excluded.entry_count,
         finished_at = excluded.finished_at, place = 'live', snapshot = excluded.snapshot)
     UPDATE lots l SET
       journal_opened = true, status = n.status, current_bid_cents = n.current_bid_cents, bid_count = n.bid_count,
       minimum_next_bid_cents = n.minimum_next_bid_cents, reserve_met = n.reserve_met, leader_key = n.leader_key,
       leader_user_id = n.leader_user_id, live_end_time = n.live_end, original_end_time = n.original_end,
       extension_count = n.extension_count, extended_by_outage = n.extended_by_outage,
       hammer_price_cents = n.hammer_price_cents, winner_user_id = n.winner_user_id, sequence = n.sequence,
       head_hash = n.head_hash, closed_at = n.closed, starting_bid_cents = n.starting_bid_cents,
       reserve_price_cents = n.reserve_price_cents, buy_now_price_cents = n.buy_now_price_cents,
       consignor_id = (SELECT u.id FROM users u WHERE u.id = n.consignor_id)
     FROM n WHERE l.id = n.id`,
    [recordArray(firstOf(types).id, LOT_COLUMNS, rows)],
  );
  if (rows.length > lots.size) await nameHosts(trx, lots.keys());
}

/** Rows of lots that are sold together are no journals of their own. */
async function nameHosts(trx: Knex.Transaction, hostIds: Iterable<number>): Promise<void> {
  // SQL: a row's value is that of another table.
  await trx.raw(
    `UPDATE lot_states s SET host_id = l.host_id FROM lots l
     WHERE l.host_id = ANY(CAST(? AS bigint[])) AND l.id <> l.host_id AND s.lot_id = l.id AND s.host_id IS NULL`,
    [[...hostIds]],
  );
}

async function writeRecords(trx: Knex.Transaction, { records }: PendingWrites): Promise<void> {
  if (records.size === 0) return;
  // SQL: each auction its own columns, many in one statement.
  await trx.raw(
    `UPDATE auctions a SET
       record_version = n.record_version, type = n.type, privacy_setting = n.privacy_setting, currency = n.currency,
       start_time = ${moment('n.start_us')}, end_time = ${moment('n.end_us')}, stagger_seconds = n.stagger_seconds,
       pauses = n.pauses, increments = nullif(n.increments, 'null'),
       soft_close_window_seconds = n.soft_close_window_seconds,
       soft_close_extension_seconds = n.soft_close_extension_seconds,
       soft_close_max_extensions = n.soft_close_max_extensions, confirm_factor = n.confirm_factor,
       buyer_premium_bps = n.buyer_premium_bps, premium_bands = n.premium_bands,
       online_surcharge_bps = n.online_surcharge_bps, sales_tax_ppm = coalesce(n.sales_tax_ppm, a.sales_tax_ppm),
       registration_mode = n.registration_mode,
       registration_require_verified = n.registration_require_verified,
       registration_bid_limit_cents = n.registration_bid_limit_cents,
       status = CASE
         WHEN n.state = 'cancelled' AND a.status IN ${AUCTION_STATUSES.sourcesSql('cancelled', 'hand')}
           THEN 'cancelled'
         WHEN n.state = 'paused' AND a.status = 'active' THEN 'paused'
         WHEN n.state = 'running' AND a.status = 'paused' THEN 'active'
         ELSE a.status END
     FROM json_to_recordset(?::json) AS n (${RECORD_COLUMNS})
     WHERE a.id = n.id AND a.record_version < n.record_version`,
    [JSON.stringify([...records.values()].map(recordColumns))],
  );
}

/** Bidders that only a platform knows have no registration row; the journal alone keeps them. */
async function writeRegistrations(trx: Knex.Transaction, { bidders }: PendingWrites): Promise<void> {
  const rows = [...bidders.values()]
    .filter(({ bidder }) => bidder.userId !== null)
    .map(({ auctionId, bidder, reason }) => ({
      auction_id: auctionId,
      user_id: bidder.userId,
      status: bidder.status,
      paddle_number: bidder.paddle === null ? null : cleanText(bidder.paddle),
      alias: bidder.alias,
      bid_limit_cents: bidder.limitCents,
      conditions_version: bidder.conditionsVersion ?? null,
      reason: reason === null ? null : cleanText(reason),
    }));
  if (rows.length === 0) return;
  // SQL: many in one statement; a row that is newer already stays.
  await trx.raw(
    `INSERT INTO registrations AS r (auction_id, user_id, status, paddle_number, alias, bid_limit_cents, reason,
       conditions_version, conditions_accepted_at, decided_at)
     SELECT n.*, CASE WHEN n.conditions_version IS NOT NULL THEN now() END,
       CASE WHEN n.status IN ${DECISION_SQL} THEN now() END
     FROM json_to_recordset(?::json) AS n (auction_id bigint, user_id bigint, status text, paddle_number text,
       alias text, bid_limit_cents bigint, reason text, conditions_version integer)
     WHERE EXISTS (SELECT 1 FROM users u WHERE u.id = n.user_id)
       AND EXISTS (SELECT 1 FROM auctions a WHERE a.id = n.auction_id)
     ON CONFLICT (auction_id, user_id) DO UPDATE SET status = excluded.status,
       paddle_number = excluded.paddle_number, alias = excluded.alias, bid_limit_cents = excluded.bid_limit_cents,
       reason = excluded.reason, conditions_version = greatest(r.conditions_version, excluded.conditions_version),
       conditions_accepted_at = CASE WHEN r.conditions_version >= excluded.conditions_version
         THEN r.conditions_accepted_at ELSE coalesce(excluded.conditions_accepted_at, r.conditions_accepted_at) END,
       decided_at = CASE WHEN r.status = excluded.status THEN r.decided_at ELSE excluded.decided_at END`,
    [JSON.stringify(rows)],
  );
}
