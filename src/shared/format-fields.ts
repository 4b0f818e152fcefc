/**
 * What each format takes of auctions and lots beside what all of them do: its own fields, and those that it has no use
 * for. A new format is a line here; requests, the import file, CSV and forms follow from it.
 */
import { DEFAULT_CHOICE_SECONDS } from '../../engine/auction/choice-groups.ts';
import { type Decimals, formatCents, parseCents } from '../../engine/money.ts';
import type { AddError } from './add-error.ts';
import {
  AUCTION_FORMAT_FIELDS,
  type AuctionFormatColumns,
  type AuctionFormatField,
  CHOICE_FIELDS,
  SALE_FIELDS,
} from './auction-format-fields.ts';
import { FORMAT_FIELDS, type FormatField, LOTS_BY_AUCTION } from './lot-field-lists.ts';
import type { LotFieldColumns } from './lot-fields.ts';
import { storedMoment } from './sale-term-columns.ts';

type Fields = Readonly<Record<string, unknown>>;

interface FormatFields {
  /** Of a lot: what it must say. */
  readonly required: readonly (FormatField | 'starting_bid')[];
  /** Of a lot: what it may say beside that. */
  readonly optional: readonly FormatField[];
  /** Of a lot, of what is no single format's: those that are, only their own format uses. */
  readonly unusedByLots: readonly string[];
  /** Of a lot, of what is no single format's: what the journal's first entry has as well; absent: nothing. */
  readonly settled?: readonly 'quantity'[];
  /** Of an auction, what it has no use for. */
  readonly unusedByAuctions: readonly string[];
  /** Of an auction: what only this format has; absent: nothing. */
  readonly ofAuctions?: readonly AuctionFormatField[];
  /** Of auctions whose lots are one sale unit: how many they may be; absent: each is one by itself. */
  readonly together?: { readonly least: number; readonly most: number };
  /** Whether its lots may be called in a saleroom. */
  readonly inSalerooms?: true;
  /** Adds errors for what is wrong between a lot's fields; all that are there fit their schemas. */
  check?(lot: Fields, decimals: Decimals, addError: AddError): void;
  /** What the journal's first entry has of a lot; absent: nothing beside the terms of all lots. */
  settings?(lot: LotFieldColumns, decimals: Decimals): Readonly<Record<string, unknown>>;
}

/** The most pieces of a lot on a falling clock: its state names every bid. */
const MAX_PIECES = 1_000;
const MAX_DAYS = 366;

const FALLING: FormatFields = {
  required: ['start_price', 'step', 'step_seconds', 'floor_price'],
  optional: ['floor_seconds'],
  unusedByLots: ['starting_bid', 'reserve_price', 'buy_now_price'],
  settled: ['quantity'],
  unusedByAuctions: ['soft_close', 'confirm_factor'],
  check: checkClock,
  settings: ({ start_price, step, step_seconds, floor_price, floor_seconds, quantity }, decimals) => ({
    start_price: amountText(start_price, decimals),
    step: amountText(step, decimals),
    step_seconds,
    floor_price: amountText(floor_price, decimals),
    floor_seconds: floor_seconds ?? 0,
    quantity,
  }),
};

const DEFAULT_FINAL_SECONDS = 86_400;

const TENDER: FormatFields = {
  required: ['starting_bid'],
  optional: FORMAT_FIELDS.filter((name) => name.startsWith('tender_')),
  unusedByLots: ['buy_now_price'],
  unusedByAuctions: ['soft_close', 'confirm_factor'],
  ofAuctions: LOTS_BY_AUCTION,
  settings: (lot) => ({
    tender_may_lower: lot.tender_may_lower ?? false,
    tender_may_withdraw: lot.tender_may_withdraw ?? false,
    tender_pays: lot.tender_pays ?? 'own',
    tender_final_round: lot.tender_final_round,
    tender_final_seconds:
      lot.tender_final_round === null ? null : (lot.tender_final_seconds ?? DEFAULT_FINAL_SECONDS),
  }),
};

