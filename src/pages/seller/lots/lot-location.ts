/**
 * Where a lot is, on its form: said by a town or a postal code, or by a click on the map; nobody types degrees. The
 * server works both out, so that they need no script.
 */
import { type Place, placesMeant, townNear, townsWithin } from '../../../catalog/places/places.ts';
import { HIGH_FOR_WIDE, locationMap, squeezeAt } from '../../map/location-map.ts';
import type { FieldErrors } from '../forms/form-fields.ts';
import type { Picture } from '../forms/form-options.ts';
import { type FormTexts, markOf } from '../forms/form-values.ts';
import type { Schema } from '../forms/shapes.ts';

/** The field of the form that the API does not have. */
export const PLACE_FIELD = 'location.place';
/** Buttons of the map, by what they send as `step`. */
const MAP_STEPS = ['place', 'closer', 'wider', 'unpin'] as const;
/** Pixels of the map; a script may show it larger. */
const WIDTH = 288;
const HEIGHT = WIDTH * HIGH_FOR_WIDE;

interface View {
  readonly lat: number;
  readonly lng: number;
  /** Degrees to each side. */
  readonly wide: number;
}

const EVERYWHERE: View = { lat: 39, lng: -98, wide: 32 };
const CLOSEST = 0.25;
const AT_A_TOWN = 1;
const MOST_TOWNS = 30;
const TOWNS = 8;

/** The schema of a lot's form, with the field that finds its place. */
export function withPlaceField(schema: Schema): Schema {
  const { location } = schema.properties ?? {};
  const [own] = (location?.anyOf ?? []).filter(({ type }) => type !== 'null');
  const group = own ?? location;
  if (group === undefined) return schema;
  const properties = { place: { type: 'string', maxLength: 100 }, ...group.properties };
  return { ...schema, properties: { ...schema.properties, location: { ...group, properties } } };
}

/** Whether a form only wants its map drawn anew. */
export function isAboutMap(texts: FormTexts): boolean {
  return MAP_STEPS.some((step) => step === texts['step']) || clickIn(texts) !== null;
}

/** A town and its state, or the postal code; empty where nothing is known. */
export function placeText(texts: FormTexts): string {
  const [city = '', state = ''] = [texts['location.city'], texts['location.state']];
  if (city === '') return texts['location.postal_code'] ?? '';
  return state === '' ? city : `${city}, ${state}`;
}

export interface Located {
  readonly texts: FormTexts;
  readonly errors: FieldErrors;
}

/**
 * What a form says with its place worked out: by a click, by the field that finds it, or, where town or postal code are
 * `marks` no more and the pin still is, by those.
 */
export function located(texts: FormTexts, marks: FormTexts): Located {
  const click = clickIn(texts);
  if (click !== null) return { texts: pinned(texts, click), errors: {} };
  const { [PLACE_FIELD]: typed = '', ...rest } = texts;
  if (texts['step'] === 'unpin')
    return {
      texts: { ...texts, 'location.lat': '', 'location.lng': '', ...viewTexts(EVERYWHERE) },
      errors: {},
    };
  if (typed.trim() !== '') {
    const [place, ...others] = placesMeant(typed);
    if (place !== undefined && others.length === 0) return { texts: at(rest, place, typed), errors: {} };
    return {
      texts,
      errors: { [PLACE_FIELD]: [place === undefined ? unknown(typed) : open(typed, [place, ...others])] },
    };
  }
  const isChanged = (name: string) => markOf(texts[name] ?? '') !== (marks[name] ?? '');
  const hasMoved = ['city', 'state', 'postal_code'].some((name) => isChanged(`location.${name}`));
  const isPinned = isChanged('location.lat') || isChanged('location.lng');
  if (texts['step'] !== 'place' && (!hasMoved || isPinned)) return { texts: rest, errors: {} };
  const [place, ...others] = placesMeant(texts['location.postal_code'] || placeText(texts));
  const isSure = place !== undefined && others.length === 0;
  return { texts: isSure ? { ...rest, ...pin(place.lat, place.lng) } : rest, errors: {} };
}

const FIELDS = ['city', 'county', 'state', 'postal_code', 'country', 'lat', 'lng'];

/** What a place is made of. */
export function placeTexts(texts: FormTexts): FormTexts {
  const names = FIELDS.map((name) => `location.${name}`);
  return Object.fromEntries(names.map((name) => [name, texts[name] ?? '']));
}

/** A row's texts with the place that its cell says; an emptied cell is no place. */
export function placedRow(wanted: FormTexts, present: FormTexts, location: FormTexts): Located {
  const { [PLACE_FIELD]: typed = '', ...rest } = wanted;
  if (typed === (present[PLACE_FIELD] ?? '')) return { texts: rest, errors: {} };
  if (typed.trim() === '') return { texts: { ...rest, ...placeTexts({}) }, errors: {} };
  return located({ ...location, ...wanted }, {});
}

export const isWrong = ({ errors }: Located): boolean => Object.keys(errors).length > 0;

function at(texts: FormTexts, place: Place, typed: string): FormTexts {
  const isCode = /\d/.test(typed);
  return {
    ...texts,
    ...(texts['location.city'] === place.name ? {} : { 'location.county': '' }),
    'location.city': place.name,
    'location.state': place.state,
    'location.postal_code': isCode ? place.postal_code : '',
    'location.country': place.country,
    ...pin(place.lat, place.lng),
    ...viewTexts({ lat: place.lat, lng: place.lng, wide: AT_A_TOWN }),
  };
}

