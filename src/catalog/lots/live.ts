/**
 * The live fields of lots: those that only a lot's journal knows. Read from the journal for every answer and laid
 * over what Postgres holds; while the journal is unavailable, Postgres' copy serves and says that it is stale.
 */

import type { Journal } from '../../../engine/actor/journal.ts';
import { houseIncrements, type Increment, incrementAt } from '../../../engine/auction/increments.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { decodeSnapshot, FORMAT_NAMES, groupOffered, lotView } from '../../../engine/formats/formats.ts';
import type { LotView } from '../../../engine/lot/sight.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { type LotTotals, lotTotals } from '../../../engine/lot/unit-totals.ts';
import { type LotUnits, totalOf } from '../../../engine/lot/units.ts';
import { type Decimals, decimalsOf, formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { type OfferJournal, withGroupsBidding } from '../../shared/group-offers.ts';
import { type UnitColumns, unitsOf } from '../../shared/lot-units.ts';

export interface LiveLotIds {
  readonly lotId: number;
  readonly auctionId: number;
}

export interface LiveLots {
  /** The lots that the journal has; others are absent. */
  readonly states: ReadonlyMap<number, LotState>;
  /** The journal could not be read: what Postgres holds may be behind. */
  readonly stale: boolean;
  /** When they were read, by the journal's clock. */
  readonly nowUs: number;
}

/** What live fields are read from. */
export type LiveJournal = OfferJournal & Pick<Journal, 'nowUs'>;

/** Reads the live state of many lots in one round trip per shard. Never throws. */
export async function readLive(journal: LiveJournal, lots: readonly LiveLotIds[]): Promise<LiveLots> {
  const states = new Map<number, LotState>();
  try {
    const found = await Promise.all(lots.map(({ auctionId, lotId }) => journal.load(auctionId, lotId)));
    const shown = found.some((state) => state !== null && groupOffered(state))
      ? await Promise.all(found.map((state) => state && withGroupsBidding(journal, state)))
      : found;
    shown.forEach((state, index) => {
      if (state !== null) states.set(itemAt(lots, index).lotId, state);
    });
    return { states, stale: false, nowUs: journal.nowUs() };
  } catch {
    return { states, stale: lots.length > 0, nowUs: journal.nowUs() };
  }
}

/**
 * The column `snapshot`, of a statement over `lots l` and `auctions a`: the state of a lot of any format but the first,
 * of which Postgres has no columns for everything that is shown.
 */
export const SNAPSHOT_SQL = `CASE WHEN a.format <> '${FORMAT_NAMES[0]}'
  THEN (SELECT s.snapshot FROM lot_states s WHERE s.lot_id = l.id) END`;

/** A lot's state as the projection has kept it; undefined where its columns say all. */
export function keptState(snapshot: string | null): LotState | undefined {
  return snapshot === null ? undefined : decodeSnapshot(snapshot);
}

const moneyOrNull = (cents: number | null, decimals: Decimals) =>
  cents === null ? null : formatCents(cents, decimals);

/** The live columns as Postgres has them, written by the projection. */
export interface LiveColumns {
  readonly status: string;
  readonly starting_bid_cents: number;
  readonly reserve_price_cents: number | null;
  readonly buy_now_price_cents: number | null;
  readonly current_bid_cents: number;
  readonly bid_count: number;
  readonly minimum_next_bid_cents: number | null;
  readonly reserve_met: boolean;
  readonly live_end_time: string | null;
  readonly original_end_time: string | null;
  readonly extension_count: number;
  readonly extended_by_outage: boolean;
  readonly hammer_price_cents: number | null;
}

type Copied = LiveColumns & UnitColumns;

/**
 * What an acre costs at the hammer price, else at the clock's price, the current or starting bid, rounded half up to
 * the smallest unit; null without acres, or while the format tells no price. A tract that was bid on with others only
 * has bids and no current one.
 */
export function centsPerAcre(
  { hammerCents, currentCents, startingBidCents, minimumNextCents, fields }: PricedView,
  { units, acres: acresInput }: { readonly units: LotUnits | null; readonly acres: string | number | null },
): number | null {
  const acres = Number(acresInput ?? 0);
  if (acres <= 0) return null;
  if (hammerCents !== null) return Math.round(hammerCents / acres);
  if (fields?.['next_price'] !== undefined) return Math.round(totalOf(units, minimumNextCents) / acres);
  if (currentCents === null) return null;
  return Math.round(totalOf(units, currentCents > 0 ? currentCents : startingBidCents) / acres);
}

type PricedView = Pick<
  LotView,
  'hammerCents' | 'currentCents' | 'startingBidCents' | 'minimumNextCents' | 'fields'
>;

/** What is public of a lot's price and status. */
export function liveFields(
  columns: Copied,
  state: LotState | undefined,
  auction: {
    readonly currency: string;
    readonly increments: readonly Increment[] | null;
    readonly start_time: string;
    readonly end_time: string;
    /** When it is read, by the journal's clock. */
    readonly nowUs: number;
    /** As its column has it, which is text. */
    readonly acres: string | number | null;
  },
) {
  const increments = auction.increments ?? houseIncrements(auction.currency);
  if (state === undefined) return copiedFields(columns, increments, auction);
  const view = lotView(state, { viewer: null, increments, nowUs: auction.nowUs });
  const status: string = view.status;
  return {
    starting_bid: formatCents(view.startingBidCents, state.decimals),
    current_bid: moneyOrNull(view.currentCents, state.decimals),
    minimum_next_bid: formatCents(view.minimumNextCents, state.decimals),
    bid_increment: formatCents(view.incrementCents, state.decimals),
    bid_count: view.bidCount,
    hammer_price: moneyOrNull(view.hammerCents, state.decimals),
    has_reserve: view.hasReserve,
    reserve_met: view.reserveMet,
    buy_now_price: moneyOrNull(view.buyNowCents, state.decimals),
    status,
    start_time: isoFromUs(view.startsAtUs),
    end_time: isoFromUs(view.endsAtUs),
    original_end_time: isoFromUs(view.originalEndsAtUs),
    extension_count: view.extensionCount,
    extended_by: view.extendedBy,
    price_per_acre: moneyOrNull(
      centsPerAcre(view, { units: state.units, acres: auction.acres }),
      state.decimals,
    ),
    ...lotTotals(view, state),
    ...view.fields,
  };
}

/** A stored band in the engine’s terms. */
export function bandOf(band: { readonly from_cents: number; readonly increment_cents: number }): Increment {
  return { fromCents: band.from_cents, incrementCents: band.increment_cents };
}

/** What moved the end last, alongside the auction. */
function extendedBy(byOutage: boolean, extensions: number): 'bid' | 'outage' | null {
  if (byOutage) return 'outage';
  return extensions > 0 ? 'bid' : null;
}

function copiedTotals(columns: Copied, decimals: Decimals): LotTotals {
  const copy = {
    status: columns.status,
    currentCents: columns.current_bid_cents,
    minimumNextCents: columns.minimum_next_bid_cents ?? columns.starting_bid_cents,
    hammerCents: columns.hammer_price_cents,
  };
  return lotTotals(copy, { units: unitsOf(columns), decimals });
}

function copiedFields(
  columns: Copied,
  increments: readonly Increment[],
  auction: {
    readonly currency: string;
    readonly start_time: string;
    readonly end_time: string;
    readonly acres: string | number | null;
  },
) {
  const { current_bid_cents: currentCents } = columns;
  const decimals = decimalsOf(auction.currency);
  return {
    starting_bid: formatCents(columns.starting_bid_cents, decimals),
    current_bid: formatCents(currentCents, decimals),
    minimum_next_bid: formatCents(columns.minimum_next_bid_cents ?? columns.starting_bid_cents, decimals),
    bid_increment: formatCents(incrementAt(increments, currentCents), decimals),
    bid_count: columns.bid_count,
    hammer_price: moneyOrNull(columns.hammer_price_cents, decimals),
    has_reserve: columns.reserve_price_cents !== null,
    reserve_met: columns.reserve_met || columns.reserve_price_cents === null,
    buy_now_price: moneyOrNull(columns.buy_now_price_cents, decimals),
    status: columns.status,
    start_time: auction.start_time,
    end_time: columns.live_end_time ?? auction.end_time,
    original_end_time: columns.original_end_time ?? auction.end_time,
    extension_count: columns.extension_count,
    extended_by: extendedBy(columns.extended_by_outage, columns.extension_count),
    price_per_acre: moneyOrNull(
      centsPerAcre(
        {
          hammerCents: columns.hammer_price_cents,
          currentCents,
          startingBidCents: columns.starting_bid_cents,
          minimumNextCents: columns.minimum_next_bid_cents ?? columns.starting_bid_cents,
        },
        { units: unitsOf(columns), acres: auction.acres },
      ),
      decimals,
    ),
    ...copiedTotals(columns, decimals),
  };
}
