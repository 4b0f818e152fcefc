/**
 * What an auction says of the way that its lots are sold, each for one format: what it may say for all of its lots, and
 * what is of the sale as a whole. Requests, the import file, columns, answers and forms follow from the list.
 */
import { Type } from '@sinclair/typebox';
import { Amount, Moment, nullable, orNull } from './fields.schema.ts';
import { inputsOf, LOTS_BY_AUCTION, outputsOf } from './lot-field-lists.ts';
import { type LotFieldColumns, withCents } from './lot-fields.ts';
import { storedMoment } from './sale-term-columns.ts';

/** Of the sale as a whole: what a seller may send. */
const SALE_INPUTS = {
  whole_reserve: Type.Optional(
    nullable({ ...Amount, description: 'The least total at which all parcels are sold together.' }),
  ),
  sell_parts: Type.Optional(
    nullable(
      Type.Boolean({
        description: 'Whether parcels are sold by their own reserves where `whole_reserve` is not met.',
      }),
    ),
  ),
  combinations_from: Type.Optional(
    nullable({ ...Moment, description: 'From when on bids may be for several parcels.' }),
  ),
  choice_seconds: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 10,
        maximum: 600,
        description:
          'How long an online winner of lots that are offered together may choose; 60 where nothing is said. ' +
          'Simulcast auctions only.',
      }),
    ),
  ),
};

const SALE_OUTPUTS = {
  whole_reserve: orNull(Type.String()),
  sell_parts: orNull(Type.Boolean()),
  combinations_from: orNull(Type.String()),
  choice_seconds: orNull(Type.Integer()),
};

/** Their columns. */
interface SaleColumns {
  readonly whole_reserve: string | null;
  readonly sell_parts: boolean | null;
  readonly combinations_from: string | null;
  readonly choice_seconds: number | null;
}

export const SALE_FIELDS = ['whole_reserve', 'sell_parts', 'combinations_from'] as const;

/** Of the saleroom's sales of lots that are offered together. */
export const CHOICE_FIELDS = ['choice_seconds'] as const;

export const AUCTION_FORMAT_FIELDS = [...LOTS_BY_AUCTION, ...SALE_FIELDS, ...CHOICE_FIELDS] as const;
export type AuctionFormatField = (typeof AUCTION_FORMAT_FIELDS)[number];
type LotsField = (typeof LOTS_BY_AUCTION)[number];

/** As properties of a body, of an answer, and as columns. */
export const auctionFormatInputs = { ...ofLots(inputsOf('format')), ...SALE_INPUTS };
export const auctionFormatOutputs = { ...ofLots(outputsOf('format')), ...SALE_OUTPUTS };
export type AuctionFormatColumns = Pick<LotFieldColumns, LotsField> & SaleColumns;

function ofLots<T extends Readonly<Record<LotsField, unknown>>>(fields: T): Pick<T, LotsField> {
  // Cast: the fields of the list, which Object.fromEntries forgets.
  return Object.fromEntries(LOTS_BY_AUCTION.map((name) => [name, fields[name]])) as Pick<T, LotsField>;
}

/** What everybody may know of it: not the reserve. */
export const shownFormatFields = withoutReserve(auctionFormatOutputs);

function withoutReserve<T extends { readonly whole_reserve: unknown }>(fields: T): Omit<T, 'whole_reserve'> {
  const { whole_reserve: _, ...shown } = fields;
  return shown;
}

type Sent = { readonly [N in AuctionFormatField]?: unknown };

/** The columns of what was sent; those that were not are undefined. */
export function storedAuctionFormat(sent: Sent): Partial<AuctionFormatColumns> {
  const { whole_reserve: whole, combinations_from: from } = sent;
  return {
    ...Object.fromEntries(AUCTION_FORMAT_FIELDS.map((name) => [name, sent[name]])),
    ...(whole == null ? null : { whole_reserve: withCents(String(whole)) }),
    ...(typeof from === 'string' ? { combinations_from: storedMoment(from) } : null),
  };
}