/** The pin where somebody has clicked, and the town there where none is said. */
function pinned(texts: FormTexts, { x, y }: { readonly x: number; readonly y: number }): FormTexts {
  const view = viewOf(texts);
  const east = ((x / WIDTH) * 2 - 1) * view.wide;
  const north = (1 - (y / HEIGHT) * 2) * view.wide * HIGH_FOR_WIDE;
  const lat = Math.max(-90, Math.min(90, view.lat + north));
  const lng = ((view.lng + east / squeezeAt(view.lat) + 540) % 360) - 180;
  const town = placeText(texts) === '' ? townNear(lat, lng) : null;
  return {
    ...texts,
    ...(town === null
      ? {}
      : { 'location.city': town.name, 'location.state': town.state, 'location.country': town.country }),
    ...pin(lat, lng),
    ...viewTexts({ lat, lng, wide: Math.max(CLOSEST, view.wide / 3) }),
  };
}

function unknown(typed: string): string {
  return `No town or postal code is called “${typed.trim()}”. Click on the map instead.`;
}

const SHOWN = 6;

function open(typed: string, places: readonly Place[]): string {
  const names = places.slice(0, SHOWN).map(({ name, state }) => `${name}, ${state}`);
  return `“${typed.trim()}” may be one of several: ${names.join('; ')}${places.length > SHOWN ? ' …' : ''}`;
}

/** Four decimals are some ten metres. */
function pin(lat: number, lng: number): FormTexts {
  const plain = (degrees: number) => String(Math.round(degrees * 10_000) / 10_000);
  return { 'location.lat': plain(lat), 'location.lng': plain(lng) };
}

/** A key press sends 0 for both: that is no click. */
function clickIn(texts: FormTexts): { readonly x: number; readonly y: number } | null {
  const [x, y] = [numberIn(texts['map.x']), numberIn(texts['map.y'])];
  return x === null || y === null || (x === 0 && y === 0) ? null : { x, y };
}

function numberIn(text: string | undefined): number | null {
  return text !== undefined && /^-?[0-9]{1,5}(\.[0-9]{1,9})?$/.test(text) ? Number(text) : null;
}

function viewTexts({ lat, lng, wide }: View): FormTexts {
  return { 'map.lat': lat.toFixed(4), 'map.lng': lng.toFixed(4), 'map.wide': wide.toFixed(4) };
}

/** As the form has it, else around the pin, else the whole country. */
function viewOf(texts: FormTexts): View {
  const [lat, lng] = [numberIn(texts['location.lat']), numberIn(texts['location.lng'])];
  const [ownLat, ownLng] = [numberIn(texts['map.lat']), numberIn(texts['map.lng'])];
  const wide = numberIn(texts['map.wide']);
  const step = texts['step'] === 'closer' ? 1 / 3 : texts['step'] === 'wider' ? 3 : 1;
  if (ownLat !== null && ownLng !== null && wide !== null)
    return {
      lat: Math.max(-80, Math.min(80, ownLat)),
      lng: ownLng,
      wide: Math.max(CLOSEST, Math.min(EVERYWHERE.wide, wide * step)),
    };
  return lat === null || lng === null ? EVERYWHERE : { lat, lng, wide: AT_A_TOWN };
}

/** The map of a form, with its pin and the towns around it. */
export function placePicture(texts: FormTexts): Picture {
  const view = viewOf(texts);
  const squeeze = squeezeAt(view.lat);
  const x = (lng: number) => (lng - view.lng) * squeeze;
  const y = (lat: number) => view.lat - lat;
  const half = view.wide / squeeze;
  const high = view.wide * HIGH_FOR_WIDE;
  const box = {
    south: view.lat - high,
    north: view.lat + high,
    west: view.lng - half,
    east: view.lng + half,
  };
  const [lat, lng] = [numberIn(texts['location.lat']), numberIn(texts['location.lng'])];
  const near = lat === null || lng === null ? null : townNear(lat, lng);
  return {
    template: '/seller/lots/place-map',
    data: {
      ...{ width: WIDTH, height: HEIGHT, unit: view.wide / 100 },
      map: locationMap(view.lat, view.lng, view.wide),
      towns: apart(
        townsWithin(box, MOST_TOWNS).map((town) => ({ name: town.name, x: x(town.lng), y: y(town.lat) })),
        view.wide,
      ),
      pin: lat === null || lng === null ? null : { x: x(lng), y: y(lat) },
      near: near === null ? null : `${near.name}, ${near.state}`,
      hidden: {
        ...{ 'location.lat': texts['location.lat'] ?? '', 'location.lng': texts['location.lng'] ?? '' },
        ...viewTexts(view),
      },
    },
  };
}

/** The largest whose names do not lie on each other. */
function apart<T extends { readonly x: number; readonly y: number }>(towns: readonly T[], wide: number): T[] {
  const kept: T[] = [];
  for (const town of towns) {
    const isFree = kept.every(
      ({ x, y }) => Math.abs(x - town.x) > wide * 0.5 || Math.abs(y - town.y) > wide * 0.09,
    );
    if (isFree && kept.length < TOWNS) kept.push(town);
  }
  return kept;
}
