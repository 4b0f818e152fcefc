/**
 * The journal's contract, fourth part: a bidder's limit over the lots of an auction holds over all processes, refuses
 * only what truly exceeds it, and what no longer binds is given back.
 */
import { expect } from 'chai';
import { userKey } from '../../engine/auction/record.ts';
import { decodeEvents } from '../../engine/lot/event-codec.ts';
import { historyOf } from '../support/engine-rows.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { bidBatch } from './batches.ts';
import {
  answerOf,
  commit,
  type JournalStore,
  Market,
  type Process,
  refusedWith,
  taken,
  wordOf,
} from './market.ts';

export function describeLimits(store: () => JournalStore): void {
  let market: Market;
  let one: Process;
  let other: Process;
  beforeEach(async () => {
    market = new Market(store());
    one = await market.process();
    other = await market.process();
  });

  async function exposureOf(auctionId: number, userId: number): Promise<number> {
    const found = await one.journal.loadBidders(auctionId, [userKey(userId)]);
    return found.get(userKey(userId))!.exposureCents;
  }

  it('is never exceeded by bids at once on lots in two processes, and filled exactly', async () => {
    const record = await market.auction(one.journal, { bidLimitCents: 100_000 });
    const lots = Array.from({ length: 40 }, () => market.lot(record));
    const results = await Promise.all(
      lots.map((lotId, index) => answerOf((index % 2 === 0 ? one : other).engine, lotId, aBid())),
    );
    const words = results.map(wordOf);
    expect(words.filter((word) => word === 'leading')).to.have.length(10);
    expect(words.filter((word) => word === 'bid_limit_exceeded')).to.have.length(30);
    expect(await exposureOf(record.auctionId, 1)).to.equal(100_000);
  });

  it('refuses nothing on what another process knows to be over', async () => {
    const record = await market.auction(one.journal, { bidLimitCents: 30_000 });
    const [first, second] = [market.lot(record), market.lot(record)];
    await taken(one.engine, first, aBid({ ceilingCents: 30_000 }));
    expect(await refusedWith(one.engine, second, aBid())).to.equal('bid_limit_exceeded');
    await taken(other.engine, first, aBid({ bidder: aPerson(2, { userId: null }), straightCents: 31_000 }));
    await taken(one.engine, second, aBid({ ceilingCents: 30_000 }));
    expect(await exposureOf(record.auctionId, 1)).to.equal(30_000);
  });

  it('takes nothing on what another process knows to be bound', async () => {
    const record = await market.auction(one.journal, { bidLimitCents: 30_000 });
    const [first, second, third] = [market.lot(record), market.lot(record), market.lot(record)];
    await taken(one.engine, first, aBid());
    await taken(other.engine, second, aBid({ ceilingCents: 20_000 }));
    expect(await refusedWith(one.engine, third, aBid())).to.equal('bid_limit_exceeded');
    expect(await refusedWith(one.engine, first, aBid({ ceilingCents: 10_001 }))).to.equal(
      'bid_limit_exceeded',
    );
  });

  it('comes back with the true figure when it was assumed wrongly, either way', async () => {
    const record = await market.auction(one.journal);
    const { auctionId } = record;
    await taken(one.engine, market.lot(record), aBid({ ceilingCents: 50_000 }));
    const state = await one.engine.open(auctionId, market.toOpen(market.lot(record)));
    const key = userKey(1);
    const limit = (limitCents: number, assumedCents: number, increaseCents: number, refused: boolean) =>
      commit(one.journal, auctionId, (nowUs) => {
        const limits = [{ key, limitCents, assumedCents, increaseCents, refused }];
        return bidBatch(state, record, nowUs, { limits, expectedSequence: state.sequence });
      });
    const actual = new Map([[key, 50_000]]);
    expect(await limit(60_000, 0, 10_001, false)).to.deep.equal({ kind: 'exposure', actual });
    expect(await limit(60_000, 60_000, 0, true)).to.deep.equal({ kind: 'exposure', actual });
    expect(await limit(60_000, 0, 10_000, false)).to.deep.equal({ kind: 'committed' });
  });

  describe('the exposure goes back to nothing', () => {
    async function leading() {
      const nowUs = await store().clockUs();
      const record = await market.auction(one.journal, { endsAtUs: nowUs + 600_000_000 });
      const lotId = market.lot(record);
      const bid = await taken(one.engine, lotId, aBid({ ceilingCents: 50_000 }));
      expect(await exposureOf(record.auctionId, 1)).to.equal(50_000);
      return { auctionId: record.auctionId, lotId, bid };
    }

    it('with the close', async () => {
      const { auctionId, lotId } = await leading();
      await market.change(one.journal, auctionId, { endsAtUs: await store().clockUs() });
      await other.engine.submit(lotId, { type: 'advance' });
      expect(await one.journal.load(auctionId, lotId)).to.include({ status: 'sold', hammerCents: 10_000 });
      expect(await exposureOf(auctionId, 1)).to.equal(0);
    });

    it('with a withdrawal', async () => {
      const { auctionId, lotId } = await leading();
      await other.engine.submit(lotId, { type: 'withdraw', reason: 'fire', byAdmin: true });
      expect(await exposureOf(auctionId, 1)).to.equal(0);
    });

    it('with the floor selling to somebody else', async () => {
      const { auctionId, lotId } = await leading();
      const winner = { key: 'x:hall:b-9', userId: null, paddle: '88' };
      const floor = { platform: 'hall', sequence: 1 };
      const sale = {
        type: 'record_sale',
        bidId: 'hammer',
        salt: 'salt-of-hammer',
        auctionRuns: true,
        result: 'sold',
        hammerCents: 60_000,
        winner,
        currency: null,
        floor,
      } as const;
      await other.engine.submit(lotId, sale);
      expect(await exposureOf(auctionId, 1)).to.equal(0);
    });

    it('with a higher bid, a purchase of one, and a void', async () => {
      const { auctionId, lotId, bid } = await leading();
      const higher = await taken(other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 60_000 }));
      expect(await exposureOf(auctionId, 1)).to.equal(0);
      expect(await exposureOf(auctionId, 2)).to.equal(60_000);
      await voidBid(auctionId, lotId, higher.bidId);
      expect(await exposureOf(auctionId, 1)).to.equal(50_000);
      expect(await exposureOf(auctionId, 2)).to.equal(0);
      await voidBid(auctionId, lotId, bid.bidId);
      expect(await exposureOf(auctionId, 1)).to.equal(0);
    });
  });

  async function voidBid(auctionId: number, lotId: number, bidId: string): Promise<void> {
    const entries = await market.entries(auctionId, lotId);
    const history = historyOf(entries.flatMap(({ privateText }) => decodeEvents(privateText)));
    const { answer } = await answerOf(one.engine, lotId, {
      type: 'void_bid',
      bidId,
      reason: 'a slip',
      history,
    });
    expect(answer).to.include({ kind: 'done', changed: true });
  }
}
