/** Compares a change of status with the table of states; code that changes one checks it first. */
import { Refusal, type RefusalDetail } from '../refusal.ts';
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
  if (!mayMove(resource, from, to)) throw new Refusal('invalid_transition', movesLeft(resource, from, name));
}

/** What a refusal says of a resource in this status: where it may go from here. */
export function movesLeft<R extends Resource>(resource: R, from: StatusOf<R>, name: string): RefusalDetail {
  const allowed = movesFrom(resource, from);
  const may = allowed.length === 0 ? 'its status is final' : `it may become ${allowed.join(' or ')}`;
  return { message: `${name} is ${from}; ${may}`, data: { allowed } };
}
