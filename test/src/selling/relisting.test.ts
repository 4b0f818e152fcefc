/** Taking lots out, putting them up again, deleting drafts, single items of the inventory, and leaving a team. */
import { expect } from 'chai';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { withdrawLot } from '../../../src/bidding/records/lot-changes.ts';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { defaultLot } from '../../../src/sales/offers/defaults.ts';
import { placeBid } from '../../support/auction-house.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { projectAuction, sell } from '../../support/money.ts';
import { hours, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

describe('what happens to unsold lots', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });

  after(() => service.close());

  const call = (method: string, path: string, body?: unknown) => team.call(method, `seller/${path}`, body);

  async function liveLot(columns: Parameters<typeof aLot>[1] = {}) {
    const auction = await anAuction(service.database, { team_id: team.id });
    const lot = await aLot(service.database, { auction_id: auction.id, ...columns });
    await publishAuction(service.backends, auction.id);
    return { auction, lot };
  }

  it('are withdrawn by staff despite a bid, and relisted with all descriptive fields', async () => {
    const { auction, lot } = await liveLot({
      title: 'Forty acres',
      city: 'Waco',
      acres: '40.5000',
      quantity: 2,
    });
    const bidder = await aUser(service.database);
    await service.backends.engine.submit(lot.id, placeBid(bidder.id, 10_000, null));
    const refused = await call('PATCH', `lots/${lot.id}`, { status: 'withdrawn' });
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'invalid_transition']);
    const early = await call('POST', `lots/${lot.id}/relist`, { auction_id: auction.id });
    expect([early.status, early.body.code]).to.deep.equal([409, 'invalid_transition']);
    await withdrawLot(service.backends, lot.id, { reason: 'title is disputed', byAdmin: true });
    await projectAuction(service.database, service.backends.redis, auction.id);

    const next = await anAuction(service.database, { team_id: team.id, status: 'draft' });
    const body = { auction_id: next.id, starting_bid: '55.00', reserve_price: '70.00' };
    const again = await call('POST', `lots/${lot.id}/relist`, body);
    expect(again.status, again.text).to.equal(201);
    expect(again.body.data).to.deep.include({
      title: 'Forty acres',
      quantity: 2,
      auction_id: next.id,
      status: 'draft',
      starting_bid: '55.00',
      reserve_price: '70.00',
      bid_count: 0,
      relisted_from: lot.id,
    });
    expect(again.body.data.location.city).to.equal('Waco');
    expect(again.body.data.land.acres).to.equal(40.5);
    const twice = await call('POST', `lots/${lot.id}/relist`, body);
    expect([twice.status, twice.body.data.lot_id]).to.deep.equal([409, again.body.data.id]);
    expect((await call('POST', `lots/${lot.id}/relist`, {})).status).to.equal(422);
    const foreign = await anAuction(service.database, { status: 'draft' });
    expect((await call('POST', `lots/${lot.id}/relist`, { auction_id: foreign.id })).status).to.be.oneOf([
      404, 409,
    ]);
    // Once deleted, the draft no longer blocks it.
    expect((await call('DELETE', `lots/${again.body.data.id}`)).status).to.equal(204);
    expect((await call('POST', `lots/${lot.id}/relist`, { auction_id: next.id })).status).to.equal(201);
  });

  it('may have been sold, to somebody who defaulted', async () => {
    const { auction, lot } = await liveLot();
    await sell(service.backends.engine, lot.id, await aUser(service.database), 20_000);
    await projectAuction(service.database, service.backends.redis, auction.id);
    const next = await anAuction(service.database, { team_id: team.id, status: 'draft' });
    expect((await call('POST', `lots/${lot.id}/relist`, { auction_id: next.id })).status).to.equal(409);
    await defaultLot({ knex: service.backends.knex, followUps: [] }, lot.id);
    expect((await call('POST', `lots/${lot.id}/relist`, { auction_id: next.id })).status).to.equal(201);
  });

  it('are deleted while they are drafts, and so are auctions', async () => {
    const draft = await anAuction(service.database, { team_id: team.id, status: 'draft' });
    const lot = await aLot(service.database, { auction_id: draft.id, status: 'draft' });
    const other = await aLot(service.database, { auction_id: draft.id, status: 'draft' });
    expect((await call('DELETE', `lots/${lot.id}`)).status).to.equal(204);
    expect((await call('DELETE', `lots/${lot.id}`)).status).to.equal(404);
    expect((await call('DELETE', `auctions/${draft.id}`)).status).to.equal(204);
    expect((await call('GET', `lots/${other.id}`)).status).to.equal(404);
    const live = await liveLot();
    const refused = await call('DELETE', `lots/${live.lot.id}`);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'lot_locked']);
    const locked = await call('DELETE', `auctions/${live.auction.id}`);
    expect([locked.status, locked.body.code]).to.deep.equal([409, 'auction_locked']);
    const foreign = await aLot(service.database, { status: 'draft' });
    expect((await call('DELETE', `lots/${foreign.id}`)).status).to.equal(404);
  });

  it('takes currencies of ISO 4217 only', async () => {
    const make = (currency: string) =>
      call('POST', 'auctions', { title: 'New', start_time: hours(1), end_time: hours(2), currency });
    expect((await make('EUR')).body.data.currency).to.equal('eur');
    for (const none of ['zzz', 'xxx', 'abc']) {
      const refused = await make(none);
      expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([422, ['currency']]);
    }
  });
});

