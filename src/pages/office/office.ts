/**
 * The frame of the office: who may come in, and the layout of its pages. Every page of it is a search, facts, tables
 * and forms, so that one template shows them all; `subject-pages.ts` adds the forms. For admins of the service only.
 */
import type { Static, TObject } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import { forbidden, Refusal } from '../../shared/refusal.ts';
import { languageOf, PAGE, type Pages, type SignedIn } from '../page.ts';
import { type PageTitle, titleIn } from '../page-title.ts';
import type { FormView } from '../seller/forms/form-fields.ts';
import type { FormOptions } from '../seller/forms/form-options.ts';
import type { FormTexts } from '../seller/forms/form-values.ts';
import type { Schema } from '../seller/forms/shapes.ts';

const SECTIONS = [
  ['queue', 'Queue'],
  ['live', 'Live'],
  ['people', 'People'],
  ['sellers', 'Sellers'],
  ['lots', 'Lots'],
  ['money', 'Money'],
  ['figures', 'Reports'],
  ['platforms', 'Platforms'],
  ['catalog', 'Catalog'],
  ['operator', 'Operator'],
  ['activity', 'Activity'],
] as const;

/** Where staff begin: what waits for them. */
export const QUEUE = '/office/queue';

/** The first part of a section's address. */
export type SectionName = (typeof SECTIONS)[number][0];

export interface OfficeParts {
  readonly knex: Knex;
  readonly pages: Pages;
  /** Notifies every process of changes to these users; does not throw. */
  readonly announce: (userIds: readonly number[]) => Promise<void>;
  /** A record of what was done that could not be written is logged for the operator. */
  readonly onUnrecorded: (error: unknown, action: string) => void;
}

/** What is in a row of a table, or behind the name of a fact. */
export type Cell =
  | string
  | number
  | null
  | { readonly href: string; readonly text: string }
  | { readonly time: string }
  /** How long ago, and when on request. */
  | { readonly since: string }
  /** A month of the calendar: `2026-11`. */
  | { readonly month: string }
  /** One after the other, each a text of its own. */
  | { readonly parts: readonly string[] }
  | { readonly pill: string }
  | { readonly cents: number | bigint; readonly currency: string };

/** What was bid on a lot; nothing where nothing was, as on a tract that was bid on with others only. */
export function bidCell(cents: number | null, currency: string | null): Cell {
  return cents === null || cents === 0 || currency === null ? null : { cents, currency };
}

/** A column by its name; one that can be sorted by says what that is called in the address. */
export type Column = string | { readonly name: string; readonly sort: string };

export interface Table {
  readonly heading: string | null;
  readonly columns: readonly Column[];
  /** What it is sorted by, as the address says it, and what the links of its columns keep of the address. */
  readonly sorted?: { readonly by: string; readonly query: string };
  readonly rows: readonly (readonly Cell[])[];
  /** What selects each row: its id in addresses, and its name for those who do not see the table. */
  readonly picks?: readonly { readonly id: string; readonly name: string }[];
  /** What decides on each row, in a last column of its own. */
  readonly decisions?: readonly (readonly RowForm[])[];
  /** How many rows there are beyond these, and where they are. */
  readonly more?: { readonly count: number; readonly href: string | null };
  /** What is said where there is no row. */
  readonly empty: string;
}

/** A button in a row, with what has to be typed for it. */
export interface RowForm {
  readonly url: string;
  readonly button: string;
  readonly danger: boolean;
  /** Whom or what it is about, for those who do not see the row. */
  readonly about: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly fields: readonly Pick<FormField, 'name' | 'label' | 'value' | 'maxLength'>[];
}

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Without them it is a field to type in. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly type?: 'search' | 'text' | 'date' | 'month' | 'email';
  /** What can be searched for. */
  readonly placeholder?: string;
  /** What a line may be completed to. */
  readonly suggestions?: readonly string[];
  /** What was typed may mean several things, or none: the sentence, and those there are with their addresses. */
  readonly unsettled?: Unsettled;
}

interface Unsettled {
  readonly sentence: string;
  readonly links: readonly (readonly [href: string, text: string])[];
  /** Others are not listed. */
  readonly hasMore?: boolean;
}

export interface Pager {
  readonly page: number;
  readonly lastPage: number;
  /** What the links keep, ending in `&` where it is not empty. */
  readonly query: string;
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'line' | 'money' | 'text' | 'select' | 'password' | 'code' | 'color' | 'file' | 'rows';
  readonly value?: string;
  readonly required?: boolean;
  readonly hint?: string;
  readonly maxLength?: number;
  readonly rows?: number;
  readonly options?: readonly (readonly [value: string, label: string])[];
  /** Of a file: which types can be chosen. */
  readonly accept?: string;
  /** Of `rows`: what each row holds, and what is in them by its dotted name. */
  readonly table?: RowsOfField;
  /** What it is folded up under, as few need it. */
  readonly under?: string;
}

