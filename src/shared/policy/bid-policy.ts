/** Bids that were taken. Placing one is said by the lot's table. */
import { policy } from './policy.ts';
import { ANYBODY, STAFF, TEAM } from './who.ts';

/** `over`: on a lot that is closed or withdrawn. */
const BID_STATES = ['leading', 'outbid', 'voided', 'over'] as const;
export type BidState = (typeof BID_STATES)[number];
export type BidAction = keyof (typeof BID_POLICY)['actions'];

export const BID_POLICY = policy({
  resource: 'bid',
  about: 'A bid stands for good, but for sealed ones that their lot lets go; staff void one with a reason.',
  states: BID_STATES,
  actions: {
    read: {
      does: 'reads',
      by: ['listBids'],
      rows: [['any', ANYBODY, 'allowed']],
    },
    // Why it came out as it did, of a lot that they see.
    explain: {
      does: 'reads',
      by: ['explainBid', 'reasonsPage'],
      rows: [
        [['over'], ANYBODY, 'allowed'],
        ['any', ['own', ...TEAM, ...STAFF], 'allowed'],
        ['any', ANYBODY, 'lot_still_open'],
      ],
    },
    take_back: {
      does: 'changes',
      by: ['withdrawBid', 'withdrawBidOnPage'],
      rows: [['any', ['own'], 'withdrawal_not_allowed']],
    },
    void: {
      does: 'changes',
      by: ['voidBidInOffice', 'rostrum bid void'],
      rows: [
        [['leading', 'outbid'], STAFF, 'allowed'],
        ['any', STAFF, 'validation_failed'],
        ['any', ANYBODY, 'forbidden'],
      ],
    },
  },
});
