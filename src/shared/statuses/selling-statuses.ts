/** The statuses of campaigns and of inventory items, as the sellers' API and their pages name them. */
import { namesIn } from '../../../engine/objects.ts';
import { listSql } from './status-table.ts';

export type CampaignStatus = 'draft' | 'pending_payment' | 'active' | 'paused' | 'ended' | 'cancelled';

/** For each status of a campaign, those that it may get. */
export const CAMPAIGN_MOVES: Readonly<Record<CampaignStatus, readonly CampaignStatus[]>> = {
  draft: ['pending_payment', 'cancelled'],
  pending_payment: ['active', 'draft', 'cancelled'],
  active: ['paused', 'ended', 'cancelled'],
  paused: ['active', 'ended', 'cancelled'],
  ended: [],
  cancelled: [],
};

export const CAMPAIGN_STATUSES = namesIn(CAMPAIGN_MOVES);

/** Campaigns that have begun and are not over. */
export const BEGUN_CAMPAIGN_SQL = listSql(
  CAMPAIGN_STATUSES.filter((status) => CAMPAIGN_MOVES[status].includes('ended')),
);

export const ITEM_STATUSES = ['available', 'reserved', 'lotted', 'sold', 'returned'] as const;
/** Items that are in the warehouse. */
export const STORED_ITEM_SQL = listSql(['available', 'reserved', 'lotted']);
