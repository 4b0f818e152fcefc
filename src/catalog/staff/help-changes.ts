/** What staff change of the Help Center: its categories, and articles, which they may delete too. */
import type { Knex } from 'knex';
import { Refusal } from '../../shared/refusal.ts';
import { type Typed, TypedValues } from './typed-values.ts';

export interface HelpCategory {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly position: number;
}

export interface HelpArticle {
  readonly id: number;
  readonly help_category_id: number;
  readonly slug: string;
  readonly title: string;
  readonly body: string;
  readonly position: number;
}

export const HELP_CATEGORY_FIELDS = ['name', 'description', 'position'] as const;
export const ARTICLE_FIELDS = ['category', 'title', 'body', 'position'] as const;

const MAX_BODY = 200_000;

export function readHelpCategories(knex: Knex): Promise<HelpCategory[]> {
  return knex('help_categories').orderBy(['position', 'id']).select<HelpCategory[]>('*');
}

export function readHelpArticles(knex: Knex): Promise<HelpArticle[]> {
  return knex('help_articles').orderBy(['help_category_id', 'position', 'id']).select<HelpArticle[]>('*');
}

/** Makes a category of help. Throws 422 with every wrong field, for a slug that is taken too. */
export async function createHelpCategory(knex: Knex, typed: Typed): Promise<string> {
  const values = new TypedValues(typed);
  const slug = values.slug('slug');
  const columns = readCategory(values);
  await requireFree(knex, 'help_categories', slug, values);
  values.finish();
  await knex('help_categories').insert({ slug, ...columns });
  return slug;
}

/** Changes everything of a category of help but its slug. Throws 422 with every wrong field. */
export async function changeHelpCategory(knex: Knex, id: number, typed: Typed): Promise<void> {
  const values = new TypedValues(typed);
  const columns = readCategory(values);
  values.finish();
  await knex('help_categories').where({ id }).update(columns);
}

/** Makes an article; its slug names its page, so no two share one. Throws 422 with every wrong field. */
export async function createArticle(knex: Knex, typed: Typed): Promise<string> {
  const values = new TypedValues(typed);
  const slug = values.slug('slug');
  const columns = await readArticle(knex, values, typed);
  await requireFree(knex, 'help_articles', slug, values);
  values.finish();
  await knex('help_articles').insert({ slug, ...columns });
  return slug;
}

/** Changes everything of an article but its slug. Throws 422 with every wrong field. */
export async function changeArticle(knex: Knex, id: number, typed: Typed): Promise<void> {
  const values = new TypedValues(typed);
  const columns = await readArticle(knex, values, typed);
  values.finish();
  await knex('help_articles').where({ id }).update(columns);
}

export async function deleteArticle(knex: Knex, id: number): Promise<void> {
  await knex('help_articles').where({ id }).delete();
}

/** Deletes a category of help without articles. Throws 409 for another: they would go with it. */
export async function deleteHelpCategory(trx: Knex, id: number): Promise<void> {
  await trx('help_categories').where({ id }).forUpdate().first('id');
  const article = await trx('help_articles').where('help_category_id', id).first('id');
  if (article !== undefined)
    throw new Refusal('invalid_transition', { message: 'It has articles: delete or move them first.' });
  await trx('help_categories').where({ id }).delete();
}

function readCategory(values: TypedValues) {
  return {
    name: values.line('name', 200),
    description: values.text('description', 5_000),
    position: values.position('position'),
  };
}

async function readArticle(knex: Knex, values: TypedValues, typed: Typed) {
  const slug = typed['category'] ?? '';
  const category = await knex('help_categories').where({ slug }).first<{ id: number } | undefined>('id');
  if (category === undefined) values.addError('category', 'Choose one of the categories.');
  return {
    help_category_id: category?.id ?? null,
    title: values.line('title', 300),
    body: values.line('body', MAX_BODY),
    position: values.position('position'),
  };
}

async function requireFree(
  knex: Knex,
  table: 'help_categories' | 'help_articles',
  slug: string,
  values: TypedValues,
): Promise<void> {
  // Two at once: the second waits here, and finds it taken.
  // SQL: no builder knows advisory locks.
  await knex.raw('select pg_advisory_xact_lock(hashtext(?))', [table]);
  if ((await knex(table).where({ slug }).first('id')) !== undefined)
    values.addError('slug', 'This slug is already taken.');
}
