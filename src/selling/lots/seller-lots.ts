/**
 * What sellers do to their lots. Drafts are plain rows; from publishing on, price and status belong to the lot's actor,
 * and are changed by commands whose events are in its journal. Lot numbers are given once, under the auction's row
 * lock.
 */

import type { Knex } from 'knex';
import { type Decimals, decimalsOf } from '../../../engine/money.ts';
import { requirePlanRoom } from '../../accounts/teams/plan-limits.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import type { Amendment } from '../../bidding/records/amendments.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { checkGroups, groupField } from '../../bidding/records/grouped-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import {
  changeTerms,
  isUnderEngine,
  noMoreLots,
  requireLotMove,
  requireNewLotStatus,
  scheduleLot,
  type Withdrawal,
  withdrawLot,
} from '../../bidding/records/lot-changes.ts';
import {
  amountsWithDecimals,
  lotColumns,
  NEW_LOT,
  withoutUnused,
} from '../../bidding/records/lot-columns.ts';
import { moveToGroup, requireRoomInGroup } from '../../bidding/records/lot-group-changes.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { LOT_POLICY, lotState } from '../../shared/policy/lot-policy.ts';
import { judge, requireAllowed } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { lotSlug } from '../../shared/slug.ts';
import { namedConsignor, withConsignorId } from '../consignments/naming.ts';
import {
  noSuchAuction,
  type ReferencedAuction,
  referencedAuction,
  requireRoomForLots,
} from '../referenced-auction.ts';
import {
  amendTeamsLot,
  changesFixed,
  requireAmendable,
  requireAmending,
  requireUnfixed,
} from './lot-amendments.ts';
import { checkChange, checkFields, type Fields, type Sale, saleOf } from './lot-field-checks.ts';
import { freeNumber, nextLotId } from './lot-numbers.ts';
import { pricesChanged, requireChangeable, requireSettingsKept, termsIn } from './lot-terms.ts';
import type { AmendedBody, LotChangeBody, NewLotBody } from './seller-lot.schema.ts';
import { type OwnLot, teamsLot } from './teams-lot.ts';

/** Makes a lot in one of the team's auctions; gives its id. With `status: scheduled` it is published at once. */
export async function createLot(parts: LiveParts, seller: Seller, body: NewLotBody): Promise<number> {
  const { auction_id: auctionId, status, ...fields } = await withConsignorId(parts.knex, seller.teamId, body);
  const auction = await referencedAuction(parts.knex, seller.teamId, auctionId);
  const decimals = decimalsOf(auction.currency);
  await checkFields(parts.knex, {
    ...{ fields, decimals },
    known: { ...NEW_LOT, auction_format: auction.format },
    custom: { categoryId: fields.category_id ?? auction.category_id, fields: fields.custom_fields ?? {} },
  });
  await requireValid((addError) => checkGroups(fields, auction, addError));
  const who = await whosOf(parts.knex, seller);
  requireAllowed(AUCTION_POLICY, 'add_lot', auction.status, who, noMoreLots(auction.status));
  requireNewLotStatus(status);
  const insert = (trx: Knex.Transaction) =>
    insertLot({ ...parts, knex: trx }, { teamId: seller.teamId, who }, auction, fields);
  return status === 'scheduled'
    ? scheduleLot(parts, seller, auctionId, insert)
    : parts.knex.transaction(insert);
}

/** The parts that a change is made with, in its transaction. */
type InTransaction = Pick<LiveParts, 'journal'> & { readonly knex: Knex.Transaction };

async function insertLot(
  { knex: trx, journal }: InTransaction,
  { teamId, who }: { readonly teamId: number; readonly who: readonly Who[] },
  { id: auctionId, currency, format, type }: ReferencedAuction,
  fields: Fields & { readonly title: string },
): Promise<number> {
  const { status } = await lockAuction(trx, { id: auctionId, currency, format }, noSuchAuction);
  // It may have been cancelled since it was judged.
  requireAllowed(AUCTION_POLICY, 'add_lot', status, who, noMoreLots(status));
  await requirePlanRoom(trx, teamId, 'lots', 1);
  await requireRoomForLots(trx, auctionId, 1);
  const field = groupField(type);
  const group = fields[field]?.trim() ?? null;
  await requireRoomInGroup(trx, journal, { lotId: null, auctionId, field, group });
  const lotNumber = await freeNumber(trx, auctionId, fields.lot_number, null);
  const id = await nextLotId(trx);
  await Lot.query(trx).insert({
    ...columnsOf(fields, decimalsOf(currency)),
    id,
    auction_id: auctionId,
    lot_number: lotNumber,
    slug: lotSlug(fields.title, id),
    named_consignor_id: fields.consignor_id ?? null,
    status: 'draft',
  });
  return id;
}

