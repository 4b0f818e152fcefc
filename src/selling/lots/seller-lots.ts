/**
 * What sellers do to their lots. Drafts are plain rows; from publishing on, price and status belong to the lot's actor,
 * and are changed by commands whose events are in its journal. Lot numbers are given once, under the auction's row
 * lock.
 */

import type { Knex } from 'knex';
import { parseCents } from '../../../engine/money.ts';
import { requirePlanRoom } from '../../accounts/teams/plan-limits.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import {
  changeTerms,
  isUnderEngine,
  requireNewLotStatus,
  scheduleLot,
  type Terms,
  type Withdrawal,
  withdrawLot,
  wrongLotMove,
} from '../../bidding/records/lot-changes.ts';
import { checkLot, lotColumns } from '../../bidding/records/lot-columns.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { lotSlug } from '../../shared/slug.ts';
import { type AuctionStatus, isLive } from '../../shared/statuses/auction-statuses.ts';
import { LOT_STATUSES } from '../../shared/statuses/lot-statuses.ts';
import { checkCategory, checkCustomFields } from '../categories-of-input.ts';
import { checkConsignor, namedConsignor } from '../consignments/naming.ts';
import { type ReferencedAuction, referencedAuction, requireRoomForLots } from '../referenced-auction.ts';
import { requireValid } from '../require-valid.ts';
import { freeNumber, nextLotId } from './lot-numbers.ts';
import type { LotChangeBody, NewLotBody } from './seller-lot.schema.ts';

export interface LotOwner {
  readonly teamId: number;
  readonly isAdmin: boolean;
}

/** Makes a lot in one of the team's auctions; gives its id. With `status: scheduled` it is published at once. */
export async function createLot(parts: LiveParts, owner: LotOwner, body: NewLotBody): Promise<number> {
  const { auction_id: auctionId, status, ...fields } = body;
  const auction = await referencedAuction(parts.knex, owner.teamId, auctionId);
  await checkFields(
    parts.knex,
    fields,
    fields.category_id ?? auction.category_id,
    fields.custom_fields ?? {},
  );
  if (auction.status !== 'draft' && !isLive(auction.status)) {
    throw new Refusal('invalid_transition', {
      message: `The auction is ${auction.status}.`,
      data: { allowed: [] },
    });
  }
  requireNewLotStatus(status);
  const insert = (trx: Knex.Transaction) => insertLot(trx, owner.teamId, auctionId, fields);
  return status === 'scheduled' ? scheduleLot(parts, auctionId, insert) : parts.knex.transaction(insert);
}

type Fields = Omit<LotChangeBody, 'auction_id' | 'status'>;

function checkFields(
  knex: Knex,
  fields: Fields,
  categoryId: number | null,
  customFields: Record<string, unknown>,
): Promise<void> {
  return requireValid(async (addError) => {
    checkLot(fields, addError);
    await checkCategory(knex, fields.category_id, addError);
    await checkCustomFields(knex, categoryId, customFields, addError);
    await checkConsignor(knex, fields.consignor_id, addError);
  });
}

async function insertLot(
  trx: Knex.Transaction,
  teamId: number,
  auctionId: number,
  fields: Fields & { readonly title: string },
): Promise<number> {
  await lockAuction(trx, auctionId);
  await requirePlanRoom(trx, teamId, 'lots', 1);
  await requireRoomForLots(trx, auctionId, 1);
  const lotNumber = await freeNumber(trx, auctionId, fields.lot_number, null);
  const id = await nextLotId(trx);
  await Lot.query(trx).insert({
    ...columnsOf(fields),
    id,
    auction_id: auctionId,
    lot_number: lotNumber,
    slug: lotSlug(fields.title, id),
    named_consignor_id: fields.consignor_id ?? null,
    status: 'draft',
  });
  return id;
}

/** Lots are numbered, and moved into an auction, one after the other. */
async function lockAuction(trx: Knex.Transaction, auctionId: number): Promise<void> {
  await Auction.query(trx).findById(auctionId).select('id').forUpdate();
}

function columnsOf(fields: Fields): Partial<Lot> {
  const { category_id } = fields;
  return { ...lotColumns(fields), ...(category_id === undefined ? {} : { category_id }) };
}

interface OwnLot
  extends Pick<
    Lot,
    | 'id'
    | 'auction_id'
    | 'status'
    | 'category_id'
    | 'custom_fields'
    | 'consignor_id'
    | 'named_consignor_id'
    | 'consignment_accepted'
  > {
  readonly auction_status: AuctionStatus;
  readonly auction_category_id: number | null;
}

async function teamsLot(knex: Knex, teamId: number, lotId: number): Promise<OwnLot> {
  const [lot] = await Lot.query(knex)
    .joinRelated('auction')
    .where({ 'lots.id': lotId, 'auction.team_id': teamId })
    .select(
      'lots.id',
      'lots.auction_id',
      'lots.status',
      'lots.category_id',
      'lots.custom_fields',
      'lots.consignor_id',
      'lots.named_consignor_id',
      'lots.consignment_accepted',
      'auction.status as auction_status',
      'auction.category_id as auction_category_id',
    )
    .castTo<OwnLot[]>();
  if (lot === undefined) throw notFound('There is no such lot.');
  return lot;
}

