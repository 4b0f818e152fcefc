/** What one team or user may have of everything that costs others something; each refusal names its bound. */
import { expect } from 'chai';
import type { User } from '../../src/accounts/models/user.model.ts';
import { createToken } from '../../src/accounts/tokens/tokens.ts';
import { requireRoomForMedia } from '../../src/media/media-bounds.ts';
import { aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { type Service, startService } from '../support/service.ts';

describe('Bounds', () => {
  let service: Service;
  let owner: User;
  let token: string;
  let teamId: number;

  before(async () => {
    service = await startService({ env: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
    owner = await aUser(service.database);
    teamId = (await aTeam(service.database, { owner })).id;
    token = await service.tokenFor(owner, ['seller', 'write']);
  });
  after(() => service.close());

  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/api/v1/${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
      headers: { 'x-team-id': String(teamId) },
    });
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { message: string; errors?: Record<string, string[]> }) => error,
    );

  it('10,000 lots an auction', async () => {
    const auction = await anAuction(service.database, { team_id: teamId, status: 'draft' });
    await service.database.knex.raw(
      `INSERT INTO lots (auction_id, lot_number, title, slug, starting_bid_cents, status)
       SELECT ?, n, 'Lot ' || n, 'many-' || n, 100, 'draft' FROM generate_series(1, 9999) n`,
      [auction.id],
    );
    const lot = { auction_id: auction.id, title: 'One more', starting_bid: '1.00' };
    expect((await call('POST', 'seller/lots', lot)).status).to.equal(201);
    const refused = await call('POST', 'seller/lots', lot);
    expect(refused.status).to.equal(422);
    expect(refused.body.errors.auction_id[0]).to.contain('10000');
    const other = await aLot(service.database, {
      auction_id: (await anAuction(service.database, { team_id: teamId, status: 'draft' })).id,
      status: 'draft',
    });
    const moved = await call('PATCH', `seller/lots/${other.id}`, { auction_id: auction.id });
    expect(moved.status).to.equal(422);
  });

  it('200 media a lot, and 20 GiB a team', async () => {
    const { knex } = service.database;
    const auction = await anAuction(service.database, { team_id: teamId });
    const lots = [
      await aLot(service.database, { auction_id: auction.id }),
      await aLot(service.database, { auction_id: auction.id }),
    ] as const;
    const add = (lotId: number, count: number, size: number) =>
      knex.raw(
        `INSERT INTO media (lot_id, kind, file_key, file_name, mime_type, size)
         SELECT ?, 'image', 'k' || ? || '-' || n, 'a.jpg', 'image/jpeg', ? FROM generate_series(1, ?) n`,
        [lotId, lotId, size, count],
      );
    const room = (lotId: number, bytes: number) =>
      refusalOf(
        knex.transaction((trx) =>
          requireRoomForMedia(trx, { type: 'lot', id: lotId }, bytes, { lock: true }),
        ),
      );
    await add(lots[0].id, 199, 1);
    expect(await room(lots[0].id, 1)).to.equal(null);
    await add(lots[1].id, 1, 20 * 1024 ** 3 - 200);
    expect(await room(lots[1].id, 1)).to.equal(null);
    expect((await room(lots[1].id, 2))?.errors?.['file']?.[0]).to.contain('20 GiB');
    await knex('media').insert({
      lot_id: lots[0].id,
      kind: 'image',
      file_key: 'last',
      file_name: 'a.jpg',
      mime_type: 'image/jpeg',
      size: 0,
    });
    expect((await room(lots[0].id, 0))?.errors?.['file']?.[0]).to.contain('200 media');
    const form = new FormData();
    form.set('model_type', 'lot');
    form.set('model_id', String(lots[0].id));
    form.set('file', new Blob(['x']), 'x.jpg');
    const upload = await fetch(`${service.url}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    });
    expect(upload.status).to.equal(422);
    expect(await upload.text()).to.contain('200 media');
  });

  it('100 webhook subscriptions a team, and 30 tests or redeliveries a minute', async () => {
    const url = 'http://127.0.0.1:9/hook';
    const made = await Promise.all(
      Array.from({ length: 103 }, () => call('POST', 'webhook-subscriptions', { url, events: ['*'] })),
    );
    expect(made.filter(({ status }) => status === 201)).to.have.length(100);
    const refused = made.find(({ status }) => status === 422)!;
    expect(refused.body.errors.url[0]).to.contain('100');
    const ids = made.flatMap(({ body }) => (body.data ? [body.data.id as number] : []));
    const tests = await Promise.all(
      Array.from({ length: 33 }, (_, n) => call('POST', `webhook-subscriptions/${ids[n % 3]}/test`)),
    );
    expect(tests.filter(({ status }) => status === 202)).to.have.length(30);
    const over = tests.find(({ status }) => status === 429)!;
    expect(over.body.message).to.contain('30');
    expect(over.headers.get('retry-after')).to.equal('60');
    const log = await call('GET', `webhook-subscriptions/${ids[0]}/deliveries`);
    const again = await call(
      'POST',
      `webhook-subscriptions/${ids[0]}/deliveries/${log.body.data[0].id}/redeliver`,
    );
    expect(again.status).to.equal(429);
  });

  it('100 tokens a user', async () => {
    const { knex } = service.backends;
    const user = await aUser(service.database);
    const make = () => createToken(knex, { email: user.email, abilities: ['read'] });
    for (let n = 0; n < 100; n += 1) await make();
    expect((await refusalOf(make()))?.message).to.contain('100');
  });
});
