/**
 * What the search page and the map take and offer: their query is the API's filters, so that an address can be shared
 * and read by all; prices may be written as people write them. Builds the filters with their counts and the addresses
 * that change one of them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { namesIn } from '../../../engine/objects.ts';
import type { CategoryForest, CategoryNode, CategoryTree } from '../../catalog/categories/category-tree.ts';
import type { LotFacets } from '../../catalog/lots/lot-facets.ts';
import { type LotFilterQuery, lotFilterQuery } from '../../catalog/lots/lot-filters.schema.ts';
import { LOT_SORTS, type LotOrder, type LotSort } from '../../catalog/lots/lot-list-statements.ts';
import { searchPlaces } from '../../catalog/places/places.ts';
import { oneOf } from '../../shared/fields.schema.ts';
import { PageNumber } from '../lists.ts';

const Price = Type.Optional(
  Type.String({
    pattern: '^[ $€£]*[0-9][0-9, ]{0,14}(\\.[0-9]{1,3})? *$',
    'x-message': 'must be an amount such as 1,250.00',
  }),
);

/** The orders offered, as `sort` names them: the API's `sort_by`, behind a minus for `sort_dir=desc`. */
const ORDERS = {
  end_time: 'Ending soonest',
  '-id': 'Newest',
  price: 'Price: lowest first',
  '-price': 'Price: highest first',
  price_per_acre: 'Price per acre: lowest first',
  title: 'Title',
} as const;

const NEAREST = 'Nearest first';

type Sort = LotSort | `-${LotSort}`;
const SORTS = LOT_SORTS.flatMap((by): Sort[] => [by, `-${by}`]);

export const SearchQuery = Type.Object({
  ...lotFilterQuery,
  min_price: Price,
  max_price: Price,
  /** A town, a postal code, or a place in degrees. */
  near: Type.Optional(Type.String({ maxLength: 100 })),
  /** What people call that place. */
  place: Type.Optional(Type.String({ maxLength: 100 })),
  sort: Type.Optional(oneOf(SORTS)),
  sort_by: Type.Optional(oneOf(LOT_SORTS)),
  sort_dir: Type.Optional(oneOf(['asc', 'desc'])),
  view: Type.Optional(Type.Literal('rows')),
  page: PageNumber,
});
export type SearchQuery = Static<typeof SearchQuery>;

/** The API's filters out of the page's query. */
function filterQueryOf(query: SearchQuery): LotFilterQuery {
  const {
    sort: _sort,
    sort_by: _by,
    sort_dir: _dir,
    view: _view,
    page: _page,
    place: _place,
    near,
    within_km,
    min_price,
    max_price,
    ...rest
  } = query;
  const plain = (price: string) => price.replaceAll(/[^0-9.]/g, '');
  return {
    ...rest,
    ...(near === undefined ? {} : { near, ...(within_km === undefined ? {} : { within_km }) }),
    ...(min_price === undefined ? {} : { min_price: plain(min_price) }),
    ...(max_price === undefined ? {} : { max_price: plain(max_price) }),
  };
}

/** How the page names the order, null for the best match; its own `sort` wins over the API's names. */
function sortOf({ sort, sort_by: by, sort_dir: dir, search, near }: SearchQuery): Sort | null {
  if (sort !== undefined) return sort;
  if (by === undefined && near !== undefined) return 'distance';
  if (by === undefined && search?.trim()) return null;
  return `${dir === 'desc' ? '-' : ''}${by ?? 'end_time'}`;
}

export function orderOf(query: SearchQuery): LotOrder {
  const sort = sortOf(query);
  if (query.near === undefined && (sort === 'distance' || sort === '-distance'))
    return { by: 'end_time', descending: false };
  const by = LOT_SORTS.find((name) => sort === name || sort === `-${name}`) ?? 'best';
  return { by, descending: sort !== null && sort !== by };
}

