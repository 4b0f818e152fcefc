/** `start`, `web` and `worker`: the processes that stay. What they run is loaded only when it is asked for. */
import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config.ts';
import { findServers } from './servers.ts';

export function addServeCommands(program: Command): void {
  program
    .command('start')
    .description(
      'run everything on this machine: web and worker processes, and Postgres and Redis where none are given',
    )
    .option('--demo', 'load the demo marketplace into an empty database', false)
    .option('--processes <n>', 'web processes on the one port', readProcesses, 1)
    .option('--json', 'taken by every command')
    .action(async (options: { demo: boolean; processes: number }) => {
      const config = loadConfig();
      const { runStart } = await import('../start.ts');
      await runStart(config, { demo: options.demo, processes: options.processes });
    });
  program
    .command('web')
    .description('run the HTTP side')
    .option('--json', 'taken by every command')
    .action(async () => {
      const config = loadConfig();
      const { runWeb } = await import('../web.ts');
      await runWeb(config, await findServers(config));
    });
  program
    .command('worker')
    .description('run the background side: closing, projection, webhooks')
    .option('--json', 'taken by every command')
    .action(async () => {
      const config = loadConfig();
      const { runWorker } = await import('../worker.ts');
      await runWorker(config, await findServers(config));
    });
}

function readProcesses(text: string): number {
  const count = Number(text);
  if (!/^[0-9]{1,3}$/.test(text) || count < 1 || count > 64) {
    throw new InvalidArgumentError('It takes a whole number from 1 to 64.');
  }
  return count;
}
