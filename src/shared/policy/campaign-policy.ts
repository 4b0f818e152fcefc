/** Ad campaigns: a team's own, made active by their payment or by staff. Their states are their statuses. */
import { CAMPAIGN_STATUSES, type CampaignStatus } from '../statuses/selling-statuses.ts';
import { policy } from './policy.ts';
import { TEAM } from './who.ts';

export type CampaignAction = keyof (typeof CAMPAIGN_POLICY)['actions'];

const BY_TEAM = ['changeAdCampaign', 'changeSellerCampaignOnPage', 'moveSellerCampaignOnPage'] as const;
const OVER = ['ended', 'cancelled'] as const satisfies readonly CampaignStatus[];

export const CAMPAIGN_POLICY = policy({
  resource: 'campaign',
  about: 'A team’s own. To request the status that it has changes nothing.',
  states: CAMPAIGN_STATUSES,
  actions: {
    list: {
      does: 'reads',
      by: ['listAdCampaigns', 'sellerCampaignsPage', 'sellerCampaignPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    change: {
      does: 'changes',
      by: ['changeAdCampaign', 'changeSellerCampaignOnPage'],
      rows: [
        [OVER, TEAM, 'invalid_transition'],
        ['any', TEAM, 'allowed'],
      ],
    },
    order: {
      does: 'changes',
      by: BY_TEAM,
      rows: [
        [['draft', 'pending_payment'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    take_back: {
      does: 'changes',
      by: BY_TEAM,
      rows: [
        [['draft', 'pending_payment'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    activate: {
      does: 'changes',
      by: BY_TEAM,
      rows: [
        [['pending_payment'], ['staff', 'colleague'], 'allowed'],
        [['active', 'paused'], TEAM, 'allowed'],
        [['active', 'paused'], ['staff'], 'allowed'],
        ['any', [...TEAM, 'staff'], 'invalid_transition'],
      ],
    },
    pause: {
      does: 'changes',
      by: BY_TEAM,
      rows: [
        [['active', 'paused'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    end: {
      does: 'changes',
      by: BY_TEAM,
      rows: [
        [['active', 'paused', 'ended'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    cancel: {
      does: 'changes',
      by: BY_TEAM,
      rows: [
        [['ended'], TEAM, 'invalid_transition'],
        ['any', TEAM, 'allowed'],
      ],
    },
  },
});
