/** `team create`, `team approve`. */
import type { Command } from 'commander';
import type { Team } from '../../accounts/models/team.model.ts';
import { approveTeam, createTeam } from '../../accounts/teams/teams.ts';
import { loadConfig } from '../config/config.ts';
import { readId } from './arguments.ts';
import { withServers } from './command-servers.ts';
import { type Outcome, reporting } from './outcome.ts';

export function addTeamCommands(program: Command): void {
  const group = program.command('team').description('teams that sell');
  const create = group
    .command('create')
    .description('create a team')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--owner <email>', 'email address of its owner');
  reporting(create, (options: { name: string; owner: string }) =>
    withServers(loadConfig(), async ({ database, announce }) => {
      const { team, ownerId } = await createTeam(database.knex, options);
      await announce({ userIds: [ownerId] });
      return outcomeOf(team, 'made');
    }),
  );
  const approve = group
    .command('approve')
    .description('approve a team, so that it can publish auctions')
    .requiredOption('--team <id>', 'its id', readId);
  reporting(approve, async (options: { team: number }) => {
    const { team } = await withServers(loadConfig(), ({ database }) =>
      approveTeam(database.knex, options.team),
    );
    return outcomeOf(team, 'approved');
  });
}

function outcomeOf(team: Team, what: string): Outcome {
  const { id, name, slug, personal, approved_at, created_at } = team;
  return {
    result: { id, name, slug, personal, approved_at, created_at },
    text: `Team ${id} (${name}) is ${what}.`,
  };
}
