/** `push keys`: the key pair by which push services know this installation. */
import type { Command } from 'commander';
import { pushKeys } from '../../notifications/push/push-keys.ts';
import { loadConfig } from '../config/config.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addPushCommands(program: Command): void {
  const group = program.command('push').description('telling browsers (Web Push)');
  const keys = group
    .command('keys')
    .description('print the key pair by which push services know us; it is made where there is none');
  reporting(keys, () => {
    const config = loadConfig();
    return withServers(config, async ({ database }) => {
      const { publicKey, privateKey } = await pushKeys(database.knex, config.appSecrets);
      return {
        result: { public_key: publicKey, private_key: privateKey },
        text: `Public key:  ${publicKey}\nPrivate key: ${privateKey}`,
      };
    });
  });
}
