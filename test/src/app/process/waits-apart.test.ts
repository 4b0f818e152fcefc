/** What only waits is told apart from what Postgres refuses, and nobody is asked for a command where it mends itself. */
import { expect } from 'chai';
import { describeFailure } from '../../../../src/bidding/projection/set-aside.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aUser } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('what is set aside, in /readyz, log and office', () => {
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

  it('is told apart in the log', () => {
    const said = (transient: boolean) =>
      describeFailure({ lot_id: 1, auction_id: 1, sequence: 7, error: 'lock timeout', transient } as never);
    expect(said(true)).to.contain('because it waits: lock timeout');
    expect(said(false)).to.contain('because Postgres refused it: lock timeout');
  });

  it('is told apart in the office, where nobody is asked to try again what waits', async () => {
    const { database } = service;
    const staff = await aUser(database, { is_admin: true, password_hash: quickHash('correct horse') });
    const browser = new BrowserLike(service.url);
    await signIn(browser, staff.email, 'correct horse');
    const failures = await database.knex('projection_failures').orderBy('id').select('id', 'transient');
    expect(failures.map(({ transient }) => transient)).to.deep.equal([true, false]);
    const queue = (await browser.get('/office/queue')).text;
    for (const { id, transient } of failures) {
      const retry = `/office/queue/failures/${id}/try-again`;
      expect(queue.includes(retry), `a button for ${id}`).to.equal(!transient);
      const page = (await browser.get(`/office/queue/failures/${id}`)).text;
      expect(page).to.contain(transient ? 'waiting' : 'refused');
      expect(page.includes(retry), `a form for ${id}`).to.equal(!transient);
    }
  });
});
