/** A named set of answers to a new sale's questions, as stored. */
import { Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { Time } from '../../shared/fields.schema.ts';

const Columns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  name: Type.String(),
  settings: Type.Record(Type.String(), Type.Unknown()),
  created_at: Time,
});

export class SalePreset extends shapedBy('sale_presets', Columns) {}
