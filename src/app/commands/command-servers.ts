/**
 * Where a command finds Postgres and Redis: at the given addresses, or in the embedded pair of the `start` that runs
 * on the same data folder, or in its own pair while it runs. Every command that touches data goes through
 * `withServers` or `withBackends`.
 */
import { borrowEmbedded } from '../../../adapters/embedded/servers.ts';
import { type Database, openDatabase } from '../../../adapters/postgres/database.ts';
import { migrateToLatest, migrationsCurrent } from '../../../adapters/postgres/migrate.ts';
import { RedisPubSub } from '../../../adapters/redis/pub-sub.ts';
import { type AccountChange, announceAccountChange } from '../../accounts/tokens/account-changes.ts';
import { InputError } from '../../shared/input-error.ts';
import { openLog } from '../../shared/log.ts';
import type { Config } from '../config/config.ts';
import type { Addresses, Backends } from '../process/backends.ts';
import { requireLayout, requirePostgres, requireRedis } from '../process/reachable.ts';
import { recordCommand } from './command-activity.ts';

export interface FoundServers extends Addresses {
  /** Whether the pair runs for this command alone. */
  readonly owner: boolean;
  readonly embedded: boolean;
  close(): Promise<void>;
}

/** The given addresses, or the embedded pair instead of those that are missing. */
export async function findServers(config: Config): Promise<FoundServers> {
  const { databaseUrl, redisUrl, dataDir } = config;
  if (databaseUrl !== null && redisUrl !== null) {
    return { databaseUrl, redisUrl, owner: false, embedded: false, close: async () => {} };
  }
  const pair = await borrowEmbedded({ dataDir, onProgress: (line) => process.stderr.write(`  ${line}\n`) });
  return {
    databaseUrl: databaseUrl ?? pair.databaseUrl,
    redisUrl: redisUrl ?? pair.redisUrl,
    // A database that was given is its owner's to migrate.
    owner: pair.owner && databaseUrl === null,
    embedded: true,
    close: () => pair.close(),
  };
}

export interface OpenServers {
  readonly config: Config;
  readonly servers: FoundServers;
  readonly database: Database;
  /** Notifies every process of changed accounts. */
  announce(change: AccountChange): Promise<void>;
}

/** Postgres and Redis for one command, reachable and with the current schema. */
export async function withServers<T>(config: Config, work: (open: OpenServers) => Promise<T>): Promise<T> {
  return usingServers(config, async (servers, database) => {
    await requireSchema(servers, database);
    const { redisUrl } = servers;
    const pubSub = await requireRedis(redisUrl, () => RedisPubSub.open(redisUrl, () => {}));
    try {
      const done = await work({
        config,
        servers,
        database,
        announce: (change) => announceAccountChange(pubSub, change),
      });
      await recordCommand(database.knex);
      return done;
    } finally {
      pubSub.close();
    }
  });
}

/** As `withServers`, with the journal and the engine on top. */
export async function withBackends<T>(
  config: Config,
  work: (backends: Backends, open: OpenServers) => Promise<T>,
): Promise<T> {
  return withServers(config, async (open) => {
    // Loaded here: most commands never need the engine.
    const { openBackends } = await import('../process/backends.ts');
    const backends = await openBackends(open.servers, openLog(config.logLevel, 'command'), {
      connections: 4,
      durability: config.bidDurability,
      sealKeys: config.sealKeys,
    });
    try {
      return await work(backends, open);
    } finally {
      await backends.close();
    }
  });
}

/** Postgres alone, whatever its schema. */
export async function usingServers<T>(
  config: Config,
  work: (servers: FoundServers, database: Database) => Promise<T>,
): Promise<T> {
  const servers = await findServers(config);
  const database = openDatabase(servers.databaseUrl, { max: 4 });
  try {
    await requirePostgres(database);
    return await work(servers, database);
  } finally {
    await database.close();
    await servers.close();
  }
}

async function requireSchema(servers: FoundServers, database: Database): Promise<void> {
  if (servers.owner) await migrateToLatest(database);
  else if (!(await migrationsCurrent(database))) {
    throw new InputError('DATABASE_URL: the schema is not current; run "rostrum migrate" first');
  }
  await requireLayout(database);
}
