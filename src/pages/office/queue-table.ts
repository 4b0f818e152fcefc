/**
 * A section of the queue: the oldest rows that wait, each with the buttons that decide on it. The buttons send the
 * forms of the subjects' own pages, which lead back to the queue; what is refused is shown on the subject's page.
 */
import type { Knex } from 'knex';
import { namesOfUsers } from '../../accounts/people/accounts.ts';
import type { Cell, RowForm, Table } from './office.ts';
import type { Action } from './office-action.ts';

/** So many rows of a section are shown; the rest is a link. */
const SHOWN = 20;

/** What is recorded with a decision for which nothing has to be typed. */
const NOTHING_TYPED = 'Decided in the queue';

/** A subject as far as its buttons need it. */
export interface Decidable {
  readonly path: string;
  readonly actions: readonly Pick<
    Action<never>,
    'name' | 'button' | 'danger' | 'operationId' | 'notice' | 'goesOnNotice'
  >[];
}

interface Decision {
  /** The action's name. */
  readonly action: string;
  /** Of the subject's address; null where it has no parameter. */
  readonly id: number | string | null;
  readonly about: string;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly fields?: RowForm['fields'];
}

/** The button of an action; one that takes something from somebody requires a reason of its own. */
export function decide(subject: Decidable, { action, id, about, hidden, fields = [] }: Decision): RowForm {
  const found = subject.actions.find(({ name }) => name === action);
  if (found === undefined) throw new Error(`there is no action ${action} on ${subject.path}`);
  const danger = found.danger === true;
  const reason = { name: 'reason', label: 'Reason', maxLength: 1_000 };
  const path = subject.path.replace(/\{[^}]+\}/, encodeURIComponent(String(id)));
  return {
    url: `${path}/${action}`,
    button: found.button,
    danger,
    about,
    hidden: { back: 'queue', ...(danger ? {} : { reason: NOTHING_TYPED }), ...hidden },
    fields: danger ? [...fields, reason] : fields,
  };
}

/** Rows of one kind that wait. */
export interface Waiting<R> {
  readonly heading: string;
  readonly columns: readonly string[];
  readonly empty: string;
  /** Where all of them are; null: they are listed nowhere else. */
  readonly all: string | null;
  /** Null: where they are does not answer now, which `unread` says. */
  read(limit: number): Promise<{ readonly rows: readonly R[]; readonly total: number } | null>;
  readonly unread?: string;
  row(one: R): readonly Cell[];
  decisions?(one: R): readonly RowForm[];
}

/** A section of the queue, read. */
export interface QueueSection {
  readonly heading: string;
  /** `isUnread`: nobody could say what there is. */
  read(): Promise<{ readonly total: number; readonly isUnread: boolean; readonly table: Table }>;
}

/** Rows with what the people are called whom they name. */
export async function named<R>(
  knex: Knex,
  { rows, total }: { readonly rows: readonly R[]; readonly total: number },
  userOf: (one: R) => number | undefined,
): Promise<{ rows: { readonly one: R; readonly person: Cell }[]; total: number }> {
  const names = await namesOfUsers(
    knex,
    rows.flatMap((one) => userOf(one) ?? []),
  );
  const personOf = (id: number | undefined): Cell =>
    id === undefined ? null : { href: `/office/people/${id}`, text: names.get(id) ?? `User ${id}` };
  return { rows: rows.map((one) => ({ one, person: personOf(userOf(one)) })), total };
}

export function sectionOf<R>({ heading, columns, empty, all, unread, ...waiting }: Waiting<R>): QueueSection {
  return {
    heading,
    async read() {
      const found = await waiting.read(SHOWN);
      const { rows, total } = found ?? { rows: [], total: 0 };
      const { decisions } = waiting;
      return {
        total,
        isUnread: found === null,
        table: {
          heading,
          columns,
          rows: rows.map((one) => waiting.row(one)),
          ...(decisions === undefined ? {} : { decisions: rows.map(decisions) }),
          ...(total > rows.length ? { more: { count: total - rows.length, href: all } } : {}),
          empty: found === null ? (unread ?? empty) : empty,
        },
      };
    },
  };
}
