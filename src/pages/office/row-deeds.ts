/** The two deeds that every row of the catalog's tables has in the office: it is changed by a form, and deleted. */
import type { Knex } from 'knex';
import type { Deed, Texts } from './deed.ts';
import type { FormField } from './office.ts';

interface CatalogRow {
  readonly id: number;
  readonly slug: string;
}

export interface RowDeeds<S> {
  /** In the names of its operations: `changePlanInOffice`. */
  readonly operation: string;
  /** In titles and in what is said: `category of help`. */
  readonly what: string;
  /** On the buttons. */
  readonly button: string;
  /** Under which name the activity keeps its slug. */
  readonly kept: string;
  /** Where to go on once it is deleted. */
  readonly list: string;
  readonly fieldNames: readonly string[];
  readonly fields: (subject: S) => readonly FormField[];
  readonly rowOf: (subject: S) => CatalogRow;
  readonly change: (knex: Knex, id: number, values: Texts) => Promise<unknown>;
  readonly remove: (knex: Knex, id: number) => Promise<unknown>;
}

/** Changing and deleting one row. */
export function rowDeeds<S>(of: RowDeeds<S>): readonly Deed<S>[] {
  const { operation, what, button, kept, rowOf } = of;
  return [
    {
      operationId: `change${operation}InOffice`,
      name: 'change',
      title: `Change the ${what}`,
      button: `Save ${button}`,
      said: `The ${what} is saved.`,
      fieldNames: of.fieldNames,
      fields: of.fields,
      async act(knex, subject, { values }) {
        const { id, slug } = rowOf(subject);
        await of.change(knex, id, values);
        return { detail: { [kept]: slug } };
      },
    },
    {
      operationId: `delete${operation}InOffice`,
      name: 'delete',
      title: `Delete the ${what}`,
      button: `Delete ${button}`,
      danger: true,
      said: `The ${what} is deleted.`,
      async act(knex, subject) {
        const { id, slug } = rowOf(subject);
        await of.remove(knex, id);
        return { detail: { [kept]: slug }, to: of.list };
      },
    },
  ];
}
