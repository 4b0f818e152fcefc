/**
 * Folds a segment of a shard's log into the rows that it comes to: pure, in order, on top of what is already
 * projected. It checks that every entry follows on the one before; a log that does not is never written over what is
 * kept.
 */
import type { Frame } from '../../../adapters/redis/frames.ts';
import type { AuctionEvent } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../../engine/digest.ts';
import { firstOf } from '../../../engine/first-of.ts';
import {
  closesItself,
  decodeEvents,
  evolve,
  faceOf,
  formatOf,
  NO_LOT,
  withEntry,
} from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { type BidPlaced, type BidVoided, isListed, type LotEvent } from '../../../engine/lot/events.ts';
import type { Leading } from '../../../engine/lot/format.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { isPerUnit } from '../../../engine/lot/units.ts';
import { formatCents } from '../../../engine/money.ts';
import { MAX_BIDS } from '../../events/bid-runs.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { type SaleTerms, saleAmounts, saleTexts, sumOfSales } from '../../shared/sale-amounts.ts';
import { bidRowsOf } from './bid-rows.ts';
import { cleanText } from './clean-text.ts';
import { leadersOf, lotData, lotFact, salesOf, voidFact } from './facts-of-lots.ts';
import { announcementsOf } from './lot-announcements.ts';
import { type Led, lotOfVoid, lotsMovedBy } from './moved-lots.ts';
import type { BidChange, ClosedSale, KnownLot, OpenRun, PendingWrites } from './pending-writes.ts';
import { LogBroken } from './unwritable.ts';

/** What the fold is based on. `lots` and `auctions` hold everything that the frames name, as far as it exists. */
export interface Known {
  readonly lots: ReadonlyMap<number, KnownLot>;
  readonly auctions: ReadonlyMap<number, AuctionRecord>;
}

/**
 * Folds frames, oldest first, into pending writes: all, or those that are `wanted`, by the auctions' records as all of
 * them have it. Throws `LogBroken` where an entry does not follow on the one before.
 */
export function foldFrames(
  pending: PendingWrites,
  known: Known,
  frames: readonly Frame[],
  wanted: ReadonlySet<Frame> | null = null,
): void {
  for (const frame of frames) {
    const isWanted = wanted === null || wanted.has(frame);
    if (frame.kind === 'auction') foldAuction(pending, frame.auctionId, frame.event, isWanted);
    else if (isWanted) foldEntry(pending, known, frame.entry);
  }
}

function foldAuction(
  pending: PendingWrites,
  auctionId: number,
  event: AuctionEvent,
  isWanted: boolean,
): void {
  if (event.type === 'auction_recorded') {
    pending.newestRecords.set(auctionId, event.record);
    if (isWanted) pending.records.set(auctionId, event.record);
  } else if (isWanted) {
    const { bidder, reason } = event;
    pending.bidders.set(`${auctionId}|${bidder.key}`, { auctionId, bidder, reason });
  }
}

function foldEntry(pending: PendingWrites, known: Known, entry: SealedEntry): void {
  const before = pending.lots.get(entry.lotId) ?? known.lots.get(entry.lotId) ?? UNKNOWN_LOT;
  if (entry.previousHash !== before.state.hash || entry.firstSequence <= before.state.sequence) {
    throw new LogBroken(
      `entry ${entry.sequence} of lot ${entry.lotId} does not follow on entry ${before.state.sequence}`,
    );
  }
  const record = pending.newestRecords.get(entry.auctionId) ?? known.auctions.get(entry.auctionId) ?? null;
  const events = decodeEvents(entry.privateText);
  let { state } = before;
  let isSecondChance = false;
  for (const event of events) {
    const last = state;
    state = evolve(state, event);
    if (event.type === 'lot_reopened') isSecondChance = event.reason === 'second_chance';
    if (isSecondChance) {
      // The buyer was billed when they took the offer, and `offer.accepted` was published then: here is only the row.
      addRows(pending, event, entry);
      continue;
    }
    foldEvent(pending, entry, event, { state, before: last }, record);
    const close = closeOf(event, entry, events, state);
    if (close !== null) addClose(pending, close, record, entry.recordedAtUs);
  }
  pending.lots.set(entry.lotId, {
    state: withEntry(state, entry),
    entryCount: before.entryCount + 1,
  });
  pending.entries.push({
    lot_id: entry.lotId,
    sequence: entry.sequence,
    first_sequence: entry.firstSequence,
    recorded_at_us: entry.recordedAtUs,
    hash: entry.hash,
    previous_hash: entry.previousHash,
    public_text: entry.publicText,
    private_text: entry.privateText,
    traces: entry.traces ?? null,
  });
}

