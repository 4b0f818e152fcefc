import { expect } from 'chai';
import { addressOf } from '../../adapters/postgres/database.ts';
import { withoutCredentials } from '../../adapters/postgres/primary-host.ts';

describe('the address of a server without credentials', () => {
  const SHOWN: readonly (readonly [string, string])[] = [
    ['redis://127.0.0.1:6379', '127.0.0.1:6379'],
    ['rediss://me:hush@a:6379/1', 'a:6379/1'],
    ['redis://:hush@hush@a:6379', 'a:6379'],
    ['redis-cluster://me:hush@a:1,me:hush@b:2', 'b:2'],
    ['redis-sentinel://:hush@a:1,b:2/name', 'a:1,b:2/name'],
    ['postgres://me:hush@a:1,b:2/db?password=hush', 'a:1,b:2/db'],
    ['postgres://me:hush@hush@a,b/db', 'a,b/db'],
  ];

  it('shows hosts and never a password, however it is written', () => {
    for (const [url, shown] of SHOWN) expect(withoutCredentials(url), url).to.equal(shown);
  });

  it('is what errors say of Postgres', () => {
    for (const [url] of SHOWN.filter(([one]) => one.startsWith('postgres')))
      expect(addressOf(url), url).not.to.contain('hush');
    expect(addressOf('postgres://me:hush@a:1/db?password=hush')).to.equal('a:1/db');
  });
});
