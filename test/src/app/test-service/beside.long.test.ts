import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FIRST_TEST_ID } from '../../../../src/app/test-service/ids-apart.ts';
import { runCommand } from '../../../support/commands.ts';
import type { JsonValue } from '../../../support/service.ts';
import { exitCode, type Run, run, until } from '../../../support/started-service.ts';

describe('rostrum start --test-service', function () {
  this.timeout(400_000);
  let dataDir: string;
  let started: Run;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rostrum-beside-'));
    started = run(dataDir, ['start', '--test-service']);
  });
  after(async () => {
    started.child.kill('SIGTERM');
    await exitCode(started);
    await rm(dataDir, { recursive: true, force: true });
  });

  it('runs a test service beside the real one, on which a test token acts, and ends with it', async () => {
    const said = () => started.out() + started.err();
    const url = () => /listens on (http:\S+)/.exec(started.out())?.[1];
    await until(() => url() !== undefined || started.child.exitCode !== null, 180_000, said);
    const env = { DATA_DIR: dataDir };
    await runCommand(['user', 'create', '--email', 'dev@example.com'], env);
    const made = await runCommand(
      ['token', 'create', '--email', 'dev@example.com', '--ability', 'read', '--test', '--json'],
      env,
    );
    const { token } = JSON.parse(made.out);
    const lots = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url()}/api/v1/lots`, { headers }).catch(() => null);
      return answer?.ok ? ((await answer.json()) as JsonValue).data.data : [];
    };
    await until(async () => (await lots()).length > 0, 180_000, said);
    const [lot] = await lots();
    expect(lot.id).to.be.at.least(FIRST_TEST_ID);
    expect((await fetch(`${url()}/api/v1/lots/${lot.id}`)).status).to.equal(404);
    started.child.kill('SIGTERM');
    await exitCode(started);
    const left = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir);
        } catch {
          return false;
        }
      });
    await until(
      () => left().length === 0,
      30_000,
      () => left().join(),
    );
  });
});