const UNKNOWN_LOT: KnownLot = { state: { ...NO_LOT, hash: GENESIS_HASH }, entryCount: 0 };

function foldEvent(
  pending: PendingWrites,
  entry: SealedEntry,
  event: LotEvent,
  { state, before }: Led,
  record: AuctionRecord | null,
): void {
  addRows(pending, event, entry);
  switch (event.type) {
    case 'lot_opened':
      pending.opened.add(entry.auctionId);
      break;
    case 'bid_placed':
      if (isListed(event.outcome))
        for (const lot of lotsMovedBy(event, { state, before })) addBid(pending, lot.event, lot, record);
      break;
    case 'bid_voided': {
      foldVoid(pending, event);
      const lot = lotOfVoid(event, { state, before });
      addFact(pending, lot.state.lotId, voidFact(lot.event, lot, record));
      break;
    }
    case 'lot_amended':
      pending.amendments.push({ ...event, lotId: event.lotId ?? state.lotId });
      break;
    case 'lot_withdrawn':
      pending.ended.add(entry.auctionId);
      pending.announcements.push(...announcementsOf(event, state, entry));
      break;
    default:
      pending.announcements.push(...announcementsOf(event, state, entry));
  }
}

/** Two bids of one id in a segment would come to one row, where Postgres refuses the second of two segments. */
function addRows(pending: PendingWrites, event: LotEvent, entry: SealedEntry): void {
  for (const row of bidRowsOf(event, entry)) {
    const { bid_id: bidId } = row;
    if (pending.bids.has(bidId)) throw new LogBroken(`bid ${bidId.slice(0, 100)} is in the log twice`);
    pending.bids.set(bidId, row);
  }
}

function foldVoid(pending: PendingWrites, event: BidVoided): void {
  const reason = cleanText(event.reason);
  changeBid(pending, { bid_id: event.bidId, voided: true, void_reason: reason });
  for (const { bidId, outcome, listedCents } of event.changedRows) {
    changeBid(pending, { bid_id: bidId, outcome, amount_cents: listedCents });
  }
}

/** A bid of this very segment is changed before it is written; one that was written before is changed in place. */
function changeBid(pending: PendingWrites, change: BidChange): void {
  const row = pending.bids.get(change.bid_id);
  if (row === undefined) {
    pending.bidChanges.set(change.bid_id, { ...pending.bidChanges.get(change.bid_id), ...change });
    return;
  }
  Object.assign(row, change);
  row.listed = isListed(row.outcome);
}

/** Bids that follow on one another share a row. */
function addBid(
  pending: PendingWrites,
  event: BidPlaced,
  { state, before }: Led,
  record: AuctionRecord | null,
): void {
  const { auctionId, lotId, lotNumber, decimals, units } = state;
  const { bidId, sequence, currentCents, channel } = event;
  const { listedCents: amountCents } = formatOf(state).readBid(event);
  const bid = { bidId, sequence, amountCents, currentCents, channel };
  const teamId = record?.ownerTeamId ?? null;
  const open = pending.openRuns.get(lotId);
  if (open !== undefined && open.bids.length < MAX_BIDS && open.teamId === teamId) {
    open.bids.push(bid);
    addLeaders(open, leadersOf(state));
    return;
  }
  const leaders = new Set<number>();
  const lot = { auctionId, lotId, lotNumber, decimals, units };
  const run: OpenRun = { type: 'lot.bid_placed', teamId, leaders, ...lot, bids: [bid] };
  addLeaders(run, leadersOf(before));
  addLeaders(run, leadersOf(state));
  pending.openRuns.set(lotId, run);
  pending.events.push(run);
}