const PARCELS: FormatFields = {
  required: ['starting_bid'],
  optional: [],
  unusedByLots: ['buy_now_price'],
  unusedByAuctions: ['stagger_seconds', 'confirm_factor'],
  ofAuctions: SALE_FIELDS,
  together: { least: 2, most: 16 },
  inSalerooms: true,
};

const TIMED: FormatFields = {
  required: ['starting_bid'],
  optional: [],
  unusedByLots: [],
  unusedByAuctions: [],
  ofAuctions: CHOICE_FIELDS,
  inSalerooms: true,
};

const FORMATS: Readonly<Record<string, FormatFields>> = {
  timed: TIMED,
  tender: TENDER,
  falling: FALLING,
  parcels: PARCELS,
};

const of = (format: string): FormatFields => FORMATS[format] ?? TIMED;

/** The fields of a lot that only the format has. */
function ownFields(format: string): readonly FormatField[] {
  const { required, optional } = of(format);
  return FORMAT_FIELDS.filter((name) => required.includes(name) || optional.includes(name));
}

/** The fields of a lot that stay as the journal's first entry has them. */
export function settledFields(format: string): readonly (FormatField | 'quantity')[] {
  return [...ownFields(format), ...(of(format).settled ?? [])];
}

/** The fields of a lot that others have and this format has not. */
export function unusedFields(format: string): readonly string[] {
  const own = ownFields(format);
  return [...of(format).unusedByLots, ...FORMAT_FIELDS.filter((name) => !own.includes(name))];
}

/**
 * The settings that forms do not ask an auction for: the format has no use for them, or nothing comes of them where a
 * clerk ends the lots. Only there does anybody choose among lots.
 */
export function unaskedSettings(format: string, type?: string): readonly string[] {
  const unused = unusedByAuctions(format);
  if (!of(format).inSalerooms) return [...unused, 'type', 'simulcast_platforms'];
  if (type === 'timed') return [...unused, ...CHOICE_FIELDS];
  return endsByHand(format, type) ? [...unused, 'soft_close', 'stagger_seconds'] : unused;
}

/** Whether a clerk ends the lots of such an auction. */
export function endsByHand(format: string, type?: string): boolean {
  return type === 'simulcast' && of(format).inSalerooms === true;
}

function unusedByAuctions(format: string): readonly string[] {
  const { unusedByAuctions: unused, ofAuctions: own = [] } = of(format);
  return [...unused, ...AUCTION_FORMAT_FIELDS.filter((name) => !own.includes(name))];
}

/** What counts where an auction does not say it. */
const UNSAID: Partial<AuctionFormatColumns> = { sell_parts: false, choice_seconds: DEFAULT_CHOICE_SECONDS };

/** An auction's settings of its format, as answers show them: those of other formats are null. */
export function shownAuctionFormat(
  auction: AuctionFormatColumns & { readonly format: string; readonly type: string },
): AuctionFormatColumns {
  const unused = unusedByAuctions(auction.format);
  const ofSalerooms: readonly string[] = auction.type === 'simulcast' ? [] : CHOICE_FIELDS;
  const isShown = (name: AuctionFormatField) => !unused.includes(name) && !ofSalerooms.includes(name);
  // Cast: the fields of the list, which Object.fromEntries forgets.
  return Object.fromEntries(
    AUCTION_FORMAT_FIELDS.map((name) => [
      name,
      isShown(name) ? (auction[name] ?? UNSAID[name] ?? null) : null,
    ]),
  ) as unknown as AuctionFormatColumns;
}

/** Whether late bids may move the end of a lot. */
export function hasSoftClose(format: string): boolean {
  return !of(format).unusedByAuctions.includes('soft_close');
}

/**
 * Adds errors for what a lot of this format lacks, and for what it says and the format has no use for. `known` is what
 * it has already, under the same names.
 */
