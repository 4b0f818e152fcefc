/**
 * Whether somebody who is signed in may use an endpoint at all, whatever their abilities and memberships: the one place that decides it,
 * for tokens and sessions, the API and pages alike. The HTTP pipeline asks it before it looks at path or body; what an account lacks (it
 * is suspended, its address is not confirmed) is a refusal of its own. What a team asks of its members is asked where a request acts for
 * the team (`teams/team-context.ts`).
 */
import {
  type Endpoint,
  needsActiveAccount,
  needsConfirmedAccount,
  type Principal,
} from '../../../adapters/http/endpoint.ts';
import { type Problem, refuse } from '../../../adapters/http/problem.ts';

/** The refusal for this caller on this endpoint, or null. */
export function accountRefusal(endpoint: Endpoint, principal: Principal): Problem | null {
  if (principal.suspended && needsActiveAccount(endpoint)) return refuse('account_suspended');
  if (!principal.confirmed && needsConfirmedAccount(endpoint)) return refuse('email_unconfirmed');
  return null;
}
