/**
 * Accepting to be a lot's consignor. From then on the lot's journal treats them as part of the seller; a user who has
 * bid on the lot cannot become its consignor, and once others have bid the terms are frozen permanently.
 */

import type { NewestParts } from '../../bidding/bids/newest.ts';
import { hasOpenBids, openBidLots } from '../../bidding/bids/open-bids.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { changeTerms, isUnderEngine } from '../../bidding/records/lot-changes.ts';
import { type ReadPage, readModelPage } from '../../shared/paging/read-page.ts';
import { CONSIGNOR_POLICY, consignorState } from '../../shared/policy/consignor-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import type { AuctionStatus } from '../../shared/statuses/auction-statuses.ts';

export type ConsignmentParts = LiveParts & NewestParts;

interface ConsignedLot extends Pick<Lot, 'id' | 'auction_id' | 'title' | 'status' | 'consignment_accepted'> {
  readonly auction_status: AuctionStatus;
}

export interface Consignment {
  readonly lot_id: number;
  readonly auction_id: number;
  readonly title: string;
  readonly consignor_status: 'invited' | 'accepted';
}

/**
 * Accepts by the word of the person named; a second time changes nothing. Throws 404 where the seller of the lot has
 * not named them, 409 `has_open_bids` (with the lots), `lot_locked` once others have bid, `invalid_transition` for a
 * lot that is over, and the journal's faults.
 */
export async function acceptConsignment(
  parts: ConsignmentParts,
  lotId: number,
  userId: number,
): Promise<Consignment> {
  const lot = await requireConsignedLot(parts, lotId, userId);
  requireAllowed(CONSIGNOR_POLICY, 'accept', consignorState(lot), 'own', {
    message: `The lot is ${lot.status}.`,
    data: { allowed: [] },
  });
  if (lot.consignment_accepted) return consignmentOf(lot, 'accepted');
  const lots = await openBidLots(parts, userId, { lotId });
  if (lots.length > 0) throw new Refusal('has_open_bids', { message: hasOpenBids(lots), data: { lots } });
  if (isUnderEngine(lot.status, lot.auction_status)) {
    await changeTerms(parts, lotId, { consignorUserId: userId });
    await Lot.query(parts.knex)
      .where({ id: lotId, named_consignor_id: userId })
      .patch({ consignment_accepted: true });
  } else if ((await acceptDraft(parts, lot, userId)) === 0) {
    // Not in the table: somebody else was faster.
    throw new Refusal('lot_locked', { message: 'The lot has just been changed. Try again.' });
  }
  return consignmentOf(lot, 'accepted');
}

async function acceptDraft(
  { knex }: ConsignmentParts,
  { id, status }: ConsignedLot,
  userId: number,
): Promise<number> {
  return Lot.query(knex)
    .where({ id, status, named_consignor_id: userId, journal_opened: false })
    .patch({ consignor_id: userId, consignment_accepted: true });
}

async function requireConsignedLot(
  { knex }: ConsignmentParts,
  lotId: number,
  userId: number,
): Promise<ConsignedLot> {
  const [row] = await Lot.query(knex)
    .joinRelated('auction')
    .where({ 'lots.id': lotId, named_consignor_id: userId })
    .select(
      'lots.id',
      'lots.auction_id',
      'lots.title',
      'lots.status',
      'lots.consignment_accepted',
      'auction.status as auction_status',
    )
    .castTo<ConsignedLot[]>();
  if (row === undefined) throw notFound('You have not been invited to consign this lot.');
  return row;
}

function consignmentOf(
  { id, auction_id, title }: Pick<ConsignedLot, 'id' | 'auction_id' | 'title'>,
  status: Consignment['consignor_status'],
): Consignment {
  return { lot_id: id, auction_id, title, consignor_status: status };
}

/** The lots that a person is invited to consign, or has accepted to, newest first. */
export async function listConsignments(
  { knex }: Pick<ConsignmentParts, 'knex'>,
  userId: number,
  paging: { readonly page: number; readonly per_page: number },
): Promise<ReadPage<Consignment>> {
  const own = Lot.query(knex)
    .where((query) =>
      query
        .where('named_consignor_id', userId)
        .orWhere((accepted) => accepted.where('consignor_id', userId).whereNull('named_consignor_id')),
    )
    .select('id', 'auction_id', 'title', 'consignment_accepted', 'named_consignor_id');
  const { rows, paging: counted } = await readModelPage(own, [{ column: 'id', order: 'desc' }], paging);
  const consignments = rows.map((row) => {
    const accepted = row.consignment_accepted || row.named_consignor_id === null;
    return consignmentOf(row, accepted ? 'accepted' : 'invited');
  });
  return { rows: consignments, paging: counted };
}
