/**
 * Changing an auction: pausing, resuming, cancelling, and its settings. A live one is changed through its
 * record in the journal, so that the change holds for the very next bid on every process; drafts are plain rows.
 * Refusals are `Refusal`s.
 */
import type { Knex } from 'knex';
import { type AuctionRecord, pausedRecord, resumedRecord } from '../../../engine/auction/record.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { isFinal } from '../../../engine/formats/formats.ts';
import { isClosed } from '../../../engine/lot/state.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { judge } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { type AuctionStatus, isLive } from '../../shared/statuses/auction-statuses.ts';
import { isOpenLot, LOT_STATUSES, OFFERED_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { followAuction, type LiveParts, liveStatesOf } from './auction-lots.ts';
import { type AuctionRow, readAuctionRow } from './auction-rows.ts';
import { requireAuctionMove, statusBy } from './auction-status.ts';
import { ensureRecord } from './publishing.ts';

/** An auction after a change. `record` is null for one that is not under the engine. */
export interface Changed {
  readonly status: AuctionStatus;
  readonly record: AuctionRecord | null;
}

const TRIES = 20;

/**
 * The change of a live auction's record that a move by hand makes; a move to where it is already changes nothing. It
 * throws 409 `invalid_transition` for a move that is not allowed, and `auction_locked` for a seller who cancels an
 * auction with bids.
 */
export function moved(parts: LiveParts, to: AuctionStatus, who: readonly Who[]): RecordChange {
  return async (record, status, nowUs) => {
    requireAuctionMove(status, to, who);
    if (status === to) return { record };
    if (to === 'paused') return { record: pausedRecord(record, nowUs) };
    if (to === 'active') return { record: resumedRecord(record, nowUs) };
    const next = { ...record, cancelled: true };
    if (judge(AUCTION_POLICY, 'cancel', 'contested', who) === 'allowed') return { record: next };
    const unmoved = await unmovedWithoutBids(parts, record.auctionId);
    if (unmoved !== null) return { record: next, unmoved };
    const message = 'The auction has bids: only an admin can cancel it.';
    throw new Refusal('auction_locked', { message, data: { fields: ['status'] } });
  };
}

/**
 * The sequences that the auction's lots must still be at for none of them to have had a bid, for the record that is
 * saved with them; null where one has had one. Lots that were closed long ago have left the journal; what Postgres was
 * notified of them is final.
 */
export async function unmovedWithoutBids(
  parts: LiveParts,
  auctionId: number,
): Promise<ReadonlyMap<number, number> | null> {
  const lots = await liveStatesOf(parts, auctionId);
  if (lots.some((lot) => lot.frozen)) return null;
  const bid = await parts.knex('lots').where('auction_id', auctionId).where('bid_count', '>', 0).first('id');
  return bid === undefined ? new Map(lots.map((lot) => [lot.lotId, lot.sequence])) : null;
}

/** A draft has no lots under the engine: it and they are cancelled where they lie. */
export async function cancelDraftIn(trx: Knex.Transaction, auctionId: number): Promise<void> {
  const moved = await trx('auctions')
    .where({ id: auctionId, status: 'draft' })
    .update({ status: 'cancelled' });
  if (moved === 0) throw new Refusal('invalid_transition', { message: 'The auction has just been changed.' });
  await trx('lots')
    .where('auction_id', auctionId)
    .whereRaw(`status IN ${LOT_STATUSES.sourcesSql('withdrawn', 'auction')}`)
    .update({ status: 'withdrawn' });
}

export interface LiveAuction {
  readonly row: AuctionRow;
  readonly status: AuctionStatus;
  readonly record: AuctionRecord | null;
}

/**
 * An auction's status by the journal, of which Postgres learns later: one whose lots have all just closed counts as
 * ended. Throws 404 where there is none.
 */
export async function liveAuctionOf(parts: LiveParts, auctionId: number): Promise<LiveAuction> {
  const row = await readAuctionRow(parts.knex, auctionId);
  if (row === null) throw notFound('There is no such auction.');
  if (!isLive(row.status)) return { row, status: row.status, record: null };
  await ensureRecord(parts, row);
  const record = await parts.journal.loadRecord(auctionId);
  const status = statusBy(row.status, record, parts.journal.nowUs());
  if (isLive(status) && (await hasEnded(parts, auctionId))) return { row, status: 'ended', record };
  return { row, status, record };
}

/** By the journal no lot of it is open, and at least one was closed. */
async function hasEnded({ knex, journal }: LiveParts, auctionId: number): Promise<boolean> {
  const lots: { id: number; status: string; journal_opened: boolean }[] = await knex('lots')
    .where('auction_id', auctionId)
    .whereRaw(`status IN ${OFFERED_LOT_SQL}`)
    .select('id', 'status', 'journal_opened');
  if (lots.length === 0) return false;
  const open = lots.filter(({ status }) => isOpenLot(status));
  const states = await Promise.all(open.map(({ id }) => journal.load(auctionId, id)));
  // A lot that the journal does not have yet is on its way there.
  if (states.some((state, index) => (state === null ? !itemAt(open, index).journal_opened : !isFinal(state))))
    return false;
  return open.length < lots.length || states.some((state) => state !== null && isClosed(state));
}

export interface NewRecord {
  readonly record: AuctionRecord;
  /**
   * Lots with the sequence that each must still be at when the record is saved; otherwise the change starts again.
   */
  readonly unmoved?: ReadonlyMap<number, number>;
}

/** Makes a new record of the present one; throws a `Refusal` to refuse. */
export type RecordChange = (
  record: AuctionRecord,
  status: AuctionStatus,
  nowUs: number,
) => NewRecord | Promise<NewRecord>;

/**
 * Changes the record of a live auction and lets its lots follow. If another process is faster, the change starts again
 * on its result. Throws 404, what `change` throws, and the journal's faults.
 */
export async function changeRecord(
  parts: LiveParts,
  auctionId: number,
  change: RecordChange,
): Promise<Changed> {
  for (let tries = 0; tries < TRIES; tries++) {
    const { status, record } = await liveAuctionOf(parts, auctionId);
    if (record === null) {
      throw new Refusal('invalid_transition', {
        message: `The auction is ${status}.`,
        data: { status, allowed: [] },
      });
    }
    const nowUs = parts.journal.nowUs();
    const changed = await change(record, status, nowUs);
    const next = { ...changed.record, version: record.version + 1 };
    if (!(await parts.journal.saveRecord(next, changed.unmoved))) continue;
    await followAuction(parts, auctionId);
    return { status: statusBy(status, next, nowUs), record: next };
  }
  throw new Refusal('overloaded', { message: 'Somebody else is changing the auction. Try again.' });
}
