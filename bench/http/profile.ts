/**
 * Where the processor time of a web process goes while it takes bids: V8's own sampling profile of one run, summed by
 * part of the program. `npm run bench:http -- --profile` writes it beside the figures.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadNow, markdownTable, measuredOn, printTable, writeSection } from '../support/report.ts';
import type { Marketplace } from './marketplace.ts';
import type { Options } from './report.ts';
import { type Generator, SERVER_CORE, startWeb, stop } from './servers.ts';

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface Profile {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The first pattern that matches a frame's path names its part. */
const PARTS: readonly (readonly [part: string, path: RegExp])[] = [
  [
    'reading and writing sockets, the kernel included',
    /^\((program)\)|^(writev|writeUtf8String|writeLatin1String|writeBuffer|readStart|readStop|shutdown) native/,
  ],
  ['garbage collection', /^\(garbage collector\)/],
  ['idle', /^\(idle\)/],
  ['`node:http`: parser, headers, request and response', /node:_http|node:internal\/http/],
  ['`node:net`, streams, timers, the event loop', /node:/],
  ['the client of Redis', /node_modules\/@?redis/],
  ['Koa', /node_modules\/koa/],
  ['schema validation (ajv)', /node_modules\/ajv|validate\d+ /],
  ['the HTTP layer (`adapters/http`)', /adapters\/http\//],
  ['the engine', /\/engine\//],
  ['the journal’s calls and the limit (`adapters/redis`)', /adapters\/redis\//],
  ['bids and tokens (`src`)', /\/src\//],
  ['natives: JSON, hashes, random numbers, …', / native$/],
];

const SECONDS = 5;
const LOADS = ['1,000 lots', 'one hot lot'] as const;

/**
 * Profiles a separate web process under each load; prints the parts and the dearest functions, and records the parts.
 */
export async function profileWeb(market: Marketplace, generator: Generator, options: Options): Promise<void> {
  const load = loadNow();
  const summed: Times[] = [];
  for (const name of LOADS) summed.push(sum(await profileOf(market, generator, options, name)));
  const of = (which: keyof Times, max: number) => shares(summed.map((times) => times[which])).slice(0, max);
  const head = ['part', ...LOADS];
  const parts = of('parts', PARTS.length + 1);
  printTable(head, parts);
  printTable(['function', ...LOADS], of('functions', 50));
  if (!options.write) return;
  writeSection(
    'http-profile',
    `### Where the time of a bid goes

V8's sampling profile of a web process, ${SECONDS} s under each load: shares of the time when it was not idle. A sample counts for the running function,
not for its callers.

${markdownTable(head, parts)}

${measuredOn('npm run bench:http -- --profile', load)}`,
  );
}

async function profileOf(
  market: Marketplace,
  generator: Generator,
  { connections, warm, keep }: Options,
  name: (typeof LOADS)[number],
): Promise<Profile> {
  const folder = keep === undefined ? await mkdtemp(join(tmpdir(), 'rostrum-profile-')) : join(keep, name);
  const node = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
  const web = await startWeb(market, { core: SERVER_CORE, node });
  const all = market.sets[0]!;
  const lots = name === 'one hot lot' ? all.slice(-1) : all.slice(0, -1);
  const load = { urls: [web.url], connections, tokens: market.tokens, lots };
  await generator.put({ ...load, warmMs: warm * 1_000, ms: SECONDS * 1_000 }, []);
  await stop(web);
  await market.forgetLogs();
  const [file] = await readdir(folder);
  const profile = JSON.parse(await readFile(join(folder, file!), 'utf8')) as Profile;
  if (keep === undefined) await rm(folder, { recursive: true });
  return profile;
}

interface Times {
  readonly parts: Map<string, number>;
  readonly functions: Map<string, number>;
}

/** The microseconds of the last seconds by part and by function, without the startup. */
function sum({ nodes, samples, timeDeltas }: Profile): Times {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times: Times = { parts: new Map(), functions: new Map() };
  const add = (to: Map<string, number>, name: string, us: number) => to.set(name, (to.get(name) ?? 0) + us);
  let leftUs = SECONDS * 1_000_000;
  for (let at = samples.length - 1; at >= 0 && leftUs > 0; at -= 1) {
    const tookUs = timeDeltas[at]!;
    leftUs -= tookUs;
    const { functionName, url, lineNumber } = byId.get(samples[at]!)!.callFrame;
    const frame = url === '' ? `${functionName} native` : `${functionName} ${url}`;
    const part = PARTS.find(([, wanted]) => wanted.test(frame))?.[0] ?? 'other';
    if (part === 'idle') continue;
    add(times.parts, part, tookUs);
    const line = url === '' ? '' : ` ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
    add(times.functions, functionName + line, tookUs);
  }
  return times;
}

/** Rows of a name and its share of each load, sorted by the first load. */
function shares(loads: readonly ReadonlyMap<string, number>[]): string[][] {
  const totals = loads.map((times) => [...times.values()].reduce((total, time) => total + time, 0));
  const names = [...new Set(loads.flatMap((times) => [...times.keys()]))];
  const largest = (name: string) =>
    Math.max(...loads.map((times, at) => (times.get(name) ?? 0) / totals[at]!));
  return names
    .sort((one, two) => largest(two) - largest(one))
    .map((name) => [
      name,
      ...loads.map((times, at) => `${(((times.get(name) ?? 0) / totals[at]!) * 100).toFixed(1)} %`),
    ]);
}
