/** Scheduled work on checkpoints: soon after a lot closes, every minute while journals move, and out to the witness. */
import { WebhookPoster } from '../../../adapters/webhooks/poster.ts';
import { makeCheckpoint, type Scope } from '../../bidding/fairness/checkpoints.ts';
import { sendCheckpoints } from '../../bidding/fairness/send-checkpoints.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';

export interface CheckpointJob {
  readonly everyMs: number;
  work(): Promise<void>;
}

/** The jobs by name. The hourly one finds lots that have left the journal while no worker ran. */
export function checkpointJobs(
  config: Config,
  { knex }: Pick<Backends, 'knex'>,
): Readonly<Record<string, CheckpointJob>> {
  const parts = { knex, secrets: config.appSecrets, name: logName(config) };
  const making = (scope: Scope) => async () => void (await makeCheckpoint(parts, scope));
  const jobs: Record<string, CheckpointJob> = {
    'checkpoint-closed-lots': { everyMs: 2_000, work: making('closed') },
    'checkpoint-live-lots': { everyMs: 60_000, work: making('live') },
    'checkpoint-all-lots': { everyMs: 3_600_000, work: making('all') },
  };
  const { witness } = config;
  if (witness !== null) {
    const poster = new WebhookPoster({ allowLoopback: config.webhookAllowLoopback });
    jobs['send-checkpoints'] = {
      everyMs: 2_000,
      work: async () => void (await sendCheckpoints(knex, poster, witness)),
    };
  }
  return jobs;
}

/** A log is named after the site; the name of its first checkpoint stays. */
function logName({ publicUrl }: Config): string {
  return `${publicUrl === null ? 'rostrum.localhost' : new URL(publicUrl).hostname}/journal`;
}