/**
 * Lots are numbered, and moved into an auction, one after the other. Throws `gone` where the auction is, and
 * 409 where it no longer has the currency and the format that the lot was judged by.
 */
async function lockAuction(
  trx: Knex.Transaction,
  { id, currency, format }: Pick<Auction, 'id' | 'currency' | 'format'>,
  gone: () => Refusal,
): Promise<Auction> {
  const auction = await Auction.query(trx)
    .findById(id)
    .select('id', 'status', 'currency', 'format')
    .forUpdate();
  if (auction === undefined) throw gone();
  const locked = (what: string) =>
    new Refusal('auction_locked', { message: `The ${what} of the auction has just been changed.` });
  if (decimalsOf(auction.currency) !== decimalsOf(currency)) throw locked('currency');
  if (auction.format !== format) throw locked('format');
  return auction;
}

function columnsOf(fields: Fields, decimals: Decimals): Partial<Lot> {
  const { category_id } = fields;
  return { ...lotColumns(fields, decimals), ...(category_id === undefined ? {} : { category_id }) };
}

/** Changes a lot's fields, then moves it where `status` requests it. Returns what became of its prices, by field. */
export async function changeLot(
  parts: LiveParts,
  seller: Seller,
  lotId: number,
  body: LotChangeBody,
): Promise<Readonly<Record<string, string>>> {
  const lot = await teamsLot(parts.knex, seller.teamId, lotId);
  const { auction_id: auctionId, status, ...fields } = await withConsignorId(parts.knex, seller.teamId, body);
  const moves = auctionId !== undefined && auctionId !== lot.auction_id;
  const sale = moves ? await referencedAuction(parts.knex, seller.teamId, auctionId) : saleOf(lot);
  await checkChange(parts.knex, lot, fields, sale);
  // A move that is not allowed is refused before anything is changed, and one that is refused later takes the change
  // along.
  const from = status === undefined ? lot.status : await statusNow(parts, lot);
  const to = status === from ? undefined : status;
  const who = await whosOf(parts.knex, seller);
  if (to !== undefined) requireLotMove(lotState(from, lot.published_at !== null), to, who);
  const byAdmin = judge(LOT_POLICY, 'withdraw', 'contested', who) === 'allowed';
  const own = decimalsOf(lot.auction_currency);
  // To name a consignor is to describe the lot.
  const described = { ...columnsOf(fields, own), ...namedConsignor(lot, fields.consignor_id) };
  const terms = termsIn(fields, own, lot);
  requireChangeable(lot, described, terms, who);
  const prices = pricesChanged(lot, terms, own);
  const withdrawal = { reason: 'withdrawn by the seller', byAdmin };
  if (isUnderEngine(lot.status, lot.auction_status)) {
    if (moves || (fields.lot_number ?? lot.lot_number) !== lot.lot_number) throw new Refusal('lot_locked');
    requireSettingsKept(lot, columnsOf(fields, own));
    await changePublished(parts, lot, fields, to === undefined ? null : withdrawal);
    return prices;
  }
  const changed = (trx: Knex.Transaction) => changeDraft({ ...parts, knex: trx }, lot, sale, fields);
  if (to === undefined) await parts.knex.transaction(changed);
  else if (to === 'withdrawn') await withdrawLot(parts, lotId, withdrawal, changed);
  else {
    await scheduleLot(parts, seller, sale.id, async (trx) => {
      await changed(trx);
      return lotId;
    });
  }
  return prices;
}

/** By the journal, which reaches Postgres a little later: the status that a lot has is no move. */
async function statusNow(parts: LiveParts, { id, auction_id, status, auction_status }: OwnLot) {
  if (!isUnderEngine(status, auction_status)) return status;
  return (await parts.journal.load(auction_id, id))?.status ?? status;
}

