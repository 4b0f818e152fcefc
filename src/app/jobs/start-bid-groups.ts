/**
 * A worker's part in bid groups: looks at those whose lots have moved as soon as the projection has written it, and
 * every second at what is due. Any number of workers may do it, and be killed.
 */
import { listenForNotices } from '../../../adapters/postgres/notices.ts';
import { workOnGroups } from '../../bidding/groups/group-agent.ts';
import { BidOrigins } from '../../bidding/origins/bid-origins.ts';
import { EVENTS_CHANNEL } from '../../events/outbox.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from '../process/backends.ts';
import { groupParts } from '../process/group-parts.ts';
import { RepeatedJob, SETTLE_MS } from './repeated-job.ts';

const EVERY_MS = 1_000;

/** Starts bidding. Never throws: while Postgres or Redis is unavailable, groups wait. */
export function startBidGroups(config: Config, backends: Backends, log: Log): { close(): Promise<void> } {
  const origins = new BidOrigins({ knex: backends.knex, appSecrets: config.appSecrets, log });
  const parts = groupParts(config, backends, origins, log);
  const job = new RepeatedJob('bid groups', EVERY_MS, log, () => workOnGroups(parts));
  const notices = listenForNotices({
    url: backends.database.url,
    channels: [EVENTS_CHANNEL],
    onNotice: () => job.soon(SETTLE_MS),
    onError: (err) => log.debug({ err }, 'bid group notices'),
  });
  return {
    async close() {
      await notices.close();
      await job.close();
      await origins.close();
    },
  };
}
