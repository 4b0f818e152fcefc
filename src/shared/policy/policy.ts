/**
 * Who may do what, when: the form of the tables beside this file, one for each resource, and `judge`, which reads them.
 * A row is a line: in these states, these people get this verdict; the first row that fits counts, and what no row
 * names is hidden. Routes, pages, the office, commands and documents ask a table; tests are made from it, one for each
 * cell.
 */
import { namesIn } from '../../../engine/objects.ts';
import { Refusal, type RefusalCode, type RefusalDetail } from '../refusal.ts';
import { ANYBODY, KEEPERS, MEMBERS, STAFF, type Who } from './who.ts';

/** `hidden`: as if there were no such thing (404); else the code of the refusal. */
export type Verdict = 'allowed' | 'hidden' | Exclude<RefusalCode, 'not_found'>;

export type PolicyRow<S extends string> = readonly [
  states: readonly S[] | 'any',
  who: readonly Who[],
  verdict: Verdict,
];

export interface Action<S extends string> {
  /** What a suspended or unconfirmed account may still do are `reads`. */
  readonly does: 'reads' | 'changes';
  /** The routes (by operation), and commands (`rostrum …`), by which it is done; several actions may share one. */
  readonly by: readonly string[];
  readonly rows: readonly PolicyRow<S>[];
}

export interface Policy<S extends string = string, A extends string = string> {
  readonly resource: string;
  readonly about: string;
  readonly states: readonly S[];
  readonly actions: Readonly<Record<A, Action<S>>>;
}

/** A table as a value; throws for a row that names no state of it, or nobody: that is a bug. */
export function policy<const S extends string, const A extends string>(table: Policy<S, A>): Policy<S, A> {
  for (const name of namesIn(table.actions)) {
    for (const [states, who] of table.actions[name].rows) {
      const isWrong = who.length === 0 || (states !== 'any' && states.length === 0);
      if (isWrong) throw new Error(`${table.resource}: a row of ${name} fits nobody or nothing`);
    }
  }
  return table;
}

/** The rows of what staff alone do, in these states. */
export function decidedByStaff<const S extends string>(states: readonly S[]): readonly PolicyRow<S>[] {
  return [
    [states, STAFF, 'allowed'],
    ['any', STAFF, 'invalid_transition'],
    ['any', ANYBODY, 'forbidden'],
  ];
}

/** The rows of what a team’s owners and admins alone do, in any state. */
export const FOR_KEEPERS: readonly PolicyRow<never>[] = [
  ['any', MEMBERS, 'forbidden'],
  ['any', KEEPERS, 'allowed'],
];

/** The verdict on one cell; for somebody who is several things the best, or else that on the first. */
export function judge<S extends string, A extends string>(
  table: Policy<S, A>,
  action: NoInfer<A>,
  state: NoInfer<S>,
  who: Who | readonly Who[],
): Verdict {
  const verdicts = (typeof who === 'string' ? [who] : who).map((one) =>
    cell(table.actions[action], state, one),
  );
  return verdicts.find((verdict) => verdict === 'allowed') ?? verdicts[0] ?? 'hidden';
}

function cell<S extends string>({ rows }: Action<S>, state: S, who: Who): Verdict {
  const found = rows.find(
    ([states, people]) => (states === 'any' || states.includes(state)) && people.includes(who),
  );
  return found?.[2] ?? 'hidden';
}

/** Throws the refusal of the cell, with its detail where one is given, unless it is allowed. */
export function requireAllowed<S extends string, A extends string>(
  table: Policy<S, A>,
  action: NoInfer<A>,
  state: NoInfer<S>,
  who: Who | readonly Who[],
  detail: RefusalDetail | ((verdict: Verdict) => RefusalDetail) = {},
): void {
  const verdict = judge(table, action, state, who);
  if (verdict === 'allowed') return;
  const known = typeof detail === 'function' ? detail(verdict) : detail;
  if (verdict !== 'hidden') throw new Refusal(verdict, known);
  throw new Refusal('not_found', { message: `There is no such ${table.resource.replaceAll('_', ' ')}.` });
}

/** The states in which this is allowed to them. */
export function statesFor<S extends string, A extends string>(
  table: Policy<S, A>,
  action: NoInfer<A>,
  who: Who | readonly Who[],
): readonly S[] {
  return table.states.filter((state) => judge(table, action, state, who) === 'allowed');
}
