/**
 * What an operator sees while Postgres fails over: `/metrics`, `/readyz`, `rostrum doctor` and `rostrum info` answer at
 * once, and truly, before, while no host takes writes, and after. `npm run test:failover`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Guardian, startGuardian } from '../../adapters/embedded/guardian.ts';
import { type Database, openDatabase } from '../../adapters/postgres/database.ts';
import { standbyLacks } from '../faults/postgres-host.ts';
import { type PostgresPart, startPostgresPart } from '../faults/postgres-part.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { programToRun } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';

/** What Prometheus and a load balancer wait for. */
const AT_ONCE_MS = 3_000;
/** A command has to start, too, and the doctor looks at every part with patience. */
const COMMAND_MS = 60_000;

describe('what an operator sees of a Postgres that fails over', () => {
  let base: string;
  let guardian: Guardian;
  let postgres: PostgresPart;
  let db: Database;
  let service: Service;
  let token: string;
  let lotId: number;
  let dollars = 100;

  before(async function () {
    const lacks = standbyLacks();
    // A standby needs programs or rights that this machine may lack: the output says which.
    if (lacks !== null) {
      console.log(`left out: ${lacks}`);
      this.skip();
    }
    base = await mkdtemp(join(tmpdir(), 'rostrum-seen-'));
    guardian = startGuardian();
    postgres = await startPostgresPart(base, guardian);
    await postgres.addStandby(true);
    db = openDatabase(postgres.databaseUrl, { max: 2 });
    service = await startService({ database: { db, databaseUrl: postgres.databaseUrl } });
    token = await service.tokenFor(await aUser(db));
    const auction = await anAuction(db);
    lotId = (await aLot(db, { auction_id: auction.id })).id;
    await service.publish();
    expect(await bid()).to.equal(201);
  });
  after(async () => {
    await service?.close();
    await db?.close();
    await postgres?.close();
    guardian?.release();
    if (base !== undefined) await rm(base, { recursive: true, force: true });
  });

  const bid = async () => {
    dollars += 1_000;
    const body = { amount: `${dollars}.00` };
    return (await service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body })).status;
  };

  async function atOnce(path: string) {
    const beganMs = performance.now();
    const answer = await service.get(path);
    expect(performance.now() - beganMs, path).to.be.lessThan(AT_ONCE_MS);
    return answer;
  }

  /** What a command says, whether it succeeds or not. */
  async function say(...words: string[]) {
    const beganMs = performance.now();
    const { databaseUrl, redisUrl } = service.backends.addresses;
    const env = {
      ...process.env,
      NODE_ENV: 'test',
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      DATA_DIR: base,
    };
    const said = await new Promise<{ code: number; out: string }>((resolve) => {
      execFile(process.execPath, [...programToRun(), ...words, '--json'], { env }, (error, out) =>
        resolve({ code: error === null ? 0 : 1, out }),
      );
    });
    expect(performance.now() - beganMs, words.join(' ')).to.be.lessThan(COMMAND_MS);
    return { code: said.code, ...JSON.parse(said.out) };
  }
  const finding = async (name: string) => {
    const { findings } = await say('doctor');
    return findings.find((one: { name: string }) => one.name === name);
  };

  it('passes before any damage', async () => {
    expect((await atOnce('/readyz')).status).to.equal(200);
    expect((await atOnce('/metrics')).text).to.match(/^rostrum_journal_in_order 1$/m);
    expect(await finding('postgres standby')).to.include({ ok: true });
    expect(await say('info')).to.include({ code: 0 });
  });

  it('is told at once while no host takes writes, and bids go on', async () => {
    await postgres.crash();
    const ready = await atOnce('/readyz');
    expect(ready.status).to.equal(503);
    expect(ready.body.message).to.match(/postgres \(/);
    for (let round = 0; round < 3; round += 1) {
      const metrics = await atOnce('/metrics');
      expect(metrics.status).to.equal(200);
      expect(metrics.text)
        .to.match(/^rostrum_projection_lag_seconds /m)
        .and.match(/^rostrum_bids_total/m);
      await sleep(500);
    }
    expect(await bid()).to.equal(201);
    const doctor = await say('doctor');
    const named = (name: string) => doctor.findings.find((one: { name: string }) => one.name === name);
    expect([doctor.code, named('postgres').ok, named('redis').ok]).to.deep.equal([1, false, true]);
    expect(named('postgres').found).to.match(
      /none of the hosts accepts writes|ECONNREFUSED|unreachable|cannot/i,
    );
    const info = await say('info');
    expect(info.code).to.equal(1);
    expect(info.error).to.match(/^DATABASE_URL: /);
  });

  it('is in order again once the standby was promoted, and its absence is named', async () => {
    await postgres.promote();
    const deadlineMs = performance.now() + 15_000;
    while ((await service.get('/readyz')).status !== 200) {
      expect(performance.now(), 'until it is ready').to.be.lessThan(deadlineMs);
      await sleep(100);
    }
    expect((await atOnce('/metrics')).status).to.equal(200);
    expect(await bid()).to.equal(201);
    expect(await finding('postgres standby')).to.deep.include({ ok: false });
    expect((await finding('postgres')).ok).to.equal(true);
    expect(await say('info')).to.include({ code: 0 });
  });
});
