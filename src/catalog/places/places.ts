/**
 * Towns and postal codes of the United States and Canada with where they are: the list of the package `zipcodes`, read
 * when somebody first asks. What is searched is a postal code, or a town with or without its state.
 */
import { createRequire } from 'node:module';
import { firstOf } from '../../../engine/first-of.ts';

export interface Place {
  readonly name: string;
  /** As people abbreviate it where they do: `TX`. */
  readonly state: string;
  /** Of a town the one in its middle. */
  readonly postal_code: string;
  /** `US` or `CA`. */
  readonly country: string;
  /** Degrees. */
  readonly lat: number;
  readonly lng: number;
}

const MAX_PLACES = 20;

interface Listed extends Place {
  /** The town's name as it is compared. */
  readonly folded: string;
}

/** A town, and how many postal codes it has: the more, the larger it is. */
interface Town extends Listed {
  readonly size: number;
}

interface Gazetteer {
  readonly byCode: ReadonlyMap<string, Listed>;
  /** Codes in order. */
  readonly codes: readonly string[];
  /** Towns, each once, by name. */
  readonly towns: readonly Town[];
}

let read: Gazetteer | null = null;

/** What begins with these words, at most 20: an exact name first; none for less than two characters. */
export function searchPlaces(text: string): Place[] {
  const words = folded(text);
  if (words.length < 2) return [];
  read ??= readGazetteer();
  const { byCode, codes, towns } = read;
  const found = /\d/.test(words)
    ? codesFrom(words, codes).map((code) => byCode.get(code))
    : townsFrom(text, towns);
  return found.flatMap((place) => (place === undefined ? [] : [shown(place)])).slice(0, MAX_PLACES);
}

/** A postal code somewhere in a text: five digits, or how a Canadian one begins. */
const CODE = /\b(\d{5}|[A-Za-z]\d[A-Za-z](?: ?\d[A-Za-z]\d)?)\b/;

/** What is meant by a postal code, or a town as it is written: more than one where the state is left open. */
export function placesMeant(text: string): Place[] {
  const code = CODE.exec(text)?.[0];
  if (code !== undefined) return searchPlaces(code).slice(0, 1);
  const found = searchPlaces(text);
  const words = folded(text);
  const exact = found.filter(({ name }) => words === folded(name) || words.startsWith(`${folded(name)} `));
  return exact.length > 0 ? exact : found;
}

