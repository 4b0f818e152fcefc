/** A worker's jobs for media: medium sizes and the sweep, scheduled in their own queue, one worker at a time. */
import { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import type { QueueAddress } from '../../../adapters/queue/connection.ts';
import { openQueue } from '../../../adapters/queue/queue.ts';
import { startQueueWorker } from '../../../adapters/queue/queue-worker.ts';
import { makeMediumImages } from '../../media/medium-images.ts';
import { sweepOrphans } from '../../media/orphan-sweep.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { openStorage } from '../process/open-storage.ts';
import { MEDIA_QUEUE } from '../process/queue-address.ts';

const EVERY_MS = { 'medium-images': 2_000, 'sweep-orphans': 900_000 } as const;
/** A Redis that returned without the schedule must not stop it. */
const RENEW_MS = 30_000;

export interface MediaJobs {
  close(): Promise<void>;
}

/** Takes part in the scheduled passes. Never throws: while Redis is unavailable they wait. */
export async function startMediaJobs(
  config: Config,
  address: QueueAddress,
  { knex }: Pick<Backends, 'knex'>,
  log: Log,
): Promise<MediaJobs> {
  const storage = await openStorage(config.mediaStorage);
  const parts = { knex, log, storage, workshop: new ImageWorkshop() };
  const queue = openQueue<null>(address, MEDIA_QUEUE, (err) => log.debug({ err }, 'queue'));
  const worker = startQueueWorker<null>(address, MEDIA_QUEUE, {
    handlers: {
      'medium-images': async () => void (await makeMediumImages(parts)),
      'sweep-orphans': async () => void (await sweepOrphans(parts)),
    },
    concurrency: 2,
    onError: (err, { name }) => {
      if (name === undefined) log.debug({ err }, 'queue worker');
      else log.warn({ err, name }, 'a scheduled pass failed; the next one catches up');
    },
  });
  const renew = async () => {
    for (const [name, everyMs] of Object.entries(EVERY_MS)) await queue.every(name, everyMs, null);
  };
  const renewed = () => void renew().catch((err: unknown) => log.warn({ err }, 'queue'));
  renewed();
  const timer = setInterval(renewed, RENEW_MS);
  return {
    async close() {
      clearInterval(timer);
      parts.workshop.close();
      await worker.close();
      await queue.close();
      parts.storage.close();
    },
  };
}
