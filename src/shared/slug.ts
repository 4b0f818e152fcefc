/**
 * Slugs: the readable part of an address, made from a title or a name. Used wherever a row gets one; the database's
 * unique indexes have the last word.
 */
import type { Knex } from 'knex';

export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$';
const MAX_LENGTH = 80;

/** `Été: 40 Acres!` → `ete-40-acres`. Text without any latin letter or digit becomes `fallback`. */
export function slugify(text: string, fallback: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
  if (plain === '') return fallback;
  // A slug of digits alone would read as an id.
  return /^[0-9]+$/.test(plain) ? `${fallback}-${plain}` : plain;
}

/** The first of `base`, `base-2`, `base-3` … that `taken` does not have. */
export function firstFree(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}-${number}`)) number++;
  return `${base}-${number}`;
}

/** Tables whose slugs are made from names. */
export type SluggedTable = 'auctions' | 'teams';

/**
 * All slugs in use that `firstFree(base, …)` could run into. Call it inside the transaction that inserts, after
 * `lockSlugs`.
 */
export async function takenSlugs(trx: Knex, table: SluggedTable, base: string): Promise<Set<string>> {
  const slugs: string[] = await trx(table)
    .where('slug', base)
    .orWhere('slug', 'like', `${base}-%`)
    .pluck('slug');
  return new Set(slugs);
}

/** Lets one transaction at a time choose slugs of this table; released with the transaction. */
export async function lockSlugs(trx: Knex, table: SluggedTable): Promise<void> {
  // SQL: no builder knows advisory locks.
  await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [`slugs:${table}`]);
}

/** The slug of a lot: its title and its id, so that thousands of lots of one title need no look-up. */
export function lotSlug(title: string, lotId: number): string {
  return `${slugify(title, 'lot')}-${lotId}`;
}
