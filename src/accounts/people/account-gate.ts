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
import { Refusal } from '../../shared/refusal.ts';

/** The refusal for this caller on this endpoint, or null. */
export function accountRefusal(
  endpoint: Endpoint,
  principal: Principal,
  headers: IncomingHttpHeaders,
): Refusal | null {
  if (principal.suspended && needsActiveAccount(endpoint)) return new Refusal('account_suspended');
  if (!principal.confirmed && needsConfirmedAccount(endpoint)) return new Refusal('email_unconfirmed');
  return actsForLockedTeam(endpoint, principal, headers) ? new Refusal('two_factor_required') : null;
}

/** Endpoints that name a team in a header act for it, or for the one the caller works in at present. */
function actsForLockedTeam(
  endpoint: Endpoint,
  { lockedTeamIds, currentTeamId }: Principal,
  headers: IncomingHttpHeaders,
): boolean {
  if (lockedTeamIds.length === 0 || endpoint.headers?.properties['x-team-id'] === undefined) return false;
  const named = headers['x-team-id'];
  return lockedTeamIds.includes(named === undefined ? (currentTeamId ?? 0) : Number(named));
}
