/**
 * Fields that many resources take: amounts, moments, slugs. Each carries the sentence that is said when it does not fit
 * (`x-message`), so that a request, an import file and the API's description say the same; `x-money` says how an amount
 * is written.
 */
import {
  type SchemaOptions,
  type Static,
  type TNull,
  type TSchema,
  type TUnion,
  Type,
} from '@sinclair/typebox';
import { MAX_KEYS } from '../../adapters/http/json-bounds.ts';
import { MAX_AMOUNT_CENTS } from '../../engine/money.ts';

/**
 * A decimal amount as a string, or as a JSON number. How many decimals it may have is the currency's business: read it
 * with `parseCents`.
 */
export const Amount = Type.Union(
  [
    Type.String({ pattern: '^[0-9]{1,12}(\\.[0-9]{1,3})?$' }),
    Type.Number({ minimum: 0, maximum: 999_999_999_999.99 }),
  ],
  { 'x-message': 'must be an amount such as "1250.00"', 'x-money': 'decimal' },
);

/** Integer cents, which forms show and read as an amount. */
export const Cents = Type.Integer({ minimum: 0, maximum: MAX_AMOUNT_CENTS, 'x-money': 'cents' });

/** As `Cents`, above zero. */
export const CentsAboveZero = Type.Integer({ ...Cents, minimum: 1 });

/** A percentage from 0 to 100 with at most two decimals, as a string or a number. */
export const Percentage = Type.Union(
  [Type.String({ pattern: '^[0-9]{1,3}(\\.[0-9]{1,2})?$' }), Type.Number({ minimum: 0, maximum: 100 })],
  { 'x-message': 'must be a percentage from 0 to 100 such as "10.00"' },
);

/** A percentage from 0 to 100 with at most four decimals. Read it with `parseTaxPpm`. */
export const TaxPercentage = Type.Union(
  [Type.String({ pattern: '^[0-9]{1,3}(\\.[0-9]{1,4})?$' }), Type.Number({ minimum: 0, maximum: 100 })],
  { 'x-message': 'must be a percentage from 0 to 100 such as "8.25"' },
);

/** How many units a lot has, as a string or a number. Read it with `parseUnitCount`. */
export const UnitCount = Type.Union(
  [
    Type.String({ pattern: '^[0-9]{1,9}(\\.[0-9]{1,4})?$' }),
    Type.Number({ exclusiveMinimum: 0, maximum: 100_000_000 }),
  ],
  { 'x-message': 'must be a number above 0 with at most four decimals, such as "38.5"' },
);

const total = (description: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `${description}; null where amounts are for the lot.`,
  });

/** What lots show beside their amounts. */
export const UNIT_TOTALS = {
  current_total: total('What `current_bid` comes to for all units, and the hammer price of a sold lot'),
  minimum_next_total: total('What `minimum_next_bid` comes to for all units'),
  hammer_per_unit: total('What a sold lot was sold for by the unit'),
};

/** ISO 8601 with an offset or `Z`, to the microsecond. Read it with `usFromIso`. */
export const Moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}(:\\d{2}([.,]\\d{1,9})?)?([Zz]|[+-]\\d{2}:?\\d{2})$',
  'x-message': 'must be an ISO 8601 time with an offset such as "2026-07-12T10:00:00.000000Z"',
});

/** A day of the calendar. */
export const Day = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  'x-message': 'must be a date such as "2026-07-12"',
});

/** A day, which means its midnight in UTC, or a moment; people are asked for the day. */
export const DayOrMoment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}([Tt ]\\d{2}:\\d{2}(:\\d{2}([.,]\\d{1,9})?)?([Zz]|[+-]\\d{2}:?\\d{2}))?$',
  'x-message': 'must be a date or an ISO 8601 time with an offset such as "2026-07-12T10:00:00Z"',
});

export const Slug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 100,
  'x-message': 'must be lower-case letters, digits and single hyphens, at most 100 characters',
});

export const Email = Type.String({ minLength: 3, maxLength: 254 });

export const Currency = Type.String({
  pattern: '^[A-Za-z]{3}$',
  'x-message': 'must be a currency code such as "usd"',
});

/** Text that is not empty and holds no NUL, which Postgres cannot store. */
export const line = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$',
    'x-message': `must be text of 1 to ${maxLength} characters`,
  });

/** Text that may be empty. */
export const text = (maxLength: number) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000]*$',
    'x-message': `must be text of at most ${maxLength} characters`,
  });

/** The schema, or null, in answers; what comes in takes `nullable`, which says in one sentence what is wrong. */
export const orNull = <T extends TSchema>(schema: T, options: SchemaOptions = {}): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], options);

/** What a falling clock moves, where a lot has one. */
export const MOVED_BY_CLOCK = {
  next_price: Type.Optional(
    orNull(Type.String(), { description: 'The price after the next step down; null where there is none.' }),
  ),
  next_price_at: Type.Optional(
    orNull(Type.String({ format: 'date-time' }), {
      description: 'When that is; null while the auction is paused.',
    }),
  ),
  quantity_left: Type.Optional(Type.Integer({ description: 'How many pieces nobody has taken.' })),
};

/** One of these words. */
export const oneOf = <const T extends string>(values: readonly T[], options: SchemaOptions = {}) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  );

/** A moment in rows and answers: ISO 8601 in UTC, with microseconds. */
export const Time = Type.String({ format: 'date-time' });

/** An id of ours. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** An id of ours, which the API's description says more about. */
export const describedId = (description: string) => Type.Integer({ ...Id, description });

/** The schema, or null. Objects and lists keep their own places: what is wrong inside is named inside. */
export function nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  const message: unknown = schema['x-message'];
  const options = typeof message === 'string' ? { 'x-message': `${message}, or null` } : {};
  if (typeof schema['type'] !== 'string') return Type.Union([schema, Type.Null()], options);
  // Cast: two types in one keyword, for short sentences; to the compiler a union, which it infers far faster.
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [schema['type'], 'null'],
    ...options,
  }) as unknown as TUnion<[T, TNull]>;
}

/** An object of names that the schema does not know, at most so many as every object may have. */
export const JsonObject = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: MAX_KEYS,
  'x-message': `must be an object of at most ${MAX_KEYS} fields`,
});
