/** The Help Center: its categories, and a search over its articles with the best matches first. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf } from '../../../adapters/http/envelope.ts';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { orNull } from '../../shared/fields.schema.ts';
import { listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readPage } from '../../shared/paging/read-page.ts';
import { excerptOf } from './excerpt.ts';

const HelpCategory = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    slug: Type.String(),
    description: orNull(Type.String()),
    position: Type.Integer(),
    articles_count: Type.Integer(),
  },
  { $id: 'HelpCategory' },
);

const HelpHit = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    slug: Type.String(),
    excerpt: Type.String(),
    category: Type.Object({ id: Type.Integer(), name: Type.String(), slug: Type.String() }),
    score: Type.Number({ description: 'From 0 to 1, the best first.' }),
  },
  { $id: 'HelpHit' },
);

const head = { method: 'GET', tags: ['Help Center'], access: { kind: 'public' } } as const;

const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 2,
    maxLength: 200,
    pattern: '\\S.*\\S',
    'x-message': 'must have 2 to 200 characters',
    description: 'Words or beginnings of words, all of which must occur.',
  }),
  category: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The id or slug of a Help Center category.' }),
  ),
  ...pagingQuery,
});

export function helpEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      ...head,
      path: '/api/v1/help/categories',
      operationId: 'listHelpCategories',
      summary: 'Help Center categories',
      query: Type.Object(pagingQuery),
      responses: { 200: { description: 'The categories.', schema: listBody(HelpCategory) } },
      async handle({ query }) {
        const categories = knex('help_categories').select(
          'id',
          'name',
          'slug',
          'description',
          'position',
          // SQL: a count alongside each row.
          knex.raw(
            '(SELECT count(*) FROM help_articles a WHERE a.help_category_id = help_categories.id) AS articles_count',
          ),
        );
        const { rows, paging } = await readPage<Record<string, unknown>>(
          categories,
          ['position', 'id'],
          query,
        );
        return listOf(rows, paging);
      },
    }),
    searchEndpoint(knex),
  ];
}

function searchEndpoint(knex: Knex): Endpoint {
  return endpoint({
    ...head,
    path: '/api/v1/help/search',
    operationId: 'searchHelp',
    summary: 'Search the Help Center',
    query: SearchQuery,
    responses: { 200: { description: 'Articles, the best first.', schema: listBody(HelpHit) } },
    async handle({ query }) {
      const { page, per_page: perPage, q, category } = query;
      const { hits, total } = await searchHelp(knex, { q, category: category ?? null, page, perPage });
      return listOf(hits, { page, perPage, total });
    },
  });
}

export interface HelpSearch {
  /** Two characters or more. */
  readonly q: string;
  /** A category's id or slug; null: all. */
  readonly category: string | null;
  readonly page: number;
  readonly perPage: number;
}

/** A page of articles, the best first, and how many there are: for the API and for the page. */
export async function searchHelp(knex: Knex, { q, category, page, perPage }: HelpSearch) {
  const values = [q, category, perPage, (page - 1) * perPage];
  const rows = await runPrepared<HitRow>(knex, { text: SEARCH, values });
  const total = rows[0]?.[8] ?? (page === 1 ? 0 : await totalOf(knex, q, category));
  return { hits: rows.map(presentHit(q)), total };
}

type HitRow = readonly [
  id: number,
  title: string,
  slug: string,
  body: string,
  categoryId: number,
  categoryName: string,
  categorySlug: string,
  rank: number,
  total: number,
];

const FOUND = `
  FROM help_articles a JOIN help_categories c ON c.id = a.help_category_id
  WHERE search_vector(a.title || ' ' || a.body) @@ search_query($1::text)
    AND ($2::text IS NULL OR c.slug = $2::text OR c.id::text = $2::text)`;

const SEARCH = `
  SELECT a.id, a.title, a.slug, a.body, c.id, c.name, c.slug,
    search_rank(search_fold(a.title), search_fold($1::text), search_query($1::text)) AS rank, count(*) OVER ()
  ${FOUND} ORDER BY rank, c.position, a.position, a.id LIMIT $3::bigint OFFSET $4::bigint`;

async function totalOf(knex: Knex, q: string, category: string | null): Promise<number> {
  const rows = await runPrepared<[number]>(knex, { text: `SELECT count(*) ${FOUND}`, values: [q, category] });
  return firstOf(rows)[0];
}

/** Ranks go from 0, the title itself, to 7, somewhere in the text. */
const WORST_RANK = 7;

function presentHit(q: string) {
  return ([id, title, slug, body, categoryId, name, categorySlug, rank]: HitRow) => ({
    id,
    title,
    slug,
    excerpt: excerptOf(body, q),
    category: { id: categoryId, name, slug: categorySlug },
    score: Number((1 - (rank / WORST_RANK) * 0.9).toFixed(3)),
  });
}