function addLeaders({ leaders }: OpenRun, leading: readonly Leading[]): void {
  for (const { userId } of leading) if (userId !== null) leaders.add(userId);
}

/** Adds a fact in its lot's order: bids after it begin a new run. */
function addFact(pending: PendingWrites, lotId: number, fact: OutboxEvent): void {
  pending.openRuns.delete(lotId);
  pending.events.push(fact);
}

/** A lot that has closed in an entry that is not there any more. */
export function foldClose(pending: PendingWrites, state: LotState, record: AuctionRecord | null): void {
  addClose(pending, { state, flags: [], fact: 'closed' }, record, state.recordedAtUs);
}

interface LotClose {
  readonly state: LotState;
  readonly flags: readonly string[];
  /** Distinguishes one close of the lot from another: a floor may sell a lot that had passed. */
  readonly fact: string;
}

/** The close that an event is; `events` are all of its entry, and `state` is the one that it leads to. */
function closeOf(
  event: LotEvent,
  entry: SealedEntry,
  events: readonly LotEvent[],
  state: LotState,
): LotClose | null {
  if (event.type === 'bid_placed')
    return closesItself(event, entry) ? { state, flags: [], fact: 'closed' } : null;
  if (event.type !== 'lot_closed') return null;
  const reopened = events.some(({ type }) => type === 'lot_reopened');
  const fact = reopened ? `closed-${event.sequence}` : 'closed';
  return { state: faceOf(state, event.lotId ?? state.lotId), flags: event.flags, fact };
}

function addClose(
  pending: PendingWrites,
  close: LotClose,
  record: AuctionRecord | null,
  closedAtUs: number,
): void {
  const { state, fact } = close;
  const { lotId, auctionId, lotNumber, status, hammerCents } = state;
  if (status !== 'sold' && status !== 'passed' && status !== 'unsold')
    throw new TypeError(`lot ${lotId} has not closed: it is ${status}`);
  const terms: SaleTerms = record ?? { premiumBps: 0, taxPpm: 0 };
  // Where it matters for the premium, `chargeOnline` looks at where the bid came from.
  const sales = salesOf(state).map((sale): ClosedSale => {
    const { premiumCents, taxCents } = saleAmounts(sale.hammerCents, terms, 'floor');
    return { ...sale, premiumCents, taxCents };
  });
  const eventData: Record<string, unknown> = {
    ...lotData(state),
    status,
    current_bid: formatCents(state.currentCents, state.decimals),
    sequence: state.sequence,
    ...(status === 'sold' ? soldData(close, sales, terms) : null),
  };
  pending.ended.add(auctionId);
  pending.closed.push({
    lotId,
    auctionId,
    lotNumber,
    status,
    closedAtUs,
    hammerCents,
    terms,
    sales,
    currency: record?.currency ?? 'usd',
    state,
    eventData,
  });
  addFact(pending, lotId, {
    ...lotFact(state, record),
    eventKey: `lot-${lotId}-${fact}`,
    type: status === 'sold' ? 'lot.sold' : 'lot.passed',
    data: eventData,
  });
}

function soldData({ state, flags }: LotClose, sales: readonly ClosedSale[], terms: SaleTerms) {
  const { hammerCents, winner, decimals } = state;
  const sums = sales.length === 0 ? saleAmounts(hammerCents ?? 0, terms, 'floor') : sumOfSales(sales);
  const bidId = sales.length === 1 ? firstOf(sales).bidId : null;
  return {
    ...saleTexts(sums, decimals),
    ...(isPerUnit(state.units) ? { hammer_per_unit: formatCents(state.currentCents, decimals) } : null),
    paddle_number: winner?.paddle == null ? null : cleanText(winner.paddle),
    flags,
    ...(bidId == null ? null : { bid_id: bidId }),
  };
}