export function checkFormat(
  format: string,
  input: Fields,
  known: Fields,
  decimals: Decimals,
  addError: AddError,
): void {
  const { required, check } = of(format);
  for (const name of unusedFields(format))
    if (isSaid(input[name])) addError(name, `is not used where the auction’s format is ${format}`);
  const lot = { ...known, ...input };
  const missing = required.filter((name) => !isSaid(lot[name]));
  for (const name of missing) addError(name, 'is required');
  if (missing.length === 0) check?.(lot, decimals, addError);
}

/** Adds errors for settings of an auction that its format has no use for. */
export function checkAuctionsFormat(format: string, input: Fields, addError: AddError): void {
  for (const name of unusedByAuctions(format))
    if (isSaid(input[name]) && input[name] !== 0) addError(name, `is not used where the format is ${format}`);
  if (of(format).inSalerooms !== true && input['type'] === 'simulcast')
    addError('type', `must be timed where the format is ${format}`);
}

/** Whether an auction's lots are sold together, in one sale. */
export function sellsTogether(format: string): boolean {
  return of(format).together !== undefined;
}

/** Adds errors for what keeps these lots from being one sale. */
export function checkTogether(
  format: string,
  lots: readonly { readonly bid_per?: unknown }[],
  addError: AddError,
): void {
  const { together } = of(format);
  if (together === undefined) return;
  const { least, most } = together;
  if (lots.length < least || lots.length > most)
    addError('lots', `must be ${least} to ${most} where the format is ${format}`);
  const byUnit = lots.filter(({ bid_per }) => bid_per === 'unit');
  if (byUnit.length > 0 && byUnit.length < lots.length)
    addError('lots', 'must all have bid_per "unit", or none of them');
}

/** What the journal has of a lot beside the terms of all lots; undefined: nothing. */
export function formatSettings(
  format: string,
  lot: LotFieldColumns,
  decimals: Decimals,
): Readonly<Record<string, unknown>> | undefined {
  return of(format).settings?.(lot, decimals);
}

/** What the first entry of a sale of several lots has: the auction's settings, and what is said of each lot. */
export function saleSettings(
  ofAuction: Readonly<Record<string, unknown>>,
  lots: readonly Readonly<Record<string, unknown>>[],
): Readonly<Record<string, unknown>> {
  const { whole_reserve: whole, sell_parts: parts, combinations_from: from } = ofAuction;
  return {
    whole_reserve: whole ?? null,
    sell_parts: parts === true,
    combinations_from: typeof from === 'string' ? storedMoment(from) : null,
    lots,
  };
}

const isSaid = (value: unknown) => value !== undefined && value !== null;

/** An amount of a column, with the decimals of its currency. */
function amountText(amount: string | null, decimals: Decimals): string | null {
  const cents = parseCents(plain(amount), decimals);
  return cents === null ? null : formatCents(cents, decimals);
}

/** An amount of a column as text that can be read: columns may hold more zeros than an amount has. */
export function plain(amount: unknown): unknown {
  return typeof amount === 'string' ? amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : amount;
}

function checkClock(lot: Fields, decimals: Decimals, addError: AddError): void {
  const cents = (name: FormatField) => parseCents(plain(lot[name]), decimals);
  const amounts = (['start_price', 'step', 'floor_price'] as const).map((name) => {
    const amount = cents(name);
    if (amount === null || amount < 1) addError(name, `must be at least ${formatCents(1, decimals)}`);
    return amount ?? 0;
  });
  const [start = 0, step = 0, floor = 0] = amounts;
  if (amounts.includes(0)) return;
  if (floor >= start) addError('floor_price', 'must be below start_price');
  else {
    const seconds = Math.ceil((start - floor) / step) * Number(lot['step_seconds']);
    if (seconds > MAX_DAYS * 86_400) addError('step', `must reach floor_price within ${MAX_DAYS} days`);
  }
  const pieces = Number(lot['quantity'] ?? 1);
  if (pieces > MAX_PIECES) addError('quantity', `must be at most ${MAX_PIECES} where the format is falling`);
  if (pieces > 1 && lot['bid_per'] === 'unit') addError('quantity', 'must be 1 where bid_per is "unit"');
}
