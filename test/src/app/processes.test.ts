/**
 * `start` with several web processes, as a process of its own: one port for all, picked where PORT is 0, and one set
 * of metrics.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { programToRun } from '../../support/program.ts';
import { type FreshRedis, freshRedis } from '../../support/redis-servers.ts';
import { type FreshDatabase, freshDatabase } from '../../support/servers.ts';

const PROCESSES = 2;

describe('start with several processes', () => {
  let database: FreshDatabase;
  let redis: FreshRedis;
  let dataDir: string;
  let started: ChildProcess;
  let said = '';
  let url = '';

  before(async () => {
    [database, redis, dataDir] = await Promise.all([
      freshDatabase(),
      freshRedis(),
      mkdtemp(join(tmpdir(), 'rostrum-processes-')),
    ]);
    const words = [...programToRun(), 'start', '--processes', String(PROCESSES)];
    started = spawn(process.execPath, words, {
      env: {
        ...process.env,
        NODE_ENV: '',
        PORT: '0',
        RATE_LIMIT_PER_MINUTE: '0',
        DATA_DIR: dataDir,
        DATABASE_URL: database.databaseUrl,
        REDIS_URL: redis.redisUrl,
        METRICS_TOKEN: 'scraper',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
    }
    while (url === '' && started.exitCode === null) {
      url = /listens on (http:\S+)/.exec(said)?.[1] ?? '';
      await sleep(50);
    }
    expect(url, said).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  after(async () => {
    if (started.exitCode === null) {
      started.kill('SIGTERM');
      await once(started, 'exit');
    }
    await Promise.all([database.drop(), redis.close(), rm(dataDir, { recursive: true, force: true })]);
  });

  /** Over a connection of its own, so that the processes take turns. */
  const get = (path: string, token?: string) => {
    const headers: Record<string, string> = { Connection: 'close' };
    if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
    return fetch(url + path, { headers });
  };

  it('listens on one port, picked where PORT is 0', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => get('/healthz')));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 12 }, () => 200));
  });

  it('tells the sums over all processes, whichever is asked', async () => {
    for (let at = 0; at < 9; at += 1) expect((await get('/api/v1/categories')).status).to.equal(200);
    const counts = new Set<string | undefined>();
    let text = '';
    for (let at = 0; at < PROCESSES + 1; at += 1) {
      text = await (await get('/metrics', 'scraper')).text();
      counts.add(
        /^http_requests_total\{method="GET",route="\/api\/v1\/categories",status="200"\} (\d+)$/m.exec(
          text,
        )?.[1],
      );
    }
    expect([...counts]).to.deep.equal(['9']);
    // The worker's are among them.
    expect(text).to.match(/^rostrum_projection_/m);
  });

  it('tells its metrics to whoever has the token', async () => {
    expect((await get('/metrics')).status).to.equal(401);
    expect((await get('/metrics', 'scrapes')).status).to.equal(401);
    expect((await get('/readyz')).status).to.equal(200);
  });
});