describe('one item of the inventory', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });

  after(() => service.close());

  const call = (method: string, path: string, body?: unknown, of = team.id) =>
    team.call(method, path, body, { team: of });
  let made = 0;
  async function item(fields: object = {}): Promise<number> {
    made += 1;
    const answer = await call('POST', 'inventory', { sku: `S-${made}`, title: 'A thing', ...fields });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.data.id;
  }

  it('is read, changed, reserved and returned', async () => {
    const id = await item({ location: { warehouse: 'A', bin: '1' } });
    const path = `seller/inventory/${id}`;
    expect((await call('GET', path)).body.data).to.include({ id, status: 'available' });
    const changed = await call('PATCH', path, {
      title: 'Another',
      location: { bin: '2' },
      status: 'reserved',
    });
    expect(changed.body.data).to.deep.include({
      title: 'Another',
      status: 'reserved',
      location: { warehouse: null, bin: '2' },
    });
    expect((await call('PATCH', path, { status: 'returned' })).body.data.status).to.equal('returned');
    for (const bad of [
      { status: 'sold' },
      { title: '' },
      { sku: 'S-0', no_such: 1 },
      { category_id: 999_999 },
    ]) {
      expect((await call('PATCH', path, bad)).status).to.equal(422);
    }
    const other = await item();
    const { sku } = (await call('GET', `seller/inventory/${other}`)).body.data;
    const taken = await call('PATCH', path, { sku });
    expect([taken.status, Object.keys(taken.body.errors)]).to.deep.equal([422, ['sku']]);
    expect((await call('GET', path)).headers.get('etag')).to.match(/^W?\/?"/);
  });

  it('is deleted while it is in no auction', async () => {
    const id = await item();
    const auction = await anAuction(service.database, { team_id: team.id, status: 'draft' });
    const items = [{ id, starting_bid: '5.00' }];
    const converted = await call('POST', 'inventory/convert-to-lots', { auction_id: auction.id, items });
    expect(converted.body.data.created, converted.text).to.have.length(1);
    for (const refused of [
      await call('DELETE', `seller/inventory/${id}`),
      await call('PATCH', `seller/inventory/${id}`, { status: 'returned' }),
    ]) {
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'invalid_transition']);
    }
    expect((await call('DELETE', `seller/lots/${converted.body.data.created[0].id}`)).status).to.equal(204);
    expect((await call('DELETE', `seller/inventory/${id}`)).status).to.equal(204);
    expect((await call('GET', `seller/inventory/${id}`)).status).to.equal(404);
  });

  it('belongs to nobody else', async () => {
    const stranger = await aUser(service.database);
    const theirs = await service.tokenFor(stranger, ['seller']);
    const id = await item();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { title: 'Mine' } : undefined;
      const answer = await service.call(method, `/api/v1/seller/inventory/${id}`, { token: theirs, body });
      expect(answer.status).to.equal(404);
    }
  });

  it('teams lose members who are removed by their managers, or who leave', async () => {
    const { database, backends } = service;
    const [owner, admin, member, stranger] = [
      await aUser(database),
      await aUser(database),
      await aUser(database),
      await aUser(database),
    ];
    const team = await aTeam(database, { owner });
    const join = (user: User, role: string) =>
      backends.knex('memberships').insert({ team_id: team.id, user_id: user.id, role });
    await join(admin, 'admin');
    await join(member, 'member');
    const remove = async (by: User, who: User) => {
      const bearer = await service.tokenFor(by, ['seller']);
      return service.call('DELETE', `/api/v1/teams/${team.id}/members/${who.id}`, { token: bearer });
    };
    expect((await remove(stranger, member)).status).to.equal(404);
    expect((await remove(member, admin)).status).to.equal(403);
    expect((await remove(admin, owner)).status).to.equal(403);
    expect((await remove(owner, stranger)).status).to.equal(404);
    const memberToken = await service.tokenFor(member, ['seller']);
    const asMember = () =>
      service.call('GET', '/api/v1/inventory', {
        token: memberToken,
        headers: { 'x-team-id': String(team.id) },
      });
    expect((await asMember()).status).to.equal(200);
    expect((await remove(admin, member)).status).to.equal(204);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await asMember()).body.code).to.equal('not_a_team_member');
    expect((await remove(admin, admin)).status, 'by their own word').to.equal(204);
  });
});
