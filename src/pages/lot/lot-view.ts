/**
 * Everything that a lot's page shows: the lot in full as the API has it, its newest bids with the viewer's own marked,
 * the viewer's standing, what the next bid would cost, and its neighbours in the auction.
 */
import type { Knex } from 'knex';
import type { LogTail } from '../../../adapters/redis/log-tail.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { Increment } from '../../../engine/auction/increments.ts';
import type { Seals } from '../../../engine/lot/seals.ts';
import type { LotUnits } from '../../../engine/lot/units.ts';
import { decimalsOf, parseCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { approvedTaxNumber } from '../../accounts/tax-numbers/tax-numbers.ts';
import { listBids } from '../../bidding/bids/bid-list.ts';
import { readPriceSteps } from '../../bidding/bids/price-history.ts';
import { readWarning } from '../../bidding/saleroom/block.ts';
import type { CategoryTree } from '../../catalog/categories/category-tree.ts';
import { isFollowing } from '../../catalog/following/following.ts';
import { type LotReading, readLotDetail } from '../../catalog/lots/lot-detail.ts';
import type { Language } from '../../shared/language.ts';
import { perUnitText, type UnitColumns, unitCountText, unitsOf } from '../../shared/lot-units.ts';
import type { SaleTerms } from '../../shared/sale-amounts.ts';
import { inReadersWords } from '../../shared/translations.ts';
import {
  type AuctionInFull,
  type OwnRegistration,
  readAuctionOfLot,
  readOwnRegistration,
} from '../auctions/auction-in-full.ts';
import { formatPage } from '../formats/format-pages.ts';
import type { SignedIn } from '../page.ts';
import { type ShownAmendment, shownAmendments } from './amended.ts';
import { bidHistory, type HistoryRow } from './history-rows.ts';
import { customFacts, type Fact, landFacts } from './lot-facts.ts';
import { readShownOffer, type ShownOffer } from './offer.ts';
import { NOTHING_OWN, type OwnOnLot, readOwn, readState } from './own-on-lot.ts';

export interface LotViewParts {
  readonly knex: Knex;
  readonly journal: Journal;
  readonly tail: LogTail;
  readonly categories: CategoryTree;
  readonly seals?: Seals;
}

/** The API's lot detail. */
export type LotDetail = LotReading['detail'];

export interface Neighbour {
  readonly id: number;
  readonly lot_number: number;
  readonly title: string;
}

export interface LotPage extends OwnOnLot {
  readonly lot: LotDetail;
  readonly stale: boolean;
  /** When bidding ended: at the lot's end, or before where it was bought, sold or withdrawn earlier. */
  readonly endedAt: string;
  /** What it is offered with; null: it is offered alone. */
  readonly offer: ShownOffer | null;
  /** The newest bids, with every price between them. */
  readonly history: readonly HistoryRow[];
  readonly bidsShown: number;
  readonly bidTotal: number;
  readonly increments: readonly Increment[];
  /** The hammer is about to fall. */
  readonly isWarned: boolean;
  /** How far the lot's journal was when the page was drawn: its stream begins there. */
  readonly sequence: number | null;
  readonly terms: SaleTerms;
  /** Its auction, with the terms of the sale and who sells. */
  readonly auction: AuctionInFull;
  readonly registration: OwnRegistration | null;
  readonly sellerSold: number;
  /** The viewer follows the seller. */
  readonly isFollowing: boolean;
  readonly isOwn: boolean;
  /** Its auction is for everybody, and in lists. */
  readonly isPublic: boolean;
  readonly previous: Neighbour | null;
  readonly next: Neighbour | null;
  readonly landFacts: readonly Fact[];
  readonly amendments: readonly ShownAmendment[];
  readonly facts: readonly Fact[];
  readonly canBuyNow: boolean;
  readonly units: ShownUnits;
}

/** How a lot is sold by the unit. */
export interface ShownUnits {
  /** Null where nothing is said of any. */
  readonly units: LotUnits | null;
  /** `per acre`; empty where amounts are for the lot. */
  readonly per: string;
  /** `38.5 acres`. */
  readonly count: string | null;
}

const BIDS_SHOWN = 50;
/** More than these are `1,000+`. */
const MAX_SOLD = 1_001;

/** Null if the lot does not exist, or not for this viewer. */
export async function readLotView(
  parts: LotViewParts,
  lotId: number,
  viewer: SignedIn | null,
  language: Language,
): Promise<LotPage | null> {
  const { knex } = parts;
  const found = await readLotDetail(parts, lotId, viewer);
  if (found === null) return null;
  const lot = inReadersWords(found.detail, language);
  const lotIds = { lotId, auctionId: lot.auction.id };
  const offer = await readShownOffer(parts, lot, viewer?.userId ?? null);
  // Of lots that are offered together one carries the bids.
  const bidsOn = { ...lotIds, lotId: offer?.carrierId ?? lotId };
  const [bids, endedAt, inFull, neighbours, own, facts, registration] = await Promise.all([
    listBids(parts, bidsOn, { page: 1, perPage: BIDS_SHOWN }, viewer?.userId ?? null),
    readEnd(parts, lot),
    readAuctionOfLot(knex, lot.auction.id, viewer),
    readNeighbours(knex, lot),
    viewer === null ? NOTHING_OWN : readOwn(parts, lotIds, viewer, bidsOn.lotId),
    customFacts(parts.categories, lot),
    viewer === null ? null : readOwnRegistration(parts, lot.auction.id, viewer.userId),
  ]);
  const auction = inReadersWords(inFull, language);
  const isTaxFree =
    viewer !== null && auction.terms.taxPpm > 0 && (await approvedTaxNumber(knex, viewer.userId)) !== null;
  const steps = await readPriceSteps(parts, bidsOn, bids.rows);
  return {
    lot: { ...lot, auction: { ...lot.auction, title: auction.title } },
    stale: found.stale || bids.stale,
    sequence: found.sequence,
    endedAt,
    offer,
    history: bidHistory(bids.rows, steps, { paddle: own.paddle, rises: formatPage(lot.format) === null }),
    bidsShown: bids.rows.length,
    bidTotal: bids.total,
    increments: auction.increments,
    terms: isTaxFree ? { ...auction.terms, taxPpm: 0 } : auction.terms,
    auction,
    registration,
    sellerSold: await countSold(knex, auction.seller.teamId),
    isFollowing: viewer !== null && (await isFollowing(knex, viewer.userId, auction.seller.teamId)),
    ...neighbours,
    ...own,
    isOwn: auction.isOwn,
    isPublic: auction.privacy === 'public',
    landFacts: landFacts(lot.land),
    amendments: shownAmendments(lot.amendments),
    facts,
    canBuyNow: canBuyNow(lot),
    units: shownUnits(lot),
    isWarned: await isWarned(parts, lot),
  };
}

function shownUnits(lot: LotDetail): ShownUnits {
  // Cast: the list of a lot's fields, which the detail has under their names.
  const columns = lot as LotDetail & UnitColumns;
  return { units: unitsOf(columns), per: perUnitText(columns), count: unitCountText(columns) };
}

async function readEnd(parts: LotViewParts, { id, status, auction, end_time }: LotDetail): Promise<string> {
  if (status === 'active' || status === 'scheduled') return end_time;
  const state = await readState(parts, { lotId: id, auctionId: auction.id });
  const recorded = state === null ? end_time : isoFromUs(state.recordedAtUs);
  return recorded < end_time ? recorded : end_time;
}

/** Whether the saleroom has given fair warning, and no bid has come since. */
async function isWarned(parts: LotViewParts, { id, status, auction }: LotDetail): Promise<boolean> {
  if (auction.type !== 'simulcast' || status !== 'active') return false;
  const warned = await readWarning(parts.knex, id);
  if (warned === null) return false;
  return (await readState(parts, { lotId: id, auctionId: auction.id }))?.sequence === warned;
}

/** As in the rules: until the first bid or, with a reserve, until the reserve is met. */
function canBuyNow(lot: LotDetail): boolean {
  if (lot.buy_now_price === null || lot.status !== 'active') return false;
  return lot.bid_count === 0 || (lot.has_reserve && !lot.reserve_met);
}

/** How many lots the seller has sold here, as far as anybody wants to know. */
async function countSold(knex: Knex, teamId: number): Promise<number> {
  const sold = knex('lots')
    .where({ team_id: teamId, status: 'sold' })
    .limit(MAX_SOLD)
    .select('id')
    .as('sold');
  const row: { sold: number } = await knex.from(sold).count('* as sold').first();
  return Number(row.sold);
}

async function readNeighbours(knex: Knex, { lot_number: number, auction }: LotDetail) {
  const beside = (sign: '<' | '>', order: 'asc' | 'desc') =>
    knex('lots')
      .where('auction_id', auction.id)
      .whereNotNull('published_at')
      .where('lot_number', sign, number)
      .orderBy('lot_number', order)
      .first<Neighbour | undefined>('id', 'lot_number', 'title');
  const [previous, next] = await Promise.all([beside('<', 'desc'), beside('>', 'asc')]);
  return { previous: previous ?? null, next: next ?? null };
}

/** An amount of the API in the smallest unit of its currency. */
export function centsOf(amount: string, currency: string): number {
  return parseCents(amount, decimalsOf(currency)) ?? 0;
}
