/**
 * From what a seller says of a lot to its columns, and the rules that no schema can state. The import uses both, and
 * so do the sellers' endpoints.
 */
import { iso31661 } from 'iso-3166';
import { parseCents } from '../../../engine/money.ts';
import type { AddError } from '../../shared/add-error.ts';
import type { LotInput } from '../../shared/lot.schema.ts';
import { LOT_FIELD_COLUMNS, storedFields } from '../../shared/lot-field-lists.ts';
import type { LotFieldColumns } from '../../shared/lot-fields.ts';
import type { Lot } from './lot.model.ts';

/** The columns that a seller's fields fill. Those that were not given are absent. */
export type LotColumns = Partial<
  LotFieldColumns &
    Pick<
      Lot,
      | 'title'
      | 'lot_number'
      | 'starting_bid_cents'
      | 'reserve_price_cents'
      | 'buy_now_price_cents'
      | 'custom_fields'
    >
>;

/** What describes a lot whatever its outcome, and is copied when it is relisted. */
export const DESCRIPTIVE_COLUMNS = ['title', ...LOT_FIELD_COLUMNS, 'custom_fields'] as const;

const COUNTRIES: ReadonlySet<string> = new Set(iso31661.map(({ alpha2 }) => alpha2));

/** Adds errors for what is wrong in fields that fit their schema. Fields may be missing, as in a change. */
export function checkLot(input: Partial<LotInput>, addError: AddError): void {
  for (const field of ['starting_bid', 'reserve_price', 'buy_now_price'] as const) {
    const value = input[field];
    if (value === undefined || value === null) continue;
    const cents = parseCents(value);
    if (cents === null) addError(field, 'must have at most two decimals');
    else if (cents < 1) addError(field, 'must be at least 0.01');
  }
  const location = input.location;
  if (location && ((location.lat ?? null) === null) !== ((location.lng ?? null) === null)) {
    addError(
      `location.${(location.lat ?? null) === null ? 'lat' : 'lng'}`,
      'is required with the other coordinate',
    );
  }
  const country = location?.country ?? null;
  if (country !== null && !COUNTRIES.has(country)) {
    addError('location.country', 'must be an ISO 3166-1 country code such as "US"');
  }
  const acres = input.land?.acres;
  if (acres !== undefined && acres !== null && !hasFourDecimals(acres)) {
    addError('land.acres', 'must have at most four decimals');
  }
}

function hasFourDecimals(value: number): boolean {
  return Number(value.toFixed(4)) === value;
}

/** The columns of fields that `checkLot` had nothing against. */
export function lotColumns(input: Partial<LotInput>): LotColumns {
  const { location, land } = input;
  const columns: LotColumns = {
    title: input.title?.trim(),
    lot_number: input.lot_number,
    starting_bid_cents: centsOf(input.starting_bid) ?? undefined,
    reserve_price_cents: centsOf(input.reserve_price),
    buy_now_price_cents: centsOf(input.buy_now_price),
    custom_fields: input.custom_fields,
    ...storedFields('about', input),
    ...(location === undefined ? {} : storedFields('location', location)),
    ...(land === undefined ? {} : storedFields('land', land)),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function centsOf(value: string | number | null | undefined): number | null | undefined {
  if (value === undefined || value === null) return value;
  return parseCents(value);
}
