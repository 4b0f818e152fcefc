/** Lots that are offered together, after Redis lost its disk: what was sold of them is known again, and nothing twice. */
import { expect } from 'chai';
import { createClient } from 'redis';
import { rebuildJournal } from '../../../../src/bidding/journal/rebuild.ts';
import { ChoiceRoom, statusOf } from '../../../support/choice-room.ts';

describe('a choice after the loss of Redis', () => {
  let room: ChoiceRoom;

  before(async () => {
    room = await ChoiceRoom.open();
  });

  after(() => room.close());

  it('sells a lot that had not taken it over, and offers what is left anew', async () => {
    const group = await room.group(3);
    const [first = 0, second = 0, third = 0] = group.lotIds;
    const { backends, redis } = room.service;
    const { auctionId } = group;
    await room.bid(first, '500.00');
    // As it is where the process is killed after the hammer: the second lot knows nothing of it.
    const carrier = (await backends.journal.load(auctionId, first))!;
    const key = `u:${room.users[0]!.id}`;
    const sold = await backends.engine.submitTo(carrier, {
      ...{ type: 'record_sale', bidId: 'aa', salt: 'salt', result: 'sold', hammerCents: 50_000 },
      winner: { key, userId: room.users[0]!.id, paddle: null },
      ...{ currency: null, floor: { platform: 'hall', sequence: 7 }, auctionRuns: true },
      ...{ choice: [2], rows: [{ bidId: 'bb', salt: 'salt' }] },
    });
    expect(sold.kind).to.equal('answer');
    expect((await backends.journal.load(auctionId, second))!.status).to.equal('active');
    await room.project(group);
    const client = await createClient({ url: redis.redisUrl }).connect();
    await client.flushAll();
    await client.close();
    await backends.epoch.check();
    await rebuildJournal({ ...backends, onLotClosed: [] });
    expect((await room.bid(second, '900.00', 1)).body.code).to.equal('lot_closed');
    for (const lotId of [second, first]) await backends.engine.submit(lotId, { type: 'advance' });
    const lot = (await backends.journal.load(auctionId, second))!;
    expect([lot.status, lot.hammerCents, lot.winner?.key]).to.deep.equal(['sold', 50_000, key]);
    expect((await room.bid(third, '200.00', 1)).status).to.equal(201);
    const late = { result: 'passed', sequence: 3 };
    expect(statusOf(await room.says('sold', third, late))).to.equal('stale');
    await room.project(group);
    expect(await room.invoices(group)).to.have.length(1);
  });
});
