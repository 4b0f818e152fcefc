/**
 * The HTTP side as its own process: takes requests, hosts actors, stops without losing a bid that it has taken
 * in.
 */
import { weakDurability } from '../../adapters/redis/durability.ts';
import { InputError } from '../shared/input-error.ts';
import { type Log, openLog } from '../shared/log.ts';
import type { Config } from './config/config.ts';
import { type Backends, openBackends, type Servers } from './process/backends.ts';
import { listenAt, webDrain } from './process/listening.ts';
import { endWith, isChild, sendToParent } from './process/process-life.ts';
import { openTracing } from './process/traces.ts';
import { Workload } from './process/young-generation.ts';
import { composeWeb } from './web/compose.ts';

/** Serves until the process is told to stop. Throws `InputError` where it must not serve at all. */
export async function runWeb(config: Config, servers: Servers): Promise<void> {
  const log = openLog(config.logLevel, 'web');
  const backends = await openBackends(servers, log, {
    connections: 20,
    watchesPostgres: true,
    durability: config.bidDurability,
    sealKeys: config.sealKeys,
    tracing: await openTracing(config, 'web', log),
  });
  await checkDurability(config, backends, log);
  const web = await composeWeb(config, backends, log);
  const listening = await listenAt(config, web.app, webDrain());
  const workload = new Workload();
  listening.server.on('request', () => workload.add());
  endWith(async () => {
    workload.close();
    await listening.close();
    await web.close();
    await backends.close();
    await servers.close();
  }, log);
  if (isChild()) sendToParent({ ready: 'web', url: listening.url });
  else console.log(`Rostrum listens on ${listening.url}`);
}

/** A journal that forgets is no journal: loud everywhere, refused in production unless somebody insists. */
async function checkDurability(config: Config, backends: Backends, log: Log): Promise<void> {
  const weak = await weakDurability(backends.redis);
  if (weak.length === 0) return;
  const what = `Redis does not keep every acknowledged bid: ${weak.join('; ')}`;
  if (config.environment === 'production' && !config.allowWeakDurability) {
    await backends.close();
    throw new InputError(`${what}. Change it, or set ALLOW_WEAK_DURABILITY=1 to run all the same`);
  }
  log.warn({ weak }, what);
}
