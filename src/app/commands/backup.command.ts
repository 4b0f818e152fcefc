/**
 * `backup FOLDER` and `restore FOLDER`: everything that a deployment consists of, while bidding continues, and back
 * again.
 */
import { type Command, Option } from 'commander';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { openLink } from '../../../adapters/redis/link.ts';
import { describeMissing } from '../../bidding/journal/missing-rows.ts';
import { programVersion } from '../../shared/project-root.ts';
import { backUp } from '../backup/back-up.ts';
import { restore } from '../backup/restore-backup.ts';
import { loadConfig } from '../config/config.ts';
import { openStorage } from '../process/open-storage.ts';
import { type ProgressBar, progressBar } from '../process/progress-bar.ts';
import { requirePostgres, requireRedis } from '../process/reachable.ts';
import { findServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup <folder>')
    .description('back up a deployment while it runs; an interrupted backup is resumed')
    .option('--copy-media', 'copy the media files as well; otherwise only a list of them is stored');
  reporting(backup, async (folder: string, { copyMedia = false }: { copyMedia?: boolean }) => {
    const version = await programVersion();
    const manifest = await withStores((stores) =>
      backUp({ ...stores, version, copiesMedia: copyMedia }, folder),
    );
    const rows = Object.values(manifest.tables ?? {}).reduce((sum, count) => sum + count, 0);
    const { media, startedAt } = manifest;
    const text = `${rows} rows and the journal as of ${startedAt}, ${media?.files} media files (${media?.mode}).`;
    return { result: manifest, text };
  });
  const back = program
    .command('restore <folder>')
    .description(
      'restore a backup into an empty Postgres and an empty Redis; run `journal verify` afterwards',
    )
    .addOption(
      new Option('--only <store>', 'restore into an empty Postgres only; the existing Redis is kept').choices(
        ['postgres'],
      ),
    );
  reporting(back, async (folder: string, { only }: { only?: 'postgres' }) => {
    const postgresOnly = only === 'postgres';
    const restored = await withStores((stores) => restore({ ...stores, postgresOnly }, folder));
    const { rows, keys, mediaRestored, mediaMissing, made } = restored;
    const missing = made === null ? null : describeMissing(made);
    const journal = postgresOnly ? 'the journal is as it was' : `${keys} keys of the journal are back`;
    const lines = [`${rows} rows and ${mediaRestored} media files are back; ${journal}.`];
    if (mediaMissing.length > 0)
      lines.push(`${mediaMissing.length} media files are missing: copy them yourself.`);
    if (missing !== null) lines.push(missing);
    lines.push(
      postgresOnly
        ? 'Start a worker; when the projection has caught up, run `rostrum journal verify`.'
        : 'Run `rostrum journal verify`.',
    );
    return { result: restored, text: lines.join('\n') };
  });
}

/** What each part of the work is counted by. */
const COUNTED: Readonly<Record<string, string>> = {
  postgres: 'postgres, rows',
  journal: 'journal, shards',
  media: 'media, files',
};

type Stores = Parameters<typeof restore>[0];

async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const servers = await findServers(config);
  const database = openDatabase(servers.databaseUrl, { max: 2 });
  const storage = await openStorage(config.mediaStorage);
  const shown: { bar: (ProgressBar & { readonly what: string }) | null } = { bar: null };
  try {
    await requirePostgres(database);
    const redis = await requireRedis(servers.redisUrl, () => openLink(servers.redisUrl));
    try {
      return await work({
        database,
        redis,
        storage,
        onProgress(what, done, total) {
          if (shown.bar?.what !== what) {
            shown.bar?.stop();
            shown.bar = { ...progressBar(COUNTED[what] ?? what, true), what };
          }
          shown.bar.update(done, total);
        },
      });
    } finally {
      redis.link.destroy();
    }
  } finally {
    shown.bar?.stop();
    storage.close();
    await database.close();
    await servers.close();
  }
}
