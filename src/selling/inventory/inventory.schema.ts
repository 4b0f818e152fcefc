/** What sellers send and see of their inventory. Values are integer cents, ages whole days of the UTC calendar. */
import { type Static, Type } from '@sinclair/typebox';
import {
  Amount,
  Cents,
  DayOrMoment,
  Id,
  JsonObject,
  line,
  nullable,
  oneOf,
  text,
} from '../../shared/fields.schema.ts';
import { ITEM_STATUSES } from '../../shared/statuses/selling-statuses.ts';

const id = Id;
const cents = Type.Optional(nullable(Cents));

export const NewItemBody = Type.Object(
  {
    sku: line(100),
    title: line(300),
    description: Type.Optional(nullable(text(50_000))),
    category_id: Type.Optional(nullable(id)),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    condition: Type.Optional(nullable(text(200))),
    location: Type.Optional(
      nullable(
        Type.Object({
          warehouse: Type.Optional(nullable(text(200))),
          bin: Type.Optional(nullable(text(200))),
        }),
      ),
    ),
    cost_cents: cents,
    estimated_value_cents: cents,
    status: Type.Optional(
      Type.Union([Type.Literal('available'), Type.Literal('reserved'), Type.Literal('returned')], {
        description: 'Default `available`. `lotted` and `sold` are set by the service.',
      }),
    ),
    received_at: Type.Optional(
      Type.String({
        ...DayOrMoment,
        description: 'Default: now. A date without a time means midnight UTC.',
      }),
    ),
    custom_fields: Type.Optional(JsonObject),
  },
  { $id: 'NewInventoryItem', additionalProperties: false },
);
export type NewItemBody = Static<typeof NewItemBody>;

const { sku, title, ...optionalItemFields } = NewItemBody.properties;

export const ItemChangeBody = Type.Object(
  { sku: Type.Optional(sku), title: Type.Optional(title), ...optionalItemFields },
  { $id: 'InventoryItemChange', additionalProperties: false },
);
export type ItemChangeBody = Static<typeof ItemChangeBody>;

const words = nullable(Type.String());

export const InventoryItem = Type.Object(
  {
    id: Type.Integer(),
    sku: Type.String(),
    title: Type.String(),
    description: words,
    category_id: nullable(Type.Integer()),
    quantity: Type.Integer(),
    condition: words,
    location: Type.Object({ warehouse: words, bin: words }),
    cost_cents: nullable(Type.Integer()),
    estimated_value_cents: nullable(Type.Integer()),
    status: oneOf(ITEM_STATUSES, {
      description:
        'An item whose lot was sold is `sold`; one whose lot passed, remained unsold or was withdrawn is ' +
        '`available` again.',
    }),
    received_at: Type.String(),
    age_days: Type.Integer({ description: 'Whole UTC calendar days since it was received.' }),
    lot_id: nullable(Type.Integer()),
    custom_fields: Type.Object({}, { additionalProperties: true }),
    created_at: Type.String(),
  },
  { $id: 'InventoryItem' },
);

export const BUCKETS = [
  { key: '0-30', min: 0, max: 30 },
  { key: '31-60', min: 31, max: 60 },
  { key: '61-90', min: 61, max: 90 },
  { key: '91-180', min: 91, max: 180 },
  { key: '181+', min: 181, max: null },
] as const;

export const AgingSummary = Type.Object(
  {
    as_of: Type.String(),
    total_items: Type.Integer({
      description: 'Available, reserved and lotted items: those in the warehouse.',
    }),
    total_value_cents: Type.Integer({ description: 'The sum of their estimated values.' }),
    average_age_days: Type.Number(),
    buckets: Type.Array(
      Type.Object({
        key: oneOf(BUCKETS.map(({ key }) => key)),
        min_days: Type.Integer(),
        max_days: nullable(Type.Integer()),
        count: Type.Integer(),
        value_cents: Type.Integer(),
      }),
    ),
  },
  { $id: 'InventoryAging' },
);

export const ConvertBody = Type.Object(
  {
    auction_id: id,
    items: Type.Array(
      Type.Object(
        { id, starting_bid: Amount, reserve_price: Type.Optional(nullable(Amount)) },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 200 },
    ),
  },
  { $id: 'ConvertToLots', additionalProperties: false },
);
export type ConvertBody = Static<typeof ConvertBody>;

const SKIP_REASONS = ['not_found', 'named_twice', 'not_available', 'custom_fields'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const Converted = Type.Object({
  created: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'The lot.' }),
      lot_id: Type.Integer({ description: 'The lot.' }),
      item_id: Type.Integer(),
      auction_id: Type.Integer(),
      lot_number: Type.Integer(),
      title: Type.String(),
      slug: Type.String(),
      sku: Type.String(),
      starting_bid: Type.String(),
      reserve_price: words,
      status: Type.Literal('draft'),
    }),
  ),
  skipped: Type.Array(
    Type.Object({ item_id: Type.Integer(), reason: oneOf(SKIP_REASONS), message: Type.String() }),
  ),
});
