/**
 * A team's papers: ordering one, which a worker then makes, the list, and letting one go. What is ordered while the
 * same is being made is that one. A team keeps so many, each for a week.
 */
import type { Knex } from 'knex';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { Language } from '../../shared/language.ts';
import type { PaperFormat, PaperKind } from '../../shared/paper-kinds.ts';
import { AUCTION_POLICY, type AuctionAction, auctionState } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { invalid, notFound } from '../../shared/refusal.ts';
import { holdName, inTransaction } from '../../shared/transactions.ts';
import { SalePaper } from './paper.model.ts';

/** Of one team, so that it fills no storage. */
const MAX_KEPT = 60;
/** Waiting or being made for one team, so that others are not kept waiting. */
const MAX_UNDER_WAY = 20;
const UNDER_WAY = ['waiting', 'working'] as const;

export interface PaperOrder {
  readonly kind: PaperKind;
  readonly format: PaperFormat;
  readonly language: Language;
  readonly baseUrl: string;
}

/** Throws 404 for an auction that is not the team's, and what its table says of the action. */
async function requirePapersOf(
  knex: Knex,
  seller: Seller,
  auctionId: number,
  action: Extract<AuctionAction, 'read_as_seller' | 'print'>,
): Promise<void> {
  const auction = await Auction.query(knex).findOne({ id: auctionId, team_id: seller.teamId });
  if (auction === undefined) throw notFound('There is no such auction.');
  const state = auctionState(auction.status, auction.published_at !== null);
  requireAllowed(AUCTION_POLICY, action, state, await whosOf(knex, seller));
}

/**
 * Orders a paper; `isNew` is false where the same is being made already. Throws 404, and 422 where too many of the
 * team are under way.
 */
export function orderPaper(
  knex: Knex,
  seller: Seller,
  auctionId: number,
  { kind, format, language, baseUrl }: PaperOrder,
): Promise<{ readonly paper: SalePaper; readonly isNew: boolean }> {
  return inTransaction(knex, async (trx) => {
    // Whoever orders for this team waits here for those before.
    await holdName(trx, `papers of team ${seller.teamId}`);
    await requirePapersOf(trx, seller, auctionId, 'print');
    const wanted = { auction_id: auctionId, kind, format, language };
    const same = await SalePaper.query(trx)
      .findOne(wanted)
      .whereIn('status', [...UNDER_WAY]);
    if (same !== undefined) return { paper: same, isNew: false };
    const of = { team_id: seller.teamId };
    const underWay = await SalePaper.query(trx)
      .where(of)
      .whereIn('status', [...UNDER_WAY])
      .resultSize();
    if (underWay >= MAX_UNDER_WAY)
      throw invalid({ kind: [`The team has ${MAX_UNDER_WAY} papers under way: wait for one of them.`] });
    const kept = SalePaper.query(trx)
      .where(of)
      .orderBy('id', 'desc')
      .limit(MAX_KEPT - 1);
    await SalePaper.query(trx)
      .where(of)
      .whereNotIn('status', [...UNDER_WAY])
      .whereNotIn('id', kept.select('id'))
      .delete();
    const row = { ...of, ...wanted, user_id: seller.userId, base_url: baseUrl };
    return { paper: await SalePaper.query(trx).insert(row).returning('*'), isNew: true };
  });
}

/** The papers of an auction that are kept, the newest first; at most as many as a team keeps. Throws 404. */
export async function papersOf(knex: Knex, seller: Seller, auctionId: number): Promise<SalePaper[]> {
  await requirePapersOf(knex, seller, auctionId, 'read_as_seller');
  return SalePaper.query(knex)
    .where({ auction_id: auctionId, team_id: seller.teamId })
    .whereRaw('expires_at > now()')
    .orderBy('id', 'desc')
    .limit(MAX_KEPT);
}

/** One of the team's. Throws 404, also once its time is over. */
export async function readPaper(
  knex: Knex,
  seller: Seller,
  id: number,
  action: Extract<AuctionAction, 'read_as_seller' | 'print'> = 'read_as_seller',
): Promise<SalePaper> {
  const paper = await SalePaper.query(knex)
    .findOne({ id, team_id: seller.teamId })
    .whereRaw('expires_at > now()');
  if (paper === undefined) throw notFound('There is no such paper.');
  await requirePapersOf(knex, seller, paper.auction_id, action);
  return paper;
}
