/** Clients that resume over thousands of bids: little at a time, whatever an entry holds, and all of it in the end. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { CatchUp } from '../../../../src/bidding/live/catch-up.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { BusyTurns } from '../../../support/busy-turns.mjs';
import { readStream } from '../../../support/event-stream.ts';
import { type Service, startService } from '../../../support/service.ts';
import { slowness } from '../../../support/slowness.ts';

/** `npm run test:resumes`: 12,000 and 50. */
const BIDS = Number(process.env['RESUMED_BIDS'] ?? 3_000);
const CLIENTS = Number(process.env['RESUMING_CLIENTS'] ?? 40);
const MAX_BYTES = 2 * 1_024 * 1_024;
const MAX_BUSY_MS = 50;
const IS_LONG = process.env['RESUMED_BIDS'] !== undefined;

describe('clients that resume over thousands of bids', () => {
  let service: Service;
  let lotId: number;
  let auctionId: number;

  before(async function () {
    this.timeout(120_000);
    service = await startService();
    auctionId = (await anAuction(service.database)).id;
    lotId = (await aLot(service.database, { auction_id: auctionId })).id;
    await service.publish();
    const { engine } = service.backends;
    const bidder = (await aUser(service.database)).id;
    for (let from = 0; from < BIDS; from += 500) {
      // All at once: they come into few entries of the journal; what a mailbox has no room for is refused.
      const some = Array.from({ length: 500 }, (_, n) =>
        engine.submit(lotId, placeBid(bidder, 10_000 + (from + n) * 100_000, null)),
      );
      await Promise.all(some);
    }
  });
  after(() => service.close());

  const headOf = async () => (await service.backends.journal.load(auctionId, lotId))!;

  it('are given a bounded part of an entry at a time, in order, and all of it', async () => {
    const head = await headOf();
    const parts = { ...service.backends, present: async () => null } as never;
    const catchUp = new CatchUp(parts, { sequence: 2, part: 0 });
    const ids: string[] = [];
    while (!catchUp.hasReached(head)) {
      const messages = await catchUp.next(head);
      const bytes = messages.reduce((sum, { text }) => sum + text.length, 0);
      expect(bytes).to.be.below(512 * 1_024);
      ids.push(...messages.map(({ id }) => id));
    }
    expect(ids.length).to.be.at.least(head.bidCount).and.above(1_000);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids.map(Number)).to.deep.equal(ids.map(Number).toSorted((one, two) => one - two));
    expect(Number(ids.at(-1))).to.be.at.least(head.sequence);
  });

  it('hold nobody up when many come at once and do not read, and one that reads gets all', async () => {
    const url = `${service.url}/api/v1/lots/${lotId}/stream?last_event_id=2`;
    const sockets = new Set<Socket>();
    // Cast: what Node says of a request that begins.
    const note = (message: unknown) => sockets.add((message as { socket: Socket }).socket);
    subscribe('http.server.request.start', note);
    const residentBefore = process.memoryUsage().rss;
    const turns = new BusyTurns();
    const silent = Array.from({ length: CLIENTS - 1 }, () => silentClient(service.url, url));
    while (sockets.size < silent.length) await sleep(20);
    await sleep(IS_LONG ? 5_000 : 500);
    const longestMs = turns.takeMost();
    turns.close();
    unsubscribe('http.server.request.start', note);
    for (const { writableLength } of sockets) expect(writableLength).to.be.below(MAX_BYTES);
    const each = (process.memoryUsage().rss - residentBefore) / silent.length;
    if (IS_LONG) {
      const most = Math.max(...[...sockets].map(({ writableLength }) => writableLength));
      const figures = [most, Math.round(each), longestMs.toFixed(0)];
      process.stdout.write(
        `bytes that wait for one client, resident bytes for each, longest ms: ${figures}\n`,
      );
      expect(each).to.be.below(MAX_BYTES);
    }
    expect(longestMs).to.be.below(MAX_BUSY_MS);
    const head = await headOf();
    const { events } = await readStream(url, {
      enough: (all) => Number(all.at(-1)?.id) >= head.sequence,
      timeoutMs: 30_000 * slowness(),
    });
    expect(events.filter(({ event }) => event === 'bid.placed')).to.have.length(head.bidCount);
    for (const client of silent) client.destroy();
  }).timeout(200_000);
});

/** Somebody who opens a stream and reads nothing of it: what waits for them is the service's alone. */
function silentClient(base: string, url: string): Socket {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.pause();
  const { pathname, search } = new URL(url);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`);
  return socket;
}
