/** The statuses of campaigns and of inventory items, as the sellers' API and their pages name them. */
import { listSql } from './status-table.ts';

export const CAMPAIGN_STATUSES = [
  'draft',
  'pending_payment',
  'active',
  'paused',
  'ended',
  'cancelled',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Campaigns that have begun and are not over. */
export const BEGUN_CAMPAIGN_SQL = listSql(['active', 'paused'] satisfies readonly CampaignStatus[]);

export const ITEM_STATUSES = ['available', 'reserved', 'lotted', 'sold', 'returned'] as const;
/** Items that are in the warehouse. */
export const STORED_ITEM_SQL = listSql(['available', 'reserved', 'lotted']);
