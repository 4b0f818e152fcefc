/**
 * The lots of a fault run: one that stays open throughout, and for each fault a round of further ones that come due
 * around it. Their auctions have a short soft close, and some a limit for their bidders.
 */
import type { Database } from '../../adapters/postgres/database.ts';
import { firstOf } from '../../engine/first-of.ts';
import { isoFromUs } from '../../engine/time.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import { aLot, anAuction } from '../support/builders.ts';
import type { HotLot } from './offers.ts';
import type { Setting } from './setting.ts';

export interface RoundTerms {
  readonly lots: number;
  /** When the first of them ends. */
  readonly endsAtUs: number;
  readonly staggerSeconds: number;
  readonly limitCents: number | null;
  /** Whose auction it is; default: a team of its own. */
  readonly teamId?: number;
}

/** A lot as it was offered, for the history check. */
export interface OfferedLot extends HotLot {
  readonly auctionId: number;
  readonly startingBidCents: number;
  readonly reserveCents: number | null;
  readonly startsAtUs: number;
  readonly endsAtUs: number;
  readonly softClose: { windowUs: number; extensionUs: number; maxExtensions: number };
  readonly limitCents: number | null;
}

const SOFT_CLOSE = { window: 1, extension: 1, most: 3 };
const STARTING_BID_CENTS = 10_000;
const BEFORE_US = 60_000_000;

/** Makes an auction with its lots and puts them into the journal; resolves when they can be bid on. */
export async function openRound(
  { db, backends, nowUs }: Pick<Setting, 'db' | 'backends' | 'nowUs'>,
  terms: RoundTerms,
): Promise<OfferedLot[]> {
  const lots = await offerRound(db, nowUs, terms);
  await publishAuction(backends, firstOf(lots).auctionId);
  return lots;
}

/** Creates an auction with its lots; the process that follows the catalog puts them into the journal. */
export async function offerRound(
  db: Database,
  nowUs: () => number,
  terms: RoundTerms,
): Promise<OfferedLot[]> {
  const startsAtUs = nowUs() - BEFORE_US;
  const auction = await anAuction(db, {
    ...(terms.teamId === undefined ? {} : { team_id: terms.teamId }),
    start_time: isoFromUs(startsAtUs),
    end_time: isoFromUs(terms.endsAtUs),
    stagger_seconds: terms.staggerSeconds,
    soft_close_window_seconds: SOFT_CLOSE.window,
    soft_close_extension_seconds: SOFT_CLOSE.extension,
    soft_close_max_extensions: SOFT_CLOSE.most,
    registration_bid_limit_cents: terms.limitCents,
  });
  const lots: OfferedLot[] = [];
  for (let at = 0; at < terms.lots; at += 1) {
    const reserveCents = at % 2 === 0 ? null : STARTING_BID_CENTS * (2 + at * 40);
    const lot = await aLot(db, { auction_id: auction.id, reserve_price_cents: reserveCents });
    lots.push({
      lotId: lot.id,
      auctionId: auction.id,
      startingBidCents: STARTING_BID_CENTS,
      reserveCents,
      startsAtUs,
      endsAtUs: terms.endsAtUs + at * terms.staggerSeconds * 1_000_000,
      softClose: {
        windowUs: SOFT_CLOSE.window * 1_000_000,
        extensionUs: SOFT_CLOSE.extension * 1_000_000,
        maxExtensions: SOFT_CLOSE.most,
      },
      limitCents: terms.limitCents,
      currentCents: 0,
      minimumNextCents: STARTING_BID_CENTS,
      over: false,
    });
  }
  return lots;
}
