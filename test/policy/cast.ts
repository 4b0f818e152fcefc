/**
 * One caller of each kind that the tables name, around two teams of the same people: one that may sell, and one whose
 * approval is withdrawn once everything is in place. Accounts that are held back (suspended, unconfirmed, without the
 * second factor that their team demands) are callers too.
 */
import type { User } from '../../src/accounts/models/user.model.ts';
import { unapproveTeam } from '../../src/accounts/teams/teams.ts';
import { ACCOUNT_POLICY, type AccountState } from '../../src/shared/policy/account-policy.ts';
import { judge } from '../../src/shared/policy/policy.ts';
import type { Who } from '../../src/shared/policy/who.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aTeam, aUser } from '../support/builders.ts';
import type { Service } from '../support/service.ts';

export interface Caller {
  readonly name: string;
  /** What they are to the things of the cells. */
  readonly who: readonly Who[];
  /** Of which team the things are that they meet. */
  readonly house: House;
  readonly user: User | null;
  readonly token: string | undefined;
  /** Where they are signed in; for pages. */
  readonly browser: BrowserLike;
  /** The team that they act for. */
  readonly teamId: number | null;
  readonly account: AccountState;
  /** A secret of theirs, which signs what they send or is in its address, and no account is behind it. */
  readonly signs?: 'platform' | 'other_platform' | 'provider' | 'holder';
}

/** A team whose things are met, by whether it may put anything before the public. */
export type House = 'approved' | 'unapproved' | 'locked';

export interface Cast {
  readonly callers: readonly Caller[];
  readonly teams: Readonly<Record<House, number>>;
  /** Brings accounts and teams into their states: from here on nothing is made in their name. */
  settle(): Promise<void>;
}

const PASSWORD = 'correct horse';
const PASSWORD_HASH = quickHash(PASSWORD);
const ABILITIES = ['read', 'write', 'seller'] as const;

export async function castOf(service: Service): Promise<Cast> {
  const { database } = service;
  const { knex } = database;
  const callers: Caller[] = [];
  const person = async (
    name: string,
    who: readonly Who[],
    house: House,
    more: { teamId?: number; staff?: boolean; account?: AccountState } = {},
  ) => {
    const user = await aUser(database, { is_admin: more.staff ?? false, password_hash: PASSWORD_HASH });
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    const abilities = more.staff === true ? [...ABILITIES, 'admin'] : ABILITIES;
    const token = await service.tokenFor(user, abilities);
    const { id: personal } = await knex('teams').where('personal_user_id', user.id).first('id');
    const teamId = more.teamId ?? personal;
    callers.push({ name, who, house, user, token, browser, teamId, account: more.account ?? 'active' });
    return user;
  };
  const join = (teamId: number, user: User, role: string) =>
    knex('memberships')
      .insert({ team_id: teamId, user_id: user.id, role })
      .onConflict(['team_id', 'user_id'])
      .merge();
  const house = async (name: House, prefix: '' | 'unapproved_', account: AccountState = 'active') => {
    const owner = await aUser(database);
    const { id } = await aTeam(database, { owner });
    for (const role of ['member', 'admin', 'owner'] as const) {
      const user = await person(`${prefix}${role}`, [`${prefix}${role}`], name, { teamId: id, account });
      if (role === 'owner') await knex('memberships').where({ team_id: id, user_id: owner.id }).delete();
      await join(id, user, role);
    }
    return id;
  };
  callers.push({
    ...{ name: 'visitor', who: ['visitor'], house: 'approved', user: null, token: undefined, teamId: null },
    ...{ account: 'absent', browser: new BrowserLike(service.url) },
  });
  const teams = {
    approved: await house('approved', ''),
    unapproved: await house('unapproved', 'unapproved_'),
    locked: await house('locked', '', 'locked'),
  };
  await person('user', ['user'], 'approved');
  const stranger = await person('stranger', ['stranger'], 'approved', {
    teamId: (await aTeam(database)).id,
  });
  await join(callers.at(-1)?.teamId ?? 0, stranger, 'admin');
  await person('staff', ['staff'], 'approved', { staff: true });
  const colleague = await person('colleague', ['member', 'colleague'], 'approved', {
    teamId: teams.approved,
    staff: true,
  });
  await join(teams.approved, colleague, 'member');
  await person('registered', ['registered'], 'approved');
  await person('consignor', ['consignor'], 'approved');
  // Whose a person's things are; to a team's they are nobody.
  await person('own', ['own', 'user'], 'approved');
  for (const signs of ['platform', 'other_platform', 'provider', 'holder'] as const) {
    callers.push({
      ...{ name: signs, who: [signs], house: 'approved', user: null, token: undefined, teamId: null },
      ...{ account: 'absent', browser: new BrowserLike(service.url), signs },
    });
  }
  const suspended = await person('suspended member', ['member'], 'approved', {
    teamId: teams.approved,
    account: 'suspended',
  });
  await join(teams.approved, suspended, 'member');
  const unconfirmed = await person('unconfirmed member', ['member'], 'approved', {
    teamId: teams.approved,
    account: 'unconfirmed',
  });
  await join(teams.approved, unconfirmed, 'member');
  return {
    callers,
    teams,
    async settle() {
      for (const { user, teamId } of callers)
        if (user !== null) await knex('users').where('id', user.id).update({ current_team_id: teamId });
      await unapproveTeam(knex, teams.unapproved);
      await knex('teams').where('id', teams.locked).update({ require_two_factor: true });
      await knex('users').where('id', suspended.id).update({ suspended_at: knex.fn.now() });
      await knex('users').where('id', unconfirmed.id).update({ email_confirmed_at: null });
      // Who they are has just been proved, and the forms of each have a token.
      for (const { browser, user } of callers) {
        if (user !== null) await signIn(browser, user.email, PASSWORD);
        await browser.get('/help');
      }
    },
  };
}

/** What the account alone answers, or null where it passes. */
export function accountVerdict(caller: Caller, route: { changes: boolean; forTeam: boolean; open: boolean }) {
  if (route.open && caller.account === 'absent') return null;
  const action = `${route.changes ? 'change' : 'read'}${route.forTeam ? '_for_team' : ''}` as const;
  const verdict = judge(ACCOUNT_POLICY, action, caller.account, 'own');
  return verdict === 'allowed' ? null : verdict;
}
