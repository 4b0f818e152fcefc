/**
 * Ten thousand lots that are due within one second, closed by the sweep and by BullMQ's delayed jobs in turn, each in
 * a process of its own, while this process continues bidding on other lots. How long after its due moment the last one
 * was closed, by the journal's clock.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { connectionTo, queuePrefix } from '../../adapters/queue/connection.ts';
import { isClosed, type LotState } from '../../engine/lot/state.ts';
import { type BenchEngine, benchEngine, bidder } from '../engine/rostrum.ts';
import { interleaved, median, quantile } from '../support/rounds.ts';
import type { BenchServers } from './servers.ts';

export interface Closing {
  readonly lots: number;
  readonly bidsPerSecond: number;
  /** How late the last and the median lot were, in ms. */
  readonly sweep: { readonly last: number; readonly middle: number };
  readonly bullmq: { readonly last: number; readonly middle: number };
}

const AUCTIONS = 100;
const BUSY_AUCTION = AUCTIONS + 1;
const BUSY_LOTS = 50;
const BUSY_FIRST = 1_000_001;
const WITHIN_US = 1_000_000;
const PATIENCE_MS = 60_000;

export async function closingRace(
  servers: BenchServers,
  { lots, rounds }: { readonly lots: number; readonly rounds: number },
): Promise<Closing> {
  const peak = await peakRate(servers);
  const rate = peak / 2;
  const samples = await interleaved(['sweep', 'bullmq'] as const, rounds, (how) =>
    closeAll(servers, how, lots, rate),
  );
  const of = (how: 'sweep' | 'bullmq') => ({
    last: median(samples[how].map(({ last }) => last)),
    middle: median(samples[how].map(({ middle }) => middle)),
  });
  return { lots, bidsPerSecond: rate, sweep: of('sweep'), bullmq: of('bullmq') };
}

const busyLots = Array.from({ length: BUSY_LOTS }, (_, index) => BUSY_FIRST + index);

/** What the engine accepts here when it does nothing else. */
async function peakRate(servers: BenchServers): Promise<number> {
  await servers.empty();
  const bench = await benchEngine(servers.redisUrl);
  await bench.addAuction({ auctionId: BUSY_AUCTION, lotIds: busyLots, bidders: 100 });
  const bids = startBids(bench);
  const loops = Promise.all(Array.from({ length: 500 }, () => bids.loop()));
  await sleep(1_000);
  const [before, started] = [bids.placed, performance.now()];
  await sleep(1_500);
  const rate = ((bids.placed - before) / (performance.now() - started)) * 1_000;
  bids.stop();
  await loops;
  await bench.close();
  return rate;
}

function startBids({ engine }: BenchEngine) {
  const placeBid = bidder(engine);
  const prices = new Map<number, number>();
  let running = true;
  let placed = 0;
  let sent = 0;
  const bid = async () => {
    const lot = busyLots[sent++ % BUSY_LOTS]!;
    const amountCents = (prices.get(lot) ?? 0) + 100;
    prices.set(lot, amountCents);
    await placeBid(lot, sent % 100, amountCents);
    placed += 1;
  };
  return {
    get placed() {
      return placed;
    },
    async loop() {
      while (running) await bid();
    },
    /** Sends at a steady rate, however long the answers take; ends when all have arrived. */
    async steadily(perSecond: number) {
      const started = performance.now();
      const under: Promise<void>[] = [];
      while (running) {
        const due = ((performance.now() - started) / 1_000) * perSecond;
        while (sent < due) under.push(bid());
        await sleep(2);
      }
      await Promise.all(under);
    },
    stop() {
      running = false;
    },
  };
}

type How = 'sweep' | 'bullmq';

/** Sets up again with more time before the first lot is due if the machine was too slow. */
async function closeAll(servers: BenchServers, how: How, lots: number, rate: number) {
  for (let leadUs = (3_000 + lots) * 1_000; ; leadUs *= 2) {
    const states = await attempt(servers, how, lots, rate, leadUs);
    if (states === null) continue;
    const lateMs = states.map((state) => (state.recordedAtUs - state.originalEndsAtUs) / 1_000);
    return { last: Math.max(...lateMs), middle: quantile(lateMs, 0.5) };
  }
}

