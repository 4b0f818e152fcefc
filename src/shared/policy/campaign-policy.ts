/** Ad campaigns: a team's own, made active by their payment or by staff. Their states are their statuses. */
import { namesIn } from '../../../engine/objects.ts';
import { CAMPAIGN_STATUSES, type CampaignStatus } from '../statuses/selling-statuses.ts';
import { judge, policy } from './policy.ts';
import { STAFF, TEAM, type Who } from './who.ts';

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
        [['pending_payment'], STAFF, 'allowed'],
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

/** What it takes to bring a campaign into a status. */
export const CAMPAIGN_MOVES: Readonly<Record<CampaignStatus, CampaignAction>> = {
  pending_payment: 'order',
  active: 'activate',
  draft: 'take_back',
  paused: 'pause',
  ended: 'end',
  cancelled: 'cancel',
};

/** The other statuses into which they may bring a campaign. */
export function campaignMoves(from: CampaignStatus, who: Who | readonly Who[]): readonly CampaignStatus[] {
  return namesIn(CAMPAIGN_MOVES).filter(
    (to) => to !== from && judge(CAMPAIGN_POLICY, CAMPAIGN_MOVES[to], from, who) === 'allowed',
  );
}
