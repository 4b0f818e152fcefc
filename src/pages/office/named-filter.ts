/**
 * Filters of the office by one auction, lot or team: staff type words of its title or name, and choose where several
 * have them. An address holds the thing's number, alone or as the field shows it: `7 · Spring sale`.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
import { keptQuery } from '../lists.ts';
import type { Filter } from './office.ts';

/** What an address says of such a thing. */
export const NamedText = Type.String({ maxLength: 300, default: '' });

/** So many are offered, the newest, whatever there is. */
const OFFERED = 20;
const MAX_NAME = 150;
/** What has no number: nothing is found of it. */
const NOBODY = 0;
const NUMBERED = /^([1-9][0-9]{0,14})(?: · .*)?$/s;

interface Kind {
  readonly label: string;
  readonly placeholder: string;
  readonly table: string;
  readonly column: string;
  /** What tells those of one name apart: a column of another table, and what refers to it. */
  readonly beside?: { readonly table: string; readonly column: string; readonly by: string };
  readonly several: string;
  readonly none: string;
}

const KINDS = {
  auction: {
    label: 'Auction',
    placeholder: 'Words of its title',
    table: 'auctions',
    column: 'title',
    beside: { table: 'teams', column: 'name', by: 'team_id' },
    several: 'Several auctions have these words in their title. Choose one:',
    none: 'No auction has these words in its title.',
  },
  lot: {
    label: 'Lot',
    placeholder: 'Words of its title',
    table: 'lots',
    column: 'title',
    beside: { table: 'auctions', column: 'title', by: 'auction_id' },
    several: 'Several lots have these words in their title. Choose one:',
    none: 'No lot has these words in its title.',
  },
  team: {
    label: 'Team',
    placeholder: 'Words of its name',
    table: 'teams',
    column: 'name',
    several: 'Several teams have these words in their name. Choose one:',
    none: 'No team has these words in its name.',
  },
} as const satisfies Readonly<Record<string, Kind>>;

type NamedThing = keyof typeof KINDS;
type Query = Readonly<Record<string, unknown>>;

/** What a list is filtered by, and how it asks for it. */
export interface NamedThings {
  /** Absent: by none. Of what nobody knows, or of several, the number that nothing has. */
  readonly ids: Readonly<Partial<Record<NamedThing, number>>>;
  readonly filters: readonly Filter[];
}

interface Called {
  readonly id: number;
  readonly name: string;
  readonly beside?: string;
}

/** Finds what a query names of these things. */
export async function namedThings(
  knex: Knex,
  things: readonly NamedThing[],
  query: Query,
): Promise<NamedThings> {
  const read = await Promise.all(things.map((thing) => named(knex, thing, query)));
  const known = things.flatMap((thing, at) => {
    const id = read[at]?.id ?? null;
    return id === null ? [] : [[thing, id] as const];
  });
  return { ids: Object.fromEntries(known), filters: read.map(({ filter }) => filter) };
}

async function named(
  knex: Knex,
  thing: NamedThing,
  query: Query,
): Promise<{ readonly id: number | null; readonly filter: Filter }> {
  const kind: Kind = KINDS[thing];
  const text = String(query[thing] ?? '').trim();
  const filter = { name: thing, label: kind.label, placeholder: kind.placeholder, value: text };
  if (text === '') return { id: null, filter: { ...filter, suggestions: await namesOf(knex, kind) } };
  const number = NUMBERED.exec(text)?.[1];
  const byNumber = number === undefined ? undefined : await rowsOf(knex, kind).where('x.id', number).first();
  if (byNumber !== undefined) return { id: byNumber.id, filter: { ...filter, value: shownName(byNumber) } };
  const rows = await found(knex, kind, text);
  const [only] = rows;
  if (only === undefined)
    return { id: NOBODY, filter: { ...filter, unsettled: { sentence: kind.none, links: [] } } };
  if (rows.length === 1) return { id: only.id, filter: { ...filter, value: shownName(only) } };
  const kept = keptQuery({ ...query, [thing]: undefined });
  const links = rows.slice(0, OFFERED).map((one) => [`?${kept}${thing}=${one.id}`, nameBeside(one)] as const);
  const hasMore = rows.length > OFFERED;
  return { id: NOBODY, filter: { ...filter, unsettled: { sentence: kind.several, links, hasMore } } };
}

function rowsOf(knex: Knex, { table, column, beside }: Kind) {
  const rows = knex({ x: table }).select<Called[]>('x.id', `x.${column} as name`);
  if (beside !== undefined)
    void rows.join({ y: beside.table }, 'y.id', `x.${beside.by}`).select(`y.${beside.column} as beside`);
  return rows;
}

/** One more than are offered, where there are more. */
async function found(knex: Knex, kind: Kind, words: string): Promise<Called[]> {
  return (
    rowsOf(knex, kind)
      .whereILike(`x.${kind.column}`, likeAnywhere(words))
      // SQL: those that are called just so come first.
      .orderByRaw('lower(??) = lower(?) DESC', [`x.${kind.column}`, words])
      .orderBy('x.id', 'desc')
      .limit(OFFERED + 1)
  );
}

/** The newest, to begin with. */
async function namesOf(knex: Knex, kind: Kind): Promise<readonly string[]> {
  const rows = await rowsOf(knex, kind).orderBy('x.id', 'desc').limit(OFFERED);
  return rows.map(shownName);
}

const shownName = ({ id, name }: Called) => `${id} · ${name.slice(0, MAX_NAME)}`;

const nameBeside = (one: Called) =>
  one.beside === undefined ? shownName(one) : `${shownName(one)} (${one.beside})`;
