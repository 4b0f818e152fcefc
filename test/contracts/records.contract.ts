/**
 * The journal's contract, third part: an auction's record and its registrations hold for the very next bid on every
 * process.
 */
import { expect } from 'chai';
import { userKey } from '../../engine/auction/record.ts';
import { present } from '../../engine/first-of.ts';
import { aBid, aBidder, aPerson } from '../support/engine-terms.ts';
import { type JournalStore, nextId, refusedWith, taken, twoProcesses } from './market.ts';

export function describeRecords(store: () => JournalStore): void {
  const at = twoProcesses(store);

  const newcomer = (userId: number, paddle: string | null = null) => ({
    key: userKey(userId),
    userId,
    alias: `alias-${userId}`,
    paddle,
  });

  describe('a change of the record', () => {
    it('is accepted once, from a process that knew the previous version', async () => {
      const { auctionId } = await at.market.auction(at.one.journal);
      const record = present(await at.one.journal.loadRecord(auctionId));
      const changed = { ...record, version: 2, confirmFactor: 5 };
      const both = [at.one.journal.saveRecord(changed), at.other.journal.saveRecord(changed)];
      expect((await Promise.all(both)).sort()).to.deep.equal([false, true]);
      expect(await at.other.journal.loadRecord(auctionId)).to.deep.equal(changed);
      expect(await at.one.journal.saveRecord({ ...record, version: 4 })).to.equal(false);
      expect(await at.one.journal.loadRecord(nextId())).to.equal(null);
      const frames = await store().frames(auctionId);
      const versions = frames.map(
        (frame) =>
          frame.kind === 'auction' &&
          frame.event.type === 'auction_recorded' && [
            frame.event.record.version,
            frame.event.record.confirmFactor,
          ],
      );
      expect(versions).to.deep.equal([
        [1, record.confirmFactor],
        [2, 5],
      ]);
    });

    it('to a pause holds for the very next bid elsewhere, and the end moves when it is over', async () => {
      const record = await at.market.auction(at.one.journal);
      const lotId = at.market.lot(record);
      const before = await taken(at.other.engine, lotId, aBid());
      const fromUs = await store().clockUs();
      await at.market.change(at.one.journal, record.auctionId, { pauses: [{ fromUs, toUs: null }] });
      expect(await refusedWith(at.other.engine, lotId, aBid({ straightCents: 90_000 }))).to.equal(
        'auction_paused',
      );
      const toUs = await store().clockUs();
      await at.market.change(at.one.journal, record.auctionId, { pauses: [{ fromUs, toUs }] });
      const after = await taken(at.other.engine, lotId, aBid({ straightCents: 90_000 }));
      expect(after.lot.endsAtUs - before.lot.endsAtUs).to.equal(toUs - fromUs);
    });

    it('to other increments and a cancellation holds for the very next bid elsewhere', async () => {
      const record = await at.market.auction(at.one.journal);
      const lotId = at.market.lot(record);
      await taken(at.other.engine, lotId, aBid());
      const increments = [{ fromCents: 0, incrementCents: 77 }];
      await at.market.change(at.one.journal, record.auctionId, { increments });
      const bid = await taken(at.other.engine, lotId, aBid({ bidder: aPerson(2), straightCents: 10_077 }));
      expect(bid.lot.minimumNextCents).to.equal(10_154);
      await at.market.change(at.one.journal, record.auctionId, { cancelled: true });
      expect(await refusedWith(at.other.engine, lotId, aBid({ straightCents: 90_000 }))).to.equal(
        'lot_withdrawn',
      );
    });
  });

  describe('a registration', () => {
    it('gives each person one paddle, however often and wherever it is requested', async () => {
      const { auctionId } = await at.market.auction(at.one.journal);
      const people = [1, 2, 3].map((userId) => newcomer(userId));
      const lists = await Promise.all(
        [at.one, at.other, at.one].map(({ journal }) => journal.register(auctionId, people)),
      );
      for (const list of lists) expect(list).to.deep.equal(lists[0]);
      const paddles = lists[0]!.map(({ paddle }) => paddle);
      expect(new Set(paddles).size).to.equal(3);
      for (const [index, paddle] of paddles.entries())
        expect(await at.other.journal.findPaddle(auctionId, paddle!)).to.equal(people[index]!.key);
      expect(await at.other.journal.findPaddle(auctionId, '99999')).to.equal(null);
      expect(await at.other.journal.loadBidders(auctionId, [userKey(2), userKey(4)])).to.deep.equal(
        new Map([
          [userKey(2), { bidder: lists[0]![1], exposureCents: 0 }],
          [userKey(4), { bidder: null, exposureCents: 0 }],
        ]),
      );
    });

    it("keeps a platform's paddle, and gives nobody a number that is taken", async () => {
      const { auctionId } = await at.market.auction(at.one.journal);
      const floor = { key: 'x:hall:b-9', userId: null, alias: 'alias-x', paddle: '1001' };
      const [first, second] = await at.one.journal.register(auctionId, [floor, newcomer(1)]);
      expect(first).to.deep.equal({ ...floor, status: 'approved', limitCents: null });
      expect(second!.paddle).not.to.equal('1001');
    });

    it('keeps the largest limit to the cent, and texts of any kind', async () => {
      const { auctionId } = await at.market.auction(at.one.journal);
      const alias = 'ünï "\\/ \u2028\n\u0000 😀';
      const bidder = aBidder(1, { alias, limitCents: 99_999_999_999_999, paddle: 'A/7' });
      expect(await at.one.journal.saveBidder(auctionId, bidder, alias)).to.deep.equal(bidder);
      const found = await at.other.journal.loadBidders(auctionId, [bidder.key]);
      expect(found.get(bidder.key)?.bidder).to.deep.equal(bidder);
      const frame = (await store().frames(auctionId)).at(-1);
      expect(frame).to.deep.include({ event: { type: 'bidder_saved', bidder, reason: alias } });
    });

    it('that was suspended or declined stays so, whoever asks for a paddle meanwhile', async () => {
      const { auctionId } = await at.market.auction(at.one.journal);
      for (const [index, status] of (['suspended', 'declined', 'pending'] as const).entries()) {
        const bidder = aBidder(index + 1, { status, paddle: null });
        await at.one.journal.saveBidder(auctionId, bidder, null);
        const [after] = await at.other.journal.register(auctionId, [newcomer(index + 1)]);
        expect(after).to.deep.equal(bidder);
      }
      await at.one.journal.saveBidder(auctionId, aBidder(4, { status: 'deposit_due', paddle: null }), null);
      expect((await at.other.journal.register(auctionId, [newcomer(4)]))[0]).to.include({
        status: 'approved',
      });
    });

    it('decided before the auction is published does not block it', async () => {
      const auctionId = nextId();
      await at.one.journal.saveBidder(auctionId, aBidder(1, { paddle: null }), null);
      const record = await at.market.auction(at.one.journal, { auctionId });
      // An outage that the journal recorded at this moment is no matter here.
      const loaded = await at.other.journal.loadRecord(auctionId);
      expect({ ...loaded, outages: [] }).to.deep.equal({ ...record, outages: [] });
    });

    it('that is suspended holds for the very next bid elsewhere, and so does its end', async () => {
      const record = await at.market.auction(at.one.journal);
      const lotId = at.market.lot(record);
      await taken(at.other.engine, lotId, aBid());
      const bidders = await at.one.journal.loadBidders(record.auctionId, [userKey(1)]);
      const { bidder } = bidders.get(userKey(1))!;
      await at.one.journal.saveBidder(record.auctionId, { ...bidder!, status: 'suspended' }, 'no payment');
      const bid = () => aBid({ straightCents: 90_000 });
      expect(await refusedWith(at.other.engine, lotId, bid())).to.equal('bidder_suspended');
      await at.one.journal.saveBidder(record.auctionId, bidder!, null);
      await taken(at.other.engine, lotId, bid());
    });

    it('with a lower limit holds for the very next bid elsewhere', async () => {
      const record = await at.market.auction(at.one.journal);
      const lotId = at.market.lot(record);
      await taken(at.other.engine, lotId, aBid());
      await at.one.journal.saveBidder(record.auctionId, aBidder(1, { limitCents: 20_000 }), null);
      const over = aBid({ straightCents: 20_001 });
      expect(await refusedWith(at.other.engine, lotId, over)).to.equal('bid_limit_exceeded');
      await taken(at.other.engine, lotId, aBid({ straightCents: 20_000 }));
    });
  });
}
