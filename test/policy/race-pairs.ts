/**
 * Two writes at once on one thing, against the same two one after the other in both orders: what was answered and what
 * became of the thing must be one of the two. Made of the stages of the tables: every pair of actions that are allowed
 * in a state, and of those of an auction beside those of its lot.
 */
import { isOneOf } from '../../engine/objects.ts';
import type { Service } from '../support/service.ts';
import { auctionStage } from './auction-stage.ts';
import type { Caller, Cast } from './cast.ts';
import { answerOf, type Stage, type Thing, type Trial, verdictOf } from './cells.ts';
import { invoiceStage } from './money-stages.ts';
import { rowsOf } from './own-teams.ts';

/** How often each pair races. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 2);

/** An action as somebody does it who may. */
interface Write {
  readonly name: string;
  readonly caller: Caller;
  readonly trial: Trial<string>;
}

interface Pair {
  readonly writes: readonly [Write, Write];
  readonly state: string;
  /** For the order given, the other, and the races. */
  readonly things: readonly Thing[];
}

/** What came of a pair: both answers, and the thing. */
interface Outcome {
  readonly answers: readonly [string, string];
  readonly state: string;
}

export interface RaceRun {
  readonly pairs: number;
  run(): Promise<string[]>;
}

/** Makes the things of all pairs of a stage. */
export async function racesOf<S extends string, A extends string>(
  service: Service,
  cast: Cast,
  stage: Stage<S, A>,
): Promise<RaceRun> {
  const pairs: Pair[] = [];
  for (const state of stage.policy.states) {
    const writes = writesIn(service, cast, stage, state);
    const wanted = writes.flatMap((one, at) => writes.slice(at).map((other) => [one, other] as const));
    if (wanted.length === 0) continue;
    const made = await stage.make(state, 'approved', wanted.length * (4 + ROUNDS), '');
    const things = stage.policy.resource === 'settlement' ? await withInvoices(service, made) : made;
    for (const [at, pair] of wanted.entries())
      pairs.push({ writes: pair, state, things: things.slice(at * (4 + ROUNDS), (at + 1) * (4 + ROUNDS)) });
  }
  await stage.ready?.();
  const { resource } = stage.policy;
  const lookAt = async (thing: Thing) =>
    plain(
      `${await stage.digest(thing)} ${await engineState(service, resource, thing)} ${await books(service, thing)}`,
    );
  return {
    pairs: pairs.length,
    async run() {
      const found: string[] = [];
      for (const pair of pairs) found.push(...(await race(service, resource, pair, lookAt)));
      return found;
    },
  };
}

function writesIn<S extends string, A extends string>(
  service: Service,
  cast: Cast,
  stage: Stage<S, A>,
  state: S,
): Write[] {
  const writes: Write[] = [];
  // Cast: the actions of a table are its trials' names.
  for (const action of Object.keys(stage.policy.actions) as A[]) {
    const trial = stage.trials[action];
    const isWrite = stage.policy.actions[action].does === 'changes' && trial.tidy === undefined;
    if (!isWrite || trial.untried?.[state] !== undefined) continue;
    const caller = cast.callers.find(
      (one) =>
        one.house === 'approved' &&
        (stage.takes?.(one) ?? one.signs === undefined) &&
        trial.takes?.(one) !== false &&
        verdictOf(stage, action, state, one) === 'allowed',
    );
    // Cast: a trial is asked about no other state than those of its own stage.
    if (caller !== undefined) writes.push({ name: action, caller, trial: trial as Trial<string> });
  }
  return [...writes, ...writesBeside(service, cast, stage.policy.resource)];
}

/** What is done to the auction of a lot, and to the invoice of a settlement. */
function writesBeside(service: Service, cast: Cast, resource: string): Write[] {
  const by = (name: string, write: string, trial: unknown): Write[] => {
    const caller = cast.callers.find((one) => one.name === name);
    // Cast: as above.
    return caller === undefined ? [] : [{ name: write, caller, trial: trial as Trial<string> }];
  };
  if (resource === 'lot') {
    const { trials } = auctionStage(service, cast);
    const names = ['pause', 'resume', 'cancel', 'publish', 'worsen_terms', 'delete'] as const;
    return names.flatMap((name) => by('owner', `auction ${name}`, trials[name]));
  }
  if (resource !== 'settlement') return [];
  const { trials } = invoiceStage(service, cast);
  return (['void', 'refund'] as const).flatMap((name) => by('staff', `invoice ${name}`, trials[name]));
}

/** Settlements with the number of their one invoice. */
async function withInvoices(
  { database: { knex } }: Service,
  settlements: readonly Thing[],
): Promise<Thing[]> {
  const auctions = settlements.map(({ more }) => Number(more?.['auction']));
  const rows: { auction_id: number; invoice_number: string }[] = await knex('invoices')
    .where('kind', 'winner')
    .whereIn('auction_id', auctions)
    .select('auction_id', 'invoice_number');
  const numbers = new Map(rows.map((row) => [row.auction_id, row.invoice_number]));
  return settlements.map(({ id, more = {} }) => ({
    id,
    more: { ...more, number: numbers.get(Number(more['auction'])) ?? '' },
  }));
}

/** The money of the auction that is behind it, where it is about money. */
async function books(service: Service, { more }: Thing): Promise<string> {
  if (more?.['number'] === undefined || more['auction'] === undefined) return '';
  const where = { auction_id: Number(more['auction']) };
  return rowsOf(service, ['invoices', where], ['settlements', where], ['settlement_adjustments', where]);
}

