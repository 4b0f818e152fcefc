/**
 * All lots of an auction over one stream: moves, resuming however long one was unavailable, and clients that read
 * slowly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AuctionFollower } from '../../../../src/bidding/live/auction-follower.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type ReadEvents, readStream } from '../../../support/event-stream.ts';
import { eventually } from '../../../support/market.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';
import { slowness } from '../../../support/slowness.ts';

const LOTS = 520;

describe('the live stream of an auction', () => {
  let service: Service;
  let slug: string;
  let auctionId: number;
  let bidder: number;
  const lots: number[] = [];

  before(async () => {
    service = await startService();
    const { database } = service;
    const auction = await anAuction(database);
    [slug, auctionId] = [auction.slug, auction.id];
    for (let n = 0; n < LOTS; n += 1) lots.push((await aLot(database, { auction_id: auction.id })).id);
    bidder = (await aUser(database)).id;
    await service.publish();
    await projectAuction(database, service.backends.redis, auction.id);
  });

  after(() => service.close());

  const bid = (lotId: number, cents: number) =>
    service.backends.engine.submit(lotId, placeBid(bidder, cents, null));
  const follow = (enough: (moved: readonly ReadEvents[]) => boolean, lastEventId: string | null = null) =>
    readStream(`${service.url}/auctions/${slug}/stream`, {
      lastEventId,
      enough: (received) => enough(received.filter(({ event }) => event === 'lot.moved')),
    });

  it('sends what moves, and to clients that return every lot that moved meanwhile, once', async () => {
    const first = await readStream(`${service.url}/auctions/${slug}/stream`, {
      enough: (received) => received.some(({ event }) => event === 'lot.moved'),
      onOpen: () => void bid(lots[0]!, 10_000),
    });
    const last = first.events.at(-1)!;
    expect(last.data).to.include({ lot_id: lots[0], current_bid: '100.00', bid_count: 1 });
    for (let round = 0; round < 3; round += 1)
      await Promise.all(lots.map((lotId) => bid(lotId, 20_000 + round * 10_000)));
    const back = await follow((moved) => moved.length >= LOTS, last.id);
    const moved = back.events.filter(({ event }) => event === 'lot.moved');
    expect(new Set(moved.map(({ data }) => data.lot_id))).to.deep.equal(new Set(lots));
    expect(moved).to.have.length(LOTS);
    expect(moved.every(({ data }) => data.current_bid === '400.00')).to.equal(true);
    const ids = moved.map(({ id }) => Number(id));
    expect(ids).to.deep.equal([...ids].sort((one, other) => one - other));
    // Cut off in the middle, and back: nothing is missed.
    const rest = await follow(
      (all) => all.some(({ data }) => data.lot_id === moved.at(-1)!.data.lot_id),
      String(ids[300]),
    );
    const received = new Set([...moved.slice(0, 301), ...rest.events].map(({ data }) => data.lot_id));
    for (const lotId of lots) expect(received.has(lotId)).to.equal(true);
  });

  it('begins with an id, so that a client that was cut off before anything changed misses nothing either', async () => {
    const first = await readStream(`${service.url}/auctions/${slug}/stream`, {
      enough: (received) => received.length > 0,
    });
    await bid(lots[7]!, 90_000);
    const back = await follow(
      (moved) => moved.some(({ data }) => data.lot_id === lots[7]),
      first.events[0]!.id,
    );
    expect(back.events.some(({ data }) => data.current_bid === '900.00')).to.equal(true);
    for (const wrong of ['x', '1.5', '-1', '9'.repeat(20)]) {
      expect((await follow(() => true, wrong)).status, wrong).to.equal(422);
    }
  });

  it('is begun by pages where they were drawn, so that what comes between is shown', async () => {
    const page = await (await fetch(`${service.url}/auctions/${slug}`)).text();
    const [, address = ''] = /data-stream="([^"]+)"/.exec(page) ?? [];
    expect(address).to.match(/\/stream\?since=[0-9]{16}$/);
    const movedSince = async (from: string, lastEventId: string | null = null) => {
      const { events } = await readStream(`${service.url}${from}`, {
        lastEventId,
        enough: (received) => received.some(({ data }) => data.lot_id === lots[9]),
      });
      return events.filter(({ event }) => event === 'lot.moved');
    };
    await bid(lots[9]!, 120_000);
    const moves = await movedSince(address);
    expect(moves.at(-1)!.data).to.include({ lot_id: lots[9], current_bid: '1200.00' });
    // Somebody who follows for a while keeps the channel: the next pages need no read of the journal.
    const cut = new AbortController();
    const kept = await fetch(`${service.url}/auctions/${slug}/stream`, { signal: cut.signal });
    expect(kept.status).to.equal(200);
    await sleep(4_100);
    const later = await (await fetch(`${service.url}/auctions/${slug}`)).text();
    await bid(lots[9]!, 130_000);
    await eventually(async () => {
      const [, again = ''] = /data-stream="([^"]+)"/.exec(later) ?? [];
      const [move] = (await movedSince(again)).slice(-1);
      return move?.data.current_bid === '1300.00';
    });
    cut.abort();
    expect((await fetch(`${service.url}/auctions/${slug}/stream?since=x`)).status).to.equal(422);
  });

  it('ends once the auction is private, and is one of a caller’s fifty', async () => {
    const path = `${service.url}/auctions/${slug}/stream`;
    const cut = new AbortController();
    const open = await Promise.all(Array.from({ length: 50 }, () => fetch(path, { signal: cut.signal })));
    expect(open.map(({ status }) => status)).to.deep.equal(Array(50).fill(200));
    expect((await fetch(path)).status).to.equal(429);
    cut.abort();
    let watched = await fetch(path);
    while (watched.status === 429) {
      await sleep(50);
      watched = await fetch(path);
    }
    expect(watched.status).to.equal(200);
    await service.backends.knex('auctions').where('id', auctionId).update({ privacy_setting: 'private' });
    const startMs = performance.now();
    for await (const _ of watched.body ?? []) void _;
    expect(performance.now() - startMs).to.be.below(6_000 * slowness());
    await service.backends.knex('auctions').where('id', auctionId).update({ privacy_setting: 'public' });
  });

  it('buffers, for a client that does not read, only the lots that it has yet to be sent', async () => {
    const texts = new Map<number, object>();
    const follower = new AuctionFollower(texts);
    for (let n = 0; n < 200_000; n += 1) {
      texts.set(n % 100, { lot_id: n % 100, n, filler: 'x'.repeat(200) });
      follower.move(n % 100, n);
    }
    expect(follower.source.readableLength).to.be.below(64 * 1_024);
    const received = new Map<number, number>();
    const ids: number[] = [];
    follower.source.on('data', (chunk: Buffer) => {
      for (const block of chunk.toString().trim().split('\n\n')) {
        const { lot_id, n } = JSON.parse(/^data: (.*)$/m.exec(block)![1]!);
        received.set(lot_id, n);
        ids.push(Number(/^id: (\d+)$/m.exec(block)![1]));
      }
    });
    while (received.size < 100) await sleep(10);
    expect(received).to.have.property('size', 100);
    expect(Math.min(...received.values())).to.be.at.least(199_900);
    expect(ids).to.deep.equal([...ids].sort((one, other) => one - other));
  });
});
