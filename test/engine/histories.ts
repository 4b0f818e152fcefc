/**
 * Random but possible histories of an auction, for the engine and the naive rules to be run on side by side. A move is
 * drawn without knowing the state and turned into an input near the point where something changes, so that most of
 * them are worth something.
 */
import * as fc from 'fast-check';
import { OUTAGE_US } from '../../engine/auction/record.ts';
import { STARTS_AT_US } from '../support/engine-terms.ts';
import { newWorld } from '../support/naive-rules.ts';
import type { NaiveAuctionTerms, NaiveBidder, NaiveInput, NaiveWorld } from '../support/naive-terms.ts';
import { clock, viewLot } from '../support/naive-views.ts';

export const moves = fc.record({
  kind: fc.constantFrom(
    ...['straight', 'straight', 'straight', 'proxy', 'proxy', 'proxy', 'both', 'both', 'tie', 'tie'],
    ...[
      'raise',
      'void',
      'void',
      'undo',
      'undo',
      'reserve',
      'close',
      'pause',
      'resume',
      'buyNow',
      'withdraw',
      'hammer',
    ],
    ...['outage', 'outage', 'outage'],
  ),
  who: fc.constantFrom('ann', 'bob', 'cat', 'dan', 'ann', 'bob', 'cat', 'sam', 'guest', 'guest'),
  lot: fc.constantFrom(1, 1, 1, 2),
  /** By how much the amount lies over (or under) the minimum. */
  overCents: fc.oneof(fc.constantFrom(0, 0, 1, -1, 500), fc.integer({ min: -200, max: 30_000 })),
  moreCents: fc.oneof(fc.constantFrom(0, 1, 500, 1_000), fc.integer({ min: 0, max: 60_000 })),
  /** What has passed since the move before, in seconds. */
  seconds: fc.oneof(fc.constantFrom(0, 0, 1, 1, 10), fc.integer({ min: 0, max: 400 })),
  confirm: fc.boolean(),
  /** Ends a history rarely, so that most of it is bidding. */
  rarely: fc.integer({ min: 0, max: 9 }),
  pick: fc.nat(1_000),
});
export type Move = typeof moves extends fc.Arbitrary<infer T> ? T : never;

const cents = (max: number) => fc.integer({ min: 1, max });

export const auctions: fc.Arbitrary<NaiveAuctionTerms> = fc.record({
  type: fc.constantFrom('timed', 'timed', 'timed', 'simulcast'),
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  increments: fc.option(
    fc.record({ low: cents(2_000), high: cents(5_000), from: cents(40_000) }).map(({ low, high, from }) => [
      { fromCents: 0, incrementCents: low },
      { fromCents: from, incrementCents: high },
    ]),
    { freq: 2 },
  ),
  softClose: fc.option(
    fc.record({
      windowSeconds: fc.integer({ min: 0, max: 600 }),
      extensionSeconds: fc.integer({ min: 0, max: 600 }),
      maxExtensions: fc.option(fc.integer({ min: 0, max: 3 })),
    }),
    { freq: 4 },
  ),
  confirmFactor: fc.constantFrom(0, 0, 0, 3),
  ownerUserIds: fc.constant([9]),
  registration: fc.record({
    mode: fc.constantFrom('open', 'open', 'open', 'approval', 'deposit'),
    requireVerified: fc.constantFrom(false, false, false, true),
    bidLimitCents: fc.option(fc.integer({ min: 10_000, max: 120_000 }), { freq: 2 }),
    hasConditions: fc.constantFrom(false, false, false, true),
  }),
});

export const lotTerms = fc.record({
  startingBidCents: fc.integer({ min: 1, max: 20_000 }),
  reserveCents: fc.option(fc.integer({ min: 1, max: 80_000 }), { freq: 3 }),
  buyNowCents: fc.option(fc.integer({ min: 1, max: 100_000 }), { freq: 2 }),
  consignorUserId: fc.constantFrom(null, null, null, 4),
  units: fc.option(fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 4_000_000 })), {
    freq: 1,
    nil: undefined,
  }),
});
export type DrawnTerms = typeof lotTerms extends fc.Arbitrary<infer T> ? T : never;

export const people = fc.record({
  ann: person(1),
  bob: person(2),
  cat: person(3),
  dan: person(4),
  sam: person(9),
});

function person(userId: number): fc.Arbitrary<NaiveBidder> {
  const registration = fc.record({
    status: fc.constantFrom(
      'approved' as const,
      'approved' as const,
      'approved' as const,
      'suspended' as const,
    ),
    depositPaid: fc.constant(true),
    hasAccepted: fc.constantFrom(true, true, false),
    bidLimitCents: fc.option(fc.integer({ min: 10_000, max: 120_000 }), { freq: 2 }),
  });
  return fc.record({
    userId: fc.constant(userId),
    verified: fc.constantFrom(true, true, false),
    suspended: fc.constantFrom(false, false, false, false, false, false, true),
    registration: fc.option(registration, { freq: 3 }),
  });
}

