/** A consignor's secret link as stored, and the lots that were named for it. */
import { Type } from '@sinclair/typebox';
import { hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { orNull, Time } from '../../shared/fields.schema.ts';

const LotColumns = Type.Object({ link_id: Type.Integer(), lot_id: Type.Integer() });

export class ConsignorLinkLot extends shapedBy('consignor_link_lots', LotColumns, ['link_id', 'lot_id']) {}

const LinkColumns = Type.Object({
  id: Type.Integer(),
  team_id: Type.Integer(),
  name: Type.String(),
  consignor_id: orNull(Type.Integer(), { description: 'Whose lots are shown, besides those named.' }),
  commission_bps: orNull(Type.Integer(), { description: 'Null: what the settlement says.' }),
  token_hash: Type.String(),
  created_by: orNull(Type.Integer()),
  created_at: Time,
  opened_at: orNull(Time),
  revoked_at: orNull(Time),
});

export class ConsignorLink extends shapedBy('consignor_links', LinkColumns) {
  declare lots?: ConsignorLinkLot[];

  static override relationMappings = () => ({
    lots: hasMany(ConsignorLinkLot, 'consignor_link_lots.link_id', ConsignorLink),
  });
}
