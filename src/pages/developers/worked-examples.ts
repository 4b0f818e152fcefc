/**
 * The examples of the bidding rules: each is a lot, and bids on it. Their outcome comes from the engine, the same that
 * decides real bids; nothing of an answer is written here.
 */
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import {
  type AuctionRecord,
  type Bidder,
  DEFAULT_SOFT_CLOSE,
  userKey,
} from '../../../engine/auction/record.ts';
import { GENESIS_HASH } from '../../../engine/digest.ts';
import { decide } from '../../../engine/formats/english/decide.ts';
import {
  type EnglishState,
  minimumNextCents,
  reserveMet,
} from '../../../engine/formats/english/english-state.ts';
import { evolve, NO_LOT } from '../../../engine/formats/english/evolve.ts';
import type { Command } from '../../../engine/lot/commands.ts';

/** What somebody does, some minutes after the start; the end is at 60. Amounts are whole dollars. */
interface Step {
  readonly who: string;
  readonly at?: number;
  readonly bids?: number;
  readonly upTo?: number;
  readonly confirms?: true;
  readonly buys?: true;
  /** Nobody does anything: the clock comes to the end. */
  readonly ends?: true;
}

interface Scenario {
  readonly title: string;
  readonly rule: string;
  readonly startsAt?: number;
  readonly reserve?: number;
  readonly buyNow?: number;
  readonly confirmFactor?: number;
  readonly steps: readonly Step[];
}

export interface WorkedRow {
  readonly at: string;
  readonly who: string;
  readonly does: string;
  /** The outcome, or the code of the refusal. */
  readonly answer: string;
  readonly refused: boolean;
  /** Null before the first bid. */
  readonly currentCents: number | null;
  readonly leader: string | null;
  readonly minimumCents: number;
  readonly reserveMet: boolean;
  readonly endsAt: string;
}

export interface WorkedExample {
  readonly title: string;
  readonly rule: string;
  readonly input: string;
  readonly rows: readonly WorkedRow[];
}

const SCENARIOS: readonly Scenario[] = [
  {
    title: 'A first bid',
    rule: 'A straight bid becomes the price. Every later bid must be at least the price plus its increment.',
    steps: [
      { who: 'Ann', bids: 120 },
      { who: 'Bob', bids: 125 },
      { who: 'Bob', bids: 130 },
    ],
  },
  {
    title: 'A maximum',
    rule: 'With a maximum the house bids for you, as little as necessary. Nobody else learns it.',
    steps: [
      { who: 'Ann', upTo: 300 },
      { who: 'Bob', bids: 150 },
      { who: 'Bob', upTo: 250 },
      { who: 'Bob', upTo: 400 },
    ],
  },
  {
    title: 'A tie',
    rule: 'Of two equal maximum bids the earlier one leads, and the price is the tied amount.',
    steps: [
      { who: 'Ann', upTo: 500 },
      { who: 'Bob', upTo: 500 },
    ],
  },
  {
    title: 'The leader again',
    rule: 'If the leader raises their maximum, nothing visible changes; a straight bid raises their own price.',
    steps: [
      { who: 'Ann', upTo: 300 },
      { who: 'Ann', upTo: 600 },
      { who: 'Ann', upTo: 500 },
      { who: 'Ann', bids: 200 },
    ],
  },
  {
    title: 'A reserve',
    rule: 'Below the reserve, prices rise as usual. A leader’s maximum that covers it raises the price to it at once.',
    reserve: 500,
    steps: [
      { who: 'Ann', upTo: 300 },
      { who: 'Bob', upTo: 450 },
      { who: 'Ann', upTo: 700 },
      { who: 'the clock', ends: true },
    ],
  },
  {
    title: 'Soft close',
    rule: 'A bid that changes the price or the leader in the last five minutes moves the end to five minutes after it.',
    steps: [
      { who: 'Ann', bids: 100, at: 10 },
      { who: 'Bob', bids: 200, at: 58 },
      { who: 'Ann', bids: 220, at: 62 },
      { who: 'Bob', bids: 300, at: 67 },
    ],
  },
  {
    title: 'Confirmation',
    rule: 'If the auction requires it, a bid far above the minimum must be confirmed.',
    confirmFactor: 3,
    steps: [
      { who: 'Ann', bids: 1_000 },
      { who: 'Ann', bids: 1_000, confirms: true },
    ],
  },
  {
    title: 'Buy now',
    rule: 'Until the first bid, or with a reserve until it is met, the lot can be bought at once.',
    buyNow: 900,
    steps: [
      { who: 'Ann', buys: true },
      { who: 'Bob', bids: 1_000 },
    ],
  },
  {
    title: 'A reserve that is not met',
    rule: 'A lot closes once: sold, passed if the reserve was not met, or unsold if there were no bids.',
    reserve: 500,
    steps: [
      { who: 'Ann', bids: 300 },
      { who: 'the clock', ends: true },
    ],
  },
];

const STARTS_AT_US = Date.UTC(2026, 6, 12, 10) * 1_000;
const MINUTE_US = 60_000_000;
const LASTS_MINUTES = 60;
const STARTING_BID = 100;

