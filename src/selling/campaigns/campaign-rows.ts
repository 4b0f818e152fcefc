/** Ad campaigns as they are stored, and as their sellers see them. */
import type { Knex } from 'knex';
import type { CampaignStatus, NewCampaignBody, PricingModel } from './campaign.schema.ts';

export interface CampaignRow {
  readonly id: number;
  readonly team_id: number;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly placement: NewCampaignBody['placement'];
  readonly pricing_model: PricingModel;
  readonly budget_cents: number;
  readonly rate_cents: number | null;
  readonly spent_cents: number;
  readonly impressions: number;
  readonly clicks: number;
  readonly start_date: string;
  readonly end_date: string;
  readonly created_at: string;
}

export interface ShownCampaign extends CampaignRow {
  readonly lot_ids: number[];
  readonly invoice_number: string | null;
}

/** Campaigns with their lots and their latest invoice, for paging or for one. */
export function campaigns(knex: Knex): Knex.QueryBuilder {
  return knex('ad_campaigns as c').select(
    'c.*',
    knex.raw(
      'ARRAY(SELECT lot_id FROM ad_campaign_lots WHERE campaign_id = c.id ORDER BY lot_id) AS lot_ids',
    ),
    knex.raw(
      '(SELECT invoice_number FROM invoices WHERE campaign_id = c.id ORDER BY id DESC LIMIT 1) AS invoice_number',
    ),
  );
}

export function presentCampaign(row: ShownCampaign) {
  const { team_id: _team, ...shown } = row;
  return shown;
}
