/** What every row of the catalog's tables has in the office: it is created and changed by a form, and deleted. */
import { type CatalogForm, changeRow, createRow, deleteRow } from '../../catalog/staff/catalog-form.ts';
import type { FormField } from './office.ts';
import type { Action } from './office-action.ts';

const SLUG_FIELD: FormField = {
  name: 'slug',
  label: 'Slug',
  kind: 'line',
  required: true,
  maxLength: 100,
  hint: 'Used in URLs and cannot be changed later: lower-case letters, digits and single hyphens.',
};

/** The fields that rows of several kinds have. */
export const nameField = (value = ''): FormField => ({
  name: 'name',
  label: 'Name',
  kind: 'line',
  required: true,
  maxLength: 200,
  value,
});

export const descriptionField = (value: string | null = ''): FormField => ({
  name: 'description',
  label: 'Description',
  kind: 'text',
  maxLength: 5_000,
  value: value ?? '',
});

export const positionField = (value = 0): FormField => ({
  name: 'position',
  label: 'Position',
  kind: 'line',
  value: String(value),
});

interface CatalogRow {
  readonly id: number;
  readonly slug: string;
}

/** A kind of row, as its actions and their messages name it. */
export interface RowKind {
  /** In the names of its operations: `changePlanInOffice`. */
  readonly operation: string;
  /** In titles and in what is said: `category of help`. */
  readonly what: string;
  /** On the buttons. */
  readonly button: string;
  /** Under which name the activity keeps its slug. */
  readonly kept: string;
  /** Where to continue once it is deleted. */
  readonly list: string;
  readonly form: CatalogForm;
}

interface RowActions<S> {
  readonly kind: RowKind;
  readonly fields: (subject: S) => readonly FormField[];
  readonly rowOf: (subject: S) => CatalogRow;
}

interface CreateAction<S> {
  /** In the address of the form. */
  readonly name?: string;
  readonly fields: (subject: S) => readonly FormField[];
  readonly blockedBy?: (subject: S) => string | null;
}

/** Creating a row, on the list of its kind. The form takes the slug too, which stays from then on. */
export function createAction<S>(
  { operation, what, button, kept, form }: RowKind,
  { name = 'create', fields, blockedBy }: CreateAction<S>,
): Action<S> {
  return {
    operationId: `create${operation}InOffice`,
    name,
    title: `New ${what}`,
    button: `Create ${button}`,
    notice: `The ${what} is created.`,
    fieldNames: ['slug', ...form.fieldNames],
    fields: (subject) => [SLUG_FIELD, ...fields(subject)],
    ...(blockedBy === undefined ? {} : { blockedBy }),
    async act(knex, _, { values }) {
      return { detail: { [kept]: await createRow(knex, form, values) } };
    },
  };
}

/** What a list says once a row of one of these kinds has been deleted. */
export function deletedNotices(...kinds: readonly RowKind[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    kinds.map(({ operation, what }) => [deletion(operation), `The ${what} is deleted.`]),
  );
}

const deletion = (operation: string) => `delete${operation}InOffice`;

/** Changing and deleting one row. */
export function rowActions<S>(of: RowActions<S>): readonly Action<S>[] {
  const { kind, rowOf } = of;
  const { operation, what, button, kept, list, form } = kind;
  return [
    {
      operationId: `change${operation}InOffice`,
      name: 'change',
      title: `Change the ${what}`,
      button: `Save ${button}`,
      notice: `The ${what} is saved.`,
      fieldNames: form.fieldNames,
      fields: of.fields,
      async act(knex, subject, { values }) {
        const { id, slug } = rowOf(subject);
        await changeRow(knex, form, id, values);
        return { detail: { [kept]: slug } };
      },
    },
    {
      operationId: deletion(operation),
      name: 'delete',
      title: `Delete the ${what}`,
      button: `Delete ${button}`,
      danger: true,
      notice: `The ${what} is deleted.`,
      async act(knex, subject) {
        const { id, slug } = rowOf(subject);
        await deleteRow(knex, form, id);
        return { detail: { [kept]: slug }, to: list };
      },
    },
  ];
}
