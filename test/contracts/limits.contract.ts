/**
 * The journal's contract, fourth part: a bidder's limit over the lots of an auction holds across processes, refuses
 * only what truly exceeds it, and is released when bids stop counting.
 */

import { expect } from 'chai';
import { userKey } from '../../engine/auction/record.ts';
import { decodeEvents } from '../../engine/formats/english/event-codec.ts';
import { historyOf } from '../support/engine-rows.ts';
import { aBid, aPerson } from '../support/engine-terms.ts';
import { bidBatch } from './batches.ts';
import { answerOf, commit, type JournalStore, refusedWith, taken, twoProcesses, wordOf } from './market.ts';

export function describeLimits(store: () => JournalStore): void {
  const at = twoProcesses(store);

  async function exposureOf(auctionId: number, userId: number): Promise<number> {
    const found = await at.one.journal.loadBidders(auctionId, [userKey(userId)]);
    return found.get(userKey(userId))!.exposureCents;
  }

  it('is never exceeded by bids at once on lots in two processes, and filled exactly', async () => {
    const record = await at.market.auction(at.one.journal, { bidLimitCents: 100_000 });
    const lots = Array.from({ length: 40 }, () => at.market.lot(record));
    const results = await Promise.all(
      lots.map((lotId, index) => answerOf((index % 2 === 0 ? at.one : at.other).engine, lotId, aBid())),
    );
    const words = results.map(wordOf);
    expect(words.filter((word) => word === 'leading')).to.have.length(10);
    expect(words.filter((word) => word === 'bid_limit_exceeded')).to.have.length(30);
    expect(await exposureOf(record.auctionId, 1)).to.equal(100_000);
  });

  it('refuses nothing on what another process knows to be over', async () => {
    const record = await at.market.auction(at.one.journal, { bidLimitCents: 30_000 });
    const [first, second] = [at.market.lot(record), at.market.lot(record)];
    await taken(at.one.engine, first, aBid({ ceilingCents: 30_000 }));
    expect(await refusedWith(at.one.engine, second, aBid())).to.equal('bid_limit_exceeded');
    await taken(
      at.other.engine,
      first,
      aBid({ bidder: aPerson(2, { userId: null }), straightCents: 31_000 }),
    );
    await taken(at.one.engine, second, aBid({ ceilingCents: 30_000 }));
    expect(await exposureOf(record.auctionId, 1)).to.equal(30_000);
  });

  it('accepts no key that another process knows to be bound', async () => {
    const record = await at.market.auction(at.one.journal, { bidLimitCents: 30_000 });
    const [first, second, third] = [at.market.lot(record), at.market.lot(record), at.market.lot(record)];
    await taken(at.one.engine, first, aBid());
    await taken(at.other.engine, second, aBid({ ceilingCents: 20_000 }));
    expect(await refusedWith(at.one.engine, third, aBid())).to.equal('bid_limit_exceeded');
    expect(await refusedWith(at.one.engine, first, aBid({ ceilingCents: 10_001 }))).to.equal(
      'bid_limit_exceeded',
    );
  });

  it('comes back with the true figure when the assumption was wrong, either way', async () => {
    const record = await at.market.auction(at.one.journal);
    const { auctionId } = record;
    await taken(at.one.engine, at.market.lot(record), aBid({ ceilingCents: 50_000 }));
    const state = await at.one.engine.open(auctionId, at.market.toOpen(at.market.lot(record)));
    const key = userKey(1);
    const limit = (limitCents: number, assumedCents: number, increaseCents: number, refused: boolean) =>
      commit(at.one.journal, auctionId, (nowUs) => {
        const limits = [{ key, limitCents, assumedCents, increaseCents, refused }];
        return bidBatch(state, record, nowUs, { limits, expectedSequence: state.sequence });
      });
    const actual = new Map([[key, 50_000]]);
    expect(await limit(60_000, 0, 10_001, false)).to.deep.equal({ kind: 'exposure', actual });
    expect(await limit(0, 0, 10_000_000, false)).to.deep.equal({ kind: 'exposure', actual });
    expect(await limit(60_000, 60_000, 0, true)).to.deep.equal({ kind: 'exposure', actual });
    expect(await limit(60_000, 0, 10_000, false)).to.deep.equal({ kind: 'committed' });
  });

  describe('the exposure goes back to nothing', () => {
    async function leading() {
      const nowUs = await store().clockUs();
      const record = await at.market.auction(at.one.journal, { endsAtUs: nowUs + 600_000_000 });
      const lotId = at.market.lot(record);
      const bid = await taken(at.one.engine, lotId, aBid({ ceilingCents: 50_000 }));
      expect(await exposureOf(record.auctionId, 1)).to.equal(50_000);
      return { auctionId: record.auctionId, lotId, bid };
    }

    it('with the close', async () => {
      const { auctionId, lotId } = await leading();
      await at.market.change(at.one.journal, auctionId, { endsAtUs: await store().clockUs() });
      await at.other.engine.submit(lotId, { type: 'advance' });
      expect(await at.one.journal.load(auctionId, lotId)).to.include({ status: 'sold', hammerCents: 10_000 });
      expect(await exposureOf(auctionId, 1)).to.equal(0);
    });

    it('with a withdrawal', async () => {
      const { auctionId, lotId } = await leading();
      await at.other.engine.submit(lotId, { type: 'withdraw', reason: 'fire', byAdmin: true });
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
      await at.other.engine.submit(lotId, sale);
      expect(await exposureOf(auctionId, 1)).to.equal(0);
    });

    it('with a higher bid, a purchase of at.one, and a void', async () => {
      const { auctionId, lotId, bid } = await leading();
      const higher = await taken(at.other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 60_000 }));
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
    const entries = await at.market.entries(auctionId, lotId);
    const history = historyOf(entries.flatMap(({ privateText }) => decodeEvents(privateText)));
    const { answer } = await answerOf(at.one.engine, lotId, {
      type: 'void_bid',
      bidId,
      reason: 'a slip',
      history,
    });
    expect(answer).to.include({ kind: 'done', changed: true });
  }
}
