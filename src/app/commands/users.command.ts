/** `user create`, `user verify`, `user suspend`, `user unsuspend`. */
import { type Command, Option } from 'commander';
import type { User } from '../../accounts/models/user.model.ts';
import { createUser, unsuspendUser, verifyUser } from '../../accounts/people/accounts.ts';
import { LEADING_BIDS, suspendBidder } from '../../bidding/staff/suspend-bidder.ts';
import { loadConfig } from '../config/config.ts';
import { withBackends, withServers } from './command-servers.ts';
import { type Outcome, reporting } from './outcome.ts';

interface CreateOptions {
  readonly email: string;
  readonly name?: string;
  readonly password?: string;
  readonly admin?: boolean;
  readonly verified?: boolean;
}

const CHANGES = [
  { name: 'verify', description: 'mark a user as verified', change: verifyUser, outcome: 'verified' },
  {
    name: 'unsuspend',
    description: 'undo a suspension',
    change: unsuspendUser,
    outcome: 'no longer suspended',
  },
];

export function addUserCommands(program: Command): void {
  const group = program.command('user').description('user accounts');
  const create = group
    .command('create')
    .description('create an account')
    .requiredOption('--email <email>', 'email address')
    .option('--name <name>', 'full name')
    .option('--password <password>', '8 to 128 characters')
    .option('--admin', 'makes the user an admin')
    .option('--verified', 'marks the user as verified');
  reporting(create, async (options: CreateOptions) => {
    const user = await withServers(loadConfig(), ({ database }) => createUser(database.knex, options));
    return outcomeOf(user, 'created');
  });
  addSuspend(group);
  for (const { name, description, change, outcome } of CHANGES) {
    const command = group
      .command(name)
      .description(description)
      .requiredOption('--email <email>', 'email address');
    reporting(command, ({ email }: { email: string }) => changeUser(email, change, outcome));
  }
}

function addSuspend(group: Command): void {
  const command = group
    .command('suspend')
    .description('suspend a user at once and everywhere; they can still read')
    .requiredOption('--email <email>', 'email address')
    .addOption(
      new Option(
        '--leading-bids <choice>',
        'what becomes of the bids with which they lead; required where there are any',
      ).choices([...LEADING_BIDS]),
    )
    .option('--reason <text>', 'why; the user is told');
  reporting(command, ({ email, leadingBids, reason }: SuspendOptions) =>
    withBackends(loadConfig(), async (backends, { announce }) => {
      const { user, lots } = await suspendBidder(backends, {
        email,
        leadingBids: leadingBids ?? null,
        reason: reason ?? null,
        announce: (id) => announce({ userIds: [id] }),
      });
      const { result, text } = outcomeOf(user, 'suspended');
      return { result: { ...Object(result), leading_lots: lots, leading_bids: user.suspended_leads }, text };
    }),
  );
}

interface SuspendOptions {
  readonly email: string;
  readonly leadingBids?: (typeof LEADING_BIDS)[number];
  readonly reason?: string;
}

function changeUser(email: string, change: typeof verifyUser, what: string): Promise<Outcome> {
  return withServers(loadConfig(), async ({ database, announce }) => {
    const user = await change(database.knex, email);
    await announce({ userIds: [user.id] });
    return outcomeOf(user, what);
  });
}

function outcomeOf(user: User, what: string): Outcome {
  const { id, email } = user;
  return {
    result: {
      ...{ id, email, name: user.name, is_admin: user.is_admin },
      ...{ verification_status: user.verification_status, verified_at: user.verified_at },
      ...{ suspended_at: user.suspended_at, current_team_id: user.current_team_id },
      created_at: user.created_at,
    },
    text: `User ${id} (${email}) is ${what}.`,
  };
}
