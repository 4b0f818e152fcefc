/** An item of a team's inventory as it is stored. What became of one that was put into an auction, its lot says. */
import { Type } from '@sinclair/typebox';
import { belongsTo, shapedBy } from '../../../adapters/postgres/model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { JsonObject } from '../../shared/fields.schema.ts';
import { InventoryItem } from './inventory.schema.ts';

const { location, age_days: _computed, ...shown } = InventoryItem.properties;

const ItemColumns = Type.Object({
  ...shown,
  ...location.properties,
  team_id: Type.Integer(),
  custom_fields: JsonObject,
});

export class Item extends shapedBy('inventory_items', ItemColumns) {
  declare lot?: Lot | null;

  static override relationMappings = () => ({
    lot: belongsTo(Lot, 'inventory_items.lot_id'),
  });
}
