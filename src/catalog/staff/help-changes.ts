/** What staff change of the Help Center: its categories and its articles. */
import type { Knex } from 'knex';
import { Refusal } from '../../shared/refusal.ts';
import type { CatalogForm } from './catalog-form.ts';
import type { Typed, TypedValues } from './typed-values.ts';

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

export const HELP_CATEGORY_FORM: CatalogForm = {
  table: 'help_categories',
  fieldNames: ['name', 'description', 'position'],
  read: (_trx, values) => readCategory(values),
  requireUnused,
};

export const ARTICLE_FORM: CatalogForm = {
  table: 'help_articles',
  fieldNames: ['category', 'title', 'body', 'position'],
  read: readArticle,
};

const MAX_BODY = 200_000;

export function readHelpCategories(knex: Knex): Promise<HelpCategory[]> {
  return knex('help_categories').orderBy(['position', 'id']).select<HelpCategory[]>('*');
}

export function readHelpArticles(knex: Knex): Promise<HelpArticle[]> {
  return knex('help_articles').orderBy(['help_category_id', 'position', 'id']).select<HelpArticle[]>('*');
}

/** A category's articles would be deleted with it. */
async function requireUnused(trx: Knex, id: number): Promise<void> {
  const article = await trx('help_articles').where('help_category_id', id).first('id');
  if (article !== undefined)
    throw new Refusal('invalid_transition', { message: 'It has articles: delete or move them first.' });
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
