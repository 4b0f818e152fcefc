/** Changes of single lots under the engine. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import type { Auction } from '../../../../src/bidding/records/auction.model.ts';
import type { Lot } from '../../../../src/bidding/records/lot.model.ts';
import { changeTerms, withdrawLot } from '../../../../src/bidding/records/lot-changes.ts';
import { Refusal } from '../../../../src/shared/refusal.ts';
import { aLot, type anAuction } from '../../../support/builders.ts';
import { type Market, moveAuction } from '../../../support/market.ts';

/** What work was refused with. */
export async function refusal(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** What the tests have from their service. */
export interface LotChangesWorld {
  readonly live: (
    columns?: Parameters<typeof anAuction>[1],
    lots?: number,
  ) => Promise<{ auction: Auction; lot: Lot; lots: Lot[] }>;
  readonly market: Market;
  readonly schedule: (lot: Lot) => Promise<number>;
  readonly bidder: User;
}

/** Changes of single lots under the engine. */
export function lotChangesSuite(world: LotChangesWorld): void {
  const { live, schedule } = world;

  describe('lots', () => {
    it('puts a draft lot under the engine in a live auction, to open at once', async () => {
      const { auction } = await live();
      const draft = await aLot(world.market.db, { auction_id: auction.id, status: 'draft' });
      expect(await schedule(draft)).to.equal(draft.id);
      expect(await world.market.journal.load(draft.auction_id, draft.id)).to.include({ status: 'active' });
      expect(await world.market.bid(draft.id, world.bidder.id, 10_000)).to.include({ kind: 'bid' });
      const problem = await refusal(schedule(draft));
      expect(problem).to.include({ code: 'invalid_transition' });
      expect(problem.data).to.deep.include({ status: 'active', allowed: ['withdrawn'] });
    });

    it('takes no lot into an auction that is over, nor into one whose last lot has just closed', async () => {
      const cancelled = await live();
      await moveAuction(world.market, cancelled.auction.id, 'cancelled');
      const draft = await aLot(world.market.db, { auction_id: cancelled.auction.id, status: 'draft' });
      expect(await refusal(schedule(draft))).to.include({ code: 'invalid_transition' });
      const sold = await live();
      const late = await aLot(world.market.db, { auction_id: sold.auction.id, status: 'draft' });
      await world.market.engine.submit(sold.lot.id, {
        type: 'record_sale',
        bidId: 'hammer',
        salt: 'salt-of-hammer',
        auctionRuns: true,
        result: 'unsold',
        hammerCents: null,
        winner: null,
        currency: null,
        floor: { platform: 'p', sequence: 1 },
      });
      expect(await refusal(schedule(late))).to.include({ code: 'invalid_transition' });
      expect(await refusal(moveAuction(world.market, sold.auction.id, 'paused'))).to.include({
        code: 'invalid_transition',
      });
    });

    it('withdraws a lot without bids for a seller, one with bids for an admin only', async () => {
      const { lots } = await live({}, 2);
      await world.market.bid(lots[1]!.id, world.bidder.id, 10_000);
      const seller = { reason: 'damaged', byAdmin: false };
      expect(await withdrawLot(world.market, lots[0]!.id, seller)).to.include({ status: 'withdrawn' });
      expect(await refusal(withdrawLot(world.market, lots[1]!.id, seller))).to.include({
        code: 'invalid_transition',
      });
      expect(await withdrawLot(world.market, lots[1]!.id, { ...seller, byAdmin: true })).to.include({
        status: 'withdrawn',
      });
      const again = await refusal(withdrawLot(world.market, lots[1]!.id, seller));
      expect(again.data).to.deep.include({ status: 'withdrawn', allowed: [] });
    });

    it('changes terms until the first bid, and then lowers the reserve only', async () => {
      const { auction, lot } = await live();
      await changeTerms(world.market, lot.id, {
        startingBidCents: 20_000,
        reserveCents: 90_000,
        buyNowCents: 500_000,
      });
      expect(await world.market.bid(lot.id, world.bidder.id, 10_000)).to.include({ code: 'bid_too_low' });
      await world.market.bid(lot.id, world.bidder.id, null, 60_000);
      for (const terms of [{ startingBidCents: 1 }, { reserveCents: 90_001 }, { buyNowCents: null }]) {
        expect(await refusal(changeTerms(world.market, lot.id, terms))).to.include({
          code: 'lot_locked',
        });
      }
      await changeTerms(world.market, lot.id, { reserveCents: 50_000 });
      expect(await world.market.journal.load(auction.id, lot.id)).to.include({ currentCents: 50_000 });
    });
  });
}
