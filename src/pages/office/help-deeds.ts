/** The pages of the Help Center's categories and articles under `/office/catalog/help`. */
import { Type } from '@sinclair/typebox';
import {
  ARTICLE_FIELDS,
  changeArticle,
  changeHelpCategory,
  createArticle,
  createHelpCategory,
  deleteArticle,
  deleteHelpCategory,
  HELP_CATEGORY_FIELDS,
  type HelpArticle,
  type HelpCategory,
  readHelpArticles,
  readHelpCategories,
} from '../../catalog/staff/help-changes.ts';
import { Id } from '../../shared/fields.schema.ts';
import type { Subject } from './deed.ts';
import type { Cell, FormField } from './office.ts';
import { CATALOG, CATALOG_TABS, SLUG_FIELD } from './plan-deeds.ts';

const PATH = `${CATALOG}/help`;

interface HelpCenter {
  readonly categories: readonly HelpCategory[];
  readonly articles: readonly HelpArticle[];
}

const NoParams = Type.Object({});

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
        heading: 'Categories of help',
        columns: ['Category', 'Slug', 'Position'],
        rows: categories.map((one): Cell[] => [
          { href: `${PATH}/categories/${one.id}`, text: one.name },
          one.slug,
          one.position,
        ]),
        empty: 'There is no category of help.',
      },
    ],
  }),
  deeds: [
    {
      operationId: 'createArticleInOffice',
      name: 'create',
      title: 'New article',
      button: 'Create article',
      said: 'The article is made.',
      fieldNames: ['slug', ...ARTICLE_FIELDS],
      fields: ({ categories }) => [SLUG_FIELD, ...articleFields(null, categories)],
      hindrance: ({ categories }) => (categories.length === 0 ? 'Make a category of help first.' : null),
      async act(knex, _, { values }) {
        return { detail: { article: await createArticle(knex, values) } };
      },
    },
    {
      operationId: 'createHelpCategoryInOffice',
      name: 'create-category',
      title: 'New category of help',
      button: 'Create category',
      said: 'The category of help is made.',
      fieldNames: ['slug', ...HELP_CATEGORY_FIELDS],
      fields: () => [SLUG_FIELD, ...helpCategoryFields(null)],
      async act(knex, _, { values }) {
        return { detail: { help_category: await createHelpCategory(knex, values) } };
      },
    },
  ],
  alsoSays: {
    deleteArticleInOffice: 'The article is deleted.',
    deleteHelpCategoryInOffice: 'The category of help is deleted.',
  },
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
    heading: article.title,
    crumbs: [[PATH, 'Help articles']],
    facts: [['Public page', { href: `/help/${article.slug}`, text: article.slug }]],
  }),
  deeds: [
    {
      operationId: 'changeArticleInOffice',
      name: 'change',
      title: 'Change the article',
      button: 'Save article',
      said: 'The article is saved.',
      fieldNames: ARTICLE_FIELDS,
      fields: ({ article, categories }) => articleFields(article, categories),
      async act(knex, { article: { id, slug } }, { values }) {
        await changeArticle(knex, id, values);
        return { detail: { article: slug } };
      },
    },
    {
      operationId: 'deleteArticleInOffice',
      name: 'delete',
      title: 'Delete the article',
      button: 'Delete article',
      danger: true,
      said: 'The article is deleted.',
      async act(knex, { article: { id, slug } }) {
        await deleteArticle(knex, id);
        return { detail: { article: slug }, to: PATH };
      },
    },
  ],
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
  deeds: [
    {
      operationId: 'changeHelpCategoryInOffice',
      name: 'change',
      title: 'Change the category of help',
      button: 'Save category',
      said: 'The category of help is saved.',
      fieldNames: HELP_CATEGORY_FIELDS,
      fields: helpCategoryFields,
      async act(knex, { id, slug }, { values }) {
        await changeHelpCategory(knex, id, values);
        return { detail: { help_category: slug } };
      },
    },
    {
      operationId: 'deleteHelpCategoryInOffice',
      name: 'delete',
      title: 'Delete the category of help',
      button: 'Delete category',
      danger: true,
      said: 'The category of help is deleted.',
      async act(knex, { id, slug }) {
        await deleteHelpCategory(knex, id);
        return { detail: { help_category: slug }, to: PATH };
      },
    },
  ],
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
    { name: 'position', label: 'Position', kind: 'line', value: String(article?.position ?? 0) },
  ];
}

function helpCategoryFields(category: HelpCategory | null): FormField[] {
  return [
    {
      name: 'name',
      label: 'Name',
      kind: 'line',
      required: true,
      maxLength: 200,
      value: category?.name ?? '',
    },
    {
      name: 'description',
      label: 'Description',
      kind: 'text',
      maxLength: 5_000,
      value: category?.description ?? '',
    },
    { name: 'position', label: 'Position', kind: 'line', value: String(category?.position ?? 0) },
  ];
}
