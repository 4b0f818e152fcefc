/** Ad campaigns as their sellers see them: with their lots and their latest invoice. */
import type { Static } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { raw } from 'objection';
import { firstOf } from '../../../engine/first-of.ts';
import { AdCampaign, type StoredCampaign } from './campaign.model.ts';
import type { Campaign } from './campaign.schema.ts';

export type ShownCampaign = StoredCampaign & Pick<Static<typeof Campaign>, 'lot_ids' | 'invoice_number'>;

/** Campaigns as they are shown, for paging or for one: plain rows. */
export function campaigns(knex: Knex) {
  const lotIds = AdCampaign.relatedQuery('shownLots').select('lot_id').orderBy('lot_id');
  const numbers = AdCampaign.relatedQuery('invoices').select('invoice_number').orderBy('id', 'desc').limit(1);
  return AdCampaign.query(knex)
    .select('ad_campaigns.*', raw('array(?)', lotIds).as('lot_ids'), numbers.as('invoice_number'))
    .toKnexQuery<ShownCampaign>();
}

/** The campaign with this id, which is there. */
export async function readCampaign(knex: Knex, id: number): Promise<ShownCampaign> {
  return firstOf(await campaigns(knex).where('ad_campaigns.id', id));
}

export function presentCampaign(row: ShownCampaign) {
  const { team_id: _team, ...shown } = row;
  return shown;
}
