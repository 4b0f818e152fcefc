/**
 * Lots: who may see, change, move and bid on one. Its states are its statuses, told apart where more than the status
 * counts. Who may bid is decided by the engine (`engine/lot/eligibility.ts`); the rows here say the same, and the test
 * of the cells compares them.
 */
import { LOT_STATUSES, type LotRowStatus } from '../statuses/lot-statuses.ts';
import { decidedByStaff, policy } from './policy.ts';
import { ADMITTED, ANYBODY, KEEPERS, MEMBERS, OTHERS, TEAM, UNAPPROVED } from './who.ts';

/**
 * `prepared`: scheduled, in an auction that is still a draft. `paused`: active, its auction is paused. `contested`:
 * active, with a bid. `discarded`: withdrawn, and never published.
 */
export type LotState = LotRowStatus | 'prepared' | 'paused' | 'contested' | 'discarded';

const OPEN = ['active', 'contested'] as const satisfies readonly LotState[];
const RUNNING = ['scheduled', ...OPEN, 'paused'] as const satisfies readonly LotState[];
const CLOSED = ['sold', 'passed', 'unsold'] as const satisfies readonly LotState[];
/** What others than its team may ever see. */
const PUBLISHED = [...RUNNING, ...CLOSED, 'withdrawn'] as const satisfies readonly LotState[];
const PREPARED = ['draft', 'prepared'] as const satisfies readonly LotState[];
const OVER = [...CLOSED, 'withdrawn', 'discarded'] as const satisfies readonly LotState[];

const PAGES = [
  ...[
    'getLot',
    'lotPage',
    'standingOnLot',
    'streamLot',
    'listBids',
    'readJournal',
    'readOpenings',
    'proveLot',
  ],
  ...['explainBid', 'reasonsPage', 'watchLot', 'watchOnPage'],
] as const;
const DESK = ['getSellerLot', 'listSellerLots', 'sellerLotsPage', 'sellerLotPage'] as const;
const PATCH = [
  'changeSellerLot',
  'changeSellerLotOnPage',
  'changeLotRowOnPage',
  'changeSellerLotsOnPage',
] as const;
const MOVE = ['changeSellerLot', 'moveSellerLotOnPage', 'changeSellerLotsOnPage'] as const;
const AMEND = ['amendSellerLot'] as const;
const BID = ['placeBid', 'placeBidByLotId', 'bidOnPage', 'buyNow', 'buyNowOnPage'] as const;

/** Bidders in an auction that admits everybody: a registration is made with the first bid. */
const BIDDERS = [...OTHERS, 'registered'] as const;

export type LotAction = keyof (typeof LOT_POLICY)['actions'];

export const LOT_POLICY = policy({
  resource: 'lot',
  about: 'A lot is public once it was published with its auction, and stays so. Privacy is its auction’s.',
  states: [...LOT_STATUSES.statuses, 'prepared', 'paused', 'contested', 'discarded'] satisfies LotState[],
  actions: {
    see: {
      does: 'reads',
      by: PAGES,
      rows: [
        [PUBLISHED, ANYBODY, 'allowed'],
        ['any', ['consignor', ...TEAM], 'allowed'],
      ],
    },
    see_private: {
      does: 'reads',
      by: PAGES,
      rows: [
        [PUBLISHED, ADMITTED, 'allowed'],
        ['any', ['consignor', ...TEAM], 'allowed'],
      ],
    },
    list: {
      does: 'reads',
      by: ['listLots', 'lotsPage', 'getLotMap', 'mapPage', 'listAuctionLots', 'startPage'],
      rows: [[PUBLISHED, ANYBODY, 'allowed']],
    },
    read_as_seller: {
      does: 'reads',
      by: DESK,
      rows: [['any', TEAM, 'allowed']],
    },
    bid: {
      does: 'changes',
      by: BID,
      rows: [
        [['withdrawn'], ANYBODY, 'lot_withdrawn'],
        [['paused'], ANYBODY, 'auction_paused'],
        [CLOSED, ANYBODY, 'lot_closed'],
        [['scheduled'], ANYBODY, 'lot_not_started'],
        [OPEN, [...TEAM, 'consignor'], 'seller_cannot_bid'],
        [OPEN, ['barred'], 'bidder_suspended'],
        [OPEN, ['unverified'], 'verification_required'],
        [OPEN, ['pending'], 'registration_pending'],
        [OPEN, ['declined'], 'registration_required'],
        [OPEN, ['owing'], 'deposit_required'],
        [OPEN, BIDDERS, 'allowed'],
      ],
    },
    // Until the first bid; from then on it is amended, and once the lot is over nothing of it changes.
    describe: {
      does: 'changes',
      by: PATCH,
      rows: [
        [RUNNING, UNAPPROVED, 'seller_not_approved'],
        [['contested', ...CLOSED], TEAM, 'lot_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    amend: {
      does: 'changes',
      by: AMEND,
      rows: [
        [CLOSED, TEAM, 'lot_locked'],
        [RUNNING, UNAPPROVED, 'seller_not_approved'],
        [['contested'], TEAM, 'allowed'],
        [['withdrawn'], TEAM, 'lot_locked'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    // Raising what bidders pay, or what they must reach.
    worsen_terms: {
      does: 'changes',
      by: PATCH,
      rows: [
        [OVER, TEAM, 'lot_locked'],
        [RUNNING, UNAPPROVED, 'seller_not_approved'],
        [['contested'], TEAM, 'lot_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    ease_terms: {
      does: 'changes',
      by: PATCH,
      rows: [
        [[...OVER, 'contested'], TEAM, 'lot_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    // Once, where there are bids: the engine counts.
    lower_reserve: {
      does: 'changes',
      by: PATCH,
      rows: [
        [OVER, TEAM, 'lot_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    // Whether its auction takes it is the auction's `publish_lot`.
    schedule: {
      does: 'changes',
      by: MOVE,
      rows: [
        [['draft', 'prepared', 'scheduled'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    withdraw: {
      does: 'changes',
      by: MOVE,
      rows: [
        [['contested'], ['colleague'], 'allowed'],
        [['contested', 'draft', ...CLOSED], TEAM, 'invalid_transition'],
        ['any', TEAM, 'allowed'],
      ],
    },
    withdraw_as_staff: {
      does: 'changes',
      by: ['withdrawLotInOffice', 'officeLotsSelectedInOffice', 'rostrum lots withdraw'],
      // Of a sale that is a draft, too: nobody has seen it.
      rows: decidedByStaff(['prepared', ...RUNNING]),
    },
    delete: {
      does: 'changes',
      by: ['deleteSellerLot', 'moveSellerLotOnPage', 'changeSellerLotsOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        [['draft'], KEEPERS, 'allowed'],
        ['any', KEEPERS, 'lot_locked'],
      ],
    },
    relist: {
      does: 'changes',
      by: ['relistSellerLot', 'moveSellerLotOnPage'],
      rows: [
        [['passed', 'unsold', 'withdrawn', 'discarded'], TEAM, 'allowed'],
        [[...PREPARED, ...RUNNING, 'sold'], TEAM, 'invalid_transition'],
      ],
    },
  },
});

/** The state of a lot's row; whether it has a bid, or is paused, is for those to know who ask the journal. */
export function lotState(status: LotRowStatus, isPublished: boolean): LotState {
  if (status === 'draft' || isPublished) return status;
  return status === 'withdrawn' ? 'discarded' : 'prepared';
}
