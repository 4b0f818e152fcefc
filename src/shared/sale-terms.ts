/**
 * What a buyer gets into, as sellers say it of an auction and, for new ones, of their team: the fields of requests,
 * import files and answers. `sale-term-columns.ts` checks what no schema can state and turns them into columns.
 */
import { type Static, Type } from '@sinclair/typebox';
import { SQL_ARRAY } from '../../adapters/postgres/model.ts';
import { decimalsOf, formatCents } from '../../engine/money.ts';
import { Amount, line, Moment, nullable, oneOf, orNull, Percentage, Time, text } from './fields.schema.ts';

const PAYMENT_METHODS = ['card', 'bank_transfer', 'cash', 'cheque'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

const period = Type.Object({
  from: Moment,
  to: Moment,
  place: Type.Optional(nullable(line(300))),
  slot_minutes: Type.Optional(nullable(Type.Integer({ minimum: 5, maximum: 1_440 }))),
});
const periods = (description: string) => Type.Optional(Type.Array(period, { maxItems: 100, description }));

/** Days that a winner has to pay where the sale does not say. */
export const USUAL_DUE_DAYS = 7;

export const saleTermFields = {
  conditions: Type.Optional(
    nullable(
      Type.String({ ...text(50_000), description: 'Conditions of sale; a changed text is a new version.' }),
    ),
  ),
  payment_methods: Type.Optional(
    Type.Array(oneOf(PAYMENT_METHODS), { maxItems: PAYMENT_METHODS.length, uniqueItems: true }),
  ),
  payment_due_days: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 365 }))),
  viewings: periods('When the lots can be seen, and where; `slot_minutes` where people book a slot.'),
  collections: periods('When and where what was bought can be collected.'),
  collect_by: Type.Optional(nullable(Moment)),
  delivery: Type.Optional(nullable(text(5_000))),
  questions_close_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 8_760,
      description: 'Questions on a lot are taken until so many hours before its end.',
    }),
  ),
  premium_bands: Type.Optional(
    nullable(
      Type.Array(Type.Object({ from: Amount, percentage: Percentage }), {
        maxItems: 100,
        description:
          'The buyer’s premium by parts of the hammer price, each at the percentage of its own band; the first is ' +
          'from "0.00". Where there are any, they count in place of `buyer_premium_percentage`.',
      }),
    ),
  ),
  online_surcharge_percentage: Type.Optional(
    Type.Union(Percentage.anyOf, {
      ...Percentage,
      description: 'Of the hammer price, in the premium, where the winning bid came online.',
    }),
  ),
};

const SaleTermsInputSchema = Type.Object(saleTermFields);
export type SaleTermsInput = Static<typeof SaleTermsInputSchema>;

/** A viewing or a collection. */
const Period = Type.Object({
  from: Time,
  to: Time,
  place: orNull(Type.String()),
  slot_minutes: orNull(Type.Integer()),
});

/** What is answered; `conditions` is put differently to sellers and to buyers. */
export const shownSaleTermFields = {
  payment_methods: Type.Array(oneOf(PAYMENT_METHODS)),
  payment_due_days: orNull(Type.Integer()),
  viewings: Type.Array(Period),
  collections: Type.Array(Period),
  collect_by: orNull(Time),
  delivery: orNull(Type.String()),
  questions_close_hours: Type.Integer(),
  stream_url: orNull(Type.String(), { description: 'Where picture and sound of the saleroom are shown.' }),
  premium_bands: Type.Array(Type.Object({ from: Type.String(), percentage: Type.String() })),
  online_surcharge_percentage: Type.String(),
};
const ShownSaleTermsSchema = Type.Object(shownSaleTermFields);
export type ShownSaleTerms = Static<typeof ShownSaleTermsSchema>;

/** A version of an auction's conditions, as answered to everybody who sees the auction. */
export const Conditions = Type.Object({
  version: Type.Integer({ description: 'From 1.' }),
  text: Type.String(),
  published_at: Time,
});
export type Conditions = Static<typeof Conditions>;

/** The columns that bids are judged by, which the auction's record in the journal has too. */
const pricedColumns = {
  premium_bands: Type.Array(Type.Object({ from_cents: Type.Integer(), percentage_bps: Type.Integer() })),
  online_surcharge_bps: Type.Integer(),
};

const otherColumns = {
  payment_methods: Type.Array(oneOf(PAYMENT_METHODS), SQL_ARRAY),
  payment_due_days: orNull(Type.Integer()),
  viewings: Type.Array(Period),
  collections: Type.Array(Period),
  collect_by: orNull(Type.String()),
  delivery: orNull(Type.String()),
  questions_close_hours: Type.Integer(),
  stream_url: orNull(Type.String()),
};

/** The columns that `shownSaleTerms` reads, as stored. */
export const shownSaleTermColumns = { ...otherColumns, ...pricedColumns };

/** The columns that are changed without the journal. */
export const plainSaleTermColumns = { conditions: orNull(Type.String()), ...otherColumns };

/** All columns of an auction's terms. */
export const saleTermColumns = {
  ...plainSaleTermColumns,
  conditions_version: orNull(Type.Integer(), { description: 'The database numbers the texts.' }),
  conditions_sha256: orNull(Type.String()),
  ...pricedColumns,
};
const SaleTermColumnsSchema = Type.Object(saleTermColumns);
export type SaleTermColumns = Static<typeof SaleTermColumnsSchema>;

/** An auction's terms as answered. */
export function shownSaleTerms(
  row: Pick<SaleTermColumns, keyof typeof shownSaleTermColumns> & { readonly currency: string },
): ShownSaleTerms {
  const { payment_methods, payment_due_days, viewings, collections, collect_by, delivery } = row;
  const { questions_close_hours, stream_url } = row;
  const decimals = decimalsOf(row.currency);
  return {
    payment_methods,
    payment_due_days,
    viewings,
    collections,
    collect_by,
    delivery,
    questions_close_hours,
    stream_url,
    premium_bands: row.premium_bands.map(({ from_cents, percentage_bps }) => ({
      from: formatCents(from_cents, decimals),
      percentage: formatCents(percentage_bps, 2),
    })),
    online_surcharge_percentage: formatCents(row.online_surcharge_bps, 2),
  };
}
