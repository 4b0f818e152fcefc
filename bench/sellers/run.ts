/**
 * The sellers' desk: putting 200 items of the inventory into an auction, against one bare insert of the same rows;
 * and pages of a seller who has 50,000 lots, against the public pages of the same lots. `npm run bench:sellers`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { anAuction, aTeam, aToken, aUser } from '../../test/support/builders.ts';
import { migratedDatabase } from '../../test/support/migrated-database.ts';
import { freshRedis } from '../../test/support/redis-servers.ts';
import { SOURCES, startWeb, stop } from '../http/servers.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';
import { interleaved, median } from '../support/rounds.ts';

const ITEMS = 200;
const CONVERSIONS = 15;
const LOTS = 50_000;
const AUCTIONS = 50;
const PAGES = 60;
const AT_ONCE = 4;
const ROUNDS = 7;

const load0 = loadNow();
const dataDir = await mkdtemp(join(tmpdir(), 'rostrum-bench-sellers-'));
const database = await migratedDatabase();
const { knex } = database.db;
const redis = await freshRedis();
const owner = await aUser(database.db);
const team = await aTeam(database.db, { owner });
const { token } = await aToken(database.db, { user: owner, abilities: ['seller'] });
const headers = {
  authorization: `Bearer ${token}`,
  'x-team-id': String(team.id),
  'content-type': 'application/json',
};
const auctionIds: number[] = [];
for (let at = 0; at < AUCTIONS; at += 1) {
  auctionIds.push((await anAuction(database.db, { team_id: team.id })).id);
}
for (const id of auctionIds) {
  await knex.raw(
    `INSERT INTO lots (auction_id, lot_number, title, slug, starting_bid_cents, status, live_end_time)
     SELECT a.id, n, 'Forty acres ' || n, 'bench-' || a.id || '-' || n, 10000, 'active', a.end_time
     FROM auctions a, generate_series(1, :each::int) n WHERE a.id = :id`,
    { id, each: LOTS / AUCTIONS },
  );
}
await knex.raw('ANALYZE');
const draft = (await anAuction(database.db, { team_id: team.id, status: 'draft' })).id;
const bareAuction = (await anAuction(database.db, { team_id: team.id, status: 'draft' })).id;

const addresses = { databaseUrl: database.databaseUrl, redisUrl: redis.redisUrl, dataDir };
const web = await startWeb(addresses, { core: null, ...SOURCES });
const { url } = web;

let made = 0;

async function newItems(): Promise<number[]> {
  made += 1;
  const rows = Array.from({ length: ITEMS }, (_, n) => ({
    team_id: team.id,
    sku: `SKU-${made}-${n}`,
    title: `Item ${made} ${n}`,
    description: 'As it stands in the warehouse.',
  }));
  const ids: { id: number }[] = await knex('inventory_items').insert(rows).returning('id');
  return ids.map(({ id }) => id);
}

/** Milliseconds for one request that converts all items. */
async function convert(): Promise<number> {
  const items = (await newItems()).map((id) => ({ id, starting_bid: '100.00', reserve_price: '250.00' }));
  const body = JSON.stringify({ auction_id: draft, items });
  const started = performance.now();
  const answer = await fetch(`${url}/api/v1/inventory/convert-to-lots`, { method: 'POST', headers, body });
  const { data } = (await answer.json()) as { data: { created: unknown[] } };
  const tookMs = performance.now() - started;
  if (data.created.length !== ITEMS) throw new Error(`only ${data.created.length} lots were made`);
  return tookMs;
}

const client = new pg.Client(database.databaseUrl);
await client.connect();
let bareNumber = 0;

/** Milliseconds for one statement with the same rows as literal values, on a connection that is open already. */
async function insert(): Promise<number> {
  const values: unknown[] = [];
  const rows = Array.from({ length: ITEMS }, (_, n) => {
    bareNumber += 1;
    const row = [
      bareAuction,
      bareNumber,
      `Item ${bareNumber} ${n}`,
      `bare-${bareNumber}`,
      `SKU-bare-${bareNumber}`,
      'As it stands in the warehouse.',
      1,
      10_000,
      25_000,
      '{}',
      'draft',
    ];
    return `(${row.map((value) => `$${values.push(value)}`).join(', ')})`;
  });
  const started = performance.now();
  await client.query(
    `INSERT INTO lots (auction_id, lot_number, title, slug, sku, description, quantity, starting_bid_cents,
       reserve_price_cents, custom_fields, status) VALUES ${rows.join(', ')}`,
    values,
  );
  return performance.now() - started;
}

const LISTS = {
  'first pages': (page: number) => `page=${1 + (page % 10)}`,
  'pages of one auction': (page: number) =>
    `page=${1 + (page % 10)}&auction_id=${auctionIds[page % AUCTIONS]}`,
  'active lots': (page: number) => `page=${1 + (page % 10)}&status=active`,
  'pages in the middle': (page: number) => `page=${1_000 + page * 10}`,
} as const;
type List = keyof typeof LISTS;
let requested = 0;

/**
 * Milliseconds for a page, many requested at once. Every page is another one, so that nothing is remembered for long.
 */
async function pages(kind: 'own' | 'public', list: List): Promise<number> {
  const path = kind === 'own' ? '/api/v1/seller/lots' : '/api/v1/lots';
  const order = kind === 'own' ? '' : '&sort_by=id&sort_dir=desc';
  requested += 1;
  const perPage = 10 + (requested % 20);
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    while (next < PAGES) {
      const at = next++;
      const answer = await fetch(`${url}${path}?${LISTS[list](at)}&per_page=${perPage}${order}`, { headers });
      const { data } = (await answer.json()) as { data: unknown[] | { data: unknown[] } };
      const rows = Array.isArray(data) ? data : data.data;
      if (rows.length !== perPage) throw new Error(`${kind} ${list}: ${rows.length} rows`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (performance.now() - started) / PAGES;
}

for (let warm = 0; warm < 3; warm += 1) {
  await convert();
  await insert();
}
const converted = await interleaved(['insert', 'convert'], CONVERSIONS, (kind) =>
  kind === 'insert' ? insert() : convert(),
);
const HEAD = ['', 'beside', 'ms', 'ms beside', '×', 'goal'];
const ROWS: (string | number)[][] = [];
const misses: string[] = [];

function row(name: string, beside: string, ours: number, theirs: number, goal: number): void {
  const times = ours / theirs;
  ROWS.push([name, beside, shown(ours), shown(theirs), shown(times), `≤ ${goal}`]);
  if (times > goal) misses.push(name);
}

row(
  `converting ${ITEMS} items, over HTTP`,
  'one bare insert',
  median(converted.convert),
  median(converted.insert),
  3,
);
for (const list of Object.keys(LISTS) as List[]) {
  await pages('own', list);
  await pages('public', list);
  const measured = await interleaved(['own', 'public'], ROUNDS, (kind) => pages(kind, list));
  row(`own lots, ${list}`, 'the public list', median(measured.own), median(measured.public), 1.5);
}
printTable(HEAD, ROWS);
console.log(JSON.stringify({ rows: ROWS, misses, holds: misses.length === 0 }));
writeSection(
  'sellers',
  `## The sellers' desk

${measuredOn('npm run bench:sellers', load0)} ${LOTS.toLocaleString('en-US')} lots of one team in ${AUCTIONS} auctions; a page in ms, ${AT_ONCE} requested at once.

${markdownTable(HEAD, ROWS)}`,
);
// The figures are out: whatever does not end by itself is left behind.
setTimeout(() => process.exit(0), 15_000);
await client.end();
await stop(web);
await redis.close();
await database.drop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
