/**
 * Bids of one lot that are projected together are one row of the outbox, because a row for each of them was the dearest
 * thing that Postgres did for a bid. Each of them is its own fact all the same: ids go up in steps of as many as a
 * row may hold, the last bid has the row's id and those before it the ids before. Whoever reads facts takes them apart
 * here.
 */
import { totalText } from '../../engine/lot/unit-totals.ts';
import { isPerUnit, type LotUnits } from '../../engine/lot/units.ts';
import { type Decimals, formatCents } from '../../engine/money.ts';

/** A bid as its fact has it. */
export interface BidFact {
  readonly bidId: string;
  readonly sequence: number;
  readonly amountCents: number;
  readonly currentCents: number;
  readonly channel: string;
  /** The trace that the bid's deliveries continue; absent where nothing is traced. */
  trace?: string | null;
}

/** Bids of one lot, oldest first, at least one. */
export interface BidRun {
  readonly type: 'lot.bid_placed';
  readonly teamId: number | null;
  readonly auctionId: number;
  readonly lotId: number;
  readonly lotNumber: number;
  /** Of the currency of the amounts. */
  readonly decimals: Decimals;
  readonly units: LotUnits | null;
  readonly bids: readonly BidFact[];
  /** The users who led the lot before these bids and during them, as far as they have accounts. */
  readonly leaders: ReadonlySet<number>;
}

/** In one row at most: ids go up by as many. */
export const MAX_BIDS = 64;

/** By position: bid, sequence, amount, current bid, channel, and its trace's context where it has one. */
type StoredBid = readonly [string, number, number, number, string, string?];

/** A row of the outbox as it is written. */
export interface OutboxRow {
  readonly event_key: string;
  readonly type: string;
  readonly team_id: number | null;
  readonly user_id: number | null;
  readonly auction_id: number | null;
  readonly lot_id: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** A run of bids as JSON; null: the row is one fact alone. */
  readonly bids: string | null;
  readonly trace: string | null;
}

/** The outbox's row of a run. */
export function rowOfRun(run: BidRun): OutboxRow {
  const { type, teamId, auctionId, lotId, lotNumber, decimals, units, bids, leaders } = run;
  if (bids.length > MAX_BIDS) throw new Error(`${bids.length} bids do not fit into one row`);
  const [first, last] = [bids.at(0)?.sequence, bids.at(-1)?.sequence];
  const stored = bids.map(({ bidId, sequence, amountCents, currentCents, channel, trace }): StoredBid => {
    const columns = [bidId, sequence, amountCents, currentCents, channel] as const;
    return trace ? [...columns, trace] : columns;
  });
  return {
    event_key: `lot-${lotId}-bids-${first}-${last}`,
    type,
    team_id: teamId,
    user_id: null,
    auction_id: auctionId,
    lot_id: lotId,
    data: {
      lot_number: lotNumber,
      first,
      last,
      leaders: [...leaders],
      ...(decimals === 2 ? {} : { decimals }),
      ...(isPerUnit(units) ? { units } : {}),
    },
    bids: JSON.stringify(stored),
    trace: null,
  };
}

interface LotOfFact {
  readonly lotId: number | null;
  readonly auctionId: number | null;
  readonly lotNumber: number;
  readonly decimals: Decimals;
  readonly units: LotUnits | null;
}

/** A bid as it is published. */
function dataOf(
  { bidId, sequence, amountCents, currentCents, channel }: BidFact,
  { lotId, auctionId, lotNumber, decimals, units }: LotOfFact,
) {
  return {
    event_key: `lot-${lotId}-bid-${sequence}`,
    lot_id: lotId,
    auction_id: auctionId,
    lot_number: lotNumber,
    bid_id: bidId,
    amount: formatCents(amountCents, decimals),
    ...(isPerUnit(units) ? { total: totalText(units, amountCents, decimals) } : {}),
    current_bid: formatCents(currentCents, decimals),
    sequence,
    channel,
  };
}

/** A row as it is read to be taken apart; `bids` is null where it is one fact alone. */
export interface StoredFact {
  readonly id: number;
  readonly auction_id: number | null;
  readonly lot_id: number | null;
  readonly data_text: string;
  readonly bids: string | null;
  readonly trace: string | null;
}

/** What a run's row says of all its bids. */
interface StoredRun {
  readonly lot_number: number;
  readonly decimals?: Decimals;
  readonly units?: LotUnits | null;
}

/** A row's facts, oldest first, each with its own id and its public data. */
export function factsOf<Row extends StoredFact>(row: Row): Row[] {
  if (row.bids === null) return [row];
  const stored: readonly StoredBid[] = JSON.parse(row.bids);
  const { lot_number, decimals = 2, units = null }: StoredRun = JSON.parse(row.data_text);
  const lot = { lotId: row.lot_id, auctionId: row.auction_id, lotNumber: lot_number, decimals, units };
  return stored.map(([bidId, sequence, amountCents, currentCents, channel, trace = null], at) => {
    const bid = { bidId, sequence, amountCents, currentCents, channel };
    return {
      ...row,
      id: row.id - stored.length + 1 + at,
      bids: null,
      trace,
      data_text: JSON.stringify(dataOf(bid, lot)),
    };
  });
}
