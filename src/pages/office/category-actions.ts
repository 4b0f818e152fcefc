/** The pages of categories under `/office/catalog/categories`. */
import { Type } from '@sinclair/typebox';
import { Category } from '../../catalog/categories/category.model.ts';
import { CATEGORY_FORM } from '../../catalog/staff/category-changes.ts';
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

const PATH = `${CATALOG}/categories`;
const NoParams = Type.Object({});

const CATEGORY: RowKind = {
  operation: 'Category',
  what: 'category',
  button: 'category',
  kept: 'category',
  list: PATH,
  form: CATEGORY_FORM,
};

export const categoryList: Subject<readonly Category[], typeof NoParams> = {
  path: PATH,
  operationId: 'officeCategoriesPage',
  summary: 'The categories of lots',
  params: NoParams,
  find: async (knex) => Category.query(knex).orderBy(['position', 'id']),
  show: async (all) => ({
    section: 'catalog',
    heading: 'Categories',
    tabs: CATALOG_TABS,
    tables: [
      {
        heading: null,
        columns: ['Category', 'Slug', 'In', 'Position', 'Its own fields'],
        rows: all.map((one): Cell[] => [
          { href: `${PATH}/${one.id}`, text: one.name },
          one.slug,
          all.find(({ id }) => id === one.parent_id)?.name ?? null,
          one.position,
          Object.keys(one.schema['properties'] ?? {}).length,
        ]),
        empty: 'There is no category.',
      },
    ],
  }),
  actions: [
    createAction(CATEGORY, {
      fields: (all) => categoryFields(null, all),
    }),
  ],
  otherNotices: deletedNotices(CATEGORY),
};

interface FoundCategory {
  readonly category: Category;
  readonly all: readonly Category[];
}

const CategoryParams = Type.Object({ category: Id });

export const categorySubject: Subject<FoundCategory, typeof CategoryParams> = {
  path: `${PATH}/{category}`,
  operationId: 'officeCategoryPage',
  summary: 'One category',
  params: CategoryParams,
  async find(knex, params) {
    const all = await Category.query(knex).orderBy(['position', 'id']);
    const category = all.find(({ id }) => id === params.category);
    return category === undefined ? null : { category, all };
  },
  show: async ({ category: { id, name, slug } }) => ({
    section: 'catalog',
    heading: name,
    crumbs: [[PATH, 'Categories']],
    facts: [
      ['Slug', slug],
      ['Lots', { href: `/lots?category_id=${id}`, text: 'Show' }],
    ],
  }),
  actions: rowActions({
    kind: CATEGORY,
    fields: ({ category, all }) => categoryFields(category, all),
    rowOf: ({ category }) => category,
  }),
};

function categoryFields(category: Category | null, all: readonly Category[]): FormField[] {
  const parents = all.filter(({ id }) => id !== category?.id);
  const json = (value: object | undefined) => JSON.stringify(value ?? {}, null, 2);
  return [
    nameField(category?.name),
    {
      name: 'parent',
      label: 'In',
      kind: 'select',
      value: all.find(({ id }) => id === category?.parent_id)?.slug ?? '',
      options: [['', 'none'], ...parents.map(({ slug, name }): [string, string] => [slug, name])],
    },
    descriptionField(category?.description),
    positionField(category?.position),
    {
      name: 'schema',
      label: 'Fields of its lots',
      kind: 'text',
      rows: 10,
      hint: 'A JSON Schema 2020-12 object schema; the fields of parent categories are added to it.',
      value: json(category?.schema),
    },
    {
      name: 'ui_schema',
      label: 'How the fields are shown',
      kind: 'text',
      hint: 'A JSON object.',
      value: json(category?.ui_schema),
    },
  ];
}
