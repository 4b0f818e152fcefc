/**
 * From what a seller says of an auction to its columns, and the rules that no schema can state. The import uses both,
 * and so do the sellers' endpoints.
 */

import { type Decimals, decimalsOf, parseCents } from '../../../engine/money.ts';
import type { AddError } from '../../shared/add-error.ts';
import type { AuctionInput } from '../../shared/auction.schema.ts';
import { type AuctionFormatColumns, storedAuctionFormat } from '../../shared/auction-format-fields.ts';
import { wrongCurrency } from '../../shared/currencies.ts';
import { checkAuctionsFormat, hasSoftClose } from '../../shared/format-fields.ts';
import { NO_AMOUNT_OF } from '../../shared/money-text.ts';
import { parseTaxPpm } from '../../shared/sale-amounts.ts';
import {
  checkedMoment,
  checkPercentage,
  checkSaleTerms,
  saleTermColumnsOf,
  storedMoment,
} from '../../shared/sale-term-columns.ts';
import type { SaleTermColumns } from '../../shared/sale-terms.ts';
import { wrongStream } from '../../shared/saleroom-streams.ts';
import { storedTranslations } from '../../shared/translations.ts';
import type { Auction, IncrementBand } from './auction.model.ts';

/** The columns that a seller's fields fill. Those that were not given are absent: the database has the defaults. */
export type AuctionColumns = Partial<
  Pick<
    Auction,
    | 'title'
    | 'description'
    | 'language'
    | 'translations'
    | 'type'
    | 'format'
    | 'privacy_setting'
    | 'buyer_premium_bps'
    | 'sales_tax_ppm'
    | 'start_time'
    | 'end_time'
    | 'timezone'
    | 'currency'
    | 'increments'
    | 'soft_close_window_seconds'
    | 'soft_close_extension_seconds'
    | 'soft_close_max_extensions'
    | 'stagger_seconds'
    | 'confirm_factor'
    | 'registration_mode'
    | 'registration_deposit_cents'
    | 'registration_bid_limit_cents'
    | 'registration_require_verified'
    | 'simulcast_platforms'
    | keyof AuctionFormatColumns
    | Exclude<keyof SaleTermColumns, 'conditions_version' | 'conditions_sha256'>
  >
>;

/** The currency that an auction is in already, which ones the payment provider takes, and where streams may be. */
export interface CheckTerms {
  readonly currency: string;
  /** The format that it has once it is changed; absent: what is said of it. */
  readonly format?: string;
  readonly takes: (currency: string) => boolean;
  /** The type that it has once it is changed; absent: what is said of it. */
  readonly type?: string;
  /** The hosts that a stream may be at. */
  readonly streamHosts: readonly string[];
}

/** The decimals of a change's amounts: those of the currency that it asks for, else of the auction's. */
export function decimalsIn(input: Partial<AuctionInput>, currency: string): Decimals {
  return decimalsOf(input.currency?.toLowerCase() ?? currency);
}

/** Adds errors for what is wrong in fields that fit their schema. Fields may be missing, as in a change. */
export function checkAuction(input: Partial<AuctionInput>, terms: CheckTerms, addError: AddError): void {
  const decimals = decimalsIn(input, terms.currency);
  const start = checkedMoment(input.start_time, 'start_time', addError);
  const end = checkedMoment(input.end_time, 'end_time', addError);
  if (start !== null && end !== null && end <= start) addError('end_time', 'must be after start_time');
  if (input.timezone !== undefined && !isTimezone(input.timezone)) {
    addError('timezone', 'must be a time zone such as "America/Chicago"');
  }
  checkPercentage(input.buyer_premium_percentage, 'buyer_premium_percentage', addError);
  const tax = input.sales_tax_percentage;
  if (tax !== undefined && parseTaxPpm(tax) === null) {
    addError('sales_tax_percentage', 'must be a percentage from 0 to 100 with at most four decimals');
  }
  const wrong = input.currency === undefined ? null : wrongCurrency(input.currency, terms.takes);
  if (wrong !== null) addError('currency', wrong);
  const format = terms.format ?? input.format ?? 'timed';
  checkAuctionsFormat(format, input, addError);
  checkSale(input, decimals, addError);
  const type = terms.type ?? input.type ?? 'timed';
  if (input.choice_seconds != null && format === 'timed' && type !== 'simulcast')
    addError('choice_seconds', 'is used in simulcast auctions only');
  checkIncrements(input, decimals, addError);
  checkSaleTerms(input, decimals, addError);
  const stream = input.stream_url ? wrongStream(input.stream_url, terms.streamHosts) : null;
  if (stream !== null) addError('stream_url', stream);
  checkRegistration(input.registration, decimals, addError);
}

