/**
 * Jobs of the release before are done by this one's workers, and what this one puts into the queues that one knows:
 * by kind, over every queue.
 */
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
import { JOBS_BEFORE } from '../../../upgrade/queue-jobs.ts';

describe('the jobs of queues, beside the release before', () => {
  let service: Service;
  let worker: RunningJobs | null = null;
  const queues = new Map<string, Queue>();

  before(async () => {
    service = await startService({
      env: { WEBHOOK_ALLOW_LOOPBACK: '1', CHECKPOINT_WEBHOOK: 'http://127.0.0.1:9/checkpoints' },
    });
    const address = queueAddressOf(service.config, service.redis.redisUrl);
    for (const name of QUEUES) {
      const queue = new Queue(name, { connection: connectionTo(address), prefix: address.prefix });
      queues.set(name, queue);
      // Nothing runs before it was inspected.
      await queue.pause();
    }
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
    expect(Object.keys(JOBS_BEFORE).sort()).to.deep.equal([...QUEUES].sort());
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
    for (const [name, { jobs, byJobs }] of Object.entries(JOBS_BEFORE)) {
      const queue = entryOf(queues, name);
      for (const [job, payload] of Object.entries({ ...jobs, ...byJobs })) {
        const data = payload !== null && 'id' in payload ? { id: mailId } : payload;
        await queue.add(job, data, { jobId: `of-the-release-before-${job}`, attempts: 1 });
      }
      await queue.resume();
    }
    for (const [name, { jobs, byJobs }] of Object.entries(JOBS_BEFORE)) {
      const queue = entryOf(queues, name);
      for (const job of Object.keys({ ...jobs, ...byJobs })) {
        const stateOf = () => queue.getJobState(`of-the-release-before-${job}`);
        await eventually(async () => ['completed', 'failed'].includes(await stateOf()));
        const failed = (await queue.getJob(`of-the-release-before-${job}`))?.failedReason;
        expect([name, job, await stateOf(), failed]).to.deep.equal([name, job, 'completed', undefined]);
      }
    }
    const mail = await service.backends.knex('mails').where('id', mailId).first('sent_at');
    expect(mail.sent_at).to.not.equal(null);
  });
});
