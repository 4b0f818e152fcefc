import { expect } from 'chai';
import { usFromIso } from '../../../../engine/time.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { changeRecord } from '../../../../src/bidding/records/auction-changes.ts';
import { type LiveParts, liveStatesOf } from '../../../../src/bidding/records/auction-lots.ts';
import { Followers } from '../../../../src/bidding/records/followers.ts';
import type { Lot } from '../../../../src/bidding/records/lot.model.ts';
import { scheduleLot } from '../../../../src/bidding/records/lot-changes.ts';
import { publishPending } from '../../../../src/bidding/records/publishing.ts';
import { endEmptyAuctions, startDueAuctions } from '../../../../src/bidding/records/timetable.ts';
import {
  type AuctionSettings,
  settingsIn,
  withSettings,
} from '../../../../src/selling/auctions/auction-settings.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { isoIn, type Market, moveAuction, openMarket } from '../../../support/market.ts';
import { lotChangesSuite, refusal } from './lot-changes-suite.ts';

const changeSettings = (parts: LiveParts, auctionId: number, settings: AuctionSettings) =>
  changeRecord(parts, auctionId, withSettings(parts, settings, ['owner']));

describe('changes of auctions and lots', () => {
  let market: Market;
  let bidder: User;

  before(async () => {
    market = await openMarket();
    bidder = await aUser(market.db);
  });

  after(() => market.close());

  const live = async (columns: Parameters<typeof anAuction>[1] = {}, lots = 1) => {
    const auction = await anAuction(market.db, columns);
    const made = [];
    for (let at = 0; at < lots; at++) made.push(await aLot(market.db, { auction_id: auction.id }));
    await market.publish(auction.id);
    return { auction, lot: made[0]!, lots: made };
  };

  describe('publishing', () => {
    const draft = async (approved = true) => {
      const team = await aTeam(market.db, { approved });
      const auction = await anAuction(market.db, {
        team_id: team.id,
        status: 'draft',
        start_time: isoIn(market, 60_000),
      });
      const lot = await aLot(market.db, { auction_id: auction.id, status: 'draft' });
      return { auction, lot };
    };

    it('schedules a draft with its lots, puts them under the engine and tells subscribers once', async () => {
      const { auction, lot } = await draft();
      expect(await moveAuction(market, auction.id, 'scheduled')).to.include({ status: 'scheduled' });
      expect(await moveAuction(market, auction.id, 'scheduled')).to.include({ status: 'scheduled' });
      const row = await market.knex('lots').where('id', lot.id).first('status');
      expect(row.status).to.equal('scheduled');
      expect(await market.journal.load(auction.id, lot.id)).to.include({ status: 'scheduled' });
      const facts = await market.knex('events').where({ auction_id: auction.id }).pluck('type');
      expect(facts).to.deep.equal(['auction.published']);
    });

    it('is refused to teams that are not approved', async () => {
      const { auction } = await draft(false);
      expect(await refusal(moveAuction(market, auction.id, 'scheduled'))).to.include({
        code: 'seller_not_approved',
      });
    });

    it('starts at once where the start has come, and not twice', async () => {
      const { auction } = await draft();
      await market
        .knex('auctions')
        .where('id', auction.id)
        .update({ start_time: isoIn(market, -1_000) });
      expect(await moveAuction(market, auction.id, 'scheduled')).to.include({ status: 'active' });
      expect(await Promise.all([startDueAuctions(market), startDueAuctions(market)])).to.deep.equal([0, 0]);
    });

    it('is finished by the process that finds it half done', async () => {
      const { auction, lot } = await draft();
      await market.knex('auctions').where('id', auction.id).update({ status: 'scheduled' });
      await market.knex('lots').where('id', lot.id).update({ status: 'scheduled' });
      await publishPending(market);
      expect(await market.journal.load(auction.id, lot.id)).to.include({ status: 'scheduled' });
    });

    it('starts an auction once, however many processes check the clock at the same time', async () => {
      const { auction } = await draft();
      await moveAuction(market, auction.id, 'scheduled');
      await changeSettings(market, auction.id, { startsAtUs: market.journal.nowUs() });
      const others = await Promise.all([market.another(), market.another()]);
      const started = await Promise.all(
        [market, ...others].map((one) => startDueAuctions(one, [auction.id])),
      );
      expect(started.reduce((sum, count) => sum + count, 0)).to.equal(1);
      const facts = await market.knex('events').where({ auction_id: auction.id, type: 'auction.started' });
      expect(facts).to.have.length(1);
    });

    it('ends an auction without lots when its end has passed', async () => {
      const auction = await anAuction(market.db, { end_time: isoIn(market, -1_000) });
      const other = await anAuction(market.db, { end_time: isoIn(market, 60_000) });
      await endEmptyAuctions(market);
      const rows = await market.knex('auctions').whereIn('id', [auction.id, other.id]).orderBy('id');
      expect(rows.map(({ status }) => status)).to.deep.equal(['ended', 'active']);
    });
  });

  const schedule = async (lot: Lot) =>
    scheduleLot(
      market,
      { teamId: lot.team_id, userId: null, isStaff: false },
      lot.auction_id,
      async () => lot.id,
    );

  describe('moves', () => {
    it('accepts only those that people may request, and names them', async () => {
      const { auction } = await live();
      for (const to of ['scheduled', 'draft', 'ended', 'settled'] as const) {
        const problem = await refusal(moveAuction(market, auction.id, to));
        expect(problem).to.include({ code: 'invalid_transition' });
        expect(problem.data).to.deep.include({ allowed: ['paused', 'cancelled'] });
      }
    });

    it('holds a pause for the very next bid on every process, and moves ends exactly', async () => {
      const { auction, lot, lots } = await live({ stagger_seconds: 30 }, 3);
      const other = await market.another();
      const command = { type: 'advance' } as const;
      await other.engine.submit(lot.id, command);
      const before = await liveStatesOf(market, auction.id);
      await moveAuction(other, auction.id, 'paused');
      expect(await market.bid(lot.id, bidder.id, 10_000)).to.include({ code: 'auction_paused' });
      expect((await market.journal.load(auction.id, lots[2]!.id))!.paused).to.equal(true);
      const { record, status } = await moveAuction(market, auction.id, 'active');
      expect(status).to.equal('active');
      const pause = record!.pauses[0]!;
      const after = await liveStatesOf(market, auction.id);
      for (const [at, state] of after.entries()) {
        expect(state.endsAtUs - before[at]!.endsAtUs).to.equal(pause.toUs! - pause.fromUs);
        expect(state.originalEndsAtUs).to.equal(state.endsAtUs);
      }
      expect(record!.endsAtUs).to.equal(usFromIso(auction.end_time)! + pause.toUs! - pause.fromUs);
      expect(await market.bid(lot.id, bidder.id, 10_000)).to.include({ kind: 'bid' });
    });

    it('is paused once if two pause it at the same time', async () => {
      const { auction } = await live();
      const both = await Promise.allSettled([
        moveAuction(market, auction.id, 'paused'),
        moveAuction(market, auction.id, 'paused'),
      ]);
      expect(both.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled']);
      expect((await market.journal.loadRecord(auction.id))!.pauses).to.have.length(1);
    });

    it('withdraws the lots of a cancelled auction, those with bids and drafts too', async () => {
      const { auction, lot } = await live({}, 2);
      await market.bid(lot.id, bidder.id, 10_000);
      const draft = await aLot(market.db, { auction_id: auction.id, status: 'draft' });
      const seller = await refusal(moveAuction(market, auction.id, 'cancelled'));
      expect(seller).to.include({ code: 'auction_locked' });
      expect(await moveAuction(market, auction.id, 'cancelled', true)).to.include({ status: 'cancelled' });
      const states = await liveStatesOf(market, auction.id);
      expect(states.map(({ status }) => status)).to.deep.equal(['withdrawn', 'withdrawn']);
      expect(await market.bid(lot.id, bidder.id, 20_000)).to.include({ code: 'lot_withdrawn' });
      expect((await market.knex('lots').where('id', draft.id).first('status')).status).to.equal('withdrawn');
      const again = await refusal(moveAuction(market, auction.id, 'active'));
      expect(again.data).to.deep.include({ status: 'cancelled', allowed: [] });
    });

    it('cancels a draft in place', async () => {
      const auction = await anAuction(market.db, { status: 'draft' });
      const lot = await aLot(market.db, { auction_id: auction.id, status: 'draft' });
      expect(await moveAuction(market, auction.id, 'cancelled')).to.include({ status: 'cancelled' });
      expect((await market.knex('lots').where('id', lot.id).first('status')).status).to.equal('withdrawn');
    });

    it('updates lots even if the process that resumed the auction died before', async () => {
      const { auction, lot } = await live();
      await moveAuction(market, auction.id, 'paused');
      const record = (await market.journal.loadRecord(auction.id))!;
      const [pause] = record.pauses;
      const resumed = {
        ...record,
        version: record.version + 1,
        pauses: [{ ...pause!, toUs: market.journal.nowUs() }],
      };
      expect(await market.journal.saveRecord(resumed)).to.equal(true);
      expect((await market.journal.load(auction.id, lot.id))!.paused).to.equal(true);
      expect(await new Followers(market).followMoved()).to.be.at.least(1);
      expect((await market.journal.load(auction.id, lot.id))!.paused).to.equal(false);
    });
  });

  describe('settings', () => {
    it('takes all of them before the first bid, and lots follow at once', async () => {
      const { auction, lot } = await live();
      const before = (await market.journal.load(auction.id, lot.id))!;
      const endsAtUs = before.endsAtUs - 3_600_000_000;
      await changeSettings(market, auction.id, {
        endsAtUs,
        premiumBps: 1_500,
        currency: 'eur',
        staggerSeconds: 60,
      });
      expect((await market.journal.load(auction.id, lot.id))!.endsAtUs).to.equal(endsAtUs);
      expect(await market.bid(lot.id, bidder.id, 10_000)).to.include({ kind: 'bid' });
    });

    it('freezes its terms with the first bid, voided or not, but neither soft close nor a later end', async () => {
      const { auction, lot } = await live();
      await market.bid(lot.id, bidder.id, 10_000);
      const record = (await market.journal.loadRecord(auction.id))!;
      const frozen = [
        { premiumBps: 1_000 },
        { currency: 'eur' },
        { increments: [{ fromCents: 0, incrementCents: 100 }] },
        { endsAtUs: record.endsAtUs - 1 },
        { startsAtUs: record.startsAtUs - 1 },
        { staggerSeconds: 5 },
      ];
      for (const settings of frozen) {
        const problem = await refusal(changeSettings(market, auction.id, settings));
        expect(problem, JSON.stringify(settings)).to.include({ code: 'auction_locked' });
      }
      const softClose = { windowSeconds: 10, extensionSeconds: 20, maxExtensions: 3 };
      await changeSettings(market, auction.id, { softClose, endsAtUs: record.endsAtUs + 1_000_000 });
      expect((await market.journal.load(auction.id, lot.id))!.endsAtUs).to.equal(record.endsAtUs + 1_000_000);
    });

    it('checks again if a first bid arrives between the check of the lots and the change', async () => {
      const { auction, lots } = await live({}, 3);
      const inBetween = Object.create(market.journal) as typeof market.journal;
      let saves = 0;
      inBetween.saveRecord = async (record, unmoved) => {
        saves += 1;
        if (saves === 1) await market.bid(lots[1]!.id, bidder.id, 10_000);
        return market.journal.saveRecord(record, unmoved);
      };
      // The real journal's methods need its own fields.
      inBetween.load = (auctionId, lotId) => market.journal.load(auctionId, lotId);
      inBetween.loadRecord = (auctionId) => market.journal.loadRecord(auctionId);
      inBetween.nowUs = () => market.journal.nowUs();
      const parts = { ...market, journal: inBetween };
      expect(await refusal(changeSettings(parts, auction.id, { premiumBps: 500 }))).to.include({
        code: 'auction_locked',
      });
      expect(saves).to.equal(1);
      expect((await market.journal.loadRecord(auction.id))!.premiumBps).to.equal(0);
    });

    it('takes an end only in the future and after the start', async () => {
      const { auction } = await live();
      const record = (await market.journal.loadRecord(auction.id))!;
      for (const endsAtUs of [record.startsAtUs, market.journal.nowUs() - 1]) {
        expect(await refusal(changeSettings(market, auction.id, { endsAtUs }))).to.include({
          code: 'validation_failed',
        });
      }
    });

    it('reads them from a seller’s columns', async () => {
      const { auction } = await live();
      const columns = {
        title: 'New',
        buyer_premium_bps: 700,
        soft_close_window_seconds: null,
        soft_close_extension_seconds: null,
      };
      const settings = settingsIn(auction, columns);
      expect(settings).to.deep.equal({
        premiumBps: 700,
        softClose: { windowSeconds: 0, extensionSeconds: 0, maxExtensions: null },
      });
    });
  });

  lotChangesSuite({
    live,
    get market() {
      return market;
    },
    schedule,
    get bidder() {
      return bidder;
    },
  });
});
