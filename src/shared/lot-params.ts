/** The path parameter that names a lot: its integer id. Anything else cannot be one, and so is not found. */
import { Type } from '@sinclair/typebox';

export const LotParams = Type.Object({
  lot: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The id of the lot.' }),
});
