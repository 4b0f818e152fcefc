/** The order of an auction's lots, by their numbers: given anew for all of them, as long as none is published. */
import type { Knex } from 'knex';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { noMoreLots } from '../../bidding/records/lot-changes.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';

/** Beyond every number that a lot may have while others are given. */
const ASIDE = 1_000_000;

/**
 * Numbers the lots: those that are named first, in this order, then the others in theirs. Throws 404, 422 for lots that
 * are not in the auction, and 409 `lot_locked` once a lot is published: the journal has its number for good.
 */
export async function orderLots(
  knex: Knex,
  seller: Seller,
  auctionId: number,
  lotIds: readonly number[],
): Promise<void> {
  await knex.transaction(async (trx) => {
    const auction = await Auction.query(trx)
      .findOne({ id: auctionId, team_id: seller.teamId })
      .select('id', 'status')
      .forUpdate();
    if (auction === undefined) throw notFound('There is no such auction.');
    const who = await whosOf(trx, seller);
    requireAllowed(AUCTION_POLICY, 'add_lot', auction.status, who, noMoreLots(auction.status));
    const lots = await Lot.query(trx)
      .where('auction_id', auctionId)
      .orderBy('lot_number')
      .select('id', 'lot_number', 'status');
    if (auction.status !== 'draft' && lots.some(({ status }) => status !== 'draft'))
      throw new Refusal('lot_locked', { message: 'The lots are published: their order stays.' });
    const known = new Set(lots.map(({ id }) => id));
    if (lotIds.some((id) => !known.has(id)))
      throw invalid({ lot_ids: ['Not all of them are in the auction.'] });
    const named = new Set(lotIds);
    const wanted = [...lotIds, ...lots.flatMap(({ id }) => (named.has(id) ? [] : [id]))];
    // Numbers are unique at every moment: all go aside first.
    const numbers = lots.map(({ lot_number: number }) => number);
    const top = Math.max(0, ...numbers);
    if (top + lots.length > ASIDE) throw new Refusal('lot_locked', { message: 'The numbers are too large.' });
    await renumber(trx, wanted, top);
    await renumber(trx, wanted, 0);
  });
}

async function renumber(trx: Knex.Transaction, lotIds: readonly number[], after: number): Promise<void> {
  // SQL: all in one statement.
  await trx.raw(
    `UPDATE lots SET lot_number = :after::int + n.at::int
     FROM unnest(CAST(:lotIds AS bigint[])) WITH ORDINALITY AS n (id, at) WHERE lots.id = n.id`,
    { lotIds: [...lotIds], after },
  );
}
