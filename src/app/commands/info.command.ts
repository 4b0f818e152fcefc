/**
 * `info`: where everything is, which versions run, and where the secrets are. Programs (`--json`) and callers with
 * `--secrets` are given those that development generated, too.
 */

import type { Command } from 'commander';
import type { Knex } from 'knex';
import { addressOf } from '../../../adapters/postgres/database.ts';
import { withoutCredentials } from '../../../adapters/postgres/primary-host.ts';
import { openQueue } from '../../../adapters/queue/queue.ts';
import { openLink } from '../../../adapters/redis/link.ts';
import { SHARD_COUNT, shardKeys } from '../../../adapters/redis/shards.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { readLag } from '../../bidding/projection/lag.ts';
import { countFailures } from '../../bidding/projection/set-aside.ts';
import { programVersion } from '../../shared/project-root.ts';
import { OPEN_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { addressFor } from '../config/running-address.ts';
import { QUEUES, queueAddressOf } from '../process/queue-address.ts';
import { type OpenServers, withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addInfoCommand(program: Command): void {
  reporting(
    program
      .command('info')
      .description('addresses, versions, and where the secrets are')
      .option('--secrets', 'also print the secrets generated for development'),
    async (options: { secrets?: true }) => {
      const config = loadConfig();
      const result = await withServers(config, describe);
      const shown = options.secrets === true ? result : { ...result, secrets: locationsOf(config) };
      return { result, text: linesOf(shown).join('\n') };
    },
  );
}

async function describe({ config, servers, database }: OpenServers) {
  // SQL: the version and three counts in one statement.
  const { rows } = await database.knex.raw<{
    rows: { postgres: string; live: number; auctions: number; users: number }[];
  }>(
    `select current_setting('server_version') as postgres,
       (select count(*) from lots where status in ${OPEN_LOT_SQL}) as live,
       (select count(*) from auctions) as auctions, (select count(*) from users) as users`,
  );
  const found = firstOf(rows);
  return {
    version: await programVersion(),
    node: process.version,
    environment: config.environment,
    address: addressFor(config),
    data_dir: config.dataDir,
    database: {
      address: addressOf(servers.databaseUrl),
      version: found.postgres,
      embedded: config.databaseUrl === null,
    },
    redis: { address: withoutCredentials(servers.redisUrl), embedded: config.redisUrl === null },
    media_storage: config.mediaStorage,
    secrets: secretsOf(config),
    journal: await describeJournal(database.knex, servers.redisUrl),
    projection: { failures: await countFailures(database.knex) },
    queues: await describeQueues(servers.redisUrl, config),
    counts: { users: found.users, auctions: found.auctions, live_lots: found.live },
  };
}

/** Lots that the journal holds, and how far Postgres is behind it. */
async function describeJournal(knex: Knex, redisUrl: string) {
  const open = await openLink(redisUrl);
  try {
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => open.link.hLen(shardKeys(shard).lot));
    const lots = await Promise.all(shards);
    const { entries, seconds } = await readLag(knex, open);
    return {
      lots_resident: lots.reduce((sum, count) => sum + count, 0),
      projection_entries_behind: entries,
      projection_seconds_behind: seconds,
    };
  } finally {
    open.link.destroy();
  }
}

/** What waits in each queue. */
async function describeQueues(
  redisUrl: string,
  config: Config,
): Promise<Record<string, Record<string, number>>> {
  const depths: Record<string, Record<string, number>> = {};
  for (const name of QUEUES) {
    const queue = openQueue(queueAddressOf(config, redisUrl), name);
    depths[name] = await queue.counts().finally(() => queue.close());
  }
  return depths;
}

/** Their names, and the file that holds those that were generated; in production they are in the environment. */
function locationsOf(config: Config) {
  const file = config.environment === 'production' ? null : config.secretsFile;
  return { file, APP_SECRET: null, PAYMENT_WEBHOOK_SECRET: null, SIMULCAST_SECRETS: null };
}

/** The secrets themselves, but in production. */
function secretsOf(config: Config) {
  if (config.environment === 'production') return locationsOf(config);
  return {
    file: config.secretsFile,
    APP_SECRET: config.appSecrets.join(','),
    PAYMENT_WEBHOOK_SECRET: config.paymentWebhookSecret,
    ...(config.sealKeys.length === 0 ? {} : { SEAL_KEY: config.sealKeys.join(',') }),
    ...(config.witness === null ? {} : { CHECKPOINT_WEBHOOK_SECRET: config.witness.secret }),
    SIMULCAST_SECRETS: [...config.simulcastSecrets]
      .map(([platform, secret]) => `${platform}=${secret}`)
      .join(','),
  };
}

function linesOf(value: object, indent = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null
      ? [`${indent}${key}:`, ...linesOf(inner, `${indent}  `)]
      : [`${indent}${key}: ${inner ?? '-'}`],
  );
}
