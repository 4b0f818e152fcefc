/**
 * What is bid on, and how: the three loads of the engine's bench, and the closed loop that sends them to a contender:
 * anything that records one bid durably and confirms it.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** Accepts bids: each settles once it is on disk. The amounts of one lot rise by 1.00 from bid to bid. */
export interface Contender {
  /** True: recorded. False: refused, which only a contender that does not keep the order of arrival does. */
  bid(lot: number, bidder: number, amountCents: number): Promise<boolean>;
  /** Discards what a sample leaves behind. */
  tidy(): Promise<void>;
  /** More bidders than these only wait longer; absent if more is better. */
  readonly maxWaiting?: number;
  close(): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly lots: number;
  readonly auctions: number;
  /** Bidders of each auction; each in the loop bids as one of them. */
  readonly bidders: number;
  /** How many wait for an answer at any time. */
  readonly waiting: number;
  /** A lot to bid on, from 1. */
  pick(): number;
}

const EXPONENT = 1;

export function scenarios(waiting: { readonly hot: number; readonly many: number }): Scenario[] {
  const many = { lots: 1_000, auctions: 100, bidders: 100, waiting: waiting.many };
  return [
    {
      name: 'hot',
      title: `one hot lot, ${waiting.hot.toLocaleString('en-US')} bidders waiting`,
      lots: 1,
      auctions: 1,
      bidders: waiting.hot,
      waiting: waiting.hot,
      pick: () => 1,
    },
    {
      name: 'even',
      title: `1,000 lots of 100 auctions, evenly, ${waiting.many.toLocaleString('en-US')} waiting`,
      ...many,
      pick: () => 1 + Math.floor(Math.random() * many.lots),
    },
    {
      name: 'zipf',
      title: `the same, Zipf (exponent ${EXPONENT})`,
      ...many,
      pick: zipf(many.lots),
    },
  ];
}

/** Draws ranks by Zipf's law, and spreads them over the lots so that popular ones are in different auctions. */
function zipf(lots: number): () => number {
  const upTo: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= lots; rank += 1) {
    sum += 1 / rank ** EXPONENT;
    upTo.push(sum);
  }
  return () => {
    const drawn = Math.random() * sum;
    let [low, high] = [0, lots - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle]! < drawn) low = middle + 1;
      else high = middle;
    }
    return 1 + ((low * 11) % lots);
  };
}

export interface Load {
  readonly warmMs: number;
  readonly ms: number;
}

/** The next amount of every lot; a contender keeps it across samples. */
export type Prices = Map<number, number>;

/** A closed loop of `scenario.waiting` bidders: gives how many bids were recorded in a second. */
export async function bidsPerSecond(
  contender: Contender,
  scenario: Scenario,
  prices: Prices,
  { warmMs, ms }: Load,
): Promise<number> {
  let running = true;
  let recorded = 0;
  const loop = async (slot: number) => {
    const bidder = slot % scenario.bidders;
    while (running) {
      const lot = scenario.pick();
      const amountCents = (prices.get(lot) ?? 0) + 100;
      prices.set(lot, amountCents);
      if (await contender.bid(lot, bidder, amountCents)) recorded += 1;
    }
  };
  const length = Math.min(scenario.waiting, contender.maxWaiting ?? scenario.waiting);
  const loops = Promise.all(Array.from({ length }, (_, slot) => loop(slot)));
  await Promise.race([sleep(warmMs), loops]);
  const before = recorded;
  const started = performance.now();
  await Promise.race([sleep(ms), loops]);
  const rate = ((recorded - before) / (performance.now() - started)) * 1_000;
  running = false;
  await loops;
  await contender.tidy();
  return rate;
}
