/** The statuses of campaigns and of inventory items, as the sellers' API and their pages name them. */

export const CAMPAIGN_STATUSES = [
  'draft',
  'pending_payment',
  'active',
  'paused',
  'ended',
  'cancelled',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

export const ITEM_STATUSES = ['available', 'reserved', 'lotted', 'sold', 'returned'] as const;
