/** The pages of the Help Center's categories and articles under `/office/catalog/help`. */
import { Type } from '@sinclair/typebox';
import {
  ARTICLE_FORM,
  HELP_CATEGORY_FORM,
  type HelpArticle,
  type HelpCategory,
  readHelpArticles,
  readHelpCategories,
} from '../../catalog/staff/help-changes.ts';
import { Id } from '../../shared/fields.schema.ts';
import type { Cell, FormField } from './office.ts';
import type { Subject } from './office-action.ts';
import { CATALOG, CATALOG_TABS } from './plan-actions.ts';
import {
  createAction,
  deletedNotices,
  descriptionField,
  nameField,
  positionField,
  type RowKind,
  rowActions,
} from './row-actions.ts';

const PATH = `${CATALOG}/help`;

interface HelpCenter {
  readonly categories: readonly HelpCategory[];
  readonly articles: readonly HelpArticle[];
}

const NoParams = Type.Object({});

const ARTICLE: RowKind = {
  operation: 'Article',
  what: 'article',
  button: 'article',
  kept: 'article',
  list: PATH,
  form: ARTICLE_FORM,
};

const HELP_CATEGORY: RowKind = {
  operation: 'HelpCategory',
  what: 'help category',
  button: 'category',
  kept: 'help_category',
  list: PATH,
  form: HELP_CATEGORY_FORM,
};

export const helpList: Subject<HelpCenter, typeof NoParams> = {
  path: PATH,
  operationId: 'officeHelpPage',
  summary: 'The Help Center’s categories and articles',
  params: NoParams,
  find: async (knex) => ({
    categories: await readHelpCategories(knex),
    articles: await readHelpArticles(knex),
  }),
  show: async ({ categories, articles }) => ({
    section: 'catalog',
    heading: 'Help articles',
    tabs: CATALOG_TABS,
    tables: [
      {
        heading: 'Articles',
        columns: ['Article', 'Slug', 'Category', 'Position'],
        rows: articles.map((one): Cell[] => [
          { href: `${PATH}/${one.id}`, text: one.title },
          one.slug,
          categories.find(({ id }) => id === one.help_category_id)?.name ?? null,
          one.position,
        ]),
        empty: 'There is no article.',
      },
      {
        heading: 'Help categories',
        columns: ['Category', 'Slug', 'Position'],
        rows: categories.map((one): Cell[] => [
          { href: `${PATH}/categories/${one.id}`, text: one.name },
          one.slug,
          one.position,
        ]),
        empty: 'There is no help category.',
      },
    ],
  }),
  actions: [
    createAction(ARTICLE, {
      fields: ({ categories }) => articleFields(null, categories),
      blockedBy: ({ categories }) => (categories.length === 0 ? 'Create a help category first.' : null),
    }),
    createAction(HELP_CATEGORY, {
      name: 'create-category',
      fields: () => helpCategoryFields(null),
    }),
  ],
  otherNotices: deletedNotices(ARTICLE, HELP_CATEGORY),
};

interface FoundArticle {
  readonly article: HelpArticle;
  readonly categories: readonly HelpCategory[];
}

const ArticleParams = Type.Object({ article: Id });

export const articleSubject: Subject<FoundArticle, typeof ArticleParams> = {
  path: `${PATH}/{article}`,
  operationId: 'officeArticlePage',
  summary: 'One article of the Help Center',
  params: ArticleParams,
  async find(knex, params) {
    const article = await knex('help_articles')
      .where('id', params.article)
      .first<HelpArticle | undefined>('*');
    return article === undefined ? null : { article, categories: await readHelpCategories(knex) };
  },
  show: async ({ article }) => ({
    section: 'catalog',
    heading: ['{0}', article.title],
    crumbs: [[PATH, 'Help articles']],
    facts: [['Public page', { href: `/help/${article.slug}`, text: article.slug }]],
  }),
  actions: rowActions({
    kind: ARTICLE,
    fields: ({ article, categories }) => articleFields(article, categories),
    rowOf: ({ article }) => article,
  }),
};

const HelpCategoryParams = Type.Object({ category: Id });

export const helpCategorySubject: Subject<HelpCategory, typeof HelpCategoryParams> = {
  path: `${PATH}/categories/{category}`,
  operationId: 'officeHelpCategoryPage',
  summary: 'One category of the Help Center',
  params: HelpCategoryParams,
  async find(knex, params) {
    return (
      (await knex('help_categories').where('id', params.category).first<HelpCategory | undefined>('*')) ??
      null
    );
  },
  show: async ({ name, slug }) => ({
    section: 'catalog',
    heading: name,
    crumbs: [[PATH, 'Help articles']],
    facts: [['Slug', slug]],
  }),
  actions: rowActions({
    kind: HELP_CATEGORY,
    fields: (category: HelpCategory) => helpCategoryFields(category),
    rowOf: (category: HelpCategory) => category,
  }),
};

function articleFields(article: HelpArticle | null, categories: readonly HelpCategory[]): FormField[] {
  return [
    {
      name: 'category',
      label: 'Category',
      kind: 'select',
      value: categories.find(({ id }) => id === article?.help_category_id)?.slug ?? '',
      options: categories.map(({ slug, name }) => [slug, name]),
    },
    {
      name: 'title',
      label: 'Title',
      kind: 'line',
      required: true,
      maxLength: 300,
      value: article?.title ?? '',
    },
    { name: 'body', label: 'Text', kind: 'text', rows: 14, required: true, value: article?.body ?? '' },
    positionField(article?.position),
  ];
}

function helpCategoryFields(category: HelpCategory | null): FormField[] {
  return [
    nameField(category?.name),
    descriptionField(category?.description),
    positionField(category?.position),
  ];
}
