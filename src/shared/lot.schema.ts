/**
 * What a seller may say of a lot: the fields of the write endpoints and of the import file. `lot-columns.ts` checks
 * what no schema can state and turns them into columns.
 */
import { type Static, Type } from '@sinclair/typebox';
import { Amount, JsonObject, line, nullable } from './fields.schema.ts';
import { inputsOf } from './lot-field-lists.ts';

const LocationInput = Type.Object(inputsOf('location'));
const LandInput = Type.Object(inputsOf('land'));

/** In one auction: what closes together has to be closed together. */
export const MAX_LOTS_PER_AUCTION = 10_000;

/** All but the auction, the category, the consignor and the status, which are named in ways of their own. */
export const lotFields = {
  title: line(300),
  lot_number: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  ...inputsOf('about'),
  ...inputsOf('format'),
  starting_bid: Type.Optional(Amount),
  reserve_price: Type.Optional(nullable(Amount)),
  buy_now_price: Type.Optional(nullable(Amount)),
  location: Type.Optional(nullable(LocationInput)),
  land: Type.Optional(nullable(LandInput)),
  custom_fields: Type.Optional(JsonObject),
};

const LotInputSchema = Type.Object(lotFields);
export type LotInput = Static<typeof LotInputSchema>;
