/** Where picture and sound of a saleroom may come from. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../src/app/config/config.ts';
import { streamSources, wrongStream } from '../../../src/shared/saleroom-streams.ts';
import { importMarketplace } from '../../../src/tools/import/import-marketplace.ts';
import { anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const HOSTS = 'player.example.com, *.live.example.com,127.0.0.1:8123';
const ALLOWED = 'https://player.example.com/embed/7?quiet=1';

describe('the stream of an auction', () => {
  let service: Service;

  before(async () => {
    service = await startService({ env: { STREAM_HOSTS: HOSTS } });
  });
  after(() => service.close());

  async function desk() {
    const user = await aUser(service.database);
    const team = await aTeam(service.database, { owner: user });
    const auction = await anAuction(service.database, { team_id: team.id, type: 'simulcast' });
    await service.publish();
    const token = await service.tokenFor(user, ['seller', 'read', 'write']);
    const headers = { 'x-team-id': String(team.id) };
    const path = `/api/v1/seller/auctions/${auction.id}`;
    const change = (stream_url: unknown) =>
      service.call('PATCH', path, { token, headers, body: { stream_url } });
    return { auction, change };
  }

  it('is at an allowed host, else 422, and is answered with the auction', async () => {
    const { auction, change } = await desk();
    const read = async () => (await service.get(`/api/v1/auctions/${auction.id}`)).body.data.stream_url;
    expect(await read()).to.equal(null);
    const changed = await change(ALLOWED);
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.data.stream_url).to.equal(ALLOWED);
    expect(await read()).to.equal(ALLOWED);
    for (const wrong of [
      'https://example.com/embed/7',
      'https://player.example.com.evil.example/7',
      'https://live.example.com/7',
      'https://player.example.com:8443/7',
      'http://player.example.com/7',
      'https://user@player.example.com/7',
      'javascript:alert(1)',
      'player.example.com',
    ]) {
      const refused = await change(wrong);
      expect(refused.status, wrong).to.equal(422);
      expect(Object.keys(refused.body.errors)).to.deep.equal(['stream_url']);
    }
    expect(await read()).to.equal(ALLOWED);
    expect((await change(null)).body.data.stream_url).to.equal(null);
  });

  it('may be at a host below a named one, and at a port of this machine', () => {
    const { streamHosts } = service.config;
    expect(wrongStream('https://a.live.example.com/x', streamHosts)).to.equal(null);
    expect(wrongStream('http://127.0.0.1:8123/x', streamHosts)).to.equal(null);
    expect(wrongStream('http://127.0.0.1:8124/x', streamHosts)).to.contain('one of these hosts');
    expect(wrongStream(ALLOWED, [])).to.contain('names none');
    expect(streamSources(streamHosts)).to.deep.equal([
      ...['https://player.example.com', 'https://*.live.example.com'],
      ...['https://127.0.0.1:8123', 'http://127.0.0.1:8123'],
    ]);
  });

  it('is imported by the same rule', async () => {
    const owner = await aUser(service.database);
    const document = (stream_url: string) => ({
      auctions: [
        {
          ...{ title: 'Room', user: owner.email, type: 'simulcast', stream_url },
          ...{ start_time: '2030-01-01T10:00:00Z', end_time: '2030-01-02T10:00:00Z' },
        },
      ],
    });
    const { knex } = service.backends;
    const options = { streamHosts: service.config.streamHosts };
    const { auctions } = await importMarketplace(knex, document(ALLOWED), options);
    const row = await knex('auctions').where('id', auctions['room']!.id).first();
    expect(row.stream_url).to.equal(ALLOWED);
    const refused = await importMarketplace(knex, document('https://example.com/7'), options).catch(String);
    expect(refused).to.contain('stream_url');
  });

  it('needs hosts that are hosts', async () => {
    const env = { DATA_DIR: await mkdtemp(join(tmpdir(), 'rostrum-streams-')), NODE_ENV: 'test' };
    for (const hosts of ['https://player.example.com', 'a b', '*', 'player.example.com/x'])
      expect(() => loadConfig({ ...env, STREAM_HOSTS: hosts }), hosts).to.throw('STREAM_HOSTS');
    expect(loadConfig(env).streamHosts).to.deep.equal([]);
  });
});
