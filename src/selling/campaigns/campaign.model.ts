/** An ad campaign as stored, the lots that it shows, and its invoices. Money is integer cents, days are UTC. */
import { type Static, Type } from '@sinclair/typebox';
import { hasMany, shapedBy } from '../../../adapters/postgres/model.ts';
import { Invoice } from '../../billing/invoices/invoice.model.ts';
import { Campaign } from './campaign.schema.ts';

const { lot_ids: _shown, invoice_number: _billed, ...stored } = Campaign.properties;

const CampaignColumns = Type.Object({ ...stored, team_id: Type.Integer() });
/** A campaign's columns alone, without what a model can do. */
export type StoredCampaign = Static<typeof CampaignColumns>;

const ShownLotColumns = Type.Object({ campaign_id: Type.Integer(), lot_id: Type.Integer() });

export class ShownLot extends shapedBy('ad_campaign_lots', ShownLotColumns, ['campaign_id', 'lot_id']) {}

export class AdCampaign extends shapedBy('ad_campaigns', CampaignColumns) {
  declare shownLots?: ShownLot[];
  declare invoices?: Invoice[];

  static override relationMappings = () => ({
    shownLots: hasMany(ShownLot, 'ad_campaign_lots.campaign_id', AdCampaign),
    invoices: hasMany(Invoice, 'invoices.campaign_id', AdCampaign),
  });
}
