/**
 * Writes the categories, auctions and lots of an import file. Categories that are there are updated; auctions are
 * always new. Runs inside the import's transaction.
 */

import type { Knex } from 'knex';
import { firstOf, itemAt } from '../../../engine/first-of.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { auctionColumns, decimalsIn } from '../../bidding/records/auction-columns.ts';
import { lotColumns } from '../../bidding/records/lot-columns.ts';
import { joinSale } from '../../bidding/records/sale-units.ts';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { sellsTogether } from '../../shared/format-fields.ts';
import { firstFree, lockSlugs, lotSlug, slugify } from '../../shared/slug.ts';
import { categorySlug } from './check-document.ts';
import { CHUNK, chunksOf } from './chunks.ts';
import type {
  ImportAnswer,
  ImportDocument,
  ImportedAuction,
  ImportedCategory,
  ImportedLot,
} from './import.schema.ts';
import type { KnownRows } from './known-rows.ts';
import { idOf } from './load-people.ts';

/** Ids by what the file calls things. */
export interface LoadContext {
  readonly known: KnownRows;
  readonly userIds: ReadonlyMap<string, number>;
  readonly teamIds: ReadonlyMap<string, number>;
  readonly categoryIds: ReadonlyMap<string, number>;
  /** Called for every row that was written. */
  readonly wrote: (rows: number) => void;
}

/** Parents before children, whatever their order in the file. Returns slug → id of all categories there are now. */
export async function loadCategories(
  trx: Knex,
  document: ImportDocument,
  known: KnownRows,
  wrote: (rows: number) => void,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const [slug, category] of known.categories) if (category.id !== null) ids.set(slug, category.id);
  const waiting = new Map((document.categories ?? []).map((entry) => [entry.slug, entry]));
  const load = async (entry: ImportedCategory): Promise<void> => {
    waiting.delete(entry.slug);
    const parent = known.categories.get(entry.slug)?.parent ?? null;
    const above = parent === null ? undefined : waiting.get(parent);
    if (above) await load(above);
    ids.set(entry.slug, await upsertCategory(trx, entry, parent === null ? null : (ids.get(parent) ?? null)));
    wrote(1);
  };
  for (const entry of document.categories ?? []) if (waiting.has(entry.slug)) await load(entry);
  return ids;
}

async function upsertCategory(trx: Knex, entry: ImportedCategory, parentId: number | null): Promise<number> {
  const columns = {
    name: entry.name.trim(),
    parent_id: parentId,
    description: entry.description,
    position: entry.position,
    schema: entry.schema && JSON.stringify(entry.schema),
    ui_schema: entry.ui_schema && JSON.stringify(entry.ui_schema),
  };
  const present = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  const rows: { id: number }[] = await trx('categories')
    .insert({ slug: entry.slug, ...present })
    .onConflict('slug')
    .merge(Object.keys(present))
    .returning('id');
  return firstOf(rows).id;
}

/** Writes the auctions and their lots. */
export async function loadAuctions(
  trx: Knex.Transaction,
  document: ImportDocument,
  context: LoadContext,
): Promise<ImportAnswer['auctions']> {
  const auctions = document.auctions ?? [];
  const answer: ImportAnswer['auctions'] = {};
  if (auctions.length === 0) return answer;
  const personalTeams = await readPersonalTeams(trx, auctions, context.userIds);
  const slugs = await chooseSlugs(trx, auctions);
  const ids = await nextIds(trx, 'auctions', auctions.length);
  const rows = auctions.map((auction, index) => ({
    ...stored(auctionColumns(auction, decimalsIn(auction, 'usd'))),
    id: ids[index],
    slug: slugs[index],
    status: auction.status ?? 'draft',
    category_id: categoryId(auction, context),
    ...ownerOf(auction, personalTeams, context),
  }));
  for (const chunk of chunksOf(rows, CHUNK)) {
    await trx('auctions').insert(chunk);
    context.wrote(chunk.length);
  }
  for (const [index, auction] of auctions.entries()) {
    const id = itemAt(ids, index);
    answer[itemAt(slugs, index)] = { id, lots: await loadLots(trx, auction, id, context) };
    if (sellsTogether(auction.format ?? 'timed') && auction.status !== 'draft') await joinSale(trx, id);
  }
  await appendEvents(trx, rows.flatMap(publishedFacts));
  return answer;
}

/** An auction that comes in as scheduled or active is published by coming in, and an active one has started. */
function publishedFacts(row: {
  readonly id: number | undefined;
  readonly slug: string | undefined;
  readonly status: string;
  readonly team_id?: number | undefined;
}): OutboxEvent[] {
  const { id, slug, status, team_id } = row;
  const published = status === 'active' || status === 'scheduled' ? ['published' as const] : [];
  const moves = status === 'active' ? [...published, 'started' as const] : published;
  return moves.map((move) => ({
    eventKey: `auction-${id}-${move}`,
    type: `auction.${move}` as const,
    teamId: team_id ?? null,
    userId: null,
    auctionId: id ?? null,
    lotId: null,
    data: { auction_id: id, slug },
  }));
}

