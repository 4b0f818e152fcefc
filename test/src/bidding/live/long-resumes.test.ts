/** Clients that resume over thousands of bids: little at a time, whatever an entry holds, and all of it in the end. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { CatchUp } from '../../../../src/bidding/live/catch-up.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { type Service, startService } from '../../../support/service.ts';
import { slowness } from '../../../support/slowness.ts';

const BIDS = 3_000;
const CLIENTS = 40;

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
    for (let from = 0; from < BIDS; from += 1_500) {
      // All at once: they come into few entries of the journal; what a mailbox has no room for is refused.
      const some = Array.from({ length: 1_500 }, (_, n) =>
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
    const cut = new AbortController();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const open = await Promise.all(Array.from({ length: CLIENTS }, () => fetch(url, { signal: cut.signal })));
    expect(new Set(open.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await sleep(500);
    delay.disable();
    expect(delay.max / 1e6).to.be.below(100 * slowness());
    const head = await headOf();
    const { events } = await readStream(url, {
      enough: (all) => Number(all.at(-1)?.id) >= head.sequence,
      timeoutMs: 30_000,
    });
    expect(events.filter(({ event }) => event === 'bid.placed')).to.have.length(head.bidCount);
    cut.abort();
  }).timeout(60_000);
});
