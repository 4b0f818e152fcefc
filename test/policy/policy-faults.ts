/**
 * Wrong cells that the test of the cells must find, and checks that are lost: one change of one file each, planted in
 * what a process of its own loads. A table that is changed is so for the service alone; what is expected is still said
 * by the right one. The text must be there exactly once.
 */
import type { Fault } from '../simulation/faults.ts';

/** With the table whose cells find it. */
type PolicyFault = Fault & { readonly resource: string };

export const POLICY_FAULTS: readonly PolicyFault[] = [
  {
    name: 'a seller cancels an auction with bids',
    resource: 'auction',
    file: 'src/shared/policy/auction-policy.ts',
    text: `[['contested'], TEAM, 'auction_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    add_lot`,
    instead: `[['contested'], TEAM, 'allowed'],
        ['any', TEAM, 'allowed'],
      ],
    },
    add_lot`,
  },
  {
    name: 'a team without approval publishes',
    resource: 'auction',
    file: 'src/shared/policy/auction-policy.ts',
    text: "[['draft'], UNAPPROVED, 'seller_not_approved']",
    instead: "[['draft'], UNAPPROVED, 'allowed']",
  },
  {
    name: 'an auction that was cancelled as a draft is public',
    resource: 'auction',
    file: 'src/shared/policy/auction-policy.ts',
    text: "const PUBLISHED = [...LIVE, ...HELD, 'cancelled']",
    instead: "const PUBLISHED = [...LIVE, ...HELD, 'cancelled', 'discarded']",
  },
  {
    name: 'a team without approval describes what runs',
    resource: 'lot',
    file: 'src/shared/policy/lot-policy.ts',
    text: `[RUNNING, UNAPPROVED, 'seller_not_approved'],
        [['contested', ...CLOSED], TEAM, 'lot_locked'],`,
    instead: "[['contested', ...CLOSED], TEAM, 'lot_locked'],",
  },
  {
    name: 'a refused move is hidden',
    resource: 'lot',
    file: 'src/shared/policy/lot-policy.ts',
    text: "[['contested', 'draft', ...CLOSED], TEAM, 'invalid_transition']",
    instead: "[['contested', 'draft', ...CLOSED], TEAM, 'hidden']",
  },
  {
    name: 'a private lot is for everybody',
    resource: 'lot',
    file: 'src/shared/policy/lot-policy.ts',
    text: "[PUBLISHED, ADMITTED, 'allowed']",
    instead: "[PUBLISHED, ANYBODY, 'allowed']",
  },
  {
    name: 'a mere member invites',
    resource: 'team',
    file: 'src/shared/policy/team-policy.ts',
    text: `by: ['inviteToTeam', 'inviteToTeamOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden']`,
    instead: `by: ['inviteToTeam', 'inviteToTeamOnPage'],
      rows: [
        ['any', MEMBERS, 'allowed']`,
  },
  {
    name: 'a mere member removes somebody else',
    resource: 'membership',
    file: 'src/shared/policy/membership-policy.ts',
    text: "[['member', 'admin'], MEMBERS, 'forbidden']",
    instead: "[['member', 'admin'], MEMBERS, 'allowed']",
  },
  {
    name: 'a mere member gets a new secret',
    resource: 'webhook_subscription',
    file: 'src/shared/policy/webhook-policy.ts',
    text: `by: ['rotateWebhookSecret', 'rotateWebhookSecretOnPage'],
      rows: [
        ['any', KEEPERS, 'allowed'],
        ['any', MEMBERS, 'forbidden']`,
    instead: `by: ['rotateWebhookSecret', 'rotateWebhookSecretOnPage'],
      rows: [
        ['any', KEEPERS, 'allowed'],
        ['any', MEMBERS, 'allowed']`,
  },
  {
    name: 'an item that is in an auction moves by hand',
    resource: 'inventory_item',
    file: 'src/shared/policy/item-policy.ts',
    text: "[['lotted', 'sold'], TEAM, 'invalid_transition']",
    instead: "[['lotted', 'sold'], TEAM, 'allowed']",
  },
  {
    name: 'a change for a team without its second factor',
    resource: 'team',
    file: 'src/shared/policy/account-policy.ts',
    text: `[['unconfirmed'], EVERYBODY, 'email_unconfirmed'],
        [['locked'], EVERYBODY, 'two_factor_required'],`,
    instead: "[['unconfirmed'], EVERYBODY, 'email_unconfirmed'],",
  },
  {
    name: 'a picture is anybody’s',
    resource: 'media_file',
    file: 'src/media/media-owner.ts',
    text: "if (!row.owns && !caller.isAdmin) throw new Refusal('media_not_owned');",
    instead: '',
  },
  {
    name: 'a token is revoked by anybody',
    resource: 'token',
    file: 'src/pages/developers/tokens.pages.ts',
    text: 'findOne({ id, user_id: who.userId })',
    instead: 'findOne({ id })',
  },
  {
    name: 'a revoked token is good',
    resource: 'token',
    file: 'src/accounts/tokens/principal-rows.ts',
    text: 'and t.revoked_at is null ',
    instead: '',
  },
  {
    name: 'a saved search is removed by anybody',
    resource: 'saved_search',
    file: 'src/notifications/searches/saved-searches.ts',
    text: "deleteById(id).where('user_id', userId)",
    instead: 'deleteById(id)',
  },
  {
    name: 'an offer is answered by anybody',
    resource: 'offer',
    file: 'src/billing/sales/answer-offer.ts',
    text: 'Offer.query(trx).where({ id, user_id: userId }).first()',
    instead: 'Offer.query(trx).where({ id }).first()',
  },
  {
    name: 'a declined offer is accepted',
    resource: 'offer',
    file: 'src/shared/policy/offer-policy.ts',
    text: `by: ['acceptOffer', 'answerOfferOnPage'],
      rows: [
        [['offered'], ['own'], 'allowed'],`,
    instead: `by: ['acceptOffer', 'answerOfferOnPage'],
      rows: [
        [['offered', 'declined'], ['own'], 'allowed'],`,
  },
  {
    name: 'no offer after one that ran out',
    resource: 'offer',
    file: 'src/shared/policy/offer-policy.ts',
    text: "[['declined', 'expired'], TEAM, 'allowed']",
    instead: "[['declined'], TEAM, 'allowed']",
  },
  {
    name: 'an invoice is read by anybody',
    resource: 'invoice',
    file: 'src/billing/invoices/invoices.endpoints.ts',
    text: "'read', payerWho(invoice, userId)",
    instead: "'read', 'own'",
  },
  {
    name: 'a consignment is accepted by anybody',
    resource: 'consignor',
    file: 'src/selling/consignments/consignments.ts',
    text: "'lots.id': lotId, named_consignor_id: userId }",
    instead: "'lots.id': lotId }",
  },
  {
    name: 'a payment without a signature',
    resource: 'payment',
    file: 'src/billing/payments/payments.endpoints.ts',
    text: "throw new Refusal('invalid_signature');",
    instead: '',
  },
  {
    name: 'the floor without a signature',
    resource: 'platform_consent',
    file: 'src/bidding/simulcast/simulcast.endpoints.ts',
    text: "throw new Refusal('invalid_signature');",
    instead: '',
  },
  {
    name: 'a platform that was not let in',
    resource: 'platform_consent',
    file: 'src/bidding/simulcast/admission.ts',
    text: "if (!platforms.has(platform)) return 'platform_not_allowed';",
    instead: '',
  },
  {
    name: 'the office for everybody who is signed in',
    resource: 'office',
    file: 'src/pages/office/office.ts',
    text: "if (!who.isAdmin) throw forbidden('The office is for our staff.');",
    instead: '',
  },
  {
    name: 'settlements of all teams',
    resource: 'settlement',
    file: 'src/billing/settlements/settlements.endpoints.ts',
    text: 'team_id: await actingTeam(knex, request), ...filter',
    instead: '...(await actingTeam(knex, request), filter)',
  },
  {
    name: 'a seller registers for an auction of theirs',
    resource: 'registration',
    file: 'src/bidding/registrations/registrations.ts',
    text: "if (owns(record, who)) throw new Refusal('seller_cannot_bid');",
    instead: '',
  },
  {
    name: 'a campaign is changed by every team',
    resource: 'campaign',
    file: 'src/selling/campaigns/campaigns.ts',
    text: 'if (teamId === caller.teamId) return whosOf(trx, caller);',
    instead: "return ['owner'];",
  },
  {
    name: 'a campaign that is over is changed',
    resource: 'campaign',
    file: 'src/shared/policy/campaign-policy.ts',
    text: `rows: [
        [OVER, TEAM, 'invalid_transition'],`,
    instead: 'rows: [',
  },
  {
    name: 'an invoice that is voided is paid',
    resource: 'invoice',
    file: 'src/shared/policy/invoice-policy.ts',
    text: "[['open'], ['own'], 'allowed']",
    instead: "[['open', 'voided'], ['own'], 'allowed']",
  },
  {
    name: 'a deposit that nobody gives back',
    resource: 'deposit',
    file: 'src/shared/policy/deposit-policy.ts',
    text: "decidedByStaff(['held'])",
    instead: "decidedByStaff(['open'])",
  },
  {
    name: 'a settlement is paid before it is approved',
    resource: 'settlement',
    file: 'src/shared/policy/settlement-policy.ts',
    text: "decidedByStaff(['approved'])",
    instead: "decidedByStaff(['pending', 'approved'])",
  },
];
