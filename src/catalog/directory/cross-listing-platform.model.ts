/** A marketplace elsewhere that lots can be listed on as well. */
import { Type } from '@sinclair/typebox';
import { SQL_ARRAY, shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

export const PlatformColumns = Type.Object({
  id: Type.Integer(),
  slug: Type.String(),
  name: Type.String(),
  description: orNull(Type.String()),
  website_url: orNull(Type.String()),
  supports: Type.Array(Type.String(), SQL_ARRAY),
  status: Type.String(),
  created_at: Time,
});

export class CrossListingPlatform extends shapedBy('cross_listing_platforms', PlatformColumns) {}