function checkRegistration(
  registration: AuctionInput['registration'],
  decimals: Decimals,
  addError: AddError,
): void {
  if (!registration) return;
  for (const field of ['deposit_amount', 'bid_limit'] as const) {
    const value = cents(registration[field], `registration.${field}`, decimals, addError);
    if (value === 0) addError(`registration.${field}`, 'must be more than zero');
  }
  if (registration.mode === 'deposit' && (registration.deposit_amount ?? null) === null) {
    addError('registration.deposit_amount', 'is required when the mode is "deposit"');
  }
}

/** What is said of the sale of parcels as a whole. */
function checkSale(input: Partial<AuctionInput>, decimals: Decimals, addError: AddError): void {
  const { whole_reserve: whole, combinations_from: from } = input;
  if (cents(whole, 'whole_reserve', decimals, addError) === 0)
    addError('whole_reserve', 'must be more than zero');
  checkedMoment(from, 'combinations_from', addError);
}

function checkIncrements(input: Partial<AuctionInput>, decimals: Decimals, addError: AddError): void {
  let before = -1;
  for (const [index, band] of (input.increments ?? []).entries()) {
    if (!band) continue;
    const from = cents(band.from, `increments[${index}].from`, decimals, addError);
    const step = cents(band.increment, `increments[${index}].increment`, decimals, addError);
    if (index === 0 && from !== null && from !== 0) addError('increments[0].from', 'must be "0.00"');
    else if (from !== null && from <= before)
      addError(`increments[${index}].from`, 'must be above the previous band');
    if (step === 0) addError(`increments[${index}].increment`, 'must be more than zero');
    before = from ?? before;
  }
}

function cents(value: unknown, field: string, decimals: Decimals, addError: AddError): number | null {
  if (value === undefined || value === null) return null;
  const amount = parseCents(value, decimals);
  if (amount === null) addError(field, NO_AMOUNT_OF[decimals]);
  return amount;
}

/** Whether it is an IANA time zone (or `UTC`). */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** The columns of fields that `checkAuction` had nothing against, with amounts of so many decimals. */
export function auctionColumns(input: Partial<AuctionInput>, decimals: Decimals): AuctionColumns {
  const columns: AuctionColumns = {
    title: input.title?.trim(),
    description: input.description,
    language: input.language,
    translations: input.translations === undefined ? undefined : storedTranslations(input.translations),
    type: input.type,
    format: input.format,
    privacy_setting: input.privacy_setting,
    buyer_premium_bps: parseCents(input.buyer_premium_percentage, 2) ?? undefined,
    sales_tax_ppm: parseTaxPpm(input.sales_tax_percentage) ?? undefined,
    start_time: storedMoment(input.start_time),
    end_time: storedMoment(input.end_time),
    timezone: input.timezone,
    currency: input.currency?.toLowerCase(),
    increments:
      input.increments?.map((band) => bandOf(band, decimals)) ??
      (input.increments === null ? null : undefined),
    stagger_seconds: input.stagger_seconds,
    confirm_factor: input.confirm_factor,
    ...storedAuctionFormat(input),
    simulcast_platforms: input.simulcast_platforms,
    ...softCloseColumns(softCloseIn(input)),
    ...registrationColumns(input.registration, decimals),
    ...saleTermColumnsOf(input, decimals),
    stream_url: input.stream_url,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function bandOf(
  band: { from: string | number; increment: string | number },
  decimals: Decimals,
): IncrementBand {
  return {
    from_cents: parseCents(band.from, decimals) ?? 0,
    increment_cents: parseCents(band.increment, decimals) ?? 0,
  };
}

/** What has no use for it is made without. */
function softCloseIn({ format, soft_close }: Partial<AuctionInput>): AuctionInput['soft_close'] {
  return format !== undefined && soft_close === undefined && !hasSoftClose(format) ? null : soft_close;
}

function softCloseColumns(input: AuctionInput['soft_close']): AuctionColumns {
  if (input === undefined) return {};
  if (input === null) {
    return {
      soft_close_window_seconds: null,
      soft_close_extension_seconds: null,
      soft_close_max_extensions: null,
    };
  }
  return {
    soft_close_window_seconds: input.window_seconds ?? 300,
    soft_close_extension_seconds: input.extension_seconds ?? 300,
    soft_close_max_extensions: input.max_extensions ?? null,
  };
}

function registrationColumns(input: AuctionInput['registration'], decimals: Decimals): AuctionColumns {
  if (!input) return {};
  const amount = (value: unknown) => (value === null ? null : (parseCents(value, decimals) ?? undefined));
  return {
    registration_mode: input.mode,
    registration_deposit_cents: amount(input.deposit_amount),
    registration_bid_limit_cents: amount(input.bid_limit),
    registration_require_verified: input.require_verified,
  };
}
