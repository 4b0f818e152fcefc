/**
 * What becomes of teams and accounts: an approval that is withdrawn and given again, people who are suspended and let in
 * again, members who are removed.
 */
import { unapproveTeam } from '../../src/accounts/teams/teams.ts';
import type { Dice } from '../simulation/dice.ts';
import type { MarketService } from './market-service.ts';
import { TEAMS, type TeamName } from './market-terms.ts';
import { type MarketWorld, VISITOR } from './market-world.ts';
import { HIDDEN, type Kind, refused, type Until } from './operation.ts';

const someTeam = (_world: MarketWorld, dice: Dice) => ({ team: dice.pick(TEAMS) });

const withdrawApproval: Kind = {
  name: 'withdraw approval',
  weight: 2,
  propose: someTeam,
  play(world, { team: name }) {
    const team = world.teams[name as TeamName];
    team.approved = false;
    const call = async (market: MarketService) => {
      await unapproveTeam(market.service.backends.knex, team.id);
      return [];
    };
    return {
      sent: { by: 'staff', method: 'office', path: `unapprove ${name}`, call },
      expected: { status: 200 },
    };
  },
};

const approve: Kind = {
  name: 'approve team',
  weight: 3,
  propose(world, dice) {
    const waiting = TEAMS.filter((name) => !world.teams[name].approved);
    return waiting.length === 0 ? null : { team: dice.pick(waiting) };
  },
  play(world, { team: name }) {
    const team = world.teams[name as TeamName];
    team.approved = true;
    const command = ['team', 'approve', '--team', String(team.id)];
    return {
      sent: { by: 'staff', method: 'rostrum', path: command.join(' '), command },
      expected: { status: 0 },
    };
  },
};

/** A change that reaches the process that answers within a second: until then somebody is answered as before. */
const seen = (by: string, method: string, path: string, status: Until['status']): Until => ({
  by,
  method,
  path,
  status,
});

const WRITE = '/api/v1/lots/1/watchlist';

const suspend: Kind = {
  name: 'suspend user',
  weight: 2,
  propose(world, dice) {
    return { user: dice.pick([...world.people.keys()]) };
  },
  play(world, { user }) {
    const person = world.person(String(user));
    if (person === null || world.suspended.has(person.name)) return null;
    world.suspended.add(person.name);
    const command = ['user', 'suspend', '--email', person.email, '--leading-bids', 'leave'];
    return {
      sent: { by: 'staff', method: 'rostrum', path: command.join(' '), command },
      expected: { status: 0 },
      until: seen(person.name, 'DELETE', WRITE, 403),
    };
  },
};

const unsuspend: Kind = {
  name: 'unsuspend user',
  weight: 4,
  propose(world, dice) {
    return world.suspended.size === 0 ? null : { user: dice.pick([...world.suspended]) };
  },
  play(world, { user }) {
    const person = world.person(String(user));
    if (person === null || !world.suspended.has(person.name)) return null;
    world.suspended.delete(person.name);
    const command = ['user', 'unsuspend', '--email', person.email];
    return {
      sent: { by: 'staff', method: 'rostrum', path: command.join(' '), command },
      expected: { status: 0 },
      until: seen(person.name, 'DELETE', WRITE, 'not 403'),
    };
  },
};

const remove: Kind = {
  name: 'remove member',
  weight: 1,
  propose(world, dice) {
    const team = dice.pick(TEAMS);
    const roles = [...world.teams[team].roles.keys()];
    const by = dice.chance(0.2) ? dice.pick([VISITOR, ...world.people.keys()]) : dice.pick(roles);
    return { by, team, member: dice.pick(roles) };
  },
  play(world, { by, team: name, member }) {
    const team = world.teams[name as TeamName];
    const person = world.person(String(member));
    if (person === null) return null;
    const path = `/api/v1/teams/${team.id}/members/${person.userId}`;
    const sent = { by: String(by), method: 'DELETE', path };
    const caller = world.person(String(by));
    if (caller === null) return { sent, expected: refused(401, 'unauthenticated') };
    if (!caller.sells) return { sent, expected: refused(403, 'missing_ability') };
    if (world.suspended.has(caller.name)) return { sent, expected: refused(403, 'account_suspended') };
    const own = team.roles.get(caller.name);
    const role = team.roles.get(person.name);
    if (own === undefined || role === undefined) return { sent, expected: HIDDEN };
    if (role === 'owner') return { sent, expected: refused(403, 'forbidden') };
    if (own === 'member' && caller !== person) return { sent, expected: refused(403, 'forbidden') };
    team.roles.delete(person.name);
    const path2 = '/api/v1/seller/auctions';
    return {
      sent,
      expected: { status: 204 },
      ...(world.suspended.has(person.name)
        ? {}
        : { until: { ...seen(person.name, 'GET', path2, 403), team: team.name } }),
    };
  },
};

export const TEAM_KINDS: readonly Kind[] = [withdrawApproval, approve, suspend, unsuspend, remove];
