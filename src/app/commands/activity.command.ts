/** `activity`: who did what, and from where; newest first. */
import type { Command } from 'commander';
import { type ListedActivity, listActivity } from '../../accounts/activity/activity.ts';
import { requireUser } from '../../accounts/people/accounts.ts';
import { InputError } from '../../shared/input-error.ts';
import { loadConfig } from '../config/config.ts';
import { readCount, readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

interface ActivityOptions {
  readonly user?: string;
  readonly team?: number;
  readonly since?: string;
  readonly limit: number;
}

const MAX_LINES = 10_000;

export function addActivityCommand(program: Command): void {
  const command = program
    .command('activity')
    .description('who did what, and from where; newest first')
    .option('--user <email>', 'only what this person did or what was done to them')
    .option('--team <id>', 'only what was done for this team', readId)
    .option('--since <time>', 'not before this time (ISO 8601)')
    .option(
      '--limit <n>',
      'the largest number of entries to print',
      (text) => readCount(text, MAX_LINES),
      1_000,
    );
  reporting(command, async (options: ActivityOptions) => {
    const since = readMoment(options.since);
    const activity = await withServers(loadConfig(), async ({ database: { knex } }) => {
      const user = options.user === undefined ? null : await requireUser(knex, options.user, 'user');
      return listActivity(knex, { userId: user?.id, teamId: options.team, since, limit: options.limit });
    });
    return { result: { activity }, text: activity.map(lineOf).join('\n') || 'Nothing.' };
  });
}

function readMoment(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  const year = new Date(ms).getUTCFullYear();
  if (Number.isNaN(ms) || year < 1970 || year > 9999) {
    throw new InputError(`since: got "${text}", but it takes a time such as 2026-07-12T10:00:00Z`);
  }
  return new Date(ms).toISOString();
}

function lineOf(entry: ListedActivity): string {
  const { recorded_at, action, via, user_id, user_email, about_user_email, team_id, ip, detail } = entry;
  const who = user_email ?? (user_id === null ? via : `user ${user_id}`);
  const parts = [
    recorded_at,
    action,
    `by ${who}`,
    ...(about_user_email === null ? [] : [`about ${about_user_email}`]),
    ...(team_id === null ? [] : [`team ${team_id}`]),
    ...(ip === null ? [] : [`from ${ip}`]),
    ...Object.entries(detail).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.join('  ');
}
