/**
 * Jobs of the release before are done by this one's workers, and what this one puts into the queues that one knows:
 * by kind, over every queue.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { connectionTo } from '../../../../adapters/queue/connection.ts';
import { entryOf } from '../../../../engine/first-of.ts';
import { type RunningJobs, startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { QUEUES, queueAddressOf } from '../../../../src/app/process/queue-address.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { openRetryJobs } from '../../../../src/webhooks/retry-jobs.ts';
import { BrowserLike, signUp } from '../../../support/browser-like.ts';
import { eventually } from '../../../support/market.ts';
import { type Service, startService } from '../../../support/service.ts';
import { JOBS_BEFORE, QUEUES_SINCE } from '../../../upgrade/queue-jobs.ts';

const RELEASE = 'v0.1.0';
const PROJECT = fileURLToPath(new URL('../../../..', import.meta.url));

describe('the jobs of queues, beside the release before', () => {
  let service: Service;
  let worker: RunningJobs | null = null;
  const queues = new Map<string, Queue>();

  before(async () => {
    service = await startService({
      env: { WEBHOOK_ALLOW_LOOPBACK: '1', CHECKPOINT_WEBHOOK: 'http://127.0.0.1:9/checkpoints' },
    });
    const address = queueAddressOf(service.config, service.redis.redisUrl);
    for (const name of QUEUES.filter((one) => !QUEUES_SINCE.includes(one))) {
      const queue = new Queue(name, { connection: connectionTo(address), prefix: address.prefix });
      queues.set(name, queue);
      // Nothing runs before it was inspected.
      await queue.pause();
    }
    // As long as processes of the release before may run.
    await service.backends.knex('journal_meta').update({ bids_share_rows: false });
    const log = openLog('silent', 'test');
    worker = await startWorkerJobs(service.config, service.backends, new Registry(), log);
  });
  after(async () => {
    for (const queue of queues.values()) await queue.close();
    await worker?.close();
    await service.close();
  });

  /** The fields of a payload and what they are; none where there is none. */
  const shapeOf = (payload: object | null) =>
    Object.entries(payload ?? {})
      .map(([name, value]) => `${name}: ${typeof value}`)
      .sort()
      .join(', ');
  const known = (queue: string) =>
    Object.entries(entryOf(new Map(Object.entries(JOBS_BEFORE)), queue).jobs)
      .map(([name, payload]) => `${name}(${shapeOf(payload)})`)
      .sort();

  it('are the same kinds with the same payloads', async () => {
    expect([...Object.keys(JOBS_BEFORE), ...QUEUES_SINCE].sort()).to.deep.equal([...QUEUES].sort());
    const retries = openRetryJobs(queueAddressOf(service.config, service.redis.redisUrl), () => undefined);
    retries.scheduleRetry(1, 60_000);
    await signUp(new BrowserLike(service.url), 'stranger@example.com', 'a long enough password');
    for (const [name, queue] of queues)
      await eventually(async () => {
        const jobs = await queue.getJobs(['wait', 'waiting', 'delayed', 'active', 'failed', 'completed']);
        const found = new Set(jobs.map((job) => `${job.name}(${shapeOf(job.data)})`));
        expect([...found].sort(), name).to.deep.equal(known(name));
        return true;
      });
    await retries.close();
  });

  it('are all done by the workers of this release', async () => {
    const { id: mailId } = await service.backends.knex('mails').first('id');
    for (const [name, { jobs }] of Object.entries(JOBS_BEFORE)) {
      const queue = entryOf(queues, name);
      for (const [job, payload] of Object.entries(jobs)) {
        const data = payload !== null && 'id' in payload ? { id: mailId } : payload;
        await queue.add(job, data, { jobId: `of-${RELEASE}-${job}`, attempts: 1 });
      }
      await queue.resume();
    }
    for (const [name, { jobs }] of Object.entries(JOBS_BEFORE)) {
      const queue = entryOf(queues, name);
      for (const job of Object.keys(jobs)) {
        const stateOf = () => queue.getJobState(`of-${RELEASE}-${job}`);
        await eventually(async () => ['completed', 'failed'].includes(await stateOf()));
        const failed = (await queue.getJob(`of-${RELEASE}-${job}`))?.failedReason;
        expect([name, job, await stateOf(), failed]).to.deep.equal([name, job, 'completed', undefined]);
      }
    }
    const mail = await service.backends.knex('mails').where('id', mailId).first('sent_at');
    expect(mail.sent_at).to.not.equal(null);
  });

  it(`are those that the sources of ${RELEASE} name`, function () {
    const git = (...words: string[]) =>
      execFileSync('git', words, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      git('rev-parse', '--verify', `${RELEASE}^{commit}`);
    } catch {
      // A clone without its tags does not have the sources of the release; the jobs are compared all the same.
      this.skip();
    }
    for (const [name, { jobs, sources }] of Object.entries(JOBS_BEFORE)) {
      const text = sources.map((source) => git('show', `${RELEASE}:${source}`)).join('\n');
      const named = [
        ...text.matchAll(/(?:\.every\(|\bname: |\.add\()'([a-z-]+)'/g),
        ...text.matchAll(/'([a-z-]+)'(?:: \{ everyMs|: [\d_]+,|\] = \{)/g),
        ...text.matchAll(/'([a-z-]+)': [\d_]+/g),
      ].map((match) => match[1]);
      expect([...new Set(named)].sort(), name).to.deep.equal(Object.keys(jobs).sort());
    }
  });
});
