/**
 * Commands that change something are recorded like everything else: which one, about whom, and by which user of the
 * machine. `outcome.ts` says which command runs, `command-servers.ts` writes it down once its work has succeeded; new
 * commands are recorded unless they are in the list of those that only read.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Knex } from 'knex';
import { type ActivityDetail, recordActivity } from '../../accounts/activity/activity.ts';
import { findUser } from '../../accounts/people/accounts.ts';

/** Commands that change nothing of interest later, by their words. */
const UNRECORDED: ReadonlySet<string> = new Set([
  'activity',
  'books',
  'info',
  'journal verify',
  'migrate',
  'payment list',
  'projection failures',
  'seed demo',
  'simulate',
  'start',
  'tax-number list',
  'verify',
  'web',
  'worker',
]);

/** Options that say what was done; none of them is a secret. */
const KEPT_OPTIONS = [
  'id',
  'email',
  'name',
  'owner',
  'team',
  'number',
  'lot',
  'bid',
  'plan',
  'slug',
  'reason',
];
const MORE_OPTIONS = ['auction', 'invoice', 'hours', 'admin', 'verified', 'ability', 'expiresInDays'];

/** Processes that serve must not use it: until Node 24 following each promise costs a bid a seventh. */
const running = new AsyncLocalStorage<Command>();

/** Does a command's work; what it records, it writes as this command. */
export function actingAs<T>(command: Command, work: () => Promise<T>): Promise<T> {
  return UNRECORDED.has(wordsOf(command).join(' ')) ? work() : running.run(command, work);
}

/** Writes the command down that has just done its work; one that only reads leaves nothing. */
export async function recordCommand(knex: Knex): Promise<void> {
  const command = running.getStore();
  if (command === undefined) return;
  const words = wordsOf(command);
  const options: Record<string, unknown> = command.opts();
  const email = options['email'] ?? options['owner'];
  const about = typeof email === 'string' ? await findUser(knex, email) : null;
  await recordActivity(knex, {
    action: words.toReversed().join('_').replaceAll('-', '_'),
    via: 'command',
    userId: null,
    aboutUserId: about?.id ?? null,
    teamId: typeof options['team'] === 'number' ? options['team'] : null,
    detail: { ...detailOf(options), operator: operator() },
  });
}

function wordsOf(command: Command): string[] {
  const words: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) words.unshift(at.name());
  return words;
}

function detailOf(options: Readonly<Record<string, unknown>>): ActivityDetail {
  const kept: Record<string, string | number | boolean> = {};
  for (const name of [...KEPT_OPTIONS, ...MORE_OPTIONS]) {
    const value = options[name];
    if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
    else if (typeof value === 'string') kept[name] = value.slice(0, 200);
    else if (Array.isArray(value)) kept[name] = value.join(', ').slice(0, 200);
  }
  return kept;
}

/** Who runs the command on this machine; a user without a name there has none. */
function operator(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
