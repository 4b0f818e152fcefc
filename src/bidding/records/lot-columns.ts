/**
 * From what a seller says of a lot to its columns, and the rules that no schema can state. The import uses both, and
 * so do the sellers' endpoints.
 */
import { iso31661 } from 'iso-3166';
import { parseUnitCount, totalOf } from '../../../engine/lot/units.ts';
import {
  type Decimals,
  formatCents,
  MAX_AMOUNT_CENTS,
  parseCents,
  withDecimals,
} from '../../../engine/money.ts';
import type { AddError } from '../../shared/add-error.ts';
import { checkFormat, plain, unusedFields } from '../../shared/format-fields.ts';
import type { LotInput } from '../../shared/lot.schema.ts';
import { type FormatField, fieldsOf, LOT_FIELD_COLUMNS, storedFields } from '../../shared/lot-field-lists.ts';
import type { LotFieldColumns } from '../../shared/lot-fields.ts';
import { NO_UNITS, type UnitColumns, unitsOf } from '../../shared/lot-units.ts';
import { NO_AMOUNT_OF } from '../../shared/money-text.ts';
import { invalid } from '../../shared/refusal.ts';
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

/**
 * Adds errors for what is wrong in fields that fit their schema; `decimals` are those of the auction's currency. Fields
 * may be missing, as in a change; `known` is what the lot has then.
 */
export function checkLot(
  input: Partial<LotInput>,
  decimals: Decimals,
  addError: AddError,
  known: KnownColumns = NEW_LOT,
): void {
  const { starting_bid_cents: starting, ...columns } = known;
  const had = { ...columns, starting_bid: starting };
  checkFormat(known.auction_format ?? 'timed', input, had, decimals, addError);
  checkUnits(input, decimals, addError, known);
  checkEstimates(input, decimals, addError, known);
  checkPrices(input, decimals, addError);
  if (input.location) checkLocation(input.location, addError);
  const acres = input.land?.acres;
  if (acres !== undefined && acres !== null && !hasFourDecimals(acres)) {
    addError('land.acres', 'must have at most four decimals');
  }
}

/** What a lot has of the fields that are checked together with others. */
export type KnownColumns = UnitColumns &
  Partial<LotFieldColumns> &
  Partial<Pick<Lot, 'starting_bid_cents'>> & { readonly auction_format?: string };

/** What a new lot has, in an auction of the first format. */
export const NEW_LOT: KnownColumns = NO_UNITS;

function checkPrices(input: Partial<LotInput>, decimals: Decimals, addError: AddError): void {
  for (const field of ['starting_bid', 'reserve_price', 'buy_now_price'] as const) {
    const value = input[field];
    if (value === undefined || value === null) continue;
    const cents = parseCents(value, decimals);
    if (cents === null) addError(field, NO_AMOUNT_OF[decimals]);
    else if (cents < 1) addError(field, `must be at least ${formatCents(1, decimals)}`);
  }
}

function checkLocation(
  { lat = null, lng = null, country = null }: NonNullable<LotInput['location']>,
  addError: AddError,
): void {
  if ((lat === null) !== (lng === null))
    addError(lat === null ? 'location.lat' : 'location.lng', 'is required with the other coordinate');
  if (country !== null && !COUNTRIES.has(country))
    addError('location.country', 'must be an ISO 3166-1 country code such as "US"');
}

function checkEstimates(
  input: Partial<LotInput>,
  decimals: Decimals,
  addError: AddError,
  known: KnownColumns,
): void {
  const centsOfEstimate = (field: 'estimate_low' | 'estimate_high') => {
    const amount = input[field];
    const cents = parseCents(amount === undefined ? known[field] : amount, decimals);
    if (amount !== undefined && amount !== null && cents === null) addError(field, NO_AMOUNT_OF[decimals]);
    return cents;
  };
  const [low, high] = [centsOfEstimate('estimate_low'), centsOfEstimate('estimate_high')];
  if (low !== null && high !== null && high < low)
    addError(
      input.estimate_high == null ? 'estimate_low' : 'estimate_high',
      'must not be below estimate_low',
    );
}

