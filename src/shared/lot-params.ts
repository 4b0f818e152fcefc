/** The path parameter that names a lot: its integer id. Anything else cannot be one, and so is not found. */
import { Type } from '@sinclair/typebox';
import { describedId } from './fields.schema.ts';

export const LotParams = Type.Object({
  lot: describedId('The id of the lot.'),
});