/** Rows of a form, as the forms of the desk have them. */
export interface RowsOfField {
  readonly row: Schema;
  readonly texts: FormTexts;
  readonly options: FormOptions;
}

/** A form as the template prints it: what was typed and refused is in it again, with the sentence next to its field. */
export interface ShownForm extends FormView {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly button: string;
  readonly danger: boolean;
  readonly takesFile: boolean;
}

/** What is done to the rows that are selected: one action with one reason. */
export interface SelectionForm {
  readonly url: string;
  readonly actions: readonly (readonly [name: string, title: string])[];
  readonly selected: ReadonlySet<string>;
  readonly action: string;
  readonly reason: string;
  readonly errors: Readonly<Record<string, string>>;
}

/** A chart: a bar for each row, with what it stands for in words. */
export interface Chart {
  readonly title: string;
  /** `share`: of the longest bar. */
  readonly bars: readonly { readonly label: string; readonly text: string; readonly share: number }[];
  /** Where a bar ends that is as high as was to be; null: nothing was. */
  readonly mark: number | null;
}

export interface OfficePage {
  /** Null: in none of them. */
  readonly section: SectionName | null;
  /** What the box at the top has been asked for. */
  readonly q?: string;
  readonly heading: PageTitle;
  readonly lead?: string;
  /** The way up: address and name. */
  readonly crumbs?: readonly (readonly [href: string, text: string])[];
  readonly tabs?: readonly (readonly [href: string, text: string])[];
  readonly filters?: readonly Filter[];
  /** Where the same is had in another form: address and name. */
  readonly links?: readonly (readonly [href: string, text: string])[];
  readonly charts?: readonly Chart[];
  readonly facts?: readonly (readonly [name: string, value: Cell])[];
  readonly text?: string | null;
  readonly tables?: readonly Table[];
  /** Under the tables. */
  readonly foot?: string;
  readonly pager?: Pager;
  readonly older?: string | null;
  readonly forms?: readonly ShownForm[];
  readonly selection?: SelectionForm;
  /** The outcome of an action on many: for how many it was done, and what is to be said of single ones. */
  readonly outcome?: { readonly text: string; readonly refused: readonly string[] };
  readonly notice?: string | null;
  /** Shown this once. */
  readonly secret?: { readonly label: string; readonly value: string } | null;
  /** A part of the page that is HTML already, and where it is read again. */
  readonly part?: string;
  readonly live?: string;
  readonly status?: number;
}

/**
 * Runs `work` for an admin. Visitors who are not signed in are sent to sign in; everybody else, including a suspended
 * admin, is refused with 403.
 */
export async function forStaff(
  { pages }: Pick<OfficeParts, 'pages'>,
  request: HttpRequest,
  work: (who: SignedIn) => Reply | Promise<Reply>,
): Promise<Reply> {
  return pages.forSignedIn(request, (who) => {
    if (!who.isAdmin) throw forbidden('The office is for our staff.');
    if (who.suspended) throw new Refusal('account_suspended');
    return work(who);
  });
}

const hasColor = ({ items }: ShownForm) =>
  items.some((item) => item.kind === 'field' && item.control === 'color');

/** A page of the office. Nothing of it is kept by anybody. */
export function officeHtml(
  { pages }: Pick<OfficeParts, 'pages'>,
  request: HttpRequest,
  page: OfficePage,
): Reply {
  const { status = 200, heading } = page;
  const modules = [
    ...(page.live === undefined ? [] : ['office-live.js']),
    ...(page.selection === undefined ? [] : ['select-all.js']),
    ...(page.forms?.some(hasColor) ? ['color-field.js'] : []),
  ];
  const named = titleIn(languageOf(request), heading);
  const data = { page: { ...page, heading: named }, sections: SECTIONS, sheets: ['office.css'], modules };
  return pages.html(request, {
    title: ['{0}', named],
    template: 'office/section',
    data,
    status,
    secret: true,
  });
}

export interface OfficeList<Q extends TObject> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly query: Q;
  read(query: Static<Q>): Promise<OfficePage>;
}

/** A page of the office on which nothing is done. */
export function officeList<Q extends TObject>(parts: OfficeParts, list: OfficeList<Q>): Endpoint {
  const { path, operationId, summary, query } = list;
  return endpoint({
    ...PAGE,
    method: 'GET',
    path,
    operationId,
    summary,
    query,
    handle: (request) =>
      forStaff(parts, request, async () => officeHtml(parts, request, await list.read(request.query))),
  });
}
