/**
 * What billing refuses, by code: the command line prints the sentence and the code and exits 1, the API answers with
 * the code's status. Nothing has changed where one is thrown.
 */
import {
  type ErrorCode,
  type FieldErrors,
  notFound,
  type Problem,
  refuse,
} from '../../adapters/http/problem.ts';
import { InputError } from '../shared/input-error.ts';
import { mayMove, movesFrom, type Resource, type StatusOf } from './states.ts';

/** `not_found` is 404 without a code; the others are codes of the API's table. */
export type BillingCode =
  | 'not_found'
  | Extract<
      ErrorCode,
      | 'invalid_transition'
      | 'deposit_in_use'
      | 'currency_mismatch'
      | 'reserve_not_reached'
      | 'no_bidder_left'
      | 'validation_failed'
    >;

export class BillingRefusal extends InputError {
  override readonly name = 'BillingRefusal';
  readonly code: BillingCode;
  /** What a caller can go on with, such as the moves that are allowed. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: BillingCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

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
  const may =
    allowed.length === 0 ? 'nothing more can be done with it' : `it may become ${allowed.join(' or ')}`;
  throw new BillingRefusal('invalid_transition', `${name} is ${from}; ${may}`, { allowed });
}

/** A refusal as the API's answer; anything else as it is. */
export function problemOfRefusal(error: unknown): unknown {
  if (!(error instanceof BillingRefusal)) return error;
  const { code, message, data } = error;
  if (code === 'not_found') return notFound(message);
  if (code === 'validation_failed') return refuse(code, { errors: data['errors'] as FieldErrors });
  return refuse(code, { message, data });
}

/** Runs what billing may refuse, for an endpoint. */
export async function orProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw problemOfRefusal(error) as Problem;
  }
}