/** Changes a lot's fields, then moves it where `status` requests it. */
export async function changeLot(
  parts: LiveParts,
  owner: LotOwner,
  lotId: number,
  body: LotChangeBody,
): Promise<void> {
  const lot = await teamsLot(parts.knex, owner.teamId, lotId);
  const { auction_id: auctionId, status, ...fields } = body;
  const moves = auctionId !== undefined && auctionId !== lot.auction_id;
  const auction = moves ? await referencedAuction(parts.knex, owner.teamId, auctionId) : null;
  if (fields.custom_fields !== undefined || fields.category_id !== undefined || auction !== null) {
    const inherited = auction?.category_id ?? lot.auction_category_id;
    const category =
      fields.category_id === undefined ? (lot.category_id ?? inherited) : (fields.category_id ?? inherited);
    await checkFields(parts.knex, fields, category, fields.custom_fields ?? lot.custom_fields);
  } else {
    await requireValid(async (addError) => {
      checkLot(fields, addError);
      await checkConsignor(parts.knex, fields.consignor_id, addError);
    });
  }
  // A move that is not allowed is refused before anything is changed, and one that is refused later takes the change
  // along.
  const from = status === undefined ? lot.status : await statusNow(parts, lot);
  const to = status === from ? undefined : status;
  if (to !== undefined && !LOT_STATUSES.byHand(from).some((one) => one === to)) throw wrongLotMove(from, to);
  const withdrawal = { reason: 'withdrawn by the seller', byAdmin: owner.isAdmin };
  if (isUnderEngine(lot.status, lot.auction_status)) {
    if (auction !== null || fields.lot_number !== undefined) throw new Refusal('lot_locked');
    await changePublished(parts, lot, fields, to === undefined ? null : withdrawal);
    return;
  }
  const changed = (trx: Knex.Transaction) => changeDraft(trx, lot, auction, fields);
  if (to === undefined) await parts.knex.transaction(changed);
  else if (to === 'withdrawn') await withdrawLot(parts, lotId, withdrawal, changed);
  else {
    await scheduleLot(parts, auction?.id ?? lot.auction_id, async (trx) => {
      await changed(trx);
      return lotId;
    });
  }
}

/** By the journal, which reaches Postgres a little later: the status that a lot has is no move. */
async function statusNow(parts: LiveParts, { id, auction_id, status, auction_status }: OwnLot) {
  if (!isUnderEngine(status, auction_status)) return status;
  return (await parts.journal.load(auction_id, id))?.status ?? status;
}

/** Price fields and a withdrawal go to the lot's actor, in one step; the rest is a plain row, and comes after it. */
async function changePublished(
  parts: LiveParts,
  lot: OwnLot,
  fields: Fields,
  withdrawal: Withdrawal | null,
): Promise<void> {
  const terms: { -readonly [K in keyof Terms]: Terms[K] } = {};
  if (fields.starting_bid !== undefined) terms.startingBidCents = parseCents(fields.starting_bid) ?? 0;
  if (fields.reserve_price !== undefined) terms.reserveCents = centsOrNull(fields.reserve_price);
  if (fields.buy_now_price !== undefined) terms.buyNowCents = centsOrNull(fields.buy_now_price);
  const named = namedConsignor(lot, fields.consignor_id);
  // A consignor reaches Postgres a little later than their acceptance.
  const hadOne = lot.consignor_id !== null || lot.consignment_accepted;
  if (named !== null && hadOne) terms.consignorUserId = null;
  if (Object.keys(terms).length > 0) {
    await changeTerms(parts, lot.id, withdrawal === null ? terms : { ...terms, withdrawal });
  } else if (withdrawal !== null) await withdrawLot(parts, lot.id, withdrawal);
  const { starting_bid_cents, reserve_price_cents, buy_now_price_cents, ...plain } = columnsOf(fields);
  await Lot.query(parts.knex)
    .findById(lot.id)
    .patch({ ...plain, ...named });
}

const centsOrNull = (amount: string | number | null) => (amount === null ? null : parseCents(amount));

async function changeDraft(
  trx: Knex.Transaction,
  lot: OwnLot,
  auction: ReferencedAuction | null,
  fields: Fields,
): Promise<void> {
  const auctionId = auction?.id ?? lot.auction_id;
  await lockAuction(trx, auctionId);
  const named = namedConsignor(lot, fields.consignor_id);
  const columns: Partial<Lot> = { ...columnsOf(fields), ...named };
  if (named !== null) columns.consignor_id = null;
  if (auction !== null) {
    await requireRoomForLots(trx, auctionId, 1);
    columns.auction_id = auctionId;
  }
  if (auction !== null || fields.lot_number !== undefined) {
    columns.lot_number = await freeNumber(trx, auctionId, fields.lot_number, lot.id);
  }
  if (Object.keys(columns).length === 0) return;
  const changed = await Lot.query(trx)
    .where({ id: lot.id, journal_opened: false, status: lot.status })
    .patch(columns);
  if (changed === 0) throw new Refusal('lot_locked', { message: 'The lot has just been changed.' });
}
