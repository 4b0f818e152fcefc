/**
 * Two houses with one thing of every kind each, and everybody who has no business with those of the first: for attacks
 * on all routes. Ids of the first house are far above all others, so that one is known wherever it turns up.
 */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { addPlatform } from '../../src/bidding/simulcast/platform-registry.ts';
import type { Who } from '../../src/shared/policy/who.ts';
import { othersValues } from '../security/others-things.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { eventually } from '../support/market.ts';
import { projectAuction } from '../support/money.ts';
import { SellerRoutes } from '../support/seller-routes.ts';
import type { Service } from '../support/service.ts';
import { signersOf } from './attack-signers.ts';

/** What the first house alone may read. */
export const SECRET = 'Sealed-7d21c';
const PASSWORD = 'a long enough password';
/** From where sequences count for the victim, and for all that is made afterwards. */
const [VICTIMS_FIRST, LATER_FIRST] = [1_900_000_000, 2_000_000_000];
const BETWEEN = 1_000_000;
/** Finds the ids of the first house. */
export const VICTIMS_ID = /(?<![\w.])19\d{8}(?![\w.])/g;
const ALL = ['read', 'write', 'seller'] as const;
const PLATFORM = 'hall';
const STAFF = ['staff'] as const;

/** What is a team's alone. */
const OF_A_HOUSE = /\/(seller|inventory|ad-campaigns|webhook-subscriptions|teams|settlements)(\/|$)/;
/** What is a person's alone. */
const OF_A_PERSON = /\/(me|searches|push)(\/|$)|\/account\/(?!developer\/webhooks)/;

export interface Attacker {
  readonly name: string;
  /** What they are to the victim's things, as the tables have it: what that lets them reach is no attack. */
  readonly who: readonly Who[];
  readonly userId: number | null;
  readonly token: string | undefined;
  /** Where they are signed in; null: there is no session of theirs. */
  readonly browser: BrowserLike | null;
  /** Sent with all that they call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers beside them, by what is sent: a signature of it. */
  readonly proves?: (payload: string) => Readonly<Record<string, string>>;
  /** Whose events they send; absent: those of one that there is. */
  readonly platform?: string;
  /** The paths on which they have no business, where they have some on others; only paths are attacked then. */
  readonly scope: RegExp | null;
  readonly house: House | null;
}

/** A team, somebody who bids with it, and their things. */
export interface House {
  readonly teamId: number;
  readonly owner: User;
  readonly person: User;
  readonly personsBrowser: BrowserLike;
  readonly auctions: readonly { readonly id: number; readonly slug: string }[];
  readonly lots: readonly number[];
  readonly bidId: string;
  /** What a parameter of a path is for this house. */
  valueOf(path: string, name: string): string;
  /** The secret of a consignor's private link in force. `{secret}` is that of a revoked one. */
  readonly link: string;
}

export interface World {
  readonly victim: House;
  readonly rival: House;
  /** What the seller routes take, with the rival's own things. */
  readonly bodies: SellerRoutes;
  readonly attackers: readonly Attacker[];
  /** A simulcast platform that the rival alone has let in. */
  readonly platform: string;
  /** The rows of the victim's, by table. */
  readonly rows: Rows;
}

export type Rows = ReadonlyMap<string, ReadonlySet<string>>;

/** Lists as a caller read them before there was a victim. */
export type SeenBefore = (attackers: readonly Attacker[]) => Promise<void>;