/** Amends a lot of the team. Throws 404, 422, 409 before its first bid and once it is over, the journal's faults. */
export async function amendLot(
  parts: LiveParts,
  owner: Seller,
  lotId: number,
  { changes, reason }: AmendedBody,
  userId: number,
): Promise<Amendment> {
  const lot = await teamsLot(parts.knex, owner.teamId, lotId);
  await requireAmending(parts, owner, lot);
  const category = changes.category_id === undefined ? lot.category_id : changes.category_id;
  const { media: _media, ...fields } = changes;
  if (changes.quantity !== undefined) requireSettingsKept(lot, { quantity: changes.quantity });
  await checkFields(parts.knex, {
    ...{ fields, decimals: decimalsOf(lot.auction_currency), known: lot },
    custom: {
      categoryId: category ?? lot.auction_category_id,
      fields: fields.custom_fields ?? lot.custom_fields,
    },
  });
  return amendTeamsLot(parts, { auctionId: lot.auction_id, lotId, userId, changes, reason });
}

/** Price fields and a withdrawal go to the lot's actor in one step; the rest is a row, written around that step. */
async function changePublished(
  parts: LiveParts,
  lot: OwnLot,
  fields: Fields,
  withdrawal: Withdrawal | null,
): Promise<void> {
  const own = decimalsOf(lot.auction_currency);
  const terms = termsIn(fields, own, lot);
  const { starting_bid_cents, reserve_price_cents, buy_now_price_cents, ...plain } = columnsOf(fields, own);
  const named = namedConsignor(lot, fields.consignor_id);
  // A consignor reaches Postgres a little later than their acceptance.
  const hadOne = lot.consignor_id !== null || lot.consignment_accepted;
  if (named !== null && hadOne) terms.consignorUserId = null;
  const columns = { ...plain, ...named };
  await requireAmendable(parts, lot, columns);
  const field = groupField(lot.auction_type);
  const { [field]: group = lot[field] } = columns;
  if (group !== lot[field]) await moveToGroup(parts, lot, field, group);
  // The journal's step comes first: it may refuse, and then the row is as it was. No transaction waits for it.
  const isTerms = Object.keys(terms).length > 0;
  if (isTerms) await changeTerms(parts, lot.id, withdrawal === null ? terms : { ...terms, withdrawal });
  else if (withdrawal !== null) await withdrawLot(parts, lot.id, withdrawal);
  if (Object.keys(columns).length === 0) return;
  await parts.knex.transaction(async (trx) => {
    const isFixing = !isTerms && withdrawal === null && (await changesFixed(trx, lot.id, columns));
    await Lot.query(trx).findById(lot.id).patch(columns);
    // A first bid may have come meanwhile: then the words that it was placed on stay.
    if (isFixing) await requireUnfixed({ ...parts, knex: trx }, lot);
  });
}

async function changeDraft(
  { knex: trx, journal }: InTransaction,
  lot: OwnLot,
  sale: Sale,
  fields: Fields,
): Promise<void> {
  const { id: auctionId, currency } = sale;
  const moves = auctionId !== lot.auction_id;
  await lockAuction(trx, sale, () => (moves ? noSuchAuction() : notFound('There is no such lot.')));
  const field = groupField(sale.type);
  const group = fields[field] === undefined ? lot[field] : (fields[field]?.trim() ?? null);
  await requireRoomInGroup(trx, journal, { lotId: lot.id, auctionId, field, group });
  const decimals = decimalsOf(currency);
  const named = namedConsignor(lot, fields.consignor_id);
  const there = moves ? { ...withoutUnused(sale.format), auction_id: auctionId } : {};
  const columns: Partial<Lot> = { ...there, ...columnsOf(fields, decimals), ...named };
  if (moves && decimals !== decimalsOf(lot.auction_currency)) {
    const change = [decimalsOf(lot.auction_currency), decimals] as const;
    Object.assign(columns, amountsWithDecimals(lot, columns, change, 'auction_id'));
  }
  if (named !== null) columns.consignor_id = null;
  if (moves) await requireRoomForLots(trx, auctionId, 1);
  if (moves || fields.lot_number !== undefined) {
    columns.lot_number = await freeNumber(trx, auctionId, fields.lot_number, lot.id);
  }
  if (Object.keys(columns).length === 0) return;
  const changed = await Lot.query(trx)
    .where({ id: lot.id, journal_opened: false, status: lot.status })
    .patch(columns);
  if (changed === 0) throw new Refusal('lot_locked', { message: 'The lot has just been changed.' });
}
