/**
 * Makes every cell of a table an act over HTTP on the real service: a thing is brought into the state, a caller of the
 * kind does the action, and status, code and the unchanged or changed thing are compared with what the table says.
 */

import { ERROR_TABLE } from '../../src/app/web/refusal-answers.ts';
import { judge, type Policy, type Verdict } from '../../src/shared/policy/policy.ts';
import type { Who } from '../../src/shared/policy/who.ts';
import type { Answer, Service } from '../support/service.ts';
import { accountVerdict, type Caller, type Cast, type House } from './cast.ts';
import { each } from './each.ts';

export interface Thing {
  readonly id: number;
  /** What belongs to it: a lot to try things on, a file. */
  readonly more?: Readonly<Record<string, string | number>>;
}

export interface Act {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** On a page: what its form sends. */
  readonly form?: Record<string, string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the caller's. */
  readonly token?: string;
  /** A file, sent with the form by token. */
  readonly file?: Blob;
}

export interface Trial<S extends string> {
  /** The request that does it. */
  act(thing: Thing, caller: Caller): Act;
  /** In these states it is not tried, with the reason for it. */
  readonly untried?: Partial<Record<S, string>>;
  /** Of those whom the stage takes, who is tried; default: all. */
  takes?(caller: Caller): boolean;
  /** After each that was allowed: takes away what it leaves behind where there may only be so much of it. */
  tidy?(): Promise<void>;
  /** Whether something changes where it is allowed; default: for actions that change. */
  changes?(state: S): boolean;
  /** Which kind of thing it is tried on, where `make` knows several. */
  readonly variant?: string;
  /** Whether visitors are let in to ask. */
  readonly open?: boolean;
  /** Done on a page, by somebody who is signed in. */
  readonly page?: boolean;
  /** A suspended account is judged by the table itself. */
  readonly suspendedToo?: boolean;
  /** For whoever is in the team, in its context. */
  readonly forTeam?: boolean;
  /** No account is asked for: a signature says who sends it. */
  readonly signed?: boolean;
  /** In the office: only that they are staff counts. */
  readonly inOffice?: boolean;
  /** Whether the answer shows the thing, where it is a list. */
  shows?(answer: Answer, thing: Thing): boolean;
}

/** How the things of a table are made and tried. */
export interface Stage<S extends string, A extends string> {
  readonly policy: Policy<S, A>;
  /** Who is tried; default: the whole cast but those who sign what they send. */
  takes?(caller: Caller): boolean;
  /** This many things of the house in this state, for callers who are to be something to them. */
  make(state: S, house: House, count: number, variant: string): Promise<Thing[]>;
  /** Once all things are made. */
  ready?(): Promise<void>;
  readonly trials: Readonly<Record<A, Trial<S>>>;
  /** A digest of all that the actions could change about it. */
  digest(thing: Thing): Promise<string>;
}

export interface Cell {
  readonly name: string;
  readonly expected: string;
  readonly found: string;
}

export interface CellRun {
  readonly tried: number;
  readonly wrong: readonly Cell[];
}

interface Planned<S extends string, A extends string> {
  readonly action: A;
  readonly state: S;
  readonly caller: Caller;
  readonly verdict: Verdict;
}

/** Tries every cell of the table. `judged` is the table asked; tests of this give it one with a wrong cell. */
export async function tryCells<S extends string, A extends string>(
  service: Service,
  cast: Cast,
  stage: Stage<S, A>,
): Promise<{ plan(): Planned<S, A>[]; run(): Promise<CellRun> }> {
  const { policy, trials } = stage;
  const planned: Planned<S, A>[] = [];
  // Cast: the actions of a table are its trials' names.
  for (const action of Object.keys(policy.actions) as A[]) {
    for (const state of policy.states) {
      if (trials[action].untried?.[state] !== undefined) continue;
      for (const caller of cast.callers) {
        if (!(stage.takes?.(caller) ?? caller.signs === undefined)) continue;
        if (trials[action].takes?.(caller) === false) continue;
        planned.push({ action, state, caller, verdict: verdictOf(stage, action, state, caller) });
      }
    }
  }
  const tried = process.env['POLICY_CELLS'] === 'all' ? planned : oneOfEach(planned);
  const shared = new Map<string, Thing>();
  const own = new Map<Planned<S, A>, Thing>();
  const takesOwn = (cell: Planned<S, A>) =>
    cell.verdict === 'allowed' && policy.actions[cell.action].does === 'changes';
  const groupOf = ({ state, action, caller }: Planned<S, A>) =>
    `${state}|${caller.house}|${trials[action].variant ?? ''}`;
  const groups = new Map<string, Planned<S, A>[]>();
  for (const cell of tried) groups.set(groupOf(cell), [...(groups.get(groupOf(cell)) ?? []), cell]);
  for (const [group, cells] of groups) {
    const [{ state, caller, action } = nobody()] = cells;
    const alone = cells.filter(takesOwn);
    const things = await stage.make(state, caller.house, alone.length + 1, trials[action].variant ?? '');
    const [first = nobody(), ...rest] = things;
    shared.set(group, first);
    for (const [index, cell] of alone.entries()) own.set(cell, rest[index] ?? nobody());
  }
  await stage.ready?.();
  return {
    plan: () => tried,
    async run() {
      const before = new Map<Thing, string>();
      for (const thing of new Set([...shared.values(), ...own.values()]))
        before.set(thing, await stage.digest(thing));
      const wrong: Cell[] = [];
      await each(
        tried.filter((cell) => !takesOwn(cell)),
        async (cell) => {
          const thing = shared.get(groupOf(cell));
          if (thing !== undefined) wrong.push(...(await tryCell(service, stage, cell, thing)));
        },
      );
      for (const [name, thing] of shared) {
        if ((await stage.digest(thing)) === before.get(thing)) continue;
        wrong.push({ name, expected: 'unchanged', found: 'changed by what was refused' });
      }
      await each([...own], async ([cell, thing]) => {
        wrong.push(...(await tryCell(service, stage, cell, thing)));
        if (stage.trials[cell.action].changes?.(cell.state) === false) return;
        if ((await stage.digest(thing)) !== before.get(thing)) return;
        wrong.push({ name: nameOf(stage, cell), expected: 'changed', found: 'unchanged' });
      });
      return { tried: tried.length, wrong };
    },
  };
}

