/**
 * A worker's part in papers: what is waiting in Postgres is put into a queue, where any worker takes it. A lost Redis
 * costs no paper, nor does a killed worker: the next look finds what nobody is making.
 */
import { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import type { QueueAddress } from '../../../adapters/queue/connection.ts';
import { openQueue } from '../../../adapters/queue/queue.ts';
import { startQueueWorker } from '../../../adapters/queue/queue-worker.ts';
import { dropOldPapers, makePaper, type PaperParts, papersToMake } from '../../selling/papers/make-paper.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { operatorNameNow } from '../process/mail.ts';
import { openStorage } from '../process/open-storage.ts';
import { PAPER_QUEUE } from '../process/queue-address.ts';

const EVERY_MS = { sweep: 1_000, tidy: 600_000 } as const;
/** A Redis that returned without the schedule must not stop it. */
const RENEW_MS = 30_000;
/** Two are made at once, and one place is for the look at what waits. */
const AT_ONCE = 3;

export interface PaperJobs {
  close(): Promise<void>;
}

type PaperWork = { readonly id: number } | null;

/** Takes part in making papers. Never throws: while Redis is unavailable they wait. */
export async function startPaperJobs(
  config: Config,
  address: QueueAddress,
  { knex }: Pick<Backends, 'knex'>,
  log: Log,
): Promise<PaperJobs> {
  const storage = await openStorage(config.mediaStorage);
  const workshop = new ImageWorkshop();
  const operatorName = () => operatorNameNow(config, knex);
  const parts: PaperParts = { knex, storage, workshop, log, operatorName };
  const queue = openQueue<PaperWork>(address, PAPER_QUEUE, (err) => log.debug({ err }, 'queue'));
  const worker = startQueueWorker<PaperWork>(address, PAPER_QUEUE, {
    handlers: {
      // Whether it is tried again is for the row to say.
      make: async ({ data }) => (data === null ? undefined : makePaper(parts, data.id)),
      sweep: async () => {
        const works = (await papersToMake(knex)).map(({ id, attempts }) => ({
          name: 'make',
          data: { id },
          options: { id: `paper-${id}-${attempts}`, attempts: 1 },
        }));
        if (works.length > 0) await queue.addMany(works);
      },
      tidy: async () => void (await dropOldPapers(parts)),
    },
    concurrency: AT_ONCE,
    onError: (err, { name }) => {
      if (name === undefined) log.debug({ err }, 'queue worker');
      else log.warn({ err, name }, 'a pass over papers failed; the next one catches up');
    },
  });
  const renew = async () => {
    for (const [name, everyMs] of Object.entries(EVERY_MS)) await queue.every(name, everyMs, null);
  };
  const renewed = () => void renew().catch((err: unknown) => log.debug({ err }, 'queue'));
  renewed();
  const timer = setInterval(renewed, RENEW_MS);
  return {
    async close() {
      clearInterval(timer);
      workshop.close();
      await worker.close();
      await queue.close();
      storage.close();
    },
  };
}
