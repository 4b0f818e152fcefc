/** Several hosts in one address: connections go to whichever works, and move when it is gone. */
import { expect } from 'chai';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { listenForNotices } from '../../../adapters/postgres/notices.ts';
import { addressesOf, newestPrimary } from '../../../adapters/postgres/primary-host.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { eventually } from '../../support/market.ts';
import { sharedServers } from '../../support/servers.ts';
import { openWire, type Wire } from '../../support/wire.ts';

describe('a Postgres of several hosts', () => {
  let wires: Wire[];
  let url: string;

  before(async () => {
    const one = new URL((await sharedServers()).databaseUrl);
    wires = await Promise.all([openWire(Number(one.port)), openWire(Number(one.port))]);
    const hosts = wires.map(({ port }) => `127.0.0.1:${port}`).join(',');
    url = `postgres://${one.username}:${one.password}@${hosts}${one.pathname}`;
  });
  after(() => wires[1]?.close());

  it('is read from the configuration', () => {
    expect(
      loadConfig({
        DATABASE_URL: url,
        DATA_DIR: '/nowhere',
        APP_SECRET: 'a',
        PAYMENT_WEBHOOK_SECRET: 'b',
        SIMULCAST_SECRETS: 'c=d',
      }).databaseUrl,
    ).to.equal(url);
    expect(addressesOf('postgres://u:p@a:1,b/x?y=1')).to.deep.equal([
      'postgres://u:p@a:1/x?y=1',
      'postgres://u:p@b/x?y=1',
    ]);
    expect(addressesOf('postgres://a:1/x')).to.deep.equal(['postgres://a:1/x']);
  });

  it('is the one that was promoted last, also where a primary that was replaced takes writes again', () => {
    const at = (address: string, timeline: number, major = 18) => ({ address, major, timeline });
    const [old, promoted, upgraded] = [at('a', 1), at('b', 2), at('a', 1, 19)];
    for (const found of [
      [old, promoted],
      [promoted, old],
    ])
      for (const last of [null, old, promoted]) expect(newestPrimary(found, last)).to.equal(promoted);
    expect(newestPrimary([old], null)).to.equal(old);
    expect(newestPrimary([old], promoted)).to.equal(null);
    expect(newestPrimary([at('a', 2)], promoted)).to.deep.equal(at('a', 2));
    expect(newestPrimary([upgraded], promoted)).to.equal(upgraded);
    expect(newestPrimary([], promoted)).to.equal(null);
  });

  it('is followed from a lost host to the other, by queries and by listeners', async () => {
    const database = openDatabase(url, { max: 2 });
    let notified = 0;
    const notices = listenForNotices({
      url,
      channels: ['told'],
      onNotice: (channel) => {
        if (channel === 'told') notified += 1;
      },
    });
    try {
      const readOne = async () => (await database.knex.raw('select 1 as one')).rows[0].one;
      expect(await readOne()).to.equal(1);
      await wires[0]?.close();
      expect(await eventually(() => readOne().catch(() => null))).to.equal(1);
      await eventually(async () => {
        await database.knex.raw("select pg_notify('told', '')");
        return notified > 0;
      });
      await wires[1]?.close();
      expect(await readOne().then(String, (error: Error) => error.message)).to.match(
        /ECONNREFUSED|terminated|cannot/i,
      );
    } finally {
      await notices.close();
      await database.close();
    }
  });
});
