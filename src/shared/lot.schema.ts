/**
 * What a seller may say of a lot: the fields of the write endpoints and of the import file. `lot-columns.ts` checks
 * what no schema can state and turns them into columns.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Amount, JsonObject, line, nullable, text } from './fields.schema.ts';

const optionalText = (maxLength: number) => Type.Optional(nullable(text(maxLength)));
const optionalFlag = () => Type.Optional(nullable(Type.Boolean()));

export const LocationInput = Type.Object({
  address: optionalText(300),
  city: optionalText(120),
  county: optionalText(120),
  state: optionalText(120),
  postal_code: optionalText(20),
  country: Type.Optional(
    nullable(Type.String({ pattern: '^[A-Z]{2}$', 'x-message': 'must be an ISO 3166-1 code such as "US"' })),
  ),
  lat: Type.Optional(nullable(Type.Number({ minimum: -90, maximum: 90 }))),
  lng: Type.Optional(nullable(Type.Number({ minimum: -180, maximum: 180 }))),
});

export const LandInput = Type.Object({
  acres: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 9_999_999_999 }))),
  apn: optionalText(100),
  zoning: optionalText(100),
  road_access: optionalFlag(),
  utilities: Type.Optional(Type.Array(line(60), { maxItems: 50 })),
  water_access: optionalFlag(),
  mineral_rights: optionalFlag(),
});

/** In one auction: what closes together has to be closed together. */
export const MOST_LOTS_PER_AUCTION = 10_000;

/** All but the auction, the category, the consignor and the status, which are named in ways of their own. */
export const lotFields = {
  title: line(300),
  lot_number: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  sku: Type.Optional(nullable(line(100))),
  description: optionalText(50_000),
  condition: optionalText(200),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  starting_bid: Amount,
  reserve_price: Type.Optional(nullable(Amount)),
  buy_now_price: Type.Optional(nullable(Amount)),
  location: Type.Optional(nullable(LocationInput)),
  land: Type.Optional(nullable(LandInput)),
  custom_fields: Type.Optional(JsonObject),
};

const LotInputSchema = Type.Object(lotFields);
export type LotInput = Static<typeof LotInputSchema>;