/** What the page offers to sort by, with the present order where it is none of these. */
export function orderChoices(query: SearchQuery): { value: string; label: string; isChosen: boolean }[] {
  const sort = sortOf(query);
  const labels: Readonly<Record<string, string>> = Object.fromEntries([
    ...(query.search ? [['', 'Best match']] : []),
    ...(query.near === undefined ? [] : [['distance', NEAREST]]),
    ...Object.entries(ORDERS),
  ]);
  const other = sort === null || sort in labels ? {} : { [sort]: orderLabel(sort) };
  return Object.entries({ ...labels, ...other }).map(([value, label]) => ({
    ...{ value, label },
    isChosen: value === (sort ?? ''),
  }));
}

function orderLabel(sort: Sort): string {
  const words = sort.replace('-', '').replace('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${sort.startsWith('-') ? ', from the end' : ''}`;
}

/** What takes the order off an address. */
export const NO_ORDER = { sort: null, sort_by: null, sort_dir: null } as const;

type Changes = Readonly<Record<string, string | number | null>>;

/** The pages that show what is searched for. */
export type SearchPath = '/lots' | '/map';

/** The query as a text for links; `null` takes a filter off, and every change goes back to the first page. */
export function addressOf(query: SearchQuery, changes: Changes, path: SearchPath = '/lots'): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, page: 1, ...changes })) {
    const isDefault = (name === 'page' && value === 1) || (name === 'status' && value === 'active');
    if (value !== null && value !== undefined && value !== '' && !isDefault) values.set(name, String(value));
  }
  const text = values.toString();
  return text === '' ? path : `${path}?${text}`;
}

const DEGREES = /^-?[0-9]{1,3}(\.[0-9]{1,15})?,-?[0-9]{1,3}(\.[0-9]{1,15})?$/;

/** A search with what is to be read for it. */
export interface ReadSearch {
  /** Without a place that nobody knows. */
  readonly query: SearchQuery;
  readonly wanted: LotFilterQuery;
  /** Of its category and those below it; null without one. */
  readonly categoryIds: readonly number[] | null;
  readonly notice: { readonly kind: 'warn'; readonly text: string } | null;
}

/** What is searched for; or, where a place was typed, the address that says where it is. */
export async function readSearch(
  sent: SearchQuery,
  categories: CategoryTree,
  path: SearchPath = '/lots',
): Promise<ReadSearch | { readonly goTo: string }> {
  const typed = sent.near?.trim() ?? '';
  const isTyped = typed !== '' && !DEGREES.test(typed.replaceAll(' ', ''));
  const place = isTyped ? searchPlaces(typed)[0] : undefined;
  if (place !== undefined) {
    const named = { near: `${place.lat},${place.lng}`, place: `${place.name}, ${place.state}` };
    return { goTo: addressOf(sent, named, path) };
  }
  const { near: _unknown, ...rest } = sent;
  const query = isTyped ? rest : sent;
  const wanted = filterQueryOf(query);
  const { category_id: id } = wanted;
  return {
    ...{ query, wanted },
    categoryIds: id === undefined ? null : await categories.withDescendants(id),
    notice: isTyped ? { kind: 'warn', text: `We know no town or postal code “${typed}”.` } : null,
  };
}

/** The query that a saved search and a feed keep: the filters alone, prices as the API takes them. */
export function savedQueryOf(query: SearchQuery): string {
  const { min_price = null, max_price = null } = filterQueryOf(query);
  const address = addressOf(query, { ...NO_ORDER, view: null, place: null, min_price, max_price });
  return address.includes('?') ? address.slice(address.indexOf('?') + 1) : '';
}

export interface Choice {
  readonly label: string;
  readonly count: number;
  readonly address: string;
  readonly isChosen: boolean;
  /** How far down the tree. */
  readonly depth: number;
}

