/** The pages of categories under `/office/catalog/categories`. */
import { Type } from '@sinclair/typebox';
import { Category } from '../../catalog/categories/category.model.ts';
import { CATEGORY_FORM } from '../../catalog/staff/category-changes.ts';
import { fieldsOfCategory } from '../../catalog/staff/category-fields.ts';
import { FIELD_KINDS, type FieldRow } from '../../catalog/staff/field-rows.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import type { FormOptions } from '../seller/forms/form-options.ts';
import type { Schema } from '../seller/forms/shapes.ts';
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

const JSON_FIELDS = 'What no row can say, as JSON';

/** A row of the form: a field of the category's lots. */
const FIELD_ROW: Schema = Type.Object({
  label: Type.String({ maxLength: 200 }),
  kind: oneOf(FIELD_KINDS),
  choices: Type.String({ maxLength: 900 }),
  minimum: Type.Number(),
  maximum: Type.Number(),
  name: Type.String({ maxLength: 60 }),
  required: Type.Boolean(),
});
const KINDS: Readonly<Record<FieldRow['kind'], string>> = {
  text: 'Text',
  number: 'Number',
  whole_number: 'Whole number',
  one_of_a_list: 'One of a list',
  yes_or_no: 'Yes or no',
  date: 'Date',
};
const FIELD_OPTIONS: FormOptions = {
  labels: {
    'fields.label': 'Label',
    'fields.kind': 'Takes',
    'fields.choices': 'Choices',
    'fields.minimum': 'At least',
    'fields.maximum': 'At most',
    'fields.name': 'Name in files',
    'fields.required': 'Required',
  },
  choices: { 'fields.kind': FIELD_KINDS.map((value) => ({ value, label: KINDS[value] })) },
};

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

function textsOfRows(rows: readonly FieldRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap((row, at) =>
      Object.entries(row).map(([column, value]) => [`fields.${at}.${column}`, String(value)]),
    ),
  );
}

function categoryFields(category: Category | null, all: readonly Category[]): FormField[] {
  const parents = all.filter(({ id }) => id !== category?.id);
  const json = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2));
  const fields = fieldsOfCategory(category ?? { schema: {}, ui_schema: {} });
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
      name: 'fields',
      label: 'Fields of its lots',
      kind: 'rows',
      hint:
        'In the order in which they are shown, choices with commas between them. Lots have the fields of parent ' +
        'categories, too.',
      table: { row: FIELD_ROW, texts: textsOfRows(fields.rows), options: FIELD_OPTIONS },
    },
    {
      name: 'schema',
      label: 'Other fields',
      kind: 'code',
      under: JSON_FIELDS,
      hint: 'A JSON Schema 2020-12 object schema.',
      value: json(fields.schema),
    },
    {
      name: 'ui_schema',
      label: 'How the fields are shown',
      kind: 'code',
      under: JSON_FIELDS,
      hint: 'A JSON object.',
      value: json(fields.ui_schema),
    },
  ];
}