/** Degrees to the north, and to the east. */
export interface Box {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/** The largest towns in a box. */
export function townsWithin({ south, north, west, east }: Box, most: number): Place[] {
  read ??= readGazetteer();
  return read.towns
    .filter(({ lat, lng }) => lat >= south && lat <= north && lng >= west && lng <= east)
    .sort((one, other) => other.size - one.size || (one.folded < other.folded ? -1 : 1))
    .slice(0, most)
    .map(shown);
}

const NEAR_DEGREES = 0.4;

/** The town that is nearest to a point, within some 40 km. */
export function townNear(lat: number, lng: number): Place | null {
  const squeeze = Math.cos((lat * Math.PI) / 180);
  const half = NEAR_DEGREES / Math.max(0.1, squeeze);
  const box = { south: lat - NEAR_DEGREES, north: lat + NEAR_DEGREES, west: lng - half, east: lng + half };
  const far = (place: Place) => (place.lat - lat) ** 2 + ((place.lng - lng) * squeeze) ** 2;
  const towns = townsWithin(box, Number.POSITIVE_INFINITY);
  return towns.reduce<Place | null>(
    (best, town) => (best === null || far(town) < far(best) ? town : best),
    null,
  );
}

function shown({ name, state, postal_code, country, lat, lng }: Place): Place {
  return { name, state, postal_code, country, lat, lng };
}

function codesFrom(words: string, codes: readonly string[]): string[] {
  const wanted = words.replaceAll(' ', '').toUpperCase();
  // A Canadian code is listed by its first half.
  const half = /^[A-Z]\d[A-Z]/.test(wanted) ? wanted.slice(0, 3) : wanted.slice(0, 5);
  return codes.filter((code) => code.startsWith(half)).slice(0, MAX_PLACES);
}

/** `austin`, `Austin, TX`, `austin texas`. */
function townsFrom(text: string, towns: readonly Town[]): Town[] {
  const [name = '', state = ''] = text.split(',').map(folded);
  const inState = (town: Listed) =>
    state === '' || folded(town.state) === state || STATES[town.state] === state;
  const found = towns.filter((town) => town.folded.startsWith(name) && inState(town));
  if (found.length > 0 || state !== '') return found.sort((a, b) => closer(name, a, b));
  const cut = name.lastIndexOf(' ');
  return cut < 0 ? [] : townsFrom(`${name.slice(0, cut)},${name.slice(cut + 1)}`, towns);
}

/** An exact name first, then the larger town, then by name. */
function closer(name: string, a: Town, b: Town): number {
  const exact = Number(b.folded === name) - Number(a.folded === name);
  return exact || b.size - a.size || (a.folded < b.folded ? -1 : 1);
}

function folded(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** As the package has it, which brings no types. */
interface Row {
  readonly zip: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly city: string;
  readonly state: string;
  readonly country: string;
}

function readGazetteer(): Gazetteer {
  const rows: { readonly codes: Readonly<Record<string, Row>> } = createRequire(import.meta.url)('zipcodes');
  const byCode = new Map<string, Listed>();
  const towns = new Map<string, Listed[]>();
  for (const row of Object.values(rows.codes)) {
    if (!Number.isFinite(row.latitude) || !Number.isFinite(row.longitude)) continue;
    const isUs = row.country === 'US';
    const state = isUs ? row.state : (PROVINCES[row.state] ?? row.state);
    // A Canadian row lists quarters behind its town.
    const name = isUs ? row.city : row.city.replace(/ \(.*$/, '');
    const place = {
      ...{ name, state, postal_code: row.zip, country: isUs ? 'US' : 'CA' },
      ...{ lat: row.latitude, lng: row.longitude, folded: folded(name) },
    };
    byCode.set(row.zip, place);
    const key = `${place.folded}|${state}`;
    const codes = towns.get(key);
    if (codes === undefined) towns.set(key, [place]);
    else codes.push(place);
  }
  return { byCode, codes: [...byCode.keys()].sort(), towns: [...towns.values()].map(middleOf) };
}

/** The code that is nearest to the middle of its town's. */
function middleOf(codes: readonly Listed[]): Town {
  const mean = (of: (place: Listed) => number) =>
    codes.reduce((sum, place) => sum + of(place), 0) / codes.length;
  const [lat, lng] = [mean((place) => place.lat), mean((place) => place.lng)];
  const far = (place: Listed) => (place.lat - lat) ** 2 + (place.lng - lng) ** 2;
  const middle = codes.reduce((best, place) => (far(place) < far(best) ? place : best), firstOf(codes));
  return { ...middle, size: codes.length };
}

const PROVINCES: Readonly<Record<string, string>> = {
  Alberta: 'AB',
  'British Columbia': 'BC',
  Manitoba: 'MB',
  'New Brunswick': 'NB',
  'Newfoundland and Labrador': 'NL',
  'Nova Scotia': 'NS',
  'Northwest Territories': 'NT',
  Nunavut: 'NU',
  Ontario: 'ON',
  'Prince Edward Island': 'PE',
  Quebec: 'QC',
  Saskatchewan: 'SK',
  Yukon: 'YT',
};

/** Names of states as they are compared. */
const STATES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
    'DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
    'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,' +
    'MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,' +
    'NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,' +
    'SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,' +
    'WV West Virginia,WI Wisconsin,WY Wyoming'
  )
    .split(',')
    .map((state) => [state.slice(0, 2), state.slice(3).toLowerCase()]),
);