function checkUnits(
  input: Partial<LotInput>,
  decimals: Decimals,
  addError: AddError,
  known: UnitColumns,
): void {
  const count = input.units ?? null;
  const isPerUnit = (input.bid_per ?? known.bid_per) === 'unit';
  if (count !== null && parseUnitCount(count) === null) {
    addError('units', 'must be a number above 0 with at most four decimals, such as "38.5"');
    return;
  }
  const units = unitsOf({ ...known, ...storedFields('about', input) });
  if (!isPerUnit) return;
  if (units === null || units.count === null) addError('units', 'is required where bid_per is "unit"');
  for (const field of ['starting_bid', 'reserve_price', 'buy_now_price'] as const) {
    const cents = parseCents(input[field], decimals);
    if (cents !== null && totalOf(units, cents) > MAX_AMOUNT_CENTS)
      addError(field, 'comes to more for all units than the largest amount');
  }
}

function hasFourDecimals(value: number): boolean {
  return Number(value.toFixed(4)) === value;
}

/** The columns of fields that `checkLot` had nothing against. */
export function lotColumns(input: Partial<LotInput>, decimals: Decimals): LotColumns {
  const { location, land } = input;
  const columns: LotColumns = {
    title: input.title?.trim(),
    lot_number: input.lot_number,
    starting_bid_cents: centsOf(input.starting_bid ?? input.start_price, decimals) ?? undefined,
    reserve_price_cents: centsOf(input.reserve_price, decimals),
    buy_now_price_cents: centsOf(input.buy_now_price, decimals),
    custom_fields: input.custom_fields,
    ...storedFields('about', input),
    ...storedFields('format', input),
    ...(location === undefined ? {} : storedFields('location', location)),
    ...(land === undefined ? {} : storedFields('land', land)),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function centsOf(value: string | number | null | undefined, decimals: Decimals): number | null | undefined {
  if (value === undefined || value === null) return value;
  return parseCents(value, decimals);
}

/** The columns of a lot that are amounts of its auction's currency. */
const AMOUNTS = ['starting_bid_cents', 'reserve_price_cents', 'buy_now_price_cents'] as const;

type Amounts = Pick<Lot, (typeof AMOUNTS)[number]>;

const CENTS_COLUMNS: Readonly<Record<string, string>> = {
  reserve_price: 'reserve_price_cents',
  buy_now_price: 'buy_now_price_cents',
};

/** What lots of a format have no use for, emptied: for lots that come from another format. */
export function withoutUnused(format: string): Partial<Lot> {
  const unused = unusedFields(format).filter((name) => name !== 'starting_bid');
  return Object.fromEntries(unused.map((name) => [CENTS_COLUMNS[name] ?? name, null]));
}

type AmountText = 'estimate_low' | 'estimate_high' | FormatField;

/** The columns that hold amounts as they were said, whatever the currency. */
const AMOUNT_TEXTS = [...fieldsOf('about'), ...fieldsOf('format')].flatMap(([name, { cell }]) =>
  // Cast: these groups have no other amounts.
  cell === 'amount' ? [name as AmountText] : [],
);

/**
 * A lot's amounts in a currency with other decimals, but for those that are given anew. Throws 422 in `errors[field]`
 * where that currency has no such amount.
 */
export function amountsWithDecimals(
  lot: Amounts & Pick<Lot, AmountText>,
  changes: Partial<Lot>,
  [from, to]: readonly [from: Decimals, to: Decimals],
  field: string,
): Partial<Amounts> {
  const amounts: Partial<Amounts> = {};
  const none = (amount: string) =>
    invalid({ [field]: [`The currency has no amount of ${amount}, which a lot is offered for.`] });
  for (const name of AMOUNT_TEXTS) {
    const amount = changes[name] === undefined ? plain(lot[name]) : null;
    if (amount !== null && parseCents(amount, to) === null) throw none(String(amount));
  }
  for (const column of AMOUNTS) {
    const cents = lot[column];
    if (changes[column] !== undefined || cents === null) continue;
    const changed = withDecimals(cents, from, to);
    if (changed === null) throw none(formatCents(cents, from));
    amounts[column] = changed;
  }
  return amounts;
}
