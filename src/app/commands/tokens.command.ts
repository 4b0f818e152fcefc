/** `token create`, `token revoke`. */
import type { Command } from 'commander';
import { createToken, MAX_DAYS, revokeToken } from '../../accounts/tokens/tokens.ts';
import { loadConfig } from '../config/config.ts';
import { collect, readDays, readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

interface CreateOptions {
  readonly email: string;
  readonly ability: string[];
  readonly name?: string;
  readonly expiresInDays?: number;
  readonly test?: boolean;
}

export function addTokenCommands(program: Command): void {
  const group = program.command('token').description('bearer tokens');
  const create = group
    .command('create')
    .description('create a token; it is printed only once')
    .requiredOption('--email <email>', 'email address of its user')
    .option('--ability <ability>', 'read, write, seller or admin; may be given several times', collect, [])
    .option('--name <name>', 'a name for it')
    .option('--test', 'for the test service, where nothing is real')
    .option('--expires-in-days <days>', 'how long it is valid; default: no limit', (text) =>
      readDays(text, MAX_DAYS),
    );
  reporting(create, async (options: CreateOptions) => {
    const { email, ability: abilities, name, expiresInDays } = options;
    const kind = options.test === true ? 'test' : 'live';
    const made = await withServers(loadConfig(), ({ database }) =>
      createToken(database.knex, { email, abilities, name, expiresInDays, kind }),
    );
    return {
      result: made,
      text: `Token ${made.id} (${made.abilities.join(', ') || 'no abilities'}${made.expires_at === null ? '' : `, until ${made.expires_at}`}): ${made.token}`,
    };
  });
  const revoke = group
    .command('revoke')
    .description('revoke a token, at once and everywhere')
    .requiredOption('--id <id>', 'its id', readId);
  reporting(revoke, (options: { id: number }) =>
    withServers(loadConfig(), async ({ database, announce }) => {
      const { id, name, revoked_at } = await revokeToken(database.knex, options.id);
      await announce({ tokenIds: [id] });
      return { result: { id, name, revoked_at }, text: `Token ${id} (${name}) is revoked.` };
    }),
  );
}
