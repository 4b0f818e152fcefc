/**
 * Rows for tests: each builder inserts one with sensible defaults into the given database and returns it whole. A test
 * states only what it is about.
 */
import type { Database } from '../../adapters/postgres/database.ts';
import { type Role, Team } from '../../src/accounts/models/team.model.ts';
import { User } from '../../src/accounts/models/user.model.ts';
import { insertUsers, markVerified } from '../../src/accounts/people/accounts.ts';
import { insertTeam, setRole } from '../../src/accounts/teams/teams.ts';
import { type CreatedToken, createToken } from '../../src/accounts/tokens/tokens.ts';
import { Auction } from '../../src/bidding/records/auction.model.ts';
import { Lot } from '../../src/bidding/records/lot.model.ts';
import { Category } from '../../src/catalog/categories/category.model.ts';
import { lotSlug } from '../../src/shared/slug.ts';

/** What a row takes, without the model's methods. */
type Columns<M> = Partial<{
  [K in keyof M as K extends `$${string}` | 'QueryBuilderType' ? never : K]: M[K];
}>;

let counter = 0;
const next = (): number => ++counter;

export interface UserOptions extends Columns<User> {
  readonly verified?: boolean;
}

/** A person with a personal team: not verified, no password, no admin. */
export async function aUser(db: Database, options: UserOptions = {}): Promise<User> {
  const { verified, email, name, password_hash, is_admin, ...rest } = options;
  const n = next();
  return db.knex.transaction(async (trx) => {
    const [user] = await insertUsers(trx, [
      {
        email: email ?? `person-${process.pid}-${n}@example.com`,
        name: name ?? `Person ${n}`,
        password_hash: password_hash ?? null,
        is_admin: is_admin ?? false,
      },
    ]);
    if (!user) throw new Error(`${email} is there already`);
    if (Object.keys(rest).length > 0) await User.query(trx).findById(user.id).patch(rest);
    if (verified) await markVerified(trx, [user.id]);
    return (await User.query(trx).findById(user.id)) as User;
  });
}

export interface TeamOptions {
  readonly name?: string;
  /** Made when not given. */
  readonly owner?: User;
  readonly members?: readonly { readonly user: User; readonly role?: Role }[];
  /** Default true: most tests sell something. */
  readonly approved?: boolean;
}

/** An approved team with an owner. */
export async function aTeam(db: Database, options: TeamOptions = {}): Promise<Team> {
  const owner = options.owner ?? (await aUser(db));
  return db.knex.transaction(async (trx) => {
    const team = await insertTeam(trx, options.name ?? `Team ${next()}`, owner.id);
    for (const { user, role } of options.members ?? [])
      await setRole(trx, team.id, user.id, role ?? 'member');
    if (options.approved ?? true)
      await trx('teams').where('id', team.id).update({ approved_at: trx.fn.now() });
    return (await Team.query(trx).findById(team.id)) as Team;
  });
}

/** A root category without custom fields. */
export async function aCategory(db: Database, columns: Columns<Category> = {}): Promise<Category> {
  const n = next();
  const row = { slug: `category-${process.pid}-${n}`, name: `Category ${n}`, ...columns };
  const { id } = await Category.query(db.knex).insert(row);
  return (await Category.query(db.knex).findById(id)) as Category;
}

const HOUR_MS = 3_600_000;

/**
 * A public, active, timed auction that began an hour ago and ends in a day, of a new approved team. With `user_id`
 * alone it belongs to that person (their personal team).
 */
export async function anAuction(db: Database, columns: Columns<Auction> = {}): Promise<Auction> {
  const n = next();
  const teamId = columns.team_id ?? (await teamFor(db, columns.user_id ?? null));
  const now = Date.now();
  const row = {
    title: `Auction ${n}`,
    slug: `auction-${process.pid}-${n}`,
    status: 'active' as const,
    start_time: new Date(now - HOUR_MS).toISOString(),
    end_time: new Date(now + 24 * HOUR_MS).toISOString(),
    ...columns,
    team_id: teamId,
  };
  const { id } = await Auction.query(db.knex).insert(row);
  return (await Auction.query(db.knex).findById(id)) as Auction;
}

async function teamFor(db: Database, userId: number | null): Promise<number> {
  if (userId === null) return (await aTeam(db)).id;
  const team = await Team.query(db.knex).findOne({ personal_user_id: userId });
  if (!team) throw new Error(`user ${userId} has no personal team`);
  return team.id;
}

/** The auction's next lot: active, starting at $100.00, no reserve. Its auction is made when not given. */
export async function aLot(db: Database, columns: Columns<Lot> = {}): Promise<Lot> {
  const auctionId = columns.auction_id ?? (await anAuction(db)).id;
  return db.knex.transaction(async (trx) => {
    await trx('auctions').where('id', auctionId).forUpdate().first('id');
    const top = (await trx('lots').where('auction_id', auctionId).max('lot_number as top').first()) as {
      top: number | null;
    };
    const title = columns.title ?? `Lot ${next()}`;
    const row = {
      lot_number: (top.top ?? 0) + 1,
      starting_bid_cents: 10_000,
      status: 'active' as const,
      ...columns,
      title,
      auction_id: auctionId,
      slug: columns.slug ?? `made-${process.pid}-${next()}`,
    };
    const { id } = await Lot.query(trx).insert(row);
    if (columns.slug === undefined)
      await Lot.query(trx)
        .findById(id)
        .patch({ slug: lotSlug(title, id) });
    return (await Lot.query(trx).findById(id)) as Lot;
  });
}

export interface TokenOptions {
  /** Made when not given. */
  readonly user?: User;
  /** Default: read and write. */
  readonly abilities?: readonly string[];
  readonly name?: string;
}

/** A token, with its plain text. */
export async function aToken(db: Database, options: TokenOptions = {}): Promise<CreatedToken> {
  const user = options.user ?? (await aUser(db));
  return createToken(db.knex, {
    email: user.email,
    abilities: options.abilities ?? ['read', 'write'],
    name: options.name,
  });
}
