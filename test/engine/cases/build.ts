import type {
  NaiveAuctionTerms,
  NaiveBidder,
  NaiveFlag,
  NaiveInput,
  NaiveLotTerms,
  NaiveLotView,
  NaiveOutcome,
  NaiveRow,
} from '../../support/naive-terms.ts';
import type { CaseBuilder } from './steps.ts';
import { cents, centsOrNull, micros } from './steps.ts';

/**
 * How the worked cases are recorded: dollars and seconds from the start in the tables, integer cents and
 * microseconds in the data that comes out. A step names what is expected of it and, where the lot changes, the lot
 * after it; where it is not named, the lot has to be as it was. Bids are called b1, b2, … in the order of the steps,
 * the refused ones, purchases and sales too.
 */

/** 2026-07-12T10:00:00Z: second 0 of every case. */
export const STARTS_AT_US = Date.UTC(2026, 6, 12, 10) * 1_000;
/** A lot ends an hour later, unless a case says otherwise. */
const END_SECONDS = 3_600;

export type WorkedLot = Omit<NaiveLotView, 'ceilingCents'>;

export interface WorkedStep {
  input: NaiveInput;
  lotId: number;
  expect: {
    refused: string | null;
    outcome: string | null;
    listedCents: number | null;
    extended: boolean;
    flags: NaiveFlag[];
    lot: WorkedLot;
  };
}

export interface WorkedCase {
  name: string;
  auction: NaiveAuctionTerms;
  lots: NaiveLotTerms[];
  bidders: Record<string, NaiveBidder>;
  steps: WorkedStep[];
  /** The public list of lot 1 at the end, newest first; null where the case does not look. */
  rows: Omit<NaiveRow, 'who'>[] | null;
}

export interface Settings {
  type?: 'timed' | 'simulcast';
  start?: number;
  reserve?: number;
  buyNow?: number;
  /** [from, increment] in dollars. */
  increments?: [number, number][];
  /** [window, extension, maximum number] with times in seconds; null turns it off. */
  soft?: [number, number, number?] | null;
  factor?: number;
  mode?: 'open' | 'approval' | 'deposit';
  hasConditions?: boolean;
  requireVerified?: boolean;
  limit?: number;
  consignorUserId?: number;
  /** Amounts are for one of so many units. */
  units?: number;
  /** What the lot is sold for, where that is not the price. */
  hammer?: number;
  lots?: number;
  /** Rule 9, in seconds. */
  stagger?: number;
  /** The lots close together. */
  isGrouped?: boolean;
  bidders?: Record<string, Partial<NaiveBidder>>;
}

const PEOPLE: [string, number][] = [
  ['ann', 1],
  ['bob', 2],
  ['cat', 3],
  ['dan', 4],
  ['sam', 9],
];

function biddersOf(settings: Settings): Record<string, NaiveBidder> {
  const bidders: Record<string, NaiveBidder> = {};
  for (const [name, userId] of PEOPLE) {
    const usual: NaiveBidder = { userId, verified: false, suspended: false, registration: null };
    bidders[name] = { ...usual, ...settings.bidders?.[name] };
  }
  return bidders;
}

function auctionOf(settings: Settings): NaiveAuctionTerms {
  const soft = settings.soft === undefined ? ([300, 300] as [number, number, number?]) : settings.soft;
  const softClose = soft && {
    windowSeconds: soft[0],
    extensionSeconds: soft[1],
    maxExtensions: soft[2] ?? null,
  };
  return {
    type: settings.type ?? 'timed',
    currency: 'USD',
    increments:
      settings.increments?.map(([from, increment]) => ({
        fromCents: cents(from),
        incrementCents: cents(increment),
      })) ?? null,
    softClose,
    confirmFactor: settings.factor ?? 0,
    /** Sam sells. */
    ownerUserIds: [9],
    registration: {
      mode: settings.mode ?? 'open',
      hasConditions: settings.hasConditions ?? false,
      requireVerified: settings.requireVerified ?? false,
      bidLimitCents: centsOrNull(settings.limit),
    },
  };
}

