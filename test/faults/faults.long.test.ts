/**
 * A short fault run that needs no root: a few faults of a fixed seed on real processes, judged by the history check.
 * How fast everything recovers is measured by the full run (`npm run test:faults`); here nothing may be lost, invented
 * or duplicated.
 */
import { expect } from 'chai';
import { type MigratedDatabase, migratedDatabase } from '../support/migrated-database.ts';
import { programToRun } from '../support/program.ts';
import { KINDS } from './kinds.ts';
import { countOf, shortcomings } from './report.ts';
import { runFaults } from './run-faults.ts';
import { openSetting, type Setting } from './setting.ts';

const KINDS_HERE = [
  'web process killed',
  'worker process killed',
  'web process stopped',
  'Redis unavailable',
  'replies cut before the client',
  'replies cut before the web process',
];

describe('the service under faults', function () {
  // About half a minute on a machine that is not busy otherwise; on a busy one it may take its time.
  this.timeout(500_000);
  let database: MigratedDatabase;
  let setting: Setting;

  before(async () => {
    database = await migratedDatabase();
    setting = await openSetting({
      webs: 2,
      workers: 1,
      bidders: 20,
      smallDisk: false,
      program: programToRun(),
      redisLines: [],
      databaseUrl: database.databaseUrl,
    });
  });

  after(async () => {
    await setting?.close();
    await database?.drop();
  });

  it('loses, invents and duplicates no bid, and every refusal was correct', async () => {
    const kinds = KINDS.filter(({ name }) => KINDS_HERE.includes(name));
    expect(kinds).to.have.length(KINDS_HERE.length);
    const figures = await runFaults(setting, {
      seed: 20_261_121,
      kinds,
      timesEach: 1,
      operations: 500,
      outageMs: 2_500,
      thinkMs: 400,
      maxSeconds: 300,
      say: () => undefined,
    });
    const found = shortcomings(figures, {
      operations: 500,
      timesEach: 1,
      kinds: KINDS_HERE,
      recoveryMs: 35_000,
      answer503Ms: 10_000,
      closeMs: 60_000,
    });
    expect(found).to.deep.equal([]);
    for (const kind of ['lost', 'phantom', 'double'])
      expect(countOf(figures.verdict, kind), kind).to.equal(0);
    expect(figures.verdict.accepted).to.be.greaterThan(50);
    expect(figures.closedLots).to.equal(4 * KINDS_HERE.length);
  });
});