/** All examples, with what the engine made of them. */
export function workedExamples(): WorkedExample[] {
  return SCENARIOS.map(workOut);
}

function workOut(scenario: Scenario): WorkedExample {
  const record = recordOf(scenario);
  let state = openLot(scenario, record);
  let minutes = 0;
  const rows = scenario.steps.map((step, index) => {
    minutes = step.at ?? (step.ends ? LASTS_MINUTES : minutes + 1);
    const nowUs = STARTS_AT_US + minutes * MINUTE_US;
    const bidder = bidderOf(step.who);
    const context = { record, bidder, exposureCents: 0, nowUs };
    const decision = decide(state, commandOf(step, bidder, index), context);
    if ('need' in decision) throw new Error(`an example needs ${decision.need}`);
    state = decision.next;
    const { answer } = decision;
    const refused = answer.kind === 'refused';
    return {
      at: clock(nowUs),
      who: step.who,
      does: wordsOf(step),
      answer:
        answer.kind === 'refused' ? answer.code : answer.kind === 'bid' ? answer.outcome : answer.status,
      refused,
      currentCents: state.leader === null ? null : state.currentCents,
      leader: state.leader?.alias ?? null,
      minimumCents: minimumNextCents(state, record),
      reserveMet: reserveMet(state),
      endsAt: clock(state.endsAtUs),
    };
  });
  return { title: scenario.title, rule: scenario.rule, input: givenWords(scenario), rows };
}

function recordOf({ confirmFactor = 0 }: Scenario): AuctionRecord {
  return {
    auctionId: 1,
    version: 1,
    type: 'timed',
    privacy: 'public',
    currency: 'usd',
    startsAtUs: STARTS_AT_US,
    endsAtUs: STARTS_AT_US + LASTS_MINUTES * MINUTE_US,
    staggerSeconds: 0,
    pauses: [],
    cancelled: false,
    increments: DEFAULT_INCREMENTS,
    softClose: DEFAULT_SOFT_CLOSE,
    confirmFactor,
    premiumBps: 0,
    taxPpm: 0,
    registrationMode: 'open',
    requireVerified: false,
    bidLimitCents: null,
    ownerTeamId: 0,
    ownerUserId: null,
  };
}

function openLot(
  { startsAt = STARTING_BID, reserve, buyNow }: Scenario,
  record: AuctionRecord,
): EnglishState {
  const scheduled = evolve(
    { ...NO_LOT, hash: GENESIS_HASH },
    {
      type: 'lot_scheduled',
      sequence: 1,
      lotId: 1,
      auctionId: record.auctionId,
      lotNumber: 1,
      startsAtUs: record.startsAtUs,
      endsAtUs: record.endsAtUs,
      pausesApplied: 0,
      salt: '',
      startingBidCents: startsAt * 100,
      reserveCents: reserve === undefined ? null : reserve * 100,
      buyNowCents: buyNow === undefined ? null : buyNow * 100,
      consignorUserId: null,
    },
  );
  return { ...scheduled, recordedAtUs: record.startsAtUs, status: 'active' };
}

function bidderOf(who: string): Bidder {
  const userId = who.length + who.charCodeAt(0);
  return {
    key: userKey(userId),
    userId,
    alias: who,
    paddle: String(userId),
    status: 'approved',
    limitCents: null,
  };
}

function commandOf(step: Step, { key, userId }: Bidder, index: number): Command {
  if (step.ends) return { type: 'advance' };
  const bidder = { key, userId, verified: true, suspended: false, teamIds: [], paddle: null };
  const names = { bidId: `bid-${index}`, salt: '', bidder, currency: null };
  if (step.buys) return { type: 'buy_now', ...names };
  return {
    type: 'place_bid',
    ...names,
    channel: 'online',
    straightCents: step.bids === undefined ? null : step.bids * 100,
    ceilingCents: step.upTo === undefined ? null : step.upTo * 100,
    confirm: step.confirms === true,
    floor: null,
  };
}

const dollars = (amount: number) => `$${amount.toLocaleString('en-US')}`;

function wordsOf({ bids, upTo, confirms, buys, ends }: Step): string {
  if (ends) return 'reaches the end';
  if (buys) return 'buys now';
  const does = upTo === undefined ? `bids ${dollars(bids ?? 0)}` : `bids up to ${dollars(upTo)}`;
  return confirms ? `${does}, confirmed` : does;
}

function givenWords({ startsAt = STARTING_BID, reserve, buyNow, confirmFactor }: Scenario): string {
  const parts = [`starts at ${dollars(startsAt)}`];
  if (reserve !== undefined) parts.push(`reserve ${dollars(reserve)}`);
  if (buyNow !== undefined) parts.push(`buy now at ${dollars(buyNow)}`);
  if (confirmFactor !== undefined)
    parts.push(`bids over ${confirmFactor} times the minimum must be confirmed`);
  return `The lot ${parts.join(', ')}, from 10:00 to 11:00.`;
}

/** `10:05` */
function clock(us: number): string {
  return new Date(us / 1_000).toISOString().slice(11, 16);
}