/** Two lots that run for half an hour and a minute more; where they are grouped, the clock closes them together. */
export function worldOf(
  auction: NaiveAuctionTerms,
  bidders: Record<string, NaiveBidder>,
  terms: readonly DrawnTerms[],
  isGrouped: boolean,
): NaiveWorld {
  const lots = terms.map((drawn, index) => ({
    ...drawn,
    lotId: index + 1,
    startsAtUs: STARTS_AT_US,
    endsAtUs: STARTS_AT_US + (1_800 + 60 * index) * 1_000_000,
    ...(isGrouped && auction.type === 'timed' ? { group: 'both' } : {}),
  }));
  return newWorld({ auction, lots, bidders });
}

/** Before the start, or five minutes before the first end: most of what moves ends is near them. */
export const beginnings = fc.constantFrom(STARTS_AT_US - 1_000_000, STARTS_AT_US + 1_500_000_000);

/** The input that a move means in a world, or null where it means none there. */
export function inputOf(world: NaiveWorld, move: Move, atUs: number, bidId: string): NaiveInput | null {
  const { kind, lot: lotId, who, overCents, moreCents, confirm, rarely, pick } = move;
  const at = { lotId, atUs };
  const view = viewLot(world, lotId);
  const bid = (
    straightCents: number | null,
    ceilingCents: number | null,
    bidder: string = who,
  ): NaiveInput => ({
    ...at,
    kind: 'bid',
    bidId,
    who: bidder,
    straightCents: straightCents && Math.max(1, straightCents),
    ceilingCents: ceilingCents && Math.max(1, ceilingCents),
    currency: pick === 0 ? 'eur' : null,
    confirm,
    channel: bidder === 'guest' ? 'floor' : 'online',
  });
  const amount = view.minimumNextCents + overCents;
  switch (kind) {
    case 'straight':
      return bid(amount, null);
    case 'proxy':
      return bid(null, amount + moreCents);
    case 'both':
      return bid(amount, Math.max(1, amount) + moreCents);
    case 'tie':
      return bid(pick % 2 === 0 ? view.ceilingCents : null, view.ceilingCents + (pick % 3 === 0 ? 1 : 0));
    case 'raise':
      return bid(null, view.ceilingCents + overCents, view.leader ?? who);
    case 'void': {
      const bids = world.log.map(({ input }) => input).filter((input) => input.kind === 'bid');
      const chosen = bids[pick % Math.max(1, bids.length)];
      return chosen === undefined ? null : { kind, lotId: chosen.lotId, atUs, bidId: chosen.bidId };
    }
    case 'undo': {
      const calls = world.log.map(({ input }) => input).filter((input) => input.kind === 'bid');
      const call = calls.findLast((input) => input.channel === 'floor') ?? calls[0];
      return call === undefined ? null : { kind, lotId: call.lotId, atUs, bidId: call.bidId };
    }
    case 'reserve':
      return { ...at, kind, toCents: rarely === 0 ? null : Math.max(1, amount - 300 + moreCents) };
    case 'buyNow':
      return { ...at, kind, bidId, who: who === 'guest' ? 'ann' : who, currency: null };
    case 'pause':
    case 'resume':
      return { kind, atUs };
    case 'outage': {
      const fromUs = Math.max(clock(world, { kind, atUs: 0, fromUs: 0 }), atUs - move.seconds * 1_000_000);
      return atUs - fromUs > OUTAGE_US ? { kind, atUs, fromUs } : null;
    }
    case 'close':
      return { ...at, kind };
    case 'withdraw':
      return rarely === 0 ? { ...at, kind } : null;
    default:
      return rarely < 2
        ? hammer(view.leader, view.currentCents, { ...at, bidId: `hammer-${bidId}` }, pick)
        : null;
  }
}

function hammer(
  leader: string | null,
  currentCents: number,
  at: { lotId: number; atUs: number; bidId: string },
  pick: number,
): NaiveInput {
  const result = (['sold', 'sold', 'passed', 'unsold'] as const)[pick % 4]!;
  const sold = result === 'sold';
  const who = sold ? (pick % 5 === 0 ? 'guest' : (leader ?? 'ann')) : null;
  return {
    kind: 'hammer',
    ...at,
    result,
    hammerCents: sold ? Math.max(1, currentCents + (pick % 3) * 100 - 100) : null,
    who,
  };
}
