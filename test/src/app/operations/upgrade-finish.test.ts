/**
 * Rows are written as the previous release reads them until the upgrade is finished; a release that is older than what
 * has been finished refuses the database.
 */
import { expect } from 'chai';
import { migrateToLatest } from '../../../../adapters/postgres/migrate.ts';
import { examine } from '../../../../src/app/doctor/examine.ts';
import { openBackends } from '../../../../src/app/process/backends.ts';
import { InputError } from '../../../../src/shared/input-error.ts';
import { LAYOUT } from '../../../../src/shared/layout.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { runCommand } from '../../../support/commands.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('an upgrade', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const run = (...words: string[]) =>
    runCommand(words, { DATABASE_URL: service.databaseUrl, REDIS_URL: service.redis.redisUrl });
  const found = async (layout: number) => {
    await service.backends.knex('journal_meta').update({ layout });
    const addresses = { databaseUrl: service.databaseUrl, redisUrl: service.redis.redisUrl };
    return (await examine(service.config, addresses)).find(({ name }) => name === 'upgrade');
  };

  it('is finished from the start in a new marketplace, and in one from before the first release', async () => {
    const { knex } = service.backends;
    expect(await knex('journal_meta').pluck('layout')).to.deep.equal([LAYOUT]);
    await knex('journal_meta').update({ layout: null });
    const { code, out } = await run('migrate', '--finish', '--json');
    expect([code, JSON.parse(out)]).to.deep.equal([0, { migrated: [], finished: false }]);
  });

  it('is finished by a command, and `doctor` reports it until then', async () => {
    expect((await found(LAYOUT - 1))?.todo).to.match(/rostrum migrate --finish/);
    const { code, out } = await run('migrate', '--finish', '--json');
    expect([code, JSON.parse(out)]).to.deep.equal([0, { migrated: [], finished: true }]);
    expect(await service.backends.knex('journal_meta').pluck('layout')).to.deep.equal([LAYOUT]);
    expect((await found(LAYOUT))?.ok).to.equal(true);
  });

  it('that a later release has finished is refused by this one', async () => {
    const refusal =
      /a later release has finished its upgrade \(layout \d+, this release reads \d+\): run that one/;
    expect((await found(LAYOUT + 1))?.found).to.match(refusal);
    expect((await run('lot', 'list')).code).to.equal(1);
    expect((await run('user', 'create', '--email', 'a@example.com')).err).to.match(refusal);
    const backends = await openBackends(
      { databaseUrl: service.databaseUrl, redisUrl: service.redis.redisUrl },
      openLog('silent', 'test'),
    ).catch((error: Error) => error);
    expect(backends, 'no process starts on it')
      .to.be.instanceOf(InputError)
      .with.property('message')
      .match(refusal);
    const { status, body } = await service.call('GET', '/readyz');
    expect([status, JSON.stringify(body)]).to.satisfy(
      ([code, text]: [number, string]) => code === 503 && refusal.test(text),
    );
  });

  it('that is not finished can be taken back: what a later release has added to the schema stays', async () => {
    const { knex } = service.backends;
    await knex('journal_meta').update({ layout: LAYOUT });
    await knex('knex_migrations').insert({ name: '20990101_001_of_a_later_release' });
    expect(await migrateToLatest(service.backends.database)).to.deep.equal([]);
    expect((await run('migrate', '--json')).code).to.equal(0);
    expect(await knex('knex_migrations').where('name', 'like', '2099%')).to.have.length(1);
  });
});
