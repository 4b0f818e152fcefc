/**
 * Relisting a lot that was not sold, or whose buyer defaulted: a new draft with everything that describes the old one,
 * which does not change. Photographs stay with the old lot, whose page shows them.
 */

import type { Knex } from 'knex';
import { decimalsOf } from '../../../engine/money.ts';
import { requirePlanRoom } from '../../accounts/teams/plan-limits.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { groupField, hasGroups } from '../../bidding/records/grouped-lots.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import {
  amountsWithDecimals,
  checkLot,
  DESCRIPTIVE_COLUMNS,
  lotColumns,
  withoutUnused,
} from '../../bidding/records/lot-columns.ts';
import { requireRoomInGroup } from '../../bidding/records/lot-group-changes.ts';
import { lockSales, readLotOutcome, requireDecision } from '../../sales/offers/lot-outcomes.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { lotSlug } from '../../shared/slug.ts';
import { isLive } from '../../shared/statuses/auction-statuses.ts';
import { checkCustomFields } from '../categories-of-input.ts';
import { type ReferencedAuction, referencedAuction, requireRoomForLots } from '../referenced-auction.ts';
import { freeNumber, nextLotId } from './lot-numbers.ts';
import type { RelistBody } from './seller-lot.schema.ts';

/**
 * Makes the draft; gives its id. Throws 404 for a lot or an auction that is not the team's, 409 `invalid_transition`
 * for a lot that is not over without a buyer or is already relisted, and 422.
 */
export async function relistLot(
  parts: LiveParts,
  teamId: number,
  lotId: number,
  body: RelistBody,
): Promise<number> {
  const lot = await Lot.query(parts.knex).findOne({ id: lotId, team_id: teamId });
  if (lot === undefined) throw notFound('There is no such lot.');
  const state = lot.journal_opened ? await parts.journal.load(lot.auction_id, lotId) : null;
  const status = state?.status ?? lot.status;
  return parts.knex.transaction(async (trx) => {
    // Two who put it up again at once wait for each other here.
    await Lot.query(trx).findById(lotId).select('id').forNoKeyUpdate();
    // Its buyer may have defaulted.
    if (status === 'sold') await lockSales(trx, lotId);
    requireDecision('relist', { ...(await readLotOutcome(trx, lotId)), status });
    const auction = await referencedAuction(trx, teamId, body.auction_id, { lock: true });
    if (auction.status !== 'draft' && !isLive(auction.status)) {
      const message = `The auction is ${auction.status}.`;
      throw new Refusal('invalid_transition', { message, data: { status: lot.status, allowed: [] } });
    }
    await check(trx, lot, auction, body);
    await requirePlanRoom(trx, teamId, 'lots', 1);
    await requireRoomForLots(trx, auction.id, 1);
    return insertRelisted(trx, parts.journal, lot, auction, body);
  });
}

function check(trx: Knex, lot: Lot, auction: ReferencedAuction, body: RelistBody): Promise<void> {
  return requireValid(async (addError) => {
    checkLot(body, decimalsOf(auction.currency), addError, { ...lot, auction_format: auction.format });
    await checkCustomFields(trx, lot.category_id ?? auction.category_id, lot.custom_fields, addError);
  });
}

/** The group that it belongs to in the other auction: that of the same name, where lots can still join it. */
async function groupThere(
  trx: Knex.Transaction,
  journal: LiveParts['journal'],
  lot: Lot,
  auction: ReferencedAuction,
): Promise<Pick<Lot, 'close_group' | 'choice_group'>> {
  const field = groupField(auction.type);
  const none = { close_group: null, choice_group: null };
  const group = lot[field];
  if (!hasGroups(field, auction)) return none;
  try {
    await requireRoomInGroup(trx, journal, { lotId: null, auctionId: auction.id, field, group });
    return { ...none, [field]: group };
  } catch (error) {
    if (error instanceof Refusal) return none;
    throw error;
  }
}

async function insertRelisted(
  trx: Knex.Transaction,
  journal: LiveParts['journal'],
  lot: Lot,
  auction: ReferencedAuction,
  body: RelistBody,
): Promise<number> {
  const decimals = decimalsOf(auction.currency);
  const sold = await Auction.query(trx).findById(lot.auction_id).select('currency').throwIfNotFound();
  const columns = lotColumns(body, decimals);
  const amounts = amountsWithDecimals(lot, columns, [decimalsOf(sold.currency), decimals], 'auction_id');
  const id = await nextLotId(trx);
  const described = Object.fromEntries(DESCRIPTIVE_COLUMNS.map((column) => [column, lot[column]]));
  await Lot.query(trx).insert({
    ...described,
    ...(await groupThere(trx, journal, lot, auction)),
    id,
    auction_id: auction.id,
    category_id: lot.category_id,
    named_consignor_id: lot.consignor_id,
    lot_number: await freeNumber(trx, auction.id, undefined, null),
    slug: lotSlug(lot.title, id),
    starting_bid_cents: lot.starting_bid_cents,
    ...amounts,
    ...withoutUnused(auction.format),
    ...columns,
    relisted_from: lot.id,
    status: 'draft',
  });
  return id;
}
