/**
 * The load of one build: in a process of its own, so that each runs its own code; `builds.ts` starts it and reads the
 * clocks.
 */
import { once } from 'node:events';

export interface BuildStart {
  /** The folder that the engine is loaded from. */
  readonly root: string;
  readonly redisUrl: string;
  /** The journal's epoch that another build has begun. */
  readonly epoch: string | null;
  /** Keeps the lots of builds apart. */
  readonly number: number;
  readonly lots: number;
  readonly auctions: number;
  readonly waiting: number;
}

export interface BuildLoad {
  readonly ms: number;
}

export interface BuildSample {
  readonly recorded: number;
  readonly cpuUs: number;
  readonly seconds: number;
}

async function main(): Promise<void> {
  const [start] = (await once(process, 'message')) as [BuildStart];
  const { root, redisUrl, epoch, number, auctions, waiting } = start;
  const { benchEngine, bidder }: typeof import('./rostrum.ts') = await import(
    `${root}/bench/engine/rostrum.ts`
  );
  const given = { maxLogBytes: 8 * 1024 ** 3, ...(epoch === null ? {} : { epoch }) };
  const bench = await benchEngine(redisUrl, given);
  const each = Math.ceil(start.lots / auctions);
  const all: number[] = [];
  for (let auction = 0; auction < auctions; auction += 1) {
    const lotIds = Array.from({ length: each }, (_, at) => number * 1_000_000 + auction * each + at);
    all.push(...lotIds);
    await bench.addAuction({ auctionId: number * 64 + auction, lotIds, bidders: waiting });
    await Promise.all(lotIds.map((lotId) => bench.engine.submit(lotId, { type: 'advance' })));
  }
  const bid = bidder(bench.engine);
  const prices = new Map<number, number>();
  process.on('message', async ({ ms }: BuildLoad) => {
    const sample = await bidFor(ms, waiting, async (slot) => {
      const lotId = all[Math.floor(Math.random() * all.length)]!;
      const cents = (prices.get(lotId) ?? 0) + 100;
      prices.set(lotId, cents);
      return bid(lotId, slot, cents);
    });
    await bench.forgetLogs();
    process.send?.(sample);
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ epoch: bench.epoch });
}

/** Bids in a closed loop of `waiting` bidders; `bid` says whether it was recorded. */
async function bidFor(
  ms: number,
  waiting: number,
  bid: (slot: number) => Promise<boolean>,
): Promise<BuildSample> {
  const endMs = performance.now() + ms;
  const startMs = performance.now();
  const before = process.cpuUsage();
  let recorded = 0;
  const loop = async (slot: number) => {
    while (performance.now() < endMs) if (await bid(slot)) recorded += 1;
  };
  await Promise.all(Array.from({ length: waiting }, (_, slot) => loop(slot)));
  const { user, system } = process.cpuUsage(before);
  return { recorded, cpuUs: user + system, seconds: (performance.now() - startMs) / 1_000 };
}

await main();
