/** Who takes part in a seed: three teams with their roles, ten bidders, and nobody that an earlier seed has met. */
import type { User } from '../../src/accounts/models/user.model.ts';
import { quickHash } from '../support/browser-like.ts';
import { aTeam, aUser } from '../support/builders.ts';
import type { Service } from '../support/service.ts';
import { type Person, type Role, TEAMS, type TeamModel, type TeamName } from './market-terms.ts';

/** Of everybody, for signing in on a page. */
export const PASSWORD = 'correct horse battery';
const HASH = quickHash(PASSWORD);
const BIDDERS = 10;
const ROLES: readonly (readonly [string, Role])[] = [
  ['owner', 'owner'],
  ['admin', 'admin'],
  ['member', 'member'],
  ['clerk', 'member'],
];

export interface MarketCast {
  readonly people: ReadonlyMap<string, Person>;
  readonly teams: Readonly<Record<TeamName, TeamModel>>;
}

export async function castOfSeed(service: Service): Promise<MarketCast> {
  const { database: db } = service;
  const people = new Map<string, Person>();
  const join = async (name: string, sells: boolean): Promise<User> => {
    const user = await aUser(db, { password_hash: HASH });
    const token = await service.tokenFor(user, ['read', 'write', ...(sells ? ['seller'] : [])]);
    people.set(name, { name, userId: user.id, email: user.email, token, sells });
    return user;
  };
  const team = async (name: TeamName): Promise<TeamModel> => {
    const users = await Promise.all(ROLES.map(([role]) => join(`${name}.${role}`, true)));
    const [owner, ...others] = users;
    const members = others.map((user, at) => ({ user, role: ROLES[at + 1]![1] }));
    const { id } = await aTeam(db, { name, owner: owner!, members });
    // At the desk they work for it, and not for the team that is theirs alone.
    const ids = users.map((user) => user.id);
    await db.knex('users').whereIn('id', ids).update({ current_team_id: id });
    const roles = new Map(ROLES.map(([one, role]) => [`${name}.${one}`, role]));
    return { name, id, approved: true, roles, belonged: new Set(roles.keys()) };
  };
  const names = Array.from({ length: BIDDERS }, (_, at) => `bidder${at + 1}`);
  const [teams] = await Promise.all([
    Promise.all(TEAMS.map(team)),
    Promise.all(names.map((name) => join(name, false))),
  ]);
  const [north, south, east] = teams;
  return { people, teams: { north: north!, south: south!, east: east! } };
}
