/**
 * How lots open and close by the clock, with real worker processes: run on one Redis and on a cluster, by the files
 * alongside this one.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { EnglishState } from '../../../../engine/formats/english/english-state.ts';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { liveStatesOf } from '../../../../src/bidding/records/auction-lots.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { eventually, isoIn, type Market, moveAuction, openMarket } from '../../../support/market.ts';

const LOTS = 80;
/** The first are due so long after their auction is published, and later where that takes long. */
const SOON_MS = 6_000;

export function closingSuite(options: { readonly cluster: boolean }): void {
  let market: Market;
  let bidder: User;

  before(async () => {
    market = await openMarket(options);
    bidder = await aUser(market.db);
  });

  after(() => market.close());

  const stateOf = async (auctionId: number, lotId: number) =>
    (await market.journal.load(auctionId, lotId)) as EnglishState;

  it(`closes ${LOTS} lots that are due in the same five seconds once each, though a worker is killed`, async () => {
    const first = await market.worker();
    await market.worker();
    // Drafts until their end is known: a worker puts active ones into the journal on its own.
    const auctions = await Promise.all(
      [0, 1, 2, 3].map(() => anAuction(market.db, { status: 'draft', soft_close_window_seconds: 0 })),
    );
    const ids = auctions.map(({ id }) => id);
    const beganMs = performance.now();
    const lots = await manyLots(market, ids);
    // All bids come before the first end, on a busy machine too.
    const soonMs = Math.min(40_000, SOON_MS + 30 * (performance.now() - beganMs));
    for (const [at, id] of ids.entries()) {
      const end_time = isoIn(market, soonMs + at * 1_400);
      await market.knex('auctions').where('id', id).update({ end_time, status: 'active' });
    }
    for (const id of ids) await market.publish(id);
    // A third is bid on without a reserve, a third below it, a third not at all.
    const bids = await Promise.all(
      lots.filter((_, at) => at % 3 !== 2).map(({ id }) => market.bid(id, bidder.id, 20_000)),
    );
    expect(bids.filter(({ kind }) => kind !== 'bid')).to.deep.equal([]);

    const late: { lotId: number; placedAtUs: number }[] = [];
    let pressing = true;
    const press = (async () => {
      const pressed = lots.filter((_, at) => at % 3 === 0);
      for (let at = 0; pressing; at = (at + 1) % pressed.length) {
        const lot = pressed[at]!;
        const { endsAtUs } = await stateOf(lot.auction_id, lot.id);
        const amount = 20_000 + Math.floor(Math.random() * 1_000_000);
        const answer = await market.bid(lot.id, bidder.id, amount);
        if (answer.kind === 'bid' && answer.placedAtUs >= endsAtUs)
          late.push({ lotId: lot.id, placedAtUs: answer.placedAtUs });
        await sleep(3);
      }
    })();
    setTimeout(() => void first.kill('SIGKILL'), soonMs + 500);

    const closed = await eventually(async () => {
      const states = (await Promise.all(ids.map((id) => liveStatesOf(market, id)))).flat();
      return states.every(({ status }) => status !== 'active' && status !== 'scheduled') && states;
    }, 60_000);
    pressing = false;
    await press;
    expect(late).to.deep.equal([]);
    const byId = new Map(closed.map((state) => [state.lotId, state]));
    for (const [at, lot] of lots.entries()) {
      const state = byId.get(lot.id)!;
      expect(state.status, `lot ${at}`).to.equal(['sold', 'passed', 'unsold'][at % 3]);
      if (at % 3 === 0) expect(state.hammerCents).to.equal(state.currentCents);
    }
    const closings = await eventually(async () => {
      const { rows } = await market.knex.raw<{ rows: { lot_id: number; closes: number }[] }>(
        `SELECT lot_id, count(*) FILTER (WHERE public_text LIKE '%"lot_closed"%')::int AS closes
         FROM journal_entries GROUP BY lot_id HAVING bool_or(public_text LIKE '%"lot_closed"%')`,
      );
      return rows.length === LOTS && rows;
    });
    expect(closings.every(({ closes }) => closes === 1)).to.equal(true);
    const lags = closed.map((state) => state.recordedAtUs - state.endsAtUs);
    expect(Math.min(...lags), 'closed before its end').to.be.at.least(0);
    await eventually(async () => {
      const ended = await market.knex('auctions').where('status', 'ended').whereIn('id', ids);
      return ended.length === 4;
    });
    const facts = await market.knex('events').where('type', 'auction.ended').select('auction_id');
    expect(facts.map(({ auction_id }) => auction_id)).to.have.members(ids);
  });

  it('closes lots one after the other where the auction staggers them', async () => {
    const auction = await anAuction(market.db, { end_time: isoIn(market, 1_000), stagger_seconds: 1 });
    const lots = [];
    for (let at = 0; at < 3; at++) lots.push(await aLot(market.db, { auction_id: auction.id }));
    await market.publish(auction.id);
    const states = await eventually(async () => {
      const found = await liveStatesOf(market, auction.id);
      return found.every(({ status }) => status === 'unsold') && found;
    });
    const first = states[0]!;
    expect(states.map(({ endsAtUs }) => endsAtUs - first.endsAtUs)).to.deep.equal([0, 1_000_000, 2_000_000]);
    for (const { recordedAtUs, endsAtUs } of states) {
      expect(recordedAtUs - endsAtUs).to.be.within(0, 2_000_000);
    }
  });

  it('moves the end by a late bid, and closes at the new one', async () => {
    const { auction, lot, bid, extensionUs } = await inTime(1_500, async (soonMs) => {
      const seconds = Math.ceil(soonMs / 1_000);
      const auction = await anAuction(market.db, {
        end_time: isoIn(market, soonMs),
        soft_close_window_seconds: seconds,
        soft_close_extension_seconds: seconds,
      });
      const lot = await aLot(market.db, { auction_id: auction.id });
      await market.publish(auction.id);
      const bid = await market.bid(lot.id, bidder.id, 10_000);
      return bid.kind === 'bid' ? { auction, lot, bid, extensionUs: seconds * 1_000_000 } : null;
    });
    expect(bid.lot.extended).to.equal(true);
    expect(bid.lot.endsAtUs).to.equal(bid.placedAtUs + extensionUs);
    const state = await eventually(async () => {
      const found = await stateOf(auction.id, lot.id);
      return found.status === 'sold' && found;
    });
    expect(state.recordedAtUs).to.be.at.least(bid.lot.endsAtUs);
    expect(state.endsAtUs).to.equal(bid.lot.endsAtUs);
  });

  it('closes nothing while an auction is paused, and moves its ends by the length of the pause', async () => {
    const { auction, lot, before } = await inTime(1_200, async (soonMs) => {
      const auction = await anAuction(market.db, {
        end_time: isoIn(market, soonMs),
        soft_close_window_seconds: 0,
      });
      const lot = await aLot(market.db, { auction_id: auction.id });
      await market.publish(auction.id);
      const before = await stateOf(auction.id, lot.id);
      await moveAuction(market, auction.id, 'paused');
      return market.journal.nowUs() < before.endsAtUs ? { auction, lot, before } : null;
    });
    expect(await market.bid(lot.id, bidder.id, 10_000)).to.include({ code: 'auction_paused' });
    await sleep((before.endsAtUs - market.journal.nowUs()) / 1_000 + 300);
    expect((await stateOf(auction.id, lot.id)).status).to.not.equal('unsold');
    const { record } = await moveAuction(market, auction.id, 'active');
    const [pause] = record!.pauses;
    const after = await stateOf(auction.id, lot.id);
    expect(after.endsAtUs - before.endsAtUs).to.equal(pause!.toUs! - pause!.fromUs);
    expect(await market.bid(lot.id, bidder.id, 10_000)).to.include({ kind: 'bid' });
    const closed = await eventually(async () => {
      const found = await stateOf(auction.id, lot.id);
      return found.status === 'sold' && found;
    });
    expect(closed.recordedAtUs).to.be.at.least(after.endsAtUs);
  });

  it('leaves the lots of a simulcast auction to the floor', async () => {
    const auction = await anAuction(market.db, { type: 'simulcast', end_time: isoIn(market, 300) });
    const lot = await aLot(market.db, { auction_id: auction.id });
    await market.publish(auction.id);
    await sleep(1_000);
    expect(await market.bid(lot.id, bidder.id, 10_000)).to.include({ kind: 'bid' });
    expect((await stateOf(auction.id, lot.id)).status).to.equal('active');
  });

  it('opens lots and starts their auction when its time has come, once', async () => {
    const { auction, lot } = await inTime(1_200, async (soonMs) => {
      const start_time = isoIn(market, soonMs);
      const auction = await anAuction(market.db, { status: 'scheduled', start_time });
      const lot = await aLot(market.db, { auction_id: auction.id, status: 'scheduled' });
      await market.publish(auction.id);
      const early = await market.bid(lot.id, bidder.id, 10_000);
      return 'code' in early && early.code === 'lot_not_started' ? { auction, lot } : null;
    });
    await eventually(async () => (await stateOf(auction.id, lot.id)).status === 'active');
    await eventually(async () => {
      const row = await market.knex('auctions').where('id', auction.id).first('status');
      return row.status === 'active';
    });
    const facts = await market.knex('events').where({ auction_id: auction.id, type: 'auction.started' });
    expect(facts).to.have.length(1);
  });
}

/** What has to happen within the given milliseconds: tried again with three times as many if it was late. */
async function inTime<T>(ms: number, attempt: (soonMs: number) => Promise<T | null>): Promise<T> {
  for (let soonMs = ms; soonMs < 60_000; soonMs *= 3) {
    const done = await attempt(soonMs);
    if (done !== null) return done;
  }
  throw new Error('not even in time for what is due in 40 seconds');
}

/** Lots over some auctions, a reserve on every third, in one statement. */
async function manyLots(market: Market, auctionIds: readonly number[]): Promise<LotIds[]> {
  const rows = Array.from({ length: LOTS }, (_, at) => ({
    auction_id: auctionIds[at % auctionIds.length],
    lot_number: Math.floor(at / auctionIds.length) + 1,
    title: `Lot ${at}`,
    slug: `closing-${at}`,
    starting_bid_cents: 10_000,
    reserve_price_cents: at % 3 === 1 ? 1_000_000 : null,
    status: 'active',
  }));
  const lots: LotIds[] = await market.knex('lots').insert(rows).returning(['id', 'auction_id']);
  return lots.sort((a, b) => a.id - b.id);
}

interface LotIds {
  readonly id: number;
  readonly auction_id: number;
}
