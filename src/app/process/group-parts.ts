/** What the agent of bid groups works with, in web and worker alike. */
import type { ChangeParts } from '../../bidding/groups/change-groups.ts';
import type { OriginNotes } from '../../bidding/origins/bid-origins.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Backends } from './backends.ts';

export function groupParts(
  config: Config,
  { knex, journal, engine }: Backends,
  origins: OriginNotes,
  log: Log,
): ChangeParts {
  return {
    ...{ knex, journal, engine, origins },
    appSecrets: config.appSecrets,
    onError: (err, group) => log.warn({ err, group }, 'a bid group waits; its agent tries again'),
  };
}
