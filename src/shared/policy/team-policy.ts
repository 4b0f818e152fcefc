/**
 * Teams: what its people do in its name, and what only those do who keep its secrets and its people. Whether it may put
 * anything before the public is said by the tables of its things.
 */
import { FOR_KEEPERS, policy } from './policy.ts';
import { KEEPERS, MEMBERS, OTHERS, TEAM } from './who.ts';

/** `personal`: made with an account, for one person. */
const TEAM_STATES = ['shared', 'personal'] as const;
export type TeamState = (typeof TEAM_STATES)[number];
export type TeamAction = keyof (typeof TEAM_POLICY)['actions'];

const OUTSIDERS = [...OTHERS, 'own', 'registered', 'consignor'] as const;

export const TEAM_POLICY = policy({
  resource: 'team',
  about: 'A member does all but what is for owners and admins; the owner stays.',
  states: TEAM_STATES,
  actions: {
    see: {
      does: 'reads',
      by: [
        ...['getTeam', 'listSalePresets', 'sellerTeamPage', 'saleDefaultsPage', 'ownSitePage'],
        ...['teamProviderPage', 'teamSafetyPage', 'sellerDeskPage'],
      ],
      rows: [['any', TEAM, 'allowed']],
    },
    // In its context: `X-Team-Id`, or the team that was chosen.
    act_for: {
      does: 'changes',
      by: [
        ...['createInventoryItem', 'createSellerItemOnPage', 'newSellerItemPage', 'createSellerAuction'],
        ...['createSellerAuctionOnPage', 'newSellerAuctionPage', 'createAdCampaign'],
        ...['createSellerCampaignOnPage', 'newSellerCampaignPage', 'createWebhookSubscription'],
        ...['createWebhookOnPage', 'createTeamWebhookOnPage', 'createConsignorLink'],
        ...['createConsignorLinkOnPage', 'chooseTeamOnPage', 'listEvents', 'createSalePreset'],
        ...['saveSalePresetOnPage'],
      ],
      rows: [
        ['any', TEAM, 'allowed'],
        ['any', OUTSIDERS, 'not_a_team_member'],
      ],
    },
    delete_preset: {
      does: 'changes',
      by: ['deleteSalePreset', 'deleteSalePresetOnPage'],
      rows: FOR_KEEPERS,
    },
    rename: {
      does: 'changes',
      by: ['changeTeam', 'renameTeamOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        [['personal'], KEEPERS, 'validation_failed'],
        ['any', KEEPERS, 'allowed'],
      ],
    },
    set_defaults: {
      does: 'changes',
      by: ['changeTeam', 'changeSaleDefaultsOnPage'],
      rows: FOR_KEEPERS,
    },
    // Also to take the demand away: an admin without a second factor must not be the one to do it.
    require_second_factor: {
      does: 'changes',
      by: ['changeTeam', 'requireTwoFactorOnPage', 'changeTeamOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        ['any', KEEPERS, 'two_factor_required'],
      ],
    },
    keep_sign_in: {
      does: 'changes',
      by: [
        ...['getIdentityProvider', 'setIdentityProvider', 'removeIdentityProvider'],
        ...['setIdentityProviderOnPage', 'removeIdentityProviderOnPage'],
      ],
      rows: FOR_KEEPERS,
    },
    keep_payout_account: {
      does: 'changes',
      by: ['payoutAccountPage', 'changePayoutAccountOnPage'],
      rows: FOR_KEEPERS,
    },
    see_activity: {
      does: 'reads',
      by: ['teamActivityPage'],
      rows: FOR_KEEPERS,
    },
    invite: {
      does: 'changes',
      by: ['inviteToTeam', 'inviteToTeamOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        [['personal'], KEEPERS, 'forbidden'],
        ['any', KEEPERS, 'allowed'],
      ],
    },
    leave: {
      does: 'changes',
      by: ['removeTeamMember', 'changeTeamMemberOnPage'],
      rows: [
        ['any', ['owner', 'unapproved_owner'], 'forbidden'],
        ['any', TEAM, 'allowed'],
      ],
    },
  },
});
