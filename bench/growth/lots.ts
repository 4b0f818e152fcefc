/**
 * Whether a bid costs more on a lot that has many, or in a process that holds many lots, and whether a lot with many
 * loads more slowly: processor time of this process and of Redis together, small and large alternating.
 */

import { DEFAULT_LIMITS } from '../../engine/actor/engine.ts';
import { LotActor } from '../../engine/actor/lot-actor.ts';
import { present } from '../../engine/first-of.ts';
import { nodeDigest } from '../../src/shared/node-crypto.ts';
import { type BenchEngine, benchEngine, bidder } from '../engine/rostrum.ts';
import { interleaved, median } from '../support/rounds.ts';
import type { BenchServers } from './servers.ts';

/** What the small and the large one cost, in µs, and their ratio. */
export interface Compared {
  readonly small: number;
  readonly large: number;
  readonly times: number;
}

const WAITING = 200;
const BIDDERS = 200;
const AMPLE_LOG = 8 * 1024 ** 3;

/** Places `count` bids, `WAITING` at a time, on the lots that `pick` names. */
function bids(bench: BenchEngine, prices: Map<number, number>) {
  const placeBid = bidder(bench.engine);
  return async (count: number, pick: () => number, people: number) => {
    let left = count;
    const loop = async (slot: number) => {
      while (left > 0) {
        left -= 1;
        const lot = pick();
        const amountCents = (prices.get(lot) ?? 0) + 100;
        prices.set(lot, amountCents);
        await placeBid(lot, slot % people, amountCents);
      }
    };
    await Promise.all(Array.from({ length: WAITING }, (_, slot) => loop(slot)));
  };
}

function compared(small: readonly number[], large: readonly number[]): Compared {
  const [one, other] = [median(small), median(large)];
  return { small: one, large: other, times: other / one };
}

/** Bids on a lot that has 100, and on one that has `many`; then both are loaded from their snapshots. */
export async function lotsWithManyBids(
  servers: BenchServers,
  { many, rounds, each }: { readonly many: number; readonly rounds: number; readonly each: number },
): Promise<{ readonly bid: Compared; readonly reload: Compared }> {
  await servers.empty();
  const bench = await benchEngine(servers.redisUrl, { maxLogBytes: AMPLE_LOG });
  const lotIds = Array.from({ length: rounds + 1 }, (_, index) => index + 2);
  await bench.addAuction({ auctionId: 1, lotIds: [1, ...lotIds], bidders: BIDDERS });
  const placeBid = bids(bench, new Map());
  for (let placed = 0; placed < many; placed += 20_000) {
    await placeBid(Math.min(20_000, many - placed), () => 1, BIDDERS);
    await bench.forgetLogs();
  }
  for (const lotId of lotIds) await placeBid(100, () => lotId, BIDDERS);
  const samples = await interleaved(['small', 'large'] as const, rounds, async (kind, round) => {
    const lotId = kind === 'large' ? 1 : lotIds[round]!;
    const before = servers.cpuUs();
    await placeBid(each, () => lotId, BIDDERS);
    const spent = servers.cpuUs() - before;
    await bench.forgetLogs();
    return spent / each;
  });
  const untouched = lotIds.at(-1)!;
  const reloads = await interleaved(['small', 'large'] as const, rounds * 2, (kind) =>
    reloadUs(servers, bench, kind === 'large' ? 1 : untouched),
  );
  await bench.close();
  return {
    bid: compared(samples.small, samples.large),
    reload: compared(reloads.small, reloads.large),
  };
}

const RELOADS = 400;

async function reloadUs(
  servers: BenchServers,
  { engine, journal }: BenchEngine,
  lotId: number,
): Promise<number> {
  const before = servers.cpuUs();
  for (let count = 0; count < RELOADS; count += 1) {
    const state = await journal.load(1, lotId);
    const parts = { journal, digest: nodeDigest, limits: DEFAULT_LIMITS };
    const actor = new LotActor(lotId, engine.auctionCache(1), present(state), parts);
    if (!actor.idle) throw new Error('a new actor has nothing to do');
  }
  return (servers.cpuUs() - before) / RELOADS;
}

const AUCTIONS = 64;
const PEOPLE = 20;

/** Bids spread over a process' lots, of which it holds 1,000 or `many`. */
export async function manyResidentLots(
  servers: BenchServers,
  { many, rounds, each }: { readonly many: number; readonly rounds: number; readonly each: number },
): Promise<Compared> {
  const sizes = { small: 1_000, large: many };
  const spent: Record<keyof typeof sizes, number[]> = { small: [], large: [] };
  const placers: Partial<Record<keyof typeof sizes, () => Promise<void>>> = {};
  const open: BenchEngine[] = [];
  await servers.empty();
  for (const kind of ['small', 'large'] as const) {
    const bench = await sameJournal(open, servers);
    await hold(bench, kind === 'small' ? 0 : 1, sizes[kind]);
    const placeBid = bids(bench, new Map());
    const first = kind === 'small' ? 1 : LOTS_APART + 1;
    placers[kind] = () => placeBid(each, () => first + Math.floor(Math.random() * sizes[kind]), PEOPLE);
    await placers[kind]();
  }
  await interleaved(['small', 'large'] as const, rounds, async (kind) => {
    const before = servers.cpuUs();
    await placers[kind]!();
    spent[kind].push((servers.cpuUs() - before) / each);
    for (const bench of open) await bench.forgetLogs();
  });
  for (const bench of open) await bench.close();
  return compared(spent.small, spent.large);
}

const LOTS_APART = 1_000_000;

/** The two engines share a Redis and so its journal's epoch, which the second one takes from the first. */
async function sameJournal(open: BenchEngine[], servers: BenchServers): Promise<BenchEngine> {
  const options = { maxLogBytes: AMPLE_LOG };
  const bench = await benchEngine(servers.redisUrl, open[0] ? { ...options, epoch: open[0].epoch } : options);
  open.push(bench);
  return bench;
}

/** Puts lots into the journal and keeps all of them resident. */
async function hold(bench: BenchEngine, nth: number, lots: number): Promise<void> {
  const each = Math.ceil(lots / AUCTIONS);
  for (let auction = 0; auction < AUCTIONS; auction += 1) {
    const from = nth * LOTS_APART + auction * each;
    const length = Math.max(0, Math.min(each, lots - auction * each));
    const lotIds = Array.from({ length }, (_, index) => from + index + 1);
    const auctionId = nth * AUCTIONS + auction + 1;
    await bench.addAuction({ auctionId, lotIds, bidders: PEOPLE });
    await Promise.all(lotIds.map((lotId) => bench.engine.submit(lotId, { type: 'advance' })));
  }
  if (bench.engine.residentLots !== lots) throw new Error(`${bench.engine.residentLots} lots are resident`);
}
