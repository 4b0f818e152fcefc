/** A subscription plan of the public price list. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { JsonObject, orNull, Time } from '../../shared/fields.schema.ts';

export const PlanColumns = Type.Object({
  id: Type.Integer(),
  slug: Type.String(),
  name: Type.String(),
  price_monthly_cents: Type.Integer(),
  price_yearly_cents: orNull(Type.Integer()),
  currency: Type.String(),
  features: Type.Array(Type.String()),
  limits: JsonObject,
  commission_bps: Type.Integer(),
  created_at: Time,
});

export class Plan extends shapedBy('plans', PlanColumns) {}
