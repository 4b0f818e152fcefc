/** The watchlist, the caller's record and their verification: who may, what changes, what stays. */
import { expect } from 'chai';
import { verifyUser } from '../../../../src/accounts/people/accounts.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('what is the caller’s own', () => {
  let service: Service;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('puts a lot on the watchlist once, and takes it off however often', async () => {
    const user = await aUser(service.database);
    const token = await service.tokenFor(user);
    const lot = await aLot(service.database);
    const path = `/api/v1/lots/${lot.id}/watchlist`;
    const both = await Promise.all([
      service.call('POST', path, { token }),
      service.call('POST', path, { token }),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 201]);
    expect(both[0]!.body.data).to.deep.equal(both[1]!.body.data);
    expect(both[0]!.body.data).to.include({ lot_id: lot.id });
    const detail = await service.get(`/api/v1/lots/${lot.id}`, token);
    expect(detail.body.data.viewer.is_watching).to.equal(true);
    for (const _ of [1, 2]) expect((await service.call('DELETE', path, { token })).status).to.equal(200);
    expect((await service.get('/api/v1/me/watchlist', token)).body.data).to.deep.equal([]);
  });

  it('lists the newest first, each in its current state, for its owner alone', async () => {
    const [user, other] = [await aUser(service.database), await aUser(service.database)];
    const token = await service.tokenFor(user);
    const auction = await anAuction(service.database);
    const lots = [];
    for (const title of ['one', 'two', 'three']) {
      lots.push(await aLot(service.database, { auction_id: auction.id, title }));
      await service.call('POST', `/api/v1/lots/${lots.at(-1)!.id}/watchlist`, { token });
    }
    await service.publish();
    await service.call('POST', `/api/v1/lots/${lots[0]!.id}/bids`, {
      token: await service.tokenFor(other),
      body: { amount: 150 },
    });
    const { body } = await service.get('/api/v1/me/watchlist?per_page=2', token);
    expect(body.data.map((entry: JsonValue) => entry.lot.title)).to.deep.equal(['three', 'two']);
    expect(body.meta).to.deep.equal({ current_page: 1, last_page: 2, per_page: 2, total: 3 });
    const second = (await service.get('/api/v1/me/watchlist?per_page=2&page=2', token)).body.data;
    expect(second[0].lot).to.include({ title: 'one', current_bid: '150.00', bid_count: 1 });
    const theirs = await service.get('/api/v1/me/watchlist', await service.tokenFor(other));
    expect(theirs.body.data).to.deep.equal([]);
    await service.database.knex('auctions').where('id', auction.id).update({ privacy_setting: 'private' });
    expect((await service.get('/api/v1/me/watchlist', token)).body.meta.total).to.equal(0);
    const off = await service.call('DELETE', `/api/v1/lots/${lots[0]!.id}/watchlist`, { token });
    expect(off.status).to.equal(200);
  });

  it('knows no lot that is not there or not to be seen', async () => {
    const token = await service.tokenFor(await aUser(service.database));
    const hidden = await aLot(service.database, { status: 'draft' });
    for (const id of [999_999, hidden.id, 'abc', 0]) {
      for (const method of ['POST', 'DELETE']) {
        const { status } = await service.call(method, `/api/v1/lots/${id}/watchlist`, { token });
        expect(status, `${method} ${id}`).to.equal(404);
      }
    }
  });

  it('asks each for its ability', async () => {
    const user = await aUser(service.database);
    const lot = await aLot(service.database);
    const [read, write, none] = [
      await service.tokenFor(user, ['read']),
      await service.tokenFor(user, ['write']),
      await service.tokenFor(user, []),
    ] as const;
    const status = async (method: string, path: string, token?: string) =>
      (await service.call(method, path, { token })).status;
    expect(await status('POST', `/api/v1/lots/${lot.id}/watchlist`, read)).to.equal(403);
    expect(await status('DELETE', `/api/v1/lots/${lot.id}/watchlist`, read)).to.equal(403);
    expect(await status('GET', '/api/v1/me/watchlist', write)).to.equal(403);
    expect(await status('GET', '/api/user', none)).to.equal(200);
    expect(await status('GET', '/api/v1/me/verification', none)).to.equal(200);
    expect(await status('POST', '/api/v1/me/verification', read)).to.equal(403);
    for (const path of ['/api/user', '/api/v1/me/verification', '/api/v1/me/watchlist']) {
      expect(await status('GET', path), path).to.equal(401);
    }
  });

  it('shows the caller’s record', async () => {
    const user = await aUser(service.database);
    const { body } = await service.get('/api/user', await service.tokenFor(user));
    expect(body.data).to.deep.equal({
      id: user.id,
      name: user.name,
      email: user.email,
      email_verified_at: user.email_confirmed_at,
      created_at: user.created_at,
    });
  });

  it('leads from unverified over pending to verified', async () => {
    const user = await aUser(service.database);
    const token = await service.tokenFor(user);
    const read = async () => (await service.get('/api/v1/me/verification', token)).body.data;
    const known = { type: 'email', status: 'verified', verified_at: user.email_confirmed_at };
    const identity = (status: string) => ({ type: 'identity', status, verified_at: null });
    expect(await read()).to.deep.equal({
      status: 'unverified',
      checks: [known, identity('unverified')],
      requirements_due: ['identity'],
      verified_at: null,
    });
    for (const _ of [1, 2]) {
      const requested = await service.call('POST', '/api/v1/me/verification', { token });
      expect(requested.status).to.equal(200);
      expect(requested.body.data).to.deep.equal({
        status: 'pending',
        checks: [known, identity('pending')],
        requirements_due: [],
        verified_at: null,
      });
    }
    await verifyUser(service.database.knex, user.email);
    const verified = await read();
    expect(verified).to.deep.include({ status: 'verified', requirements_due: [] });
    expect(verified.verified_at).to.match(/Z$/);
    expect(verified.checks.map((one: JsonValue) => one.status)).to.deep.equal(['verified', 'verified']);
    const again = await service.call('POST', '/api/v1/me/verification', { token });
    expect(again.body.data).to.deep.equal(verified);
  });
});
