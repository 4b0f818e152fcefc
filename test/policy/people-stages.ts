/** What people and teams have: saved searches, tokens, teams, memberships, invitations. */
import { createHash } from 'node:crypto';
import { newPlainToken } from '../../src/accounts/tokens/tokens.ts';
import {
  INVITATION_POLICY,
  type InvitationAction,
  type InvitationState,
} from '../../src/shared/policy/invitation-policy.ts';
import {
  MEMBERSHIP_POLICY,
  type MembershipAction,
  type MembershipState,
} from '../../src/shared/policy/membership-policy.ts';
import { SEARCH_POLICY, type SearchAction } from '../../src/shared/policy/search-policy.ts';
import { TEAM_POLICY, type TeamAction, type TeamState } from '../../src/shared/policy/team-policy.ts';
import { TOKEN_POLICY, type TokenAction, type TokenState } from '../../src/shared/policy/token-policy.ts';
import { TEAM } from '../../src/shared/policy/who.ts';
import { aUser } from '../support/builders.ts';
import type { Service } from '../support/service.ts';
import type { Caller, Cast } from './cast.ts';
import type { Act, Stage, Thing, Trial } from './cells.ts';
import { personOf, rowsOf, teamsLike } from './own-teams.ts';

let count = 0;
const ofNobodysTeam = ({ house, signs }: Caller) => house === 'approved' && signs === undefined;
const DAY_MS = 86_400_000;

export function searchStage(service: Service, cast: Cast): Stage<'kept', SearchAction> {
  return {
    policy: SEARCH_POLICY,
    takes: ofNobodysTeam,
    trials: {
      list: {
        act: () => ({ method: 'GET', path: '/account/saved-searches' }),
        ...{ page: true, shows: ({ text }, { id }) => text.includes(`saved-searches/${id}/remove`) },
      },
      remove: {
        act: ({ id }) => ({ method: 'POST', path: `/account/saved-searches/${id}/remove` }),
        page: true,
      },
    },
    async make(_state, _house, wanted) {
      const user_id = personOf(cast, 'own').id;
      const rows = Array.from({ length: wanted }, () => {
        count += 1;
        return { user_id, name: `Chairs ${count}`, query: `q=chairs${count}` };
      });
      return service.database.knex('saved_searches').insert(rows).returning('id');
    },
    digest: ({ id }) => rowsOf(service, ['saved_searches', { id }]),
  };
}

export function tokenStage(service: Service, cast: Cast): Stage<TokenState, TokenAction> {
  return {
    policy: TOKEN_POLICY,
    takes: ofNobodysTeam,
    trials: {
      use: {
        act: ({ more }) => ({ method: 'GET', path: '/api/v1/me', token: String(more?.['plain']) }),
        open: true,
      },
      list: {
        act: () => ({ method: 'GET', path: '/account/developer/tokens' }),
        ...{ page: true, shows: ({ text }, { more }) => text.includes(String(more?.['name'])) },
      },
      revoke: {
        act: ({ id }) => ({ method: 'POST', path: `/account/developer/tokens/${id}/revoke` }),
        ...{ page: true, changes: (state) => state !== 'revoked' },
      },
    },
    async make(state, _house, wanted) {
      const things: Thing[] = [];
      for (let at = 0; at < wanted; at += 1) {
        count += 1;
        const { token, hash } = newPlainToken();
        const name = `cell token ${count}.`;
        const [row] = await service.database
          .knex('tokens')
          .insert({
            ...{ user_id: personOf(cast, 'own').id, name, abilities: ['read'], token_hash: hash },
            revoked_at: state === 'revoked' ? new Date() : null,
            expires_at: state === 'expired' ? new Date(Date.now() - DAY_MS) : null,
          })
          .returning('id');
        things.push({ id: row.id, more: { plain: token, name } });
      }
      return things;
    },
    digest: async ({ id }) => {
      const { revoked_at } = await service.database.knex('tokens').where({ id }).first('revoked_at');
      return String(revoked_at);
    },
  };
}

const CHOSEN = 'of the chosen team';

