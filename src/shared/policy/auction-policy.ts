/**
 * Auctions: who may see, change and move one. Its states are its statuses, told apart where more than the status
 * counts: one with bids, and one that was cancelled as a draft, which was never public.
 */
import { AUCTION_STATUSES, type AuctionStatus } from '../statuses/auction-statuses.ts';
import { policy } from './policy.ts';
import { ADMITTED, ANYBODY, KEEPERS, MEMBERS, SELLERS, TEAM, UNAPPROVED } from './who.ts';

/** `contested`: active, and a lot of it has a bid. `discarded`: cancelled as a draft. */
export type AuctionState = AuctionStatus | 'contested' | 'discarded';

const RUNNING = ['active', 'contested'] as const satisfies readonly AuctionState[];
const LIVE = ['scheduled', ...RUNNING, 'paused'] as const satisfies readonly AuctionState[];
const HELD = ['ended', 'settled'] as const satisfies readonly AuctionState[];
/** What others than its team may ever see. */
const PUBLISHED = [...LIVE, ...HELD, 'cancelled'] as const satisfies readonly AuctionState[];
const OVER = [...HELD, 'cancelled', 'discarded'] as const satisfies readonly AuctionState[];

const PAGES = ['auctionPage', 'auctionPageStream'] as const;
const DESK = [
  ...[
    'getSellerAuction',
    'listSellerAuctions',
    'sellerAuctionsPage',
    'sellerAuctionPage',
    'editSellerAuctionPage',
  ],
  ...[
    'newSellerAuctionPage',
    'sellerLiveViewPage',
    'sellerLiveViewStream',
    'sellerResultsPage',
    'sellerResultsFile',
  ],
  ...['listPapers', 'getPaper', 'getPaperFile', 'sellerPapersPage', 'sellerPaperFile'],
  ...['getAfterSale', 'sellerAfterPage'],
] as const;
const PATCH = ['changeSellerAuction', 'changeSellerAuctionOnPage'] as const;
const NEW_LOT = [
  ...[
    'createSellerLot',
    'createSellerLots',
    'createSellerLotOnPage',
    'createLotRowOnPage',
    'newSellerLotPage',
    'importLotsPage',
  ],
  ...[
    'lotsTemplateFile',
    'uploadLotsFileOnPage',
    'lotsImportPage',
    'importLotsOnPage',
    'rostrum lots import',
  ],
] as const;
const MOVE = [...PATCH, 'moveSellerAuctionOnPage', 'changeSellerAuctionsOnPage'] as const;

export type AuctionAction = keyof (typeof AUCTION_POLICY)['actions'];

