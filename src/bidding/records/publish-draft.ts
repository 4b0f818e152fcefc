/**
 * Publishing: a draft and its lots become scheduled in one Postgres transaction, with the fact for subscribers, and
 * then go under the engine. If the process ends in between, a worker finds the auction and finishes.
 */
import type { Knex } from 'knex';
import { JournalUnavailable, Overloaded } from '../../../engine/actor/journal.ts';
import { decimalsOf } from '../../../engine/money.ts';
import { usFromIso } from '../../../engine/time.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { appendEvents } from '../../events/outbox.ts';
import { checkFormat, checkTogether, sellsTogether } from '../../shared/format-fields.ts';
import { auctionState } from '../../shared/policy/auction-policy.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import type { AuctionStatus } from '../../shared/statuses/auction-statuses.ts';
import type { Auction } from './auction.model.ts';
import type { LiveParts } from './auction-lots.ts';
import { requireAuctionMove } from './auction-status.ts';
import { readLotRowsOfAuction } from './lot-rows.ts';
import { publishAuction } from './publishing.ts';
import { joinSale } from './sale-units.ts';
import { requireSealing } from './sealing-keys.ts';
import { startDueAuctions } from './timetable.ts';

/**
 * The half of publishing that belongs to the caller's transaction, of which it is the last step; `bringUp`
 * comes after the commit. Throws 404, 403 `seller_not_approved`, 409 `invalid_transition`, and 422 where it would be
 * over at once.
 */
export async function publishIn(
  trx: Knex.Transaction,
  { journal, engine }: Pick<LiveParts, 'journal' | 'engine'>,
  seller: Seller,
  auctionId: number,
): Promise<void> {
  const auction: Auction | undefined = await trx('auctions').where('id', auctionId).forUpdate().first();
  if (auction === undefined) throw notFound('There is no such auction.');
  const state = auctionState(auction.status, auction.published_at !== null);
  requireAuctionMove(state, 'scheduled', await whosOf(trx, seller, { lock: true }));
  // Somebody else has just published it.
  if (auction.status === 'scheduled') return;
  if ((usFromIso(auction.end_time) ?? 0) <= journal.nowUs()) {
    throw new Refusal('validation_failed', { errors: { end_time: ['The end_time must be in the future.'] } });
  }
  requireSealing(engine, auction.format);
  await requireLotsFit(trx, auction);
  await trx('auctions').where('id', auctionId).update({ status: 'scheduled' });
  await trx('lots').where({ auction_id: auctionId, status: 'draft' }).update({ status: 'scheduled' });
  if (sellsTogether(auction.format)) await joinSale(trx, auctionId);
  await appendEvents(trx, [
    {
      eventKey: `auction-${auctionId}-published`,
      type: 'auction.published',
      teamId: auction.team_id,
      userId: null,
      auctionId,
      lotId: null,
      data: { auction_id: auctionId, slug: auction.slug },
    },
  ]);
}

/** The auction's format may have been changed since its lots were made. Throws 422 naming the lots and their fields. */
async function requireLotsFit(
  trx: Knex.Transaction,
  { id: auctionId, format }: Pick<Auction, 'id' | 'format'>,
): Promise<void> {
  const lots = await readLotRowsOfAuction(trx, auctionId, ['draft', 'scheduled']);
  await requireValid((addError) => {
    checkTogether(format, lots, addError);
    for (const lot of lots) {
      const known = { ...lot, starting_bid: lot.starting_bid_cents };
      checkFormat(lot.format, {}, known, decimalsOf(lot.currency), (field, message) =>
        addError(`lots.${lot.lot_number}.${field}`, message),
      );
    }
  });
}

/** Puts what is published under the engine; the status that it has then. */
export async function bringUp(parts: LiveParts, auctionId: number): Promise<AuctionStatus> {
  try {
    await publishAuction(parts, auctionId);
    const started = await startDueAuctions(parts, [auctionId]);
    return started > 0 ? 'active' : 'scheduled';
  } catch (fault) {
    // It is published: a worker puts it under the engine as soon as the journal answers again.
    if (fault instanceof JournalUnavailable || fault instanceof Overloaded) return 'scheduled';
    throw fault;
  }
}