export function teamStage(service: Service, cast: Cast): Stage<TeamState, TeamAction> {
  const { knex } = service.database;
  const forTeam = true;
  const one = (method: string, rest: string, body?: object): Trial<TeamState> => ({
    act: ({ id }): Act => ({
      ...{ method, path: `/api/v1/teams/${id}${rest}` },
      ...(body === undefined ? {} : { body }),
    }),
    forTeam,
  });
  return {
    policy: TEAM_POLICY,
    trials: {
      see: one('GET', ''),
      act_for: {
        act: ({ id }) => ({
          ...{ method: 'POST', path: '/api/v1/inventory', headers: { 'x-team-id': String(id) } },
          body: { sku: `acting-${++count}`, title: 'A chair' },
        }),
        forTeam,
      },
      rename: one('PATCH', '', { name: 'Renamed' }),
      set_defaults: one('PATCH', '', { sale_defaults: { payment_due_days: 9 } }),
      require_second_factor: one('PATCH', '', { require_two_factor: true }),
      keep_sign_in: { ...one('DELETE', '/identity-provider'), changes: () => false },
      delete_preset: {
        act: ({ id, more }) => ({
          ...{ method: 'DELETE', path: `/api/v1/teams/${id}/sale-presets/${more?.['preset']}` },
        }),
        forTeam,
      },
      keep_payout_account: {
        act: () => ({
          ...{ method: 'POST', path: '/seller/safety/payout-account' },
          form: { holder: 'Cells', account: String(12_345_678 + ++count), bank_code: '021000021' },
        }),
        ...{ page: true, forTeam, variant: CHOSEN },
        untried: { personal: 'a page of the chosen team, which no cast has made a personal one' },
        // Whoever is in another team is there at its own account.
        takes: ({ who }) => TEAM.some((one) => who.includes(one)),
      },
      see_activity: {
        act: ({ id }) => ({ method: 'GET', path: `/seller/activity?team=${id}` }),
        page: true,
        forTeam,
      },
      invite: one('POST', '/invitations', { email: 'new@example.com' }),
      leave: {
        act: ({ id }, { user }) => ({
          method: 'DELETE',
          path: `/api/v1/teams/${id}/members/${user?.id ?? 1}`,
        }),
        forTeam,
      },
    },
    async make(state, house, wanted, variant) {
      const chosen = Array.from({ length: wanted }, () => ({ id: cast.teams[house] }));
      if (variant === CHOSEN) return chosen;
      const ids = await teamsLike(service, cast, house, wanted);
      if (state === 'personal') {
        for (const id of ids) {
          const { id: user } = await aUser(service.database);
          await knex('teams').where('personal_user_id', user).update({ personal_user_id: null });
          await knex('teams').where({ id }).update({ personal_user_id: user });
        }
      }
      const presets: { id: number }[] = await knex('sale_presets')
        .insert(ids.map((team_id) => ({ team_id, name: 'A preset', settings: '{}' })))
        .returning('id');
      return ids.map((id, at) => ({ id, more: { preset: presets[at]?.id ?? 0 } }));
    },
    digest: ({ id }) =>
      rowsOf(
        service,
        ['sale_presets', { team_id: id }],
        ['payout_accounts', { team_id: id }],
        ['teams', { id }],
        ['memberships', { team_id: id }],
        ['inventory_items', { team_id: id }],
        ['team_invitations', { team_id: id }],
      ),
  };
}

export function membershipStage(service: Service, cast: Cast): Stage<MembershipState, MembershipAction> {
  const { knex } = service.database;
  return {
    policy: MEMBERSHIP_POLICY,
    trials: {
      remove: {
        act: ({ id, more }) => ({
          method: 'DELETE',
          path: `/api/v1/teams/${id}/members/${more?.['user']}`,
        }),
        forTeam: true,
      },
      change_role: {
        act: ({ more }) => ({
          ...{ method: 'POST', path: `/seller/team/members/${more?.['user']}` },
          form: { role: String(more?.['to']) },
        }),
        ...{ page: true, forTeam: true, variant: CHOSEN },
      },
    },
    async make(state, house, wanted, variant) {
      const things: Thing[] = [];
      const chosen = Array.from({ length: wanted }, () => cast.teams[house]);
      for (const id of variant === '' ? await teamsLike(service, cast, house, wanted) : chosen) {
        const owner = await knex('memberships').where({ team_id: id, role: 'owner' }).first('user_id');
        const user = state === 'owner' ? owner.user_id : (await aUser(service.database)).id;
        if (state === 'member' || state === 'admin')
          await knex('memberships').insert({ team_id: id, user_id: user, role: state });
        things.push({ id, more: { user, to: state === 'admin' ? 'member' : 'admin' } });
      }
      return things;
    },
    digest: ({ id, more }) => rowsOf(service, ['memberships', { team_id: id, user_id: more?.['user'] }]),
  };
}

export function invitationStage(service: Service, cast: Cast): Stage<InvitationState, InvitationAction> {
  const { knex } = service.database;
  const link = (method: string): Trial<InvitationState> => ({
    act: ({ more }) => ({ method, path: `/invitations/${more?.['token']}` }),
    ...{ page: true, variant: 'elsewhere', changes: (state) => state === 'open' },
  });
  return {
    policy: INVITATION_POLICY,
    takes: ofNobodysTeam,
    trials: {
      see: link('GET'),
      accept: link('POST'),
      withdraw: {
        act: ({ id }) => ({ method: 'POST', path: `/seller/team/invitations/${id}/withdraw` }),
        page: true,
      },
    },
    async make(state, house, wanted, variant) {
      const own = personOf(cast, 'own');
      const things: Thing[] = [];
      for (let at = 0; at < wanted; at += 1) {
        count += 1;
        const token = String(count).padStart(43, 'A');
        const [elsewhere = 0] = variant === 'elsewhere' ? await teamsLike(service, cast, 'locked', 1) : [];
        if (variant === 'elsewhere')
          await knex('teams').where('id', elsewhere).update({ require_two_factor: false });
        const team_id = variant === 'elsewhere' ? elsewhere : cast.teams[house];
        const email = variant === 'elsewhere' ? own.email : `guest-${count}@example.com`;
        const [row] = await knex('team_invitations')
          .insert({
            ...{ team_id, invited_by: personOf(cast, 'owner').id, email, role: 'member' },
            token_hash: createHash('sha256').update(token).digest('hex'),
            expires_at: new Date(Date.now() + (state === 'expired' ? -DAY_MS : DAY_MS)),
            ...(state === 'accepted' ? { accepted_at: new Date(), accepted_by: own.id } : {}),
          })
          .returning('id');
        things.push({ id: row.id, more: { token } });
      }
      return things;
    },
    digest: ({ id }) => rowsOf(service, ['team_invitations', { id }]),
  };
}