/**
 * Of the cells of an action and state with one verdict, one: who it is changes from cell to cell. All of them are tried
 * with `npm run test:policy`.
 */
function oneOfEach<S extends string, A extends string>(cells: readonly Planned<S, A>[]): Planned<S, A>[] {
  const alike = new Map<string, Planned<S, A>[]>();
  for (const cell of cells) {
    const key = `${cell.action}|${cell.state}|${cell.verdict}`;
    alike.set(key, [...(alike.get(key) ?? []), cell]);
  }
  return [...alike.values()].map((group, turn) => group[turn % group.length] ?? nobody());
}

/** What the account and the table say to this caller. */
export function verdictOf<S extends string, A extends string>(
  { policy, trials }: Stage<S, A>,
  action: A,
  state: S,
  caller: Caller,
): Verdict {
  const { does } = policy.actions[action];
  const { open = false, forTeam = false, suspendedToo = false } = trials[action];
  const who = trials[action].inOffice === true ? officeWho(caller) : caller.who;
  if (trials[action].signed === true) return judge(policy, action, state, who);
  if (suspendedToo && caller.account === 'suspended') return judge(policy, action, state, who);
  const route = { changes: does === 'changes', forTeam, open };
  return accountVerdict(caller, route) ?? judge(policy, action, state, who);
}

const officeWho = ({ user }: Caller): Who => (user?.is_admin === true ? 'staff' : 'user');

async function tryCell<S extends string, A extends string>(
  service: Service,
  stage: Stage<S, A>,
  cell: Planned<S, A>,
  thing: Thing,
): Promise<Cell[]> {
  const trial = stage.trials[cell.action];
  const answer = await answerOf(service, cell.caller, trial, trial.act(thing, cell.caller));
  const isPage = trial.page === true;
  if (cell.verdict === 'allowed') await trial.tidy?.();
  const isShown = answer.status >= 300 || trial.shows === undefined || trial.shows(answer, thing);
  const found = foundIn(answer, isShown, isPage);
  const expected = expectedOf(cell.verdict, isPage);
  if (found === expected) return [];
  return [
    {
      name: nameOf(stage, cell),
      expected,
      found: `${found} (${answer.status} ${answer.text.slice(0, 200)})`,
    },
  ];
}

const nameOf = <S extends string, A extends string>(
  { policy }: Stage<S, A>,
  { action, state, caller }: Planned<S, A>,
) => `${policy.resource}: ${action} × ${state} × ${caller.name}`;

/** Does it as the caller: by token, or on a page where they are signed in. */
export async function answerOf<S extends string>(
  service: Service,
  { token, teamId, browser }: Caller,
  trial: Trial<S>,
  { method, path, body, form = {}, headers: own = {}, token: other = token, file }: Act,
): Promise<Answer> {
  const headers: Record<string, string> =
    teamId === null || trial.forTeam !== true ? { ...own } : { 'x-team-id': String(teamId), ...own };
  if (trial.page === true) {
    if (method === 'GET') return { ...(await browser.get(path)), body: null };
    return { ...(await browser.post(path, form)), body: null };
  }
  if (file === undefined) return service.call(method, path, { token: other, body, headers });
  const sent = new FormData();
  for (const [name, value] of Object.entries(form)) sent.set(name, value);
  sent.set('file', file, 'one.png');
  if (other !== undefined) headers['authorization'] = `Bearer ${other}`;
  const response = await fetch(`${service.url}${path}`, { method, body: sent, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Of a page only the status is known, and that it leads somebody to sign in. */
function foundIn({ status, body, headers }: Answer, isShown: boolean, isPage: boolean): string {
  const leadsTo = headers.get('location') ?? '';
  if (isPage && status === 303) return leadsTo.startsWith('/sign-in') ? '401 ' : 'allowed';
  if ((status >= 200 && status < 300) || status === 304) return isShown ? 'allowed' : 'hidden';
  if (status === 404) return 'hidden';
  return `${status} ${isPage ? '' : (body?.code ?? '')}`;
}

function expectedOf(verdict: Verdict, isPage: boolean): string {
  if (verdict === 'allowed' || verdict === 'hidden') return verdict;
  // Of an invoice of somebody else’s only the sentence is said.
  if (verdict === 'others_invoice') return '403 ';
  return `${ERROR_TABLE[verdict]?.status} ${isPage ? '' : verdict}`;
}

function nobody(): never {
  throw new Error('a stage made fewer things than it was asked for');
}
