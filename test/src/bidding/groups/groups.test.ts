/** Bid groups over the API, with the agent's rounds made by hand: no worker runs here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { groupParts } from '../../../../src/app/process/group-parts.ts';
import { workOnGroup, workOnGroups } from '../../../../src/bidding/groups/group-agent.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { closeAll } from '../../../support/bidding-play.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { moveAuction } from '../../../support/market.ts';
import { projectAuction } from '../../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('bid groups', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  interface Sale {
    readonly auctionId: number;
    readonly lotIds: readonly number[];
    readonly ann: User;
    readonly token: string;
    readonly rival: string;
  }

  /** An open sale of so many lots that start at 100, and two people. */
  async function sale(lots = 3, columns: object = {}): Promise<Sale> {
    const [ann, ben] = await Promise.all([aUser(service.database), aUser(service.database)]);
    const auction = await anAuction(service.database, columns);
    const lotIds: number[] = [];
    for (let at = 0; at < lots; at += 1)
      lotIds.push((await aLot(service.database, { auction_id: auction.id })).id);
    await service.publish();
    const [token, rival] = await Promise.all([service.tokenFor(ann), service.tokenFor(ben)]);
    return { auctionId: auction.id, lotIds, ann, token, rival };
  }

  const create = ({ token, auctionId, lotIds }: Sale, wanted: number, maxima: readonly unknown[]) =>
    service.call('POST', '/api/v1/me/bid-groups', {
      token,
      body: {
        auction_id: auctionId,
        wanted,
        lots: maxima.map((max_amount, at) => ({ lot_id: lotIds[at], max_amount })),
      },
    });
  const bid = async (token: string, lotId: number | undefined, amount: string) => {
    const answer = await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body: { amount } });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.data;
  };
  const agentParts = () => {
    const note = { note: () => {}, noteRefused: () => {} };
    return groupParts(service.config, service.backends, note, openLog('silent', 'test'));
  };
  /** What a worker does when the projection has written what moved. */
  async function round({ auctionId }: Sale) {
    await projectAuction(service.database, service.backends.redis, auctionId);
    await workOnGroups(agentParts());
  }
  const statuses = (body: JsonValue) => body.data.lots.map((lot: JsonValue) => lot.status);
  const read = async ({ token }: Sale, id: number) =>
    (await service.get(`/api/v1/me/bid-groups/${id}`, token)).body;

  it('bids on the first lots, on the next where it is outbid, and never on more than are wanted', async () => {
    const some = await sale();
    const made = await create(some, 1, ['300.00', '400.00', 500]);
    expect(made.status, made.text).to.equal(201);
    const { id, lots, ...rest } = made.body.data;
    expect(rest).to.deep.include({ auction_id: some.auctionId, wanted: 1, status: 'active' });
    expect(lots[0]).to.deep.equal({
      lot_id: some.lotIds[0],
      max_amount: '300.00',
      status: 'leading',
      refusal: null,
    });
    expect(statuses(made.body)).to.deep.equal(['leading', 'waiting', 'waiting']);
    await bid(some.rival, some.lotIds[0], '250.00');
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['leading', 'waiting', 'waiting']);
    await bid(some.rival, some.lotIds[0], '350.00');
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['lost', 'leading', 'waiting']);
    await round(some);
    const mine = await service.get('/api/v1/me/bids', some.token);
    expect(mine.body.data.map((one: JsonValue) => one.lot_id)).to.deep.equal([
      some.lotIds[1],
      some.lotIds[0],
    ]);
    const listed = await service.get(`/api/v1/lots/${some.lotIds[1]}/bids`);
    expect(listed.body.data[0].channel).to.equal('online');
    const all = await service.get('/api/v1/me/bid-groups', some.token);
    expect(all.body.data.map((one: JsonValue) => one.id)).to.deep.equal([id]);
  });

  it('goes on at once where a bid is outbid at once', async () => {
    const some = await sale();
    await bid(some.rival, some.lotIds[0], '100.00');
    await service.call('POST', `/api/v1/lots/${some.lotIds[0]}/bids`, {
      token: some.rival,
      body: { max_amount: '900.00' },
    });
    const made = await create(some, 1, ['300.00', '400.00']);
    expect(statuses(made.body)).to.deep.equal(['lost', 'leading']);
  });

  it('leaves its bids where it is stopped, and bids no more', async () => {
    const some = await sale();
    const { id } = (await create(some, 1, ['300.00', '400.00'])).body.data;
    const stopped = await service.call('POST', `/api/v1/me/bid-groups/${id}/stop`, { token: some.token });
    expect(stopped.status, stopped.text).to.equal(200);
    expect(stopped.body.data.status).to.equal('stopped');
    expect(statuses(stopped.body)).to.deep.equal(['leading', 'waiting']);
    await bid(some.rival, some.lotIds[0], '350.00');
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['lost', 'waiting']);
  });

  it('does not bid once it is stopped, though its agent had looked before', async () => {
    const some = await sale(2);
    const { id } = (await create(some, 1, ['300.00', '400.00'])).body.data;
    await bid(some.rival, some.lotIds[0], '350.00');
    let stopped = () => {};
    const stopping = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const { journal } = service.backends;
    const load: typeof journal.load = async (...lot) => {
      const state = await journal.load(...lot);
      await stopping;
      return state;
    };
    const working = workOnGroup({ ...agentParts(), journal: { load, nowUs: () => journal.nowUs() } }, id);
    await sleep(100);
    await service.call('POST', `/api/v1/me/bid-groups/${id}/stop`, { token: some.token });
    stopped();
    await working;
    expect(statuses(await read(some, id))).to.deep.equal(['lost', 'waiting']);
  });

  it('wins what it leads and is done, or goes on where what it led is passed', async () => {
    const some = await sale(3);
    const { id } = (await create(some, 1, ['300.00', '400.00', '500.00'])).body.data;
    const { engine } = service.backends;
    await engine.submit(some.lotIds[0]!, { type: 'withdraw', reason: 'broken', byAdmin: true });
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['lost', 'leading', 'waiting']);
    const house = { ...service.backends, submit: engine.submit.bind(engine) };
    await closeAll(house, some.auctionId, [some.lotIds[1]!]);
    await round(some);
    const body = await read(some, id);
    expect(statuses(body)).to.deep.equal(['lost', 'won', 'waiting']);
    expect(body.data.status).to.equal('done');
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['lost', 'won', 'waiting']);
  });

  it('keeps a lead that comes back beyond what is wanted, raises nothing, and remembers when', async () => {
    const some = await sale(3);
    const { id } = (await create(some, 1, ['300.00', '400.00', '500.00'])).body.data;
    const { id: bidId } = await bid(some.rival, some.lotIds[0], '350.00');
    await round(some);
    await round(some);
    await voidBid(service.backends, bidId, 'a slip');
    await round(some);
    await bid(some.rival, some.lotIds[1], '450.00');
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['leading', 'lost', 'waiting']);
    const rows = await service.backends.knex('bid_group_lots').where('group_id', id).orderBy('position');
    expect(rows.map(({ returned_at }) => returned_at !== null)).to.deep.equal([true, false, false]);
  });

  it('waits while the sale is paused, and bids when it goes on', async () => {
    const some = await sale(2);
    const { knex } = service.backends;
    await moveAuction(service.backends, some.auctionId, 'paused');
    const made = await create(some, 1, ['300.00', '400.00']);
    expect(made.body.data.lots[0]).to.include({ status: 'waiting', refusal: 'auction_paused' });
    await moveAuction(service.backends, some.auctionId, 'active');
    const { id } = made.body.data;
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['waiting', 'waiting']);
    await knex('bid_group_lots')
      .where('group_id', id)
      .whereNotNull('look_at')
      .update({ look_at: knex.fn.now() });
    await round(some);
    expect(statuses(await read(some, id))).to.deep.equal(['leading', 'waiting']);
  });

  it('are at most 50 of one person at work', async () => {
    const some = await sale(2);
    const row = { user_id: some.ann.id, auction_id: some.auctionId, wanted: 1 };
    await service.backends.knex('bid_groups').insert(Array.from({ length: 50 }, () => row));
    const answer = await create(some, 1, ['300.00', '400.00']);
    expect([answer.status, Object.keys(answer.body.errors)]).to.deep.equal([422, ['lots']]);
    expect(answer.text).to.contain('at most 50 groups');
  });

  it('is nobody else’s', async () => {
    const some = await sale();
    const { id } = (await create(some, 1, ['300.00', '400.00'])).body.data;
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/stop'],
    ] as const) {
      const answer = await service.call(method, `/api/v1/me/bid-groups/${id}${path}`, { token: some.rival });
      expect(answer.status).to.equal(404);
    }
    expect((await service.get('/api/v1/me/bid-groups', some.rival)).body.data).to.deep.equal([]);
    expect((await service.get('/api/v1/me/bid-groups')).status).to.equal(401);
  });

  it('does not take what is no wish', async () => {
    const some = await sale(2);
    const other = await sale(1);
    const mixed = { ...some, lotIds: [some.lotIds[0]!, other.lotIds[0]!] };
    const twice = { ...some, lotIds: [some.lotIds[0]!, some.lotIds[0]!] };
    const cases: [Sale, number, unknown[], string][] = [
      [some, 1, ['300.00'], 'lots'],
      [some, 0, ['300.00', '300.00'], 'wanted'],
      [some, 3, ['300.00', '300.00'], 'wanted'],
      [some, 1, ['300.00', 'much'], 'lots.1.max_amount'],
      [some, 1, ['300.00', '0'], 'lots.1.max_amount'],
      [some, 1, ['300.00', '99.00'], 'lots.1.max_amount'],
      [mixed, 1, ['300.00', '300.00'], 'lots.1.lot_id'],
      [twice, 1, ['300.00', '300.00'], 'lots'],
    ];
    for (const [where, wanted, maxima, field] of cases) {
      const answer = await create(where, wanted, maxima);
      expect(answer.status, answer.text).to.equal(422);
      expect(Object.keys(answer.body.errors), answer.text).to.deep.equal([field]);
    }
    const nowhere = await create({ ...some, auctionId: 999_999_999 }, 1, ['300.00', '300.00']);
    expect(nowhere.status).to.equal(404);
    expect((await service.get('/api/v1/me/bid-groups', some.token)).body.data).to.deep.equal([]);
  });

  it('is refused where a bid would be', async () => {
    const closed = await sale(2, { registration_mode: 'approval' });
    const answer = await create(closed, 1, ['300.00', '300.00']);
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'registration_required']);
  });
});
