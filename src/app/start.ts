/**
 * Everything on one machine: the two servers where none are given, the schema, web and worker processes, and on
 * request the demo. It stays as their parent: a child that dies is started again, and all end with it, in order.
 */

import { startEmbedded } from '../../adapters/embedded/servers.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { migrateToLatest } from '../../adapters/postgres/migrate.ts';
import { present } from '../../engine/first-of.ts';
import { finishUpgrade } from '../shared/layout.ts';
import { type Log, openLog } from '../shared/log.ts';
import type { Config } from './config/config.ts';
import { noteAddress } from './config/running-address.ts';
import type { Addresses, Servers } from './process/backends.ts';
import { prepareBeside } from './process/beside.ts';
import { Family } from './process/family.ts';
import { freePort } from './process/listening.ts';
import { endWith } from './process/process-life.ts';
import { progressBar } from './process/progress-bar.ts';
import { requireLayout, requirePostgres } from './process/reachable.ts';

export interface StartOptions {
  /** Loads the demo marketplace into an empty database, and says how to use it. */
  readonly demo: boolean;
  /** Runs a test service beside it, for test tokens. */
  readonly testService: boolean;
  /** Web processes on the one port. */
  readonly processes: number;
}

/** Runs until told to stop, which it may be at any moment. Rejects, with everything stopped, if it cannot start. */
export async function runStart(config: Config, options: StartOptions): Promise<void> {
  const log = openLog(config.logLevel, 'start');
  const opened: (() => Promise<void>)[] = [];
  let ending = false;
  const stop = async () => {
    ending = true;
    while (opened.length > 0) await present(opened.pop())();
  };
  endWith(stop, log);
  try {
    const port = await freePort(config);
    const servers = await openServers(config, log);
    opened.push(servers.close);
    await migrate(servers.databaseUrl, config.databaseUrl === null);
    const beside = options.testService ? await prepareBeside(config, log) : null;
    const environment = beside?.environment ?? {};
    const family = new Family({ config, addresses: servers, port, environment, log });
    opened.push(async () => {
      await Promise.all([family.close(), beside?.close()]);
    });
    await Promise.all([
      family.start(options.processes),
      options.demo ? demoOf(config, servers, log) : null,
    ]).then(async ([url, demo]) => {
      opened.push(await noteAddress(config.dataDir, url));
      console.log(`Rostrum listens on ${url}`);
      if (!ending) beside?.start();
      if (config.mail.kind === 'folder')
        console.log(`Mail is written to ${config.mail.folder} (set SMTP_URL to send it)`);
      if (demo === null) return;
      demo.present(url);
      opened.push(demo.close);
    });
  } catch (error) {
    // What breaks because everything is being stopped is no failure.
    if (ending) return;
    await stop();
    throw error;
  }
}

/** On stderr, beside what the processes say. */
const demoProgress = {
  onProgress: (line: string) => console.error(`  ${line}`),
  openBar: (label: string) => progressBar(label, true),
};

/** Loads the demo, or finds it, while the processes start. */
async function demoOf(config: Config, addresses: Addresses, log: Log) {
  const [{ openBackends }, { openStorage }, { moneyParts }, { prepareDemo, presentDemo }, pictures, buyer] =
    await Promise.all([
      import('./process/backends.ts'),
      import('./process/open-storage.ts'),
      import('./process/money-parts.ts'),
      import('../tools/demo/present.ts'),
      import('../tools/demo/hang-pictures.ts'),
      import('../tools/demo/book-collection.ts'),
    ]);
  const backends = await openBackends(addresses, log, {
    connections: 6,
    durability: config.bidDurability,
    sealKeys: config.sealKeys,
  });
  const storage = await openStorage(config.mediaStorage);
  const release = async () => {
    storage.close();
    await backends.close();
  };
  const demo = await prepareDemo(backends, { dataDir: config.dataDir, ...demoProgress }).catch(
    async (error: unknown) => {
      await release();
      throw error;
    },
  );
  if (demo === null) {
    await release();
    return null;
  }
  // Nobody waits for these: what a stop leaves undone, the next start does.
  const stop = new AbortController();
  const money = { knex: backends.knex, ...moneyParts(config) };
  const rest = Promise.all([
    pictures
      .hangDemoPictures(backends.knex, storage, stop.signal)
      .catch((err: unknown) => log.warn({ err }, 'the demo has pictures missing')),
    buyer
      .bookDemoCollection(money, stop.signal)
      .catch((err: unknown) => log.warn({ err }, 'the demo has no collection')),
  ]).finally(release);
  return {
    present: (url: string) => presentDemo(demo, url),
    async close() {
      stop.abort();
      await rest;
    },
  };
}

/** The addresses given, or the embedded pair in their place. */
async function openServers(config: Config, log: Log): Promise<Servers> {
  const { databaseUrl, redisUrl } = config;
  if (databaseUrl !== null && redisUrl !== null) return { databaseUrl, redisUrl, close: async () => {} };
  const pair = await startEmbedded({
    dataDir: config.dataDir,
    onProgress: (line) => console.error(`  ${line}`),
    onServerDied: (name, restarted) => log.warn({ name, restarted }, 'an embedded server died'),
  });
  return {
    databaseUrl: databaseUrl ?? pair.databaseUrl,
    redisUrl: redisUrl ?? pair.redisUrl,
    close: () => pair.close(),
  };
}

/** `isAlone`: nobody but this program uses the database, so no process of another release reads what it writes. */
async function migrate(databaseUrl: string, isAlone: boolean): Promise<void> {
  const database = openDatabase(databaseUrl, { max: 2 });
  try {
    await requirePostgres(database);
    const bar = progressBar('Migrating', true);
    await migrateToLatest(database, bar.update);
    bar.stop();
    await requireLayout(database);
    if (isAlone) await finishUpgrade(database.knex);
  } finally {
    await database.close();
  }
}
