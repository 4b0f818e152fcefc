/**
 * Twenty uploads of 10 MiB at once to a web process of its own: how much more memory it takes at its peak than idle,
 * and how long the uploads take. Linux only: the peak is the kernel's figure. `npm run bench:media` writes the figures
 * to docs/benchmarks.md.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { aLot, anAuction, aToken, aUser } from '../../test/support/builders.ts';
import { migratedDatabase } from '../../test/support/migrated-database.ts';
import { freshRedis } from '../../test/support/redis-servers.ts';
import { SOURCES, startWeb, stop } from '../http/servers.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';

const UPLOADS = 20;
const BYTES = 10 * 1024 * 1024;
const BOUND_MIB = 60;

const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-media-'));
const database = await migratedDatabase();
const redis = await freshRedis();
const user = await aUser(database.db);
const auction = await anAuction(database.db, { user_id: user.id });
const lot = await aLot(database.db, { auction_id: auction.id });
const { token } = await aToken(database.db, { user, abilities: ['write'] });

const addresses = { databaseUrl: database.databaseUrl, redisUrl: redis.redisUrl, dataDir };
const web = await startWeb(addresses, { core: null, ...SOURCES });
const { url } = web;
const procFolder = `/proc/${web.child.pid}`;

function mib(field: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`${procFolder}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** A photograph-like JPEG of almost exactly this many bytes: noise, and zeros behind its end. */
async function photograph(): Promise<Buffer> {
  const [width, height] = [3_200, 2_400];
  const raw = { width, height, channels: 3 as const };
  const drawn = await sharp(randomBytes(width * height * 3), { raw })
    .blur(0.6)
    .jpeg({ quality: 88 })
    .toBuffer();
  if (drawn.length > BYTES) throw new Error(`the picture has ${drawn.length} bytes`);
  return Buffer.concat([drawn, Buffer.alloc(BYTES - drawn.length)]);
}

async function upload(url: string, bytes: Buffer): Promise<number> {
  const form = new FormData();
  form.set('model_type', 'lot');
  form.set('model_id', String(lot.id));
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'photograph.jpg');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1/media`, { method: 'POST', headers, body: form });
  await answer.text();
  return answer.status;
}

const load = loadNow();
const picture = await photograph();
// Idle means a process that has already answered, on the same route too.
await upload(url, await sharp(picture).resize(100).jpeg().toBuffer());
await sleep(2_000);
const idle = mib('VmRSS');
writeFileSync(`${procFolder}/clear_refs`, '5');
const started = performance.now();
const statuses = await Promise.all(Array.from({ length: UPLOADS }, () => upload(url, picture)));
const tookMs = performance.now() - started;
const above = mib('VmHWM') - idle;
const accepted = statuses.filter((status) => status === 201).length;
const head = [
  '10 MiB uploads at once',
  'accepted',
  'seconds',
  'MiB idle',
  'MiB above idle at the peak (to reach)',
];
const rows = [
  [
    UPLOADS,
    accepted,
    shown(tookMs / 1_000),
    shown(Math.round(idle)),
    `${Math.round(above)} (≤ ${BOUND_MIB})`,
  ],
];
printTable(head, rows);
writeSection(
  'media',
  `## Uploads

Memory of the web process, as counted by the kernel; pictures are re-encoded in a separate process.

${markdownTable(head, rows)}

${measuredOn('npm run bench:media', load)}`,
);
if (above >= BOUND_MIB || accepted < UPLOADS) process.exitCode = 1;
await stop(web);
await redis.close();
await database.drop();
await rm(dataDir, { recursive: true, force: true });
process.exit();