async function race(
  service: Service,
  resource: string,
  { writes, state, things }: Pair,
  lookAt: (thing: Thing) => Promise<string>,
): Promise<string[]> {
  const [one, other] = writes;
  const [first, second, third, fourth, ...raced] = things;
  if (!first || !second || !third || !fourth) throw new Error('too few things were made');
  const does = (write: Write, thing: Thing) => doneBy(service, write, thing);
  const inOrder: Outcome = {
    answers: [await does(one, first), await does(other, first)],
    state: await lookAt(first),
  };
  const later = await does(other, second);
  const reversed: Outcome = { answers: [await does(one, second), later], state: await lookAt(second) };
  await does(one, third);
  await does(other, fourth);
  const alone = [await lookAt(third), await lookAt(fourth)] as const;
  const found: string[] = [];
  // A team invites fifty people a day at most.
  if (resource === 'registration') await service.database.knex('invites').delete();
  for (const thing of raced) {
    const answers = await Promise.all([does(one, thing), does(other, thing)] as const);
    const became: Outcome = { answers, state: await lookAt(thing) };
    if ([inOrder, reversed].some((serial) => isSame(serial, became, one === other))) continue;
    if (isRefusedAlone(became, alone)) continue;
    const said = [inOrder, reversed].map((serial) => differenceOf(serial, became)).join(' and ');
    found.push(`${resource} ${state}: ${one.name} beside ${other.name}: ${said}`);
  }
  for (const answer of [...inOrder.answers, ...reversed.answers])
    if (/^5/.test(answer)) found.push(`${resource} ${state}: ${one.name}, ${other.name}: ${answer}`);
  return found;
}

/** Refused for having been slower, one of them left the thing as the other alone does. */
function isRefusedAlone(
  { answers: [one, other], state }: Outcome,
  alone: readonly [string, string],
): boolean {
  return (SLOWER.test(one) && state === alone[1]) || (SLOWER.test(other) && state === alone[0]);
}

/** Somebody was faster, or deleted the thing; or there were too many at once. */
const SLOWER = /^4(04|09|29)/;

/**
 * Of the same action twice, either may have been the first. Where another was faster, a write may be refused for that
 * which in order would have been done, or refused in other words; what the thing is in the end must be the same.
 */
function isSame(serial: Outcome, became: Outcome, areAlike: boolean): boolean {
  if (serial.state !== became.state) return false;
  const orders = areAlike ? [serial.answers, serial.answers.toReversed()] : [serial.answers];
  return orders.some((expected) =>
    became.answers.every((answer, at) => answer === expected[at] || SLOWER.test(answer)),
  );
}

function differenceOf(serial: Outcome, became: Outcome): string {
  if (serial.answers.join() !== became.answers.join())
    return `answers ${became.answers.join(', ')} instead of ${serial.answers.join(', ')}`;
  const at = [...`${serial.state} `].findIndex((char, index) => char !== became.state[index]);
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 40);
  return `${around(became.state)} instead of ${around(serial.state)}`;
}

async function doneBy(service: Service, { caller, trial }: Write, thing: Thing): Promise<string> {
  const { status, body, headers } = await answerOf(service, caller, trial, trial.act(thing, caller));
  await trial.tidy?.();
  const leads = trial.page === true ? (headers.get('location') ?? '') : '';
  return plain(`${status} ${body?.code ?? ''} ${leads}`).trim();
}

const WITH_ENGINE = ['auction', 'lot', 'bid', 'registration', 'platform_consent'] as const;

/** The lots of the thing's auction as the engine has them. */
async function engineState({ backends }: Service, resource: string, { id, more }: Thing): Promise<string> {
  if (!isOneOf(WITH_ENGINE, resource)) return '';
  const { knex } = backends;
  const row = await knex('lots')
    .where('id', more?.['lot'] ?? id)
    .first('auction_id');
  const auctionId =
    resource === 'auction' || resource === 'lot' ? id : Number(more?.['auction'] ?? row?.auction_id);
  const lots: number[] = await knex('lots').where('auction_id', auctionId).orderBy('id').pluck('id');
  const loaded = await Promise.all(lots.map((lot) => backends.journal.load(auctionId, lot)));
  // Whether a lot was withdrawn while it was paused is of no consequence any more.
  const states = loaded.map((state) => (state?.status === 'withdrawn' ? { ...state, paused: false } : state));
  return JSON.stringify([await backends.journal.loadRecord(auctionId), states], (_key, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
}

/** Without what is each thing's own: ids, moments, hashes, versions, numbers in names. */
function plain(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{32,}\b|\b[A-Za-z0-9_-]{43}\b/g, 'H')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?/g, 'T')
    .replaceAll(/\d{13,17}/g, 'T')
    .replaceAll(/(19|20)\d{8}/g, '#')
    .replaceAll(/(INV|SET|CN)-\d{4}-\d+/g, '$1')
    .replaceAll(/("(record_)?version":|"sequence":|"at":|\],)\d+/g, '$1V')
    .replaceAll(/\[\d+(,\d+)*\]\]/g, '[V]]')
    .replaceAll(/bidder-[0-9a-f]{8}/g, 'bidder')
    .replaceAll(/("floorSequences":."hall":)\d+/g, '$1V')
    .replaceAll(/(sealed_secret\W+)[\w.-]+/g, '$1H')
    .replaceAll(/(cells?|invited|acting|team|person|paddle|guest)[- ](\d+-)?\d+/gi, '$1');
}
