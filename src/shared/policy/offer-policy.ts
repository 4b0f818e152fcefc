/** Offers of a second chance: answered by the bidder to whom one was made. Their states are their statuses. */
import { statusesOf } from '../statuses/billing-statuses.ts';
import { policy } from './policy.ts';
import { TEAM } from './who.ts';

export type OfferAction = keyof (typeof OFFER_POLICY)['actions'];

export const OFFER_POLICY = policy({
  resource: 'offer',
  about: 'Of one bidder alone, once. Whether they may still buy is judged when they accept.',
  states: statusesOf('offer'),
  actions: {
    list: {
      does: 'reads',
      by: ['listMyOffers', 'offersPage'],
      rows: [['any', ['own'], 'allowed']],
    },
    accept: {
      does: 'changes',
      by: ['acceptOffer', 'answerOfferOnPage'],
      rows: [
        [['offered'], ['own'], 'allowed'],
        ['any', ['own'], 'invalid_transition'],
      ],
    },
    decline: {
      does: 'changes',
      by: ['declineOffer', 'answerOfferOnPage'],
      rows: [
        [['offered'], ['own'], 'allowed'],
        ['any', ['own'], 'invalid_transition'],
      ],
    },
    // The next one: while one is open there is no other, and none while its buyer stands by it.
    make: {
      does: 'changes',
      by: ['offerSecondChance', 'decideAfterSaleOnPage', 'rostrum lot second-chance'],
      rows: [
        [['declined', 'expired'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    // Of a lot that was never offered.
    accept_bid: {
      does: 'changes',
      by: ['acceptHighestBid', 'decideAfterSaleOnPage'],
      rows: [['any', TEAM, 'invalid_transition']],
    },
  },
});