/** `jsonb` columns must go as text: the driver would send a list as a Postgres array. */
function stored(columns: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      Auction.jsonAttributes.includes(name) && value ? JSON.stringify(value) : value,
    ]),
  );
}

function ownerOf(auction: ImportedAuction, personalTeams: ReadonlyMap<number, number>, context: LoadContext) {
  if (auction.user !== undefined) {
    const userId = idOf(context.userIds, auction.user);
    return { user_id: userId, team_id: personalTeams.get(userId) };
  }
  return { user_id: null, team_id: context.teamIds.get(auction.team?.trim() ?? '') };
}

async function readPersonalTeams(
  trx: Knex,
  auctions: readonly ImportedAuction[],
  userIds: ReadonlyMap<string, number>,
): Promise<Map<number, number>> {
  const owners = auctions.flatMap((auction) =>
    auction.user === undefined ? [] : [idOf(userIds, auction.user)],
  );
  const rows: { id: number; personal_user_id: number }[] = await trx('teams')
    .whereRaw('personal_user_id = any(?::bigint[])', [owners])
    .select('id', 'personal_user_id');
  return new Map(rows.map((row) => [row.personal_user_id, row.id]));
}

/** One read of the slugs in use for all auctions of the file. */
async function chooseSlugs(trx: Knex, auctions: readonly ImportedAuction[]): Promise<string[]> {
  const bases = auctions.map((auction) => auction.slug ?? slugify(auction.title, 'auction'));
  await lockSlugs(trx, 'auctions');
  // SQL: thousands of slugs with their numbered variants, in one pass.
  const { rows } = await trx.raw<{ rows: { slug: string }[] }>(
    `with wanted as (select unnest(?::text[]) as base)
     select slug from auctions where slug in (select base from wanted)
       or regexp_replace(slug, '-[0-9]+$', '') in (select base from wanted)`,
    [bases],
  );
  const taken = new Set(rows.map((row) => row.slug));
  return bases.map((base) => {
    const slug = firstFree(base, taken);
    taken.add(slug);
    return slug;
  });
}

async function nextIds(trx: Knex, table: 'auctions' | 'lots', count: number): Promise<number[]> {
  // SQL: ids from the table’s own sequence, before its rows.
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    "select nextval(pg_get_serial_sequence(?, 'id')) as id from generate_series(1, ?)",
    [table, count],
  );
  return rows.map((row) => row.id);
}

function categoryId(entry: ImportedAuction | ImportedLot, context: LoadContext): number | null {
  const slug = categorySlug(entry, context.known);
  return slug === null ? null : (context.categoryIds.get(slug) ?? null);
}

async function loadLots(
  trx: Knex,
  auction: ImportedAuction,
  auctionId: number,
  context: LoadContext,
): Promise<Record<string, number>> {
  const lots = auction.lots ?? [];
  const answer: Record<string, number> = {};
  if (lots.length === 0) return answer;
  const ids = await nextIds(trx, 'lots', lots.length);
  const numbers = lotNumbers(lots);
  const auctionCategory = categoryId(auction, context);
  const rows = lots.map((lot, index) => ({
    ...lotColumns(lot, decimalsIn(auction, 'usd')),
    custom_fields: JSON.stringify(lot.custom_fields ?? {}),
    id: ids[index],
    auction_id: auctionId,
    lot_number: numbers[index],
    slug: lotSlug(lot.title, itemAt(ids, index)),
    status: lot.status ?? auction.status ?? 'draft',
    category_id: categoryId(lot, context) ?? auctionCategory,
    consignor_id: lot.consignor ? idOf(context.userIds, lot.consignor) : null,
  }));
  for (const chunk of chunksOf(rows, CHUNK)) {
    await trx('lots').insert(chunk);
    context.wrote(chunk.length);
  }
  for (const [index, number] of numbers.entries()) answer[number] = itemAt(ids, index);
  return answer;
}

/** The numbers of an auction's lots: the given ones, and for the others the next unused ones. */
function lotNumbers(lots: readonly ImportedLot[]): number[] {
  const taken = new Set(lots.flatMap((lot) => lot.lot_number ?? []));
  let highest = 0;
  return lots.map((lot) => {
    let number = lot.lot_number;
    if (number === undefined) {
      number = highest + 1;
      while (taken.has(number)) number++;
    }
    highest = Math.max(highest, number);
    return number;
  });
}