export interface FilterGroup {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** The groups of choices, those without any left out. */
export async function filterGroups(
  query: SearchQuery,
  facets: LotFacets,
  categories: CategoryTree,
  path: SearchPath = '/lots',
): Promise<FilterGroup[]> {
  const addressOf = addressesOn(path);
  const values = (name: 'state' | 'county' | 'condition', counted: LotFacets['states']) =>
    counted.map(({ value, count }) => {
      const isChosen = query[name]?.trim().toLowerCase() === value.toLowerCase();
      const other: Record<string, null> = name === 'state' ? { county: null } : {};
      const address = addressOf(query, { ...other, [name]: isChosen ? null : value });
      return { label: value, count, address, isChosen, depth: 0 };
    });
  const endings = facets.endings.map(({ value, count }) => {
    const isChosen = query.ending_within === Number(value);
    const address = addressOf(query, { ending_before: null, ending_within: isChosen ? null : value });
    return { label: endingLabel(Number(value)), count, address, isChosen, depth: 0 };
  });
  const groups = [
    { title: 'Category', choices: categoryChoices(query, facets, await categories.forest(), addressOf) },
    { title: 'State', choices: values('state', facets.states) },
    { title: 'County', choices: values('county', facets.counties) },
    { title: 'Condition', choices: values('condition', facets.conditions) },
    { title: 'Ending within', choices: isOfOpenLots(query) ? endings : [] },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

function endingLabel(hours: number): string {
  if (hours === 1) return 'an hour';
  return hours < 48 ? `${hours} hours` : `${hours / 24} days`;
}

/** Whether open lots alone are searched for, as where nothing is said. */
export const isOfOpenLots = ({ status }: SearchQuery) => status === undefined || status === 'active';

const addressesOn = (path: SearchPath) => (query: SearchQuery, changes: Changes) =>
  addressOf(query, changes, path);

function categoryChoices(
  query: SearchQuery,
  { categories }: LotFacets,
  forest: CategoryForest,
  addressOf: (query: SearchQuery, changes: Changes) => string,
): Choice[] {
  const sum = (node: CategoryNode): number =>
    node.children.reduce((before, child) => before + sum(child), categories.get(node.id) ?? 0);
  const choices: Choice[] = [];
  const add = (node: CategoryNode, depth: number): void => {
    const count = sum(node);
    const isChosen = query.category_id === node.id;
    if (count === 0 && !isChosen) return;
    const address = addressOf(query, { category_id: isChosen ? null : node.id });
    choices.push({ label: node.name, count, address, isChosen, depth });
    for (const child of node.children) add(child, depth + 1);
  };
  for (const root of forest.roots) add(root, 0);
  return choices;
}

const CHOSEN: Readonly<Partial<Record<keyof SearchQuery, (value: string) => string>>> = {
  search: (value) => `“${value}”`,
  state: (value) => value,
  county: (value) => `${value} County`,
  condition: (value) => value,
  postal_code: (value) => `Postal code ${value}`,
  zoning: (value) => `Zoning: ${value}`,
  min_price: (value) => `From ${value}`,
  max_price: (value) => `Up to ${value}`,
  min_acres: (value) => `${value} acres or more`,
  max_acres: (value) => `${value} acres or less`,
  water_access: (value) => (value === 'true' ? 'With water access' : 'Without water access'),
  road_access: (value) => (value === 'true' ? 'With road access' : 'Without road access'),
  ending_within: (value) => `Ending within ${endingLabel(Number(value))}`,
  ending_before: (value) => `Ending before ${value}`,
  status: (value) => (value === 'active' ? '' : `Status: ${value}`),
};

/** What is chosen now, each with the address that takes it off. */
export async function chosenFilters(
  query: SearchQuery,
  categories: CategoryTree,
  path: SearchPath = '/lots',
): Promise<{ label: string; address: string }[]> {
  const addressOf = addressesOn(path);
  const chosen: { label: string; address: string }[] = [];
  if (query.category_id !== undefined) {
    const category = await categories.find(String(query.category_id));
    chosen.push({ label: category?.name ?? 'Category', address: addressOf(query, { category_id: null }) });
  }
  if (query.near !== undefined) {
    const place = query.place ?? query.near;
    const label =
      query.within_km === undefined ? `Near ${place}` : `Within ${query.within_km} km of ${place}`;
    const order = sortOf(query) === 'distance' ? NO_ORDER : {};
    chosen.push({ label, address: addressOf(query, { near: null, within_km: null, place: null, ...order }) });
  }
  for (const name of namesIn(CHOSEN)) {
    const value = query[name];
    const label = value === undefined ? '' : (CHOSEN[name]?.(String(value)) ?? '');
    if (label !== '') chosen.push({ label, address: addressOf(query, { [name]: null }) });
  }
  return chosen;
}
