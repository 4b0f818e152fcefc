/** Compares a change of status with the table of states; code that changes one checks it first. */
import { Refusal } from '../refusal.ts';
import { mayMove, movesFrom, type Resource, type StatusOf } from './billing-statuses.ts';

/**
 * Throws `invalid_transition` with the moves that are allowed, unless the table has this one. `name` is what people
 * know it by.
 */
export function requireMove<R extends Resource>(
  resource: R,
  from: StatusOf<R>,
  to: StatusOf<R>,
  name: string,
): void {
  if (mayMove(resource, from, to)) return;
  const allowed = movesFrom(resource, from);
  const may = allowed.length === 0 ? 'its status is final' : `it may become ${allowed.join(' or ')}`;
  throw new Refusal('invalid_transition', { message: `${name} is ${from}; ${may}`, data: { allowed } });
}
