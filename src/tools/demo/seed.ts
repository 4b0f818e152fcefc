/**
 * Loads the demo marketplace once: the document through the import, then a history of bids through the engine. The
 * seller's account marks a database that has it; each part behind that is noted in `demo_steps` when it is done, so
 * that loading again makes what an earlier load lacks, and nothing else.
 */
import type { Knex } from 'knex';
import type { Database } from '../../../adapters/postgres/database.ts';
import { whileHolding } from '../../../adapters/postgres/held-lock.ts';
import type { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { present } from '../../../engine/first-of.ts';
import { SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import { announceAccountChange } from '../../accounts/tokens/account-changes.ts';
import { type PublishingParts, publishAuction, publishPending } from '../../bidding/records/publishing.ts';
import { type ImportedRows, importMarketplace } from '../import/import-marketplace.ts';
import { addBuyersStory } from './buyers-story.ts';
import { type DemoBidder, type DemoLot, placeDemoBids } from './demo-bids.ts';
import { addDemoGroup } from './demo-group.ts';
import { demoDocument } from './document.ts';
import { addDemoWeek } from './house-week.ts';
import {
  BIDDER_EMAILS,
  BUYER_ADDRESS,
  DEMO_PEOPLE,
  DEMO_TEAM_PAGES,
  LAND_TEAM,
  SELLER_TEAM,
  signInUsers,
} from './people.ts';
import {
  type DemoSignIn,
  newPasswords,
  newTokenName,
  readSignIns,
  signInsOf,
  writeSignIns,
} from './sign-ins.ts';

export interface DemoParts extends PublishingParts {
  readonly database: Pick<Database, 'url'>;
  readonly pubSub: RedisPubSub;
}

export interface SeededDemo {
  /** Whether this call loaded it. */
  readonly loaded: boolean;
  /** Bids placed by this call. */
  readonly bids: number;
  readonly lots: readonly DemoLot[];
  readonly signIns: readonly DemoSignIn[];
}

export interface SeedOptions {
  /** Where the sign-ins are kept. */
  readonly dataDir: string;
  /** Receives progress messages, one short line each. */
  readonly onProgress: (line: string) => void;
  /** Shows how far something is that may take long. */
  readonly openBar?: (label: string) => ProgressShown;
}

export interface ProgressShown {
  update(done: number, total: number): void;
  stop(): void;
}

const NOT_SHOWN: ProgressShown = { update() {}, stop() {} };

function barOf({ openBar }: SeedOptions, label: string): ProgressShown {
  return openBar?.(label) ?? NOT_SHOWN;
}

/** The seller's account acts for the selling team, not for its own empty one. */
async function seatSeller({ knex, pubSub }: DemoParts): Promise<void> {
  const email = DEMO_PEOPLE.find(({ role }) => role === 'seller')?.email ?? '';
  // SQL: changes a row by another table’s.
  const { rows } = await knex.raw<{ rows: { id: number }[] }>(
    `UPDATE users u SET current_team_id = t.id FROM teams t JOIN memberships m ON m.team_id = t.id
     WHERE u.email = ? AND t.name = ? AND m.user_id = u.id RETURNING u.id`,
    [email, SELLER_TEAM],
  );
  await announceAccountChange(pubSub, { userIds: rows.map(({ id }) => id) });
}

/** Loads the demo alongside whatever is there. Two loads at once would make two marketplaces: one waits. */
export function seedDemo(backends: DemoParts, options: SeedOptions): Promise<SeededDemo> {
  return whileHolding(backends.database.url, 'demo', () => seed(backends, options));
}

async function seed(backends: DemoParts, options: SeedOptions): Promise<SeededDemo> {
  const { knex } = backends;
  const loaded = !(await isDemoLoaded(knex));
  const kept = loaded ? await load(backends, options) : await readSignIns(knex, options.dataDir);
  const signIns = kept ?? (await renewSignIns(backends, options));
  // What was imported and not published yet by a load that was killed.
  if (!loaded) await publishPending(backends);
  const lots = await demoLots(knex);
  const bidders = await demoBidders(knex);
  const bar = barOf(options, 'Demo marketplace: bidding on lots');
  const bids = await placeDemoBids(backends, lots, bidders, bar.update);
  bar.stop();
  await once(knex, 'story', () => addStory(backends, bidders));
  await once(knex, 'group', () => addGroup(backends));
  await once(knex, 'seat', () => seatSeller(backends));
  await once(knex, 'week', () => addDemoWeek(backends));
  if (bids > 0) options.onProgress(`Demo marketplace: ${bids} bids placed`);
  return { loaded, bids, lots, signIns };
}

/** A part that is made when it has not been; the note follows it, so that one that was cut off is made again. */
export async function once(knex: Knex, step: string, make: () => Promise<void>): Promise<void> {
  if ((await knex('demo_steps').where({ step }).first('step')) !== undefined) return;
  await make();
  await knex('demo_steps').insert({ step }).onConflict('step').ignore();
}

async function addGroup(backends: DemoParts): Promise<void> {
  const buyer = await findBuyer(backends);
  if (buyer !== undefined) await addDemoGroup(backends, buyer.id);
}

async function findBuyer({ knex }: DemoParts): Promise<{ id: number } | undefined> {
  const { email } = present(DEMO_PEOPLE.find(({ role }) => role === 'buyer'));
  return knex('users').where('email', email).first<{ id: number } | undefined>('id');
}

async function addStory(backends: DemoParts, bidders: readonly DemoBidder[]): Promise<void> {
  const buyer = await findBuyer(backends);
  const rival = bidders[0];
  if (buyer === undefined || rival === undefined) return;
  await backends.knex('users').where('id', buyer.id).update({ postal_address: BUYER_ADDRESS });
  for (const { name, about, postal_address } of DEMO_TEAM_PAGES) {
    await backends.knex('teams').where({ name, about: null }).update({ about, postal_address });
  }
  await addBuyersStory(backends, { userId: buyer.id, verified: true }, rival);
}

/** Whether the database has the demo. */
export async function isDemoLoaded(knex: Knex): Promise<boolean> {
  const { email } = present(DEMO_PEOPLE.find(({ role }) => role === 'seller'));
  return (await knex('users').where('email', email).first('id')) !== undefined;
}

/** Whether nobody has put anything into the database yet. */
export async function isEmpty(knex: Knex): Promise<boolean> {
  const [user, auction] = await Promise.all([knex('users').first('id'), knex('auctions').first('id')]);
  return user === undefined && auction === undefined;
}

async function load(backends: DemoParts, options: SeedOptions): Promise<DemoSignIn[]> {
  const { dataDir, onProgress } = options;
  const passwords = newPasswords();
  const tokenName = newTokenName();
  const whole = demoDocument(Date.now(), passwords, tokenName);
  const canSeal = backends.engine.seals.newLotKey() !== null;
  // Without a key sealed bids are left out.
  const isShown = ({ format = '' }) => canSeal || !SEALED_FORMATS.includes(format);
  const document = { ...whole, auctions: (whole.auctions ?? []).filter(isShown) };
  const platforms: string[] = await backends
    .knex('simulcast_platforms')
    .orderBy('slug')
    .limit(20)
    .pluck('slug');
  for (const auction of document.auctions ?? [])
    if (auction.type === 'simulcast') auction.simulcast_platforms = platforms;
  const auctions = document.auctions ?? [];
  const lots = auctions.reduce((sum, auction) => sum + (auction.lots?.length ?? 0), 0);
  onProgress(`Demo marketplace: loading ${auctions.length} auctions with ${lots} lots`);
  const bar = barOf(options, 'Demo marketplace: loading');
  const answer = await importMarketplace(backends.knex, document, {
    onProgress: bar.update,
    canSeal,
    afterImport: (rows) => follow(backends, rows),
  });
  bar.stop();
  const signIns = signInsOf(answer, passwords, tokenName);
  await writeSignIns(dataDir, signIns);
  return signIns;
}

async function follow(backends: DemoParts, { auctionIds, userIds }: ImportedRows): Promise<void> {
  await Promise.all(auctionIds.map((id) => publishAuction(backends, id)));
  await announceAccountChange(backends.pubSub, { userIds });
}

async function renewSignIns(backends: DemoParts, options: SeedOptions): Promise<DemoSignIn[]> {
  options.onProgress(
    'Demo marketplace: creating new passwords and tokens, because the stored ones do not match',
  );
  const passwords = newPasswords();
  const tokenName = newTokenName();
  const document = { users: signInUsers(passwords, tokenName) };
  const answer = await importMarketplace(backends.knex, document, {
    afterImport: (rows) => follow(backends, rows),
  });
  const signIns = signInsOf(answer, passwords, tokenName);
  await writeSignIns(options.dataDir, signIns);
  return signIns;
}

const DEMO_SLUGS = demoDocument(0, new Map(), '').auctions?.flatMap(({ slug }) => slug ?? []) ?? [];

/** The lots of the demo's auctions that are live, in order. */
async function demoLots(knex: Knex): Promise<DemoLot[]> {
  return knex('lots')
    .join('auctions', 'auctions.id', 'lots.auction_id')
    .join('teams', 'teams.id', 'auctions.team_id')
    .whereRaw('teams.name = any(?) and auctions.slug = any(?)', [[SELLER_TEAM, LAND_TEAM], DEMO_SLUGS])
    .andWhere('auctions.status', 'active')
    .orderBy(['auctions.id', 'lots.lot_number'])
    .select('lots.auction_id as auctionId', 'lots.id as lotId', 'lots.lot_number as lotNumber');
}

async function demoBidders(knex: Knex): Promise<DemoBidder[]> {
  const rows: { id: number; email: string; verified_at: unknown }[] = await knex('users')
    .whereRaw('email = any(?)', [[...BIDDER_EMAILS]])
    .select('id', 'email', 'verified_at');
  const byEmail = new Map(rows.map((row) => [row.email, row]));
  return BIDDER_EMAILS.flatMap((email) => {
    const row = byEmail.get(email);
    return row === undefined ? [] : [{ userId: row.id, verified: row.verified_at !== null }];
  });
}
