/** An item of a team's inventory as stored. The lot of an item in an auction has its outcome. */
import { type Static, Type } from '@sinclair/typebox';
import { shapedBy } from '../../../adapters/postgres/model.ts';
import { JsonObject } from '../../shared/fields.schema.ts';
import { InventoryItem } from './inventory.schema.ts';

const { location, age_days: _computed, ...shown } = InventoryItem.properties;

const ItemColumns = Type.Object({
  ...shown,
  ...location.properties,
  team_id: Type.Integer(),
  custom_fields: JsonObject,
});
/** An item's columns alone, without what a model can do. */
export type StoredItem = Static<typeof ItemColumns>;

export class Item extends shapedBy('inventory_items', ItemColumns) {}