export const AUCTION_POLICY = policy({
  resource: 'auction',
  about: 'Only what was once published is for others than the team. Privacy has actions of its own.',
  states: [...AUCTION_STATUSES.statuses, 'contested', 'discarded'] satisfies AuctionState[],
  actions: {
    see: {
      does: 'reads',
      by: PAGES,
      rows: [
        [PUBLISHED, ANYBODY, 'allowed'],
        ['any', TEAM, 'allowed'],
      ],
    },
    see_private: {
      does: 'reads',
      by: PAGES,
      rows: [
        [PUBLISHED, ADMITTED, 'allowed'],
        ['any', TEAM, 'allowed'],
      ],
    },
    read: {
      does: 'reads',
      by: ['getAuction', 'listAuctionLots'],
      rows: [[RUNNING, ANYBODY, 'allowed']],
    },
    read_private: {
      does: 'reads',
      by: ['getAuction', 'listAuctionLots'],
      rows: [[RUNNING, [...ADMITTED, ...TEAM], 'allowed']],
    },
    list: {
      does: 'reads',
      by: ['listAuctions', 'startPage', 'sellerPage'],
      rows: [[RUNNING, ANYBODY, 'allowed']],
    },
    read_as_seller: {
      does: 'reads',
      by: DESK,
      rows: [['any', TEAM, 'allowed']],
    },
    // Catalogs, lists and invoices: who reads them may have them made.
    print: {
      does: 'changes',
      by: ['createPaper', 'deletePaper', 'createPaperOnPage', 'deletePaperOnPage'],
      rows: [['any', TEAM, 'allowed']],
    },
    describe: {
      does: 'changes',
      by: PATCH,
      rows: [
        [LIVE, UNAPPROVED, 'seller_not_approved'],
        ['any', TEAM, 'allowed'],
      ],
    },
    // Terms that are worse for bidders, or other than they were told.
    worsen_terms: {
      does: 'changes',
      by: PATCH,
      rows: [
        [OVER, TEAM, 'invalid_transition'],
        [LIVE, UNAPPROVED, 'seller_not_approved'],
        [['contested'], TEAM, 'auction_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    ease_terms: {
      does: 'changes',
      by: PATCH,
      rows: [
        [OVER, TEAM, 'invalid_transition'],
        [['contested'], TEAM, 'auction_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    // What bidders of open lots rely on: a later end by more than a day, limits, admission, privacy, a long pause.
    touch_bidders: {
      does: 'changes',
      by: MOVE,
      rows: [
        [OVER, TEAM, 'invalid_transition'],
        [LIVE, UNAPPROVED, 'seller_not_approved'],
        [['contested'], MEMBERS, 'forbidden'],
        ['any', TEAM, 'allowed'],
      ],
    },
    // To ask for the state that it has changes nothing.
    publish: {
      does: 'changes',
      by: [...MOVE, 'publishSellerAuctionOnPage', 'createSellerAuction'],
      rows: [
        [['draft', 'scheduled'], SELLERS, 'allowed'],
        [['draft'], UNAPPROVED, 'seller_not_approved'],
        [['scheduled'], UNAPPROVED, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    pause: {
      does: 'changes',
      by: MOVE,
      rows: [
        [[...RUNNING, 'paused'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    resume: {
      does: 'changes',
      by: MOVE,
      rows: [
        [[...RUNNING, 'paused'], TEAM, 'allowed'],
        ['any', TEAM, 'invalid_transition'],
      ],
    },
    cancel: {
      does: 'changes',
      by: MOVE,
      rows: [
        [HELD, TEAM, 'invalid_transition'],
        [['contested'], ['colleague'], 'allowed'],
        [['contested'], TEAM, 'auction_locked'],
        ['any', TEAM, 'allowed'],
      ],
    },
    add_lot: {
      does: 'changes',
      by: [
        ...NEW_LOT,
        'convertInventoryToLots',
        'convertInventoryToLotsOnPage',
        'relistSellerLot',
        'orderSellerLots',
        'orderLotsOnPage',
      ],
      rows: [
        [OVER, TEAM, 'invalid_transition'],
        ['any', TEAM, 'allowed'],
      ],
    },
    // A lot that is scheduled at once; in a draft it waits for its auction.
    publish_lot: {
      does: 'changes',
      by: [...NEW_LOT, 'changeSellerLot', 'moveSellerLotOnPage', 'changeSellerLotsOnPage'],
      rows: [
        [OVER, TEAM, 'invalid_transition'],
        [LIVE, UNAPPROVED, 'seller_not_approved'],
        ['any', TEAM, 'allowed'],
      ],
    },
    delete: {
      does: 'changes',
      by: ['deleteSellerAuction', 'deleteSellerAuctionOnPage', 'changeSellerAuctionsOnPage'],
      rows: [
        ['any', MEMBERS, 'forbidden'],
        [['draft'], KEEPERS, 'allowed'],
        ['any', KEEPERS, 'auction_locked'],
      ],
    },
  },
});

/** The state of an auction's row; that it has bids is for those to know who ask the journal. */
export function auctionState(status: AuctionStatus, isPublished: boolean): AuctionState {
  return status === 'cancelled' && !isPublished ? 'discarded' : status;
}
