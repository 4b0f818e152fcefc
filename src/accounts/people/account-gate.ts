/**
 * Whether somebody who is signed in may use an endpoint at all, whatever their abilities and memberships: the one place that decides it,
 * for tokens and sessions, the API and pages alike. The HTTP pipeline asks it before it looks at path or body; what an account lacks (it
 * is suspended, and whatever else is added here) is a refusal of its own.
 */
import { type Endpoint, needsActiveAccount, type Principal } from '../../../adapters/http/endpoint.ts';
import { type Problem, refuse } from '../../../adapters/http/problem.ts';

/** The refusal for this caller on this endpoint, or null. */
export function accountRefusal(endpoint: Endpoint, principal: Principal): Problem | null {
  if (principal.suspended && needsActiveAccount(endpoint)) return refuse('account_suspended');
  return null;
}