export async function attackWorld(service: Service, whileEmpty: SeenBefore): Promise<World> {
  const { database: db } = service;
  const rival = await houseOf(service, 'Rival', 2);
  const former = await person(service);
  const staff = {
    ...(await attacker(service, 'staff', await person(service, { is_admin: true }))),
    who: STAFF,
  };
  const formerStaff = await attacker(service, 'former admin of the service', await person(service));
  await db
    .knex('tokens')
    .whereIn('user_id', [staff.userId, formerStaff.userId])
    .update({ abilities: [...ALL, 'admin'] });
  const attackers: Attacker[] = [
    await nobody(service, 'visitor'),
    await attacker(service, 'bidder', await person(service)),
    { ...(await attacker(service, 'rival', rival.owner, rival.teamId)), who: ['stranger'], house: rival },
    await attacker(service, 'former member', former),
    ...[formerStaff, staff],
  ];
  const bodies = await SellerRoutes.of(service, { id: rival.teamId, userId: rival.person.id }, 'Rival-2');
  const { secret: platformSecret } = await addPlatform(db.knex, service.config.appSecrets, PLATFORM);
  await db
    .knex('auctions')
    .where('team_id', rival.teamId)
    .update({ simulcast_platforms: [PLATFORM] });
  await whileEmpty(attackers);
  await raiseSequences(service, VICTIMS_FIRST);
  const before = await rowsOfAll(service);
  const victim = await houseOf(service, SECRET, 1);
  await raiseSequences(service, LATER_FIRST);
  const clerkUser = await person(service);
  await db.knex('memberships').insert({ team_id: victim.teamId, user_id: clerkUser.id, role: 'member' });
  await db
    .knex('left_memberships')
    .insert({ team_id: victim.teamId, user_id: former.id, left_at: new Date() });
  const signers = await signersOf((...one) => nobody(service, ...one), {
    ...{ link: victim.link, platform: PLATFORM, platformSecret },
    providerSecret: service.config.paymentWebhookSecret,
  });
  const rows = difference(await rowsOfAll(service), before);
  const keys = await keysOfNoUse(service, victim);
  const bidder = await attacker(service, 'registered bidder', victim.person);
  const clerk = await attacker(service, 'clerk', clerkUser, victim.teamId);
  attackers.push(
    ...[...keys, ...signers],
    { ...bidder, who: ['registered'], scope: OF_A_HOUSE },
    { ...clerk, who: ['member'], scope: OF_A_PERSON },
  );
  return { victim, rival, bodies, attackers, platform: PLATFORM, rows };
}

const person = ({ database }: Service, more: object = {}) =>
  aUser(database, { password_hash: quickHash(PASSWORD), ...more });

async function signedIn(service: Service, { email }: User): Promise<BrowserLike> {
  const browser = new BrowserLike(service.url);
  expect((await signIn(browser, email, PASSWORD)).status).to.equal(303);
  await browser.get('/');
  return browser;
}

async function nobody(service: Service, name: string, who: Who = 'visitor'): Promise<Attacker> {
  const browser = new BrowserLike(service.url);
  await browser.get('/');
  const none = { userId: null, token: undefined, headers: {}, scope: null, house: null };
  return { name, who: [who], browser, ...none };
}

async function attacker(service: Service, name: string, user: User, teamId?: number): Promise<Attacker> {
  const token = await service.tokenFor(user, ALL);
  return {
    ...{ name, who: ['user'], userId: user.id, token, browser: await signedIn(service, user) },
    headers: teamId === undefined ? {} : { 'x-team-id': String(teamId) },
    ...{ scope: null, house: null },
  };
}

/** Keys of the victim's that are revoked or out of date, and secrets that are no keys. */
async function keysOfNoUse(service: Service, { owner, teamId }: House): Promise<Attacker[]> {
  const { knex } = service.database;
  const headers = { 'x-team-id': String(teamId) };
  const made = async (name: string, columns: object): Promise<Attacker> => {
    const token = await service.tokenFor(owner, ALL);
    const { id } = await knex('tokens').orderBy('id', 'desc').first('id');
    await knex('tokens').where({ id }).update(columns);
    const nothing = { browser: null, scope: null, house: null };
    return { name, who: ['visitor'], userId: owner.id, token, headers, ...nothing };
  };
  return [
    await made('revoked key of the owner', { revoked_at: knex.fn.now() }),
    await made('key of the owner that is out of date', { expires_at: new Date(Date.now() - 1_000) }),
  ];
}

