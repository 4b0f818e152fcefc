/**
 * What a resident lot costs a process: actors over a journal that stores nothing, so that only the engine's own memory
 * is counted. `npm run bench:memory` writes the figure to docs/benchmarks.md.
 */

import { MemoryJournal, MemoryStore } from '../../adapters/memory/memory-journal.ts';
import { AuctionCache } from '../../engine/actor/auction-cache.ts';
import { LotActor } from '../../engine/actor/lot-actor.ts';
import { NO_LOT } from '../../engine/formats/english/evolve.ts';
import { encodeSnapshot } from '../../engine/formats/english/snapshot.ts';
import { decodeSnapshot } from '../../engine/formats/formats.ts';
import { nodeDigest, nodeRandomness } from '../../src/shared/node-crypto.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';

const LOTS = 100_000;
const COMMAND = 'npm run bench:memory';
const limits = { mailbox: 10_000, batch: 2_000, pipelineFrom: 64, attempts: 200 };

const journal = new MemoryJournal(new MemoryStore(), { serverUs: () => 1_784_000_000_000_000 });
const leader = {
  key: 'u:1',
  userId: 1,
  alias: 'bidder-0a1b2c3d',
  paddle: '1001',
  ceilingCents: 99_000,
  bidId: '',
};

/** A live lot with a leader, decoded as from Redis, so that it shares nothing with another. */
function stateOf(lotId: number) {
  const bidId = lotId.toString(16).padStart(32, '0');
  const hash = bidId + bidId;
  return decodeSnapshot(
    encodeSnapshot({
      ...NO_LOT,
      lotId,
      auctionId: lotId >> 6,
      status: 'active',
      hash,
      currentCents: 90_000,
      leader: { ...leader, bidId },
    }),
  );
}

const load = loadNow();
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const books = new Map<number, AuctionCache>();
const actors = new Map<number, LotActor>();
for (let lotId = 1; lotId <= LOTS; lotId += 1) {
  const auctionId = lotId >> 6;
  const book = books.get(auctionId) ?? new AuctionCache(auctionId, journal, nodeRandomness);
  books.set(auctionId, book);
  actors.set(lotId, new LotActor(lotId, book, stateOf(lotId), { journal, digest: nodeDigest, limits }));
}
globalThis.gc?.();
const bytes = (process.memoryUsage().heapUsed - before) / LOTS;
const head = ['resident lots', 'bytes each', 'MiB together'];
const rows = [[shown(actors.size), shown(Math.round(bytes)), shown(Math.round((bytes * LOTS) / 1024 ** 2))]];
printTable(head, rows);
writeSection(
  'memory',
  `## Resident lots

V8's heap for a lot with a leader, after a collection.

${markdownTable(head, rows)}

${measuredOn(COMMAND, load)}`,
);
