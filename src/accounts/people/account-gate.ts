/**
 * Whether somebody who is signed in may use an endpoint at all, whatever their abilities and memberships: the one place
 * that decides it, for tokens and sessions, the API and pages alike. The HTTP pipeline calls it before it reads path or
 * body; what an account lacks (it is suspended, its address is not confirmed, the team it acts for requires for a
 * second factor) has its own refusal.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type Endpoint,
  needsActiveAccount,
  needsConfirmedAccount,
  type Principal,
} from '../../../adapters/http/endpoint.ts';
import { ACCOUNT_POLICY, type AccountAction, type AccountState } from '../../shared/policy/account-policy.ts';
import { judge } from '../../shared/policy/policy.ts';
import { Refusal } from '../../shared/refusal.ts';

/** The refusal for this caller on this endpoint, with the parameters of its path, or null. */
export function accountRefusal(
  endpoint: Endpoint,
  principal: Principal,
  headers: IncomingHttpHeaders,
  params: Readonly<Record<string, string>>,
): Refusal | null {
  const team = teamNamed(endpoint, principal, headers, params);
  const action = actionOf(endpoint, team);
  for (const state of statesOf(endpoint, principal, team)) {
    const verdict = judge(ACCOUNT_POLICY, action, state, 'own');
    if (verdict !== 'allowed' && verdict !== 'hidden') return new Refusal(verdict);
  }
  return null;
}

function actionOf(endpoint: Endpoint, team: number | null): AccountAction {
  const { method, access } = endpoint;
  const forTeam = team !== null || (access.kind === 'ability' && access.ability !== 'read');
  if (method === 'GET') return forTeam ? 'read_for_team' : 'read';
  return forTeam ? 'change_for_team' : 'change';
}

/** What holds an account back on this endpoint; each is judged by itself. */
function statesOf(endpoint: Endpoint, principal: Principal, team: number | null): AccountState[] {
  const states: AccountState[] = [];
  if (principal.suspended && needsActiveAccount(endpoint)) states.push('suspended');
  if (!principal.confirmed && needsConfirmedAccount(endpoint)) states.push('unconfirmed');
  if (team !== null && principal.lockedTeamIds.includes(team)) states.push('locked');
  return states;
}

/**
 * The team that a request acts for: whose id is in its path, or which a header names, or the one the caller works in at
 * present; null where the endpoint knows no teams.
 */
function teamNamed(
  endpoint: Endpoint,
  { currentTeamId }: Principal,
  headers: IncomingHttpHeaders,
  params: Readonly<Record<string, string>>,
): number | null {
  if (params['team'] !== undefined) return Number(params['team']);
  if (endpoint.headers?.properties['x-team-id'] === undefined) return null;
  const named = headers['x-team-id'];
  return named === undefined ? currentTeamId : Number(named);
}