/** The lots as closed; null if they were due before all was ready. */
async function attempt(
  servers: BenchServers,
  how: How,
  lots: number,
  rate: number,
  leadUs: number,
): Promise<LotState[] | null> {
  await servers.empty();
  const bench = await benchEngine(servers.redisUrl);
  const child = fork(
    fileURLToPath(new URL('./closer.ts', import.meta.url)),
    [how, servers.redisUrl, bench.epoch, String(lots), String(AUCTIONS)],
    { execArgv: process.execArgv },
  );
  const ready = once(child, 'message');
  const address = { redisUrl: servers.redisUrl, prefix: queuePrefix('bench') };
  const queue = new Queue('closing', { connection: connectionTo(address), prefix: address.prefix });
  await bench.addAuction({ auctionId: BUSY_AUCTION, lotIds: busyLots, bidders: 100 });
  const dueUs = bench.journal.nowUs() + leadUs;
  await addLots(bench, lots, dueUs);
  if (how === 'bullmq') await addJobs(queue, bench, lots, dueUs);
  await ready;
  let states: LotState[] | null = null;
  if (bench.journal.nowUs() < dueUs) {
    const bids = startBids(bench);
    const bidding = bids.steadily(rate);
    states = await untilClosed(bench, lots, dueUs);
    bids.stop();
    await bidding;
  }
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
  await queue.close();
  await bench.close();
  return states;
}

async function addLots(bench: BenchEngine, lots: number, dueUs: number): Promise<void> {
  const each = lots / AUCTIONS;
  for (let auction = 0; auction < AUCTIONS; auction += 1) {
    await bench.addAuction({
      auctionId: auction + 1,
      lotIds: Array.from({ length: each }, (_, index) => auction * each + index + 1),
      bidders: 0,
      endsAtUs: dueUs + Math.floor((auction * WITHIN_US) / AUCTIONS),
    });
  }
}

const CHUNK = 1_000;

async function addJobs(queue: Queue, bench: BenchEngine, lots: number, dueUs: number): Promise<void> {
  const each = lots / AUCTIONS;
  for (let from = 0; from < lots; from += CHUNK) {
    const nowUs = bench.journal.nowUs();
    await queue.addBulk(
      Array.from({ length: Math.min(CHUNK, lots - from) }, (_, index) => {
        const auction = Math.floor((from + index) / each);
        const endsAtUs = dueUs + Math.floor((auction * WITHIN_US) / AUCTIONS);
        const opts = { delay: Math.ceil((endsAtUs - nowUs) / 1_000), removeOnComplete: true };
        return { name: 'close', data: { lotId: from + index + 1 }, opts };
      }),
    );
  }
}

/**
 * Checks nothing before all are due, and then only whether the last ones are closed, so as not to disturb the
 * measurement.
 */
async function untilClosed(bench: BenchEngine, lots: number, dueUs: number): Promise<LotState[]> {
  await sleep(Math.max(0, dueUs + WITHIN_US - bench.journal.nowUs()) / 1_000);
  const each = lots / AUCTIONS;
  const stateOf = async (lotId: number) => {
    const state = await bench.journal.load(Math.ceil(lotId / each), lotId);
    if (state === null) throw new Error(`the journal has lost lot ${lotId}`);
    return state;
  };
  const until = performance.now() + PATIENCE_MS;
  let open = Array.from({ length: lots }, (_, index) => index + 1);
  const closed: LotState[] = [];
  while (open.length > 0) {
    if (performance.now() > until) throw new Error(`${open.length} lots are still open`);
    await sleep(250);
    const states = await Promise.all(open.map(stateOf));
    for (const state of states) if (isClosed(state)) closed.push(state);
    open = states.filter((state) => !isClosed(state)).map(({ lotId }) => lotId);
  }
  return closed;
}
