/**
 * What an import file may refer to: the rows that are there already, and those that the file brings. Read before
 * anything is written; the checks and the loading both look names up here.
 */
import type { Knex } from 'knex';
import { normalizeEmail } from '../../accounts/people/accounts.ts';
import type { JsonObject } from '../../catalog/categories/category.model.ts';
import type { ImportDocument } from './import.schema.ts';
import { numbered } from './numbered.ts';

export interface KnownUser {
  readonly id: number;
  readonly isAdmin: boolean;
}

export interface KnownCategory {
  /** Null: the file brings it. */
  readonly id: number | null;
  readonly parent: string | null;
  readonly schema: JsonObject;
}

export interface KnownRows {
  readonly users: ReadonlyMap<string, KnownUser>;
  /** By name; of several teams of one name, the oldest. */
  readonly teams: ReadonlyMap<string, number>;
  /** By slug, those of the file laid over those that are there. */
  readonly categories: ReadonlyMap<string, KnownCategory>;
  readonly categoryIds: ReadonlyMap<number, string>;
  /** Slugs of the simulcast platforms of the registry. */
  readonly platforms: ReadonlySet<string>;
}

/** The address as stored; an invalid one is not changed, and is an error elsewhere. */
export function emailKey(email: string): string {
  return normalizeEmail(email) ?? email;
}

/** Every address that the file names, wherever. */
function emailsOf(document: ImportDocument): string[] {
  const emails = new Set<string>();
  const take = (email: string | null | undefined) => email && emails.add(emailKey(email));
  for (const [, user] of numbered(document.users, 'email')) take(user.email);
  for (const [, team] of numbered(document.teams, 'name')) {
    take(team.owner);
    for (const [, member] of numbered(team.members, 'email')) take(member.email);
  }
  for (const [, auction] of numbered(document.auctions)) {
    take(auction.user);
    for (const [, lot] of numbered(auction.lots)) take(lot.consignor);
  }
  return [...emails];
}

function teamNamesOf(document: ImportDocument): string[] {
  const names = new Set<string>();
  for (const [, team] of numbered(document.teams, 'name')) names.add(team.name.trim());
  for (const [, auction] of numbered(document.auctions)) if (auction.team) names.add(auction.team.trim());
  return [...names];
}

/** Reads what the file refers to. */
export async function readKnownRows(knex: Knex, document: ImportDocument): Promise<KnownRows> {
  const users: { id: number; email: string; is_admin: boolean }[] = await knex('users')
    .whereRaw('email = any(?::text[])', [emailsOf(document)])
    .select('id', 'email', 'is_admin');
  const teams: { id: number; name: string }[] = await knex('teams')
    .whereNull('personal_user_id')
    .whereRaw('name = any(?::text[])', [teamNamesOf(document)])
    .orderBy('id', 'desc')
    .select('id', 'name');
  const stored: { id: number; slug: string; parent: string | null; schema: JsonObject }[] = await knex(
    'categories as c',
  )
    .leftJoin('categories as p', 'p.id', 'c.parent_id')
    .select('c.id', 'c.slug', 'c.schema', 'p.slug as parent');
  const categories = new Map<string, KnownCategory>(stored.map(({ slug, ...rest }) => [slug, rest]));
  for (const [, entry] of numbered(document.categories, 'slug')) {
    const there = categories.get(entry.slug);
    categories.set(entry.slug, {
      id: there?.id ?? null,
      parent: entry.parent === undefined ? (there?.parent ?? null) : entry.parent,
      schema: entry.schema ?? there?.schema ?? {},
    });
  }
  return {
    users: new Map(users.map((user) => [user.email, { id: user.id, isAdmin: user.is_admin }])),
    teams: new Map(teams.map((team) => [team.name, team.id])),
    categories,
    platforms: new Set<string>(await knex('simulcast_platforms').pluck('slug')),
    categoryIds: new Map(stored.map((category) => [category.id, category.slug])),
  };
}

/** The slugs from the root down to this category; null when the chain has no end or a parent is missing. */
export function chainOf(categories: ReadonlyMap<string, KnownCategory>, slug: string): string[] | null {
  const chain: string[] = [];
  for (let at: string | null = slug; at !== null; ) {
    const category: KnownCategory | undefined = categories.get(at);
    if (!category || chain.includes(at)) return null;
    chain.unshift(at);
    at = category.parent;
  }
  return chain;
}
