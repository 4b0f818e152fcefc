/** Registrations: who wants to bid in an auction, and what its seller has decided. Their states are statuses. */
import type { BidderStatus } from '../../../engine/auction/record.ts';
import { policy } from './policy.ts';
import { OTHERS, TEAM } from './who.ts';

export type RegistrationAction = keyof (typeof REGISTRATION_POLICY)['actions'];

const REQUESTERS = [...OTHERS, 'own', 'registered', 'consignor'] as const;

export const REGISTRATION_POLICY = policy({
  resource: 'registration',
  about:
    'Of an auction that is published and not over. What was decided stays when the bidder requests it again.',
  states: ['pending', 'approved', 'declined', 'suspended', 'deposit_due'] satisfies BidderStatus[],
  actions: {
    request: {
      does: 'changes',
      by: ['askForRegistration', 'registerOnPage'],
      rows: [
        ['any', TEAM, 'seller_cannot_bid'],
        ['any', REQUESTERS, 'allowed'],
      ],
    },
    list: {
      does: 'reads',
      by: ['listRegistrations', 'sellerRegistrationsPage', 'auctionRegistrationsPage', 'listPaddles'],
      rows: [['any', TEAM, 'allowed']],
    },
    decide: {
      does: 'changes',
      by: ['decideRegistration', 'decideRegistrationOnPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    invite: {
      does: 'changes',
      by: ['inviteBidder', 'inviteBidderOnPage', 'handOutPaddle', 'handOutPaddleOnPage'],
      rows: [['any', TEAM, 'allowed']],
    },
  },
});