async function houseOf(service: Service, mark: string, nth: number): Promise<House> {
  const { database: db } = service;
  const owner = await person(service);
  const { id: teamId } = await aTeam(db, { owner });
  await db.knex('users').where('id', owner.id).update({ current_team_id: teamId });
  const bidder = await person(service, { name: mark });
  const secret = { title: mark, description: mark };
  const closed = await anAuction(db, {
    ...{ ...secret, team_id: teamId },
    ...{ privacy_setting: 'private', type: 'simulcast' },
  });
  const draft = await anAuction(db, { ...secret, team_id: teamId, status: 'draft' });
  const lot = await aLot(db, { ...secret, auction_id: closed.id, consignor_id: (await aUser(db)).id });
  const hidden = await aLot(db, { ...secret, auction_id: draft.id, status: 'draft' });
  await service.publish();
  const invited = await service.call('POST', `/api/v1/seller/auctions/${closed.id}/registrations`, {
    ...{ token: await service.tokenFor(owner, ALL), body: { email: bidder.email } },
    headers: { 'x-team-id': String(teamId) },
  });
  expect(invited.status, invited.text).to.equal(201);
  const placed = await service.call('POST', `/api/v1/lots/${lot.id}/bids`, {
    ...{ token: await service.tokenFor(bidder, ALL), body: { amount: '200.00' } },
  });
  expect(placed.status, placed.text).to.equal(201);
  await projectAuction(db, service.backends.redis, closed.id);
  // Where a bid came from is written a moment after its answer.
  await eventually(async () => (await db.knex('bids_from').where('lot_id', lot.id)).length > 0);
  const browser = await signedIn(service, bidder);
  const bidId: string = placed.body.data.id;
  const others = { teamId, person: bidder, browser, lot, bidId, mark, nth };
  const named = await othersValues(service, others);
  await db.knex('consignor_links').where('team_id', teamId).update({ consignor_id: bidder.id });
  const [link, revoked] = await linksOf(service, { owner, teamId }, lot.id, mark);
  return {
    ...{ teamId, owner, person: bidder, personsBrowser: browser, bidId },
    ...{ auctions: [closed, draft], lots: [lot.id, hidden.id] },
    valueOf: (path, name) =>
      name === 'lot' ? String(lot.id) : name === 'secret' ? revoked : named(path, name),
    link,
  };
}

/** The secrets of two links for the consignor of a lot; the second is revoked. */
async function linksOf(
  service: Service,
  { owner, teamId }: Pick<House, 'owner' | 'teamId'>,
  lotId: number,
  name: string,
): Promise<[string, string]> {
  const as = { token: await service.tokenFor(owner, ALL), headers: { 'x-team-id': String(teamId) } };
  const path = '/api/v1/seller/consignor-links';
  const make = () => service.call('POST', path, { ...as, body: { name, lot_ids: [lotId] } });
  const [inForce, revoked] = [await make(), await make()];
  expect([inForce.status, revoked.status], revoked.text).to.deep.equal([201, 201]);
  const { status } = await service.call('DELETE', `${path}/${revoked.body.data.id}`, as);
  expect(status).to.equal(204);
  const secretOf = ({ body }: typeof inForce) => String(body.data.url).split('/').at(-1) ?? '';
  return [secretOf(inForce), secretOf(revoked)];
}

/** Lets every sequence count on from its own number above the first. */
export async function raiseSequences({ database: { knex } }: Service, first: number): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    "SELECT quote_ident(sequencename) AS name FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1",
  );
  for (const [at, { name }] of rows.entries())
    await knex.raw('SELECT setval(?, ?)', [name, first + at * BETWEEN]);
}

/** What services write by themselves or note about who calls, and what a mere call changes. */
const PASSED_OVER = ['tokens', 'activity', 'journal_writers', 'journal_marks', 'refused_bids', 'bids_from'];
const TOUCHED = ['last_used_at', 'last_used_address', 'last_used_ip', 'last_seen_at', 'checkout_url'];

/** Every row of every table, as text. */
export async function rowsOfAll({ database: { knex } }: Service): Promise<Rows> {
  const tables: { name: string }[] = await knex('pg_tables')
    .where('schemaname', 'public')
    .whereNotIn('tablename', PASSED_OVER)
    .select(knex.raw('quote_ident(tablename) AS name'));
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, (to_jsonb(t) - '{${TOUCHED.join()}}'::text[])::text AS row FROM ${name} t`,
  );
  const { rows } = await knex.raw<{ rows: { name: string; row: string }[] }>(each.join(' UNION ALL '));
  const all = new Map<string, Set<string>>();
  for (const { name, row } of rows) all.set(name, (all.get(name) ?? new Set()).add(row));
  return all;
}

/** The rows of `all` that are not among `known`. */
export function difference(all: Rows, known: Rows): Rows {
  return new Map(
    [...all].map(([table, rows]) => [
      table,
      new Set([...rows].filter((row) => known.get(table)?.has(row) !== true)),
    ]),
  );
}
