/** The registry of platforms and the configuration: which of them says what a platform's secret is. */
import { expect } from 'chai';
import { pino } from 'pino';
import { fillRegistry } from '../../../../src/app/web/compose-simulcast.ts';
import {
  fillPlatforms,
  PlatformSecrets,
  rotatePlatform,
} from '../../../../src/bidding/simulcast/platform-registry.ts';
import { unseal } from '../../../../src/shared/sealed.ts';
import { type MigratedDatabase, migratedDatabase } from '../../../support/migrated-database.ts';

const appSecrets = ['the secret of this application'] as const;

describe('the registry of platforms', () => {
  let database: MigratedDatabase;
  before(async () => {
    database = await migratedDatabase();
  });
  after(() => database.drop());

  it('takes no secret from the configuration again that was replaced by a rotation, and says so', async () => {
    const { knex } = database.db;
    const configure = (secret: string) => fillPlatforms(knex, appSecrets, new Map([['dale', secret]]));
    const valid = () => new PlatformSecrets(knex, appSecrets).of('dale');
    await configure('the first of dale');
    const { secret: second } = await rotatePlatform(knex, appSecrets, 'dale');
    const { secret: third } = await rotatePlatform(knex, appSecrets, 'dale');
    for (const replaced of ['the first of dale', second]) {
      expect(await configure(replaced)).to.deep.equal(['dale']);
      expect(await valid()).to.deep.equal([third, second]);
    }
    expect(await configure(third)).to.deep.equal([]);
    expect(await valid()).to.deep.equal([third, second]);
    const config = { appSecrets, simulcastSecrets: new Map([['dale', 'the first of dale']]) };
    const line = await new Promise<string>((write) => {
      fillRegistry(config, database.db, pino({ level: 'warn' }, { write }));
    });
    expect(JSON.parse(line)).to.include({ platform: 'dale' });
    expect(line).to.include('SIMULCAST_SECRETS').and.not.include('the first of dale');
    expect(await configure('a new one for dale')).to.deep.equal([]);
    expect(await valid()).to.deep.equal(['a new one for dale', third]);
  });

  it('gives a platform a new secret where the key that sealed the present one is lost', async () => {
    const { knex } = database.db;
    await fillPlatforms(knex, ['a key that is lost'], new Map([['moor', 'a secret of moor']]));
    const { secret } = await rotatePlatform(knex, appSecrets, 'moor');
    const row = await knex('simulcast_platforms').where({ slug: 'moor' }).first('sealed_secret');
    expect(unseal(row.sealed_secret, appSecrets)).to.equal(secret);
  });
});