function lotsOf(settings: Settings): NaiveLotTerms[] {
  return Array.from({ length: settings.lots ?? 1 }, (_, index) => ({
    lotId: index + 1,
    startingBidCents: cents(settings.start ?? 100),
    reserveCents: centsOrNull(settings.reserve),
    buyNowCents: centsOrNull(settings.buyNow),
    startsAtUs: STARTS_AT_US,
    endsAtUs: STARTS_AT_US + micros(END_SECONDS + index * (settings.stagger ?? 0)),
    consignorUserId: settings.consignorUserId ?? null,
    ...(settings.isGrouped ? { group: 'all' } : {}),
    ...(settings.units === undefined ? {} : { units: Math.round(settings.units * 10_000) }),
  }));
}

function lotAfter(
  before: WorkedLot,
  { after, outcome, refused }: CaseBuilder,
  { hammer }: Settings,
): WorkedLot {
  const closes = ['won', 'sold', 'passed', 'unsold', 'withdrawn'].includes(outcome ?? '') && refused === null;
  const status = closes ? ((outcome === 'won' ? 'sold' : outcome) as WorkedLot['status']) : before.status;
  const hammerOf = (price: number) => (status === 'sold' ? (centsOrNull(hammer) ?? price) : null);
  if (after === null) return { ...before, status, hammerCents: hammerOf(before.currentCents) };
  const [current, next, leader, bidCount, reserveMet, end] = after;
  return {
    currentCents: cents(current),
    minimumNextCents: cents(next),
    leader,
    bidCount,
    reserveMet,
    endsAtUs: end === undefined ? before.endsAtUs : STARTS_AT_US + micros(end),
    status,
    hammerCents: hammerOf(cents(current)),
  };
}

type Row = [bidId: string, amount: number, outcome: NaiveOutcome, status: NaiveRow['status']];

/** One case. `rows` is the public list of lot 1 at the end, newest first. */
export function worked(
  name: string,
  settings: Settings,
  builders: CaseBuilder[],
  rows: Row[] | null = null,
): WorkedCase {
  const lots = lotsOf(settings);
  const now = new Map<number, WorkedLot>();
  const latestUs = Math.max(...lots.map(({ endsAtUs }) => endsAtUs));
  for (const lot of lots) {
    const { startingBidCents, reserveCents, group } = lot;
    const endsAtUs = group === undefined ? lot.endsAtUs : latestUs;
    const untouched = {
      currentCents: 0,
      leader: null,
      bidCount: 0,
      status: 'open' as const,
      hammerCents: null,
    };
    now.set(lot.lotId, {
      ...untouched,
      minimumNextCents: startingBidCents,
      reserveMet: reserveCents === null,
      endsAtUs,
    });
  }
  let bids = 0;
  const steps = builders.map((builder): WorkedStep => {
    const input = builder.make(STARTS_AT_US + micros(builder.at), `b${bids + 1}`);
    if (input.kind === 'bid' || input.kind === 'buyNow' || input.kind === 'hammer') bids += 1;
    const before = now.get(builder.lot);
    if (before === undefined) throw new Error(`${name}: no lot ${builder.lot}`);
    const lot = lotAfter(before, builder, settings);
    now.set(builder.lot, lot);
    if (settings.isGrouped)
      for (const [lotId, other] of now)
        if (other.status === 'open') now.set(lotId, { ...other, endsAtUs: lot.endsAtUs });
    const extended = input.kind === 'bid' && lot.endsAtUs !== before.endsAtUs;
    const { refused, outcome, flags } = builder;
    const listedCents = centsOrNull(builder.amount);
    return { input, lotId: builder.lot, expect: { refused, outcome, listedCents, extended, flags, lot } };
  });
  const list = rows?.map(([bidId, amount, outcome, status]) => ({
    bidId,
    listedCents: cents(amount),
    outcome,
    status,
  }));
  return {
    name,
    auction: auctionOf(settings),
    lots,
    bidders: biddersOf(settings),
    steps,
    rows: list ?? null,
  };
}
