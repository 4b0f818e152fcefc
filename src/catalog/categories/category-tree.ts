/**
 * The tree of categories as lists and pages need it: who is under whom, and how many listed lots each holds with
 * everything below it. Cached for a moment, counts a little longer; a category that is not known is searched again
 * at once.
 */
import type { Knex } from 'knex';
import { CACHE_TIMES, type CacheTimes } from '../../shared/caching/cache-times.ts';
import { SharedReads } from '../../shared/caching/shared-reads.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import { listsAuctionSql } from '../../shared/visibility/visibility-sql.ts';
import type { JsonObject } from './category.model.ts';

export interface CategoryNode {
  readonly id: number;
  readonly parentId: number | null;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly position: number;
  readonly schema: JsonObject;
  readonly uiSchema: JsonObject;
  readonly children: CategoryNode[];
}

/** All categories at one moment. */
export interface CategoryForest {
  readonly roots: readonly CategoryNode[];
  /** In the order of the tree's levels: by position, then id. */
  readonly all: readonly CategoryNode[];
  readonly byId: ReadonlyMap<number, CategoryNode>;
  readonly bySlug: ReadonlyMap<string, CategoryNode>;
}

interface Row {
  id: number;
  parent_id: number | null;
  slug: string;
  name: string;
  description: string | null;
  position: number;
  schema: JsonObject;
  ui_schema: JsonObject;
}

export class CategoryTree {
  readonly #knex: Knex;
  readonly #forest: ShortCache<CategoryForest>;
  readonly #counts: ShortCache<ReadonlyMap<number, number>>;
  readonly #forestReads = new SharedReads<CategoryForest>();
  readonly #countReads = new SharedReads<ReadonlyMap<number, number>>();

  constructor(knex: Knex, times: CacheTimes = CACHE_TIMES) {
    this.#knex = knex;
    this.#forest = new ShortCache(times.listMs, 1);
    this.#counts = new ShortCache(times.totalMs, 1);
  }

  forest(): Promise<CategoryForest> {
    return this.#forest.get('', () => this.#forestReads.get('', () => readForest(this.#knex)));
  }

  /** By id or slug; null where there is none. */
  async find(idOrSlug: string): Promise<CategoryNode | null> {
    return (await this.#found((forest) => lookUp(forest, idOrSlug))) ?? null;
  }

  /** The category's own id and those of everything below it; empty for an unknown one. */
  async withDescendants(id: number): Promise<number[]> {
    const top = await this.#found((forest) => forest.byId.get(id));
    return top === undefined ? [] : [...under(top)].map((node) => node.id);
  }

  /** Listed lots by category, those of the categories below included. */
  async lotCounts(): Promise<ReadonlyMap<number, number>> {
    const [forest, own] = await Promise.all([
      this.forest(),
      this.#counts.get('', () => this.#countReads.get('', () => readCounts(this.#knex))),
    ]);
    const sums = new Map<number, number>();
    const sum = (node: CategoryNode): number => {
      const total = node.children.reduce((before, child) => before + sum(child), own.get(node.id) ?? 0);
      sums.set(node.id, total);
      return total;
    };
    for (const root of forest.roots) sum(root);
    return sums;
  }

  async #found(
    find: (forest: CategoryForest) => CategoryNode | undefined,
  ): Promise<CategoryNode | undefined> {
    const cached = this.#forest.peek('');
    const found = cached === null ? undefined : find(await cached);
    if (found !== undefined) return found;
    if (cached !== null) this.#forest.forget();
    return find(await this.forest());
  }
}

/** From the root down to the category itself. */
export function pathTo(node: CategoryNode, forest: CategoryForest): CategoryNode[] {
  const path = [node];
  for (let up = node.parentId; up !== null; ) {
    const parent = forest.byId.get(up);
    if (parent === undefined || path.includes(parent)) break;
    path.unshift(parent);
    up = parent.parentId;
  }
  return path;
}

function* under(node: CategoryNode): Generator<CategoryNode> {
  yield node;
  for (const child of node.children) yield* under(child);
}

function lookUp(forest: CategoryForest, idOrSlug: string): CategoryNode | undefined {
  return /^[0-9]+$/.test(idOrSlug) ? forest.byId.get(Number(idOrSlug)) : forest.bySlug.get(idOrSlug);
}

async function readForest(knex: Knex): Promise<CategoryForest> {
  const rows: Row[] = await knex('categories')
    .orderBy(['position', 'id'])
    .select('id', 'parent_id', 'slug', 'name', 'description', 'position', 'schema', 'ui_schema');
  const all = rows.map(nodeOf);
  const byId = new Map(all.map((node) => [node.id, node]));
  for (const node of all) if (node.parentId !== null) byId.get(node.parentId)?.children.push(node);
  return {
    roots: all.filter((node) => node.parentId === null),
    all,
    byId,
    bySlug: new Map(all.map((node) => [node.slug, node])),
  };
}

function nodeOf(row: Row): CategoryNode {
  const { id, slug, name, description, position, schema } = row;
  const parentId = row.parent_id;
  return { id, parentId, slug, name, description, position, schema, uiSchema: row.ui_schema, children: [] };
}

async function readCounts(knex: Knex): Promise<ReadonlyMap<number, number>> {
  // SQL: counts every open lot by its own or its auction’s category in one pass.
  const { rows } = await knex.raw<{ rows: { category_id: number; lots: number }[] }>(`
    SELECT coalesce(counted.category_id, a.category_id) AS category_id, sum(counted.lots)::bigint AS lots
    FROM (SELECT auction_id, category_id, count(*) AS lots FROM lots WHERE status = 'active'
      GROUP BY category_id, auction_id) counted
    JOIN auctions a ON a.id = counted.auction_id AND ${listsAuctionSql()}
    GROUP BY 1`);
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row.category_id, Number(row.lots));
  return counts;
}
