/**
 * An operation is plain data, so that a history can be printed, cut and played again. Its kind proposes it in a world,
 * and plays it: predicts the answer, and changes the model as the contract says.
 */
import type { Dice } from '../simulation/dice.ts';
import type { JsonValue } from '../support/service.ts';
import type { MarketService } from './market-service.ts';
import type { TeamName } from './market-terms.ts';
import type { MarketWorld } from './market-world.ts';

export interface Operation {
  readonly kind: string;
  readonly [parameter: string]: string | number | boolean | null;
}

/** A request, by somebody or a visitor, in a team's context where one is named. */
export interface Sent {
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly team?: TeamName | null;
  /** Signed as the provider signs. */
  readonly signed?: boolean;
  /** Sent by the form of a page, with these fields, by somebody who is signed in there. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** The page that is read first, and whose form is sent otherwise as it is. */
  readonly page?: string;
  /** Its idempotency key; with `twice` it is sent two times at once, and answered once. */
  readonly key?: string | undefined;
  readonly twice?: boolean;
  /** A command of the command line instead of a request; its exit code is the status. */
  readonly command?: readonly string[];
  /** What staff do on a page of the office, by the function behind it, or to a machine; gives what is wrong with it. */
  readonly call?: (market: MarketService) => Promise<readonly string[]>;
}

/** A request that is answered so once a change has reached the process that answers. */
export interface Until {
  readonly by: string;
  readonly method: string;
  readonly path: string;
  /** The status, or any but that of a refusal. */
  readonly status: number | 'not 403';
  readonly team?: TeamName;
}

export interface Expected {
  readonly status: number;
  /** Absent where the answer has none. */
  readonly code?: string;
  /** What `data` must hold, at least. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Play {
  readonly sent: Sent;
  readonly expected: Expected;
  readonly until?: Until | undefined;
  /** What differs in an answer whose order says nothing. */
  readonly check?: (data: JsonValue) => readonly string[];
  /** Takes what only the service can say: the id of what it made. */
  readonly learn?: (data: JsonValue) => void;
  /** What may have changed by it: compared first. */
  readonly touched?: readonly string[];
}

export interface Kind {
  readonly name: string;
  /** How often it is drawn, against the others. */
  readonly weight: number;
  /** Reads what a worker writes a moment after a bid: it has written all by then. */
  readonly settled?: boolean;
  /** Null: there is nothing to do it to. */
  propose(world: MarketWorld, dice: Dice): Omit<Operation, 'kind'> | null;
  /** Null: what it names is not there in this history. */
  play(world: MarketWorld, operation: Operation): Play | null;
}

export const refused = (status: number, code: string): Expected => ({ status, code });

/** Why somebody may write nothing at all: a visitor, or suspended; null: they may. */
export function refusedPerson(world: MarketWorld, by: string): Expected | null {
  if (world.person(by) === null) return refused(401, 'unauthenticated');
  return world.suspended.has(by) ? refused(403, 'account_suspended') : null;
}

export const HIDDEN: Expected = { status: 404 };
