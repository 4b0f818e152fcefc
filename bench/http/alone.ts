/**
 * How long one bid takes without other bidders, from request to answer, compared with one fsync of the same disk:
 * everything beyond that is the service's own. `npm run bench:http -- --alone` calls it.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, medians, quantile } from '../support/rounds.ts';
import type { Marketplace } from './marketplace.ts';
import type { Options } from './report.ts';
import { type Generator, SERVER_CORE, startWeb, stop } from './servers.ts';

/** About what Redis writes for one bid. */
const BYTES = 2_048;
const TO_REACH_MS = 1.5;
const KINDS = ['one fsync', 'one bid alone'] as const;

type Taken = Record<'p50Ms' | 'p99Ms', number>;

/** Measures single bids and fsyncs alternately; prints the table and records it. */
export async function measureAlone(
  market: Marketplace,
  generator: Generator,
  options: Options,
): Promise<void> {
  const load = loadNow();
  const web = await startWeb(market, { core: SERVER_CORE });
  const bids = async (ms: number): Promise<Taken> => {
    const lots = market.sets[0]!;
    const one = { urls: [web.url], connections: 1, tokens: market.tokens, lots, warmMs: 0, ms };
    const { loaded } = await generator.put(one, []);
    await market.forgetLogs();
    return { p50Ms: loaded.p50Ms, p99Ms: loaded.p99Ms };
  };
  try {
    await bids(options.warm * 1_000);
    const ms = options.seconds * 1_000;
    const samples = await interleaved(KINDS, options.rounds, (kind) =>
      kind === 'one fsync' ? fsyncs(market.dataDir, ms) : bids(ms),
    );
    printBench(
      { fsync: medians(samples['one fsync']), bid: medians(samples['one bid alone']) },
      options,
      load,
    );
  } finally {
    await stop(web);
  }
}

/** Appends to a file in the folder and waits for the disk, repeatedly for the given time. */
async function fsyncs(folder: string, forMs: number): Promise<Taken> {
  const file = await open(join(folder, 'fsync'), 'a');
  const bytes = Buffer.alloc(BYTES, 'b');
  const took: number[] = [];
  const endMs = performance.now() + forMs;
  try {
    while (performance.now() < endMs) {
      const startMs = performance.now();
      await file.write(bytes);
      await file.datasync();
      took.push(performance.now() - startMs);
    }
  } finally {
    await file.close();
  }
  return { p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) };
}

function printBench({ fsync, bid }: { fsync: Taken; bid: Taken }, options: Options, load: string): void {
  const rows = [
    ['one fsync of that disk', shown(fsync.p50Ms), shown(fsync.p99Ms), ''],
    ['one bid alone', shown(bid.p50Ms), shown(bid.p99Ms), ''],
    ['beyond the fsync', shown(bid.p50Ms - fsync.p50Ms), '', `≤ ${TO_REACH_MS} ms`],
  ];
  const head = ['from request to answer', 'p50 ms', 'p99 ms', 'to reach'];
  printTable(head, rows);
  if (!options.write) return;
  writeSection(
    'http-alone',
    `### One bid alone

One connection that sends the next bid when the last is answered, compared with appending ${BYTES} bytes to a file on the
same disk and waiting for it; medians of ${options.rounds} alternating rounds of ${options.seconds} s.

${markdownTable(head, rows)}

${measuredOn('npm run bench:http -- --alone', load)}`,
  );
}
