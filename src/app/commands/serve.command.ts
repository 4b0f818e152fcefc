/** `start`, `web` and `worker`: the processes that stay. What they run is loaded only when it is used. */
import { type Command, InvalidArgumentError } from 'commander';
import { type Config, demoEnvironment, loadConfig } from '../config/config.ts';
import { makeSealKey } from '../config/made-up-secrets.ts';
import type { Servers } from '../process/backends.ts';
import type { StartOptions } from '../start.ts';
import { findServers } from './command-servers.ts';

export function addServeCommands(program: Command): void {
  program
    .command('start')
    .description(
      'run everything on this machine: web and worker processes, and Postgres and Redis unless they are configured',
    )
    .option('--demo', 'load the demo marketplace into an empty database', false)
    .option('--test-service', 'run a second service beside it, on which test tokens act', false)
    .option('--processes <n>', 'number of web processes, which share one port', readProcesses, 1)
    .option('--json', 'taken by every command')
    .action(async (options: StartOptions) => {
      const loaded = loadConfig(options.demo ? demoEnvironment() : undefined);
      const config = options.demo ? withSealKey(loaded) : loaded;
      const { runStart } = await import('../start.ts');
      const { demo, testService, processes } = options;
      await runStart(config, { demo, testService, processes });
    });
  program
    .command('web')
    .description('run a web process')
    .option('--json', 'taken by every command')
    .action(async () => {
      const config = loadConfig();
      const { runWeb } = await import('../web.ts');
      await serve(config, runWeb);
    });
  program
    .command('worker')
    .description('run a worker process: closing, projection, webhooks, mail')
    .option('--json', 'taken by every command')
    .action(async () => {
      const config = loadConfig();
      const { runWorker } = await import('../worker.ts');
      await serve(config, runWorker);
    });
}

/** Whoever tries the service out can seal bids at once; in production a key is somebody's to keep. */
function withSealKey(config: Config): Config {
  if (config.environment === 'production' || config.sealKeys.length > 0) return config;
  return { ...config, sealKeys: makeSealKey(config.dataDir) };
}

/** Finds the servers and runs on them; lets them go again where it cannot start. */
async function serve(
  config: Config,
  run: (config: Config, servers: Servers) => Promise<void>,
): Promise<void> {
  const servers = await findServers(config);
  try {
    await run(config, servers);
  } catch (error) {
    await servers.close();
    throw error;
  }
}

function readProcesses(text: string): number {
  const count = Number(text);
  if (!/^[0-9]{1,3}$/.test(text) || count < 1 || count > 64) {
    throw new InvalidArgumentError('It takes a whole number from 1 to 64.');
  }
  return count;
}
