/** What only waits is told apart from what Postgres refuses, and nobody is asked for a command where it mends itself. */
import { expect } from 'chai';
import { type Service, startService } from '../../../support/service.ts';

describe('what is set aside, in /readyz', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('says which waits and which was refused', async () => {
    const { knex } = service.backends;
    const add = (subject: string, transient: boolean) =>
      knex('projection_failures').insert({
        ...{ shard: 0, subject, lot_id: 1, sequence: 1, error: 'canceling statement due to lock timeout' },
        ...{ transient, reported_at: knex.fn.now() },
      });
    const detail = async () => (await service.get('/readyz')).text;
    await add('lot:1', true);
    expect(await detail())
      .to.contain('1 wait for a lock or a time limit of Postgres')
      .and.not.contain('rostrum projection retry');
    await add('lot:2', false);
    expect(await detail())
      .to.contain('1 set aside because Postgres refused')
      .and.contain('projection retry');
  });
});
