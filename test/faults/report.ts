/** What a fault run found: the figures, what is wrong with them, and the table that says so at the end. */
import Table from 'cli-table3';
import type { Verdict } from '../history/check.ts';

/** One fault as it went. */
export interface FaultRecord {
  readonly kind: string;
  /** From the moment the part was back to the first bid that was taken. */
  readonly recoveryMs: number;
}

export interface RunFigures {
  readonly seed: number;
  readonly seconds: number;
  readonly tries: number;
  readonly verdict: Verdict;
  readonly faults: readonly FaultRecord[];
  readonly conflicts: number;
  readonly lostAnswers: number;
  readonly restarts: number;
  readonly slowest503: { readonly ms: number; readonly code: string; readonly seconds: number };
  /**
   * Bids that began while Redis was unavailable and were not taken, and how many of them got no answer at all within
   * four seconds.
   */
  readonly answers503: number;
  readonly silentDuringOutage: number;
  /** The lot that was closed latest after its end, and how far into the run: what happened then is in its lines. */
  readonly slowestClose: { readonly ms: number; readonly lotId: number; readonly seconds: number };
  readonly closedLots: number;
  readonly readsDuringOutage: number;
  readonly failedReads: number;
  /** Unclosed lots, differing rows, odd answers, a journal that does not verify. */
  readonly further: readonly string[];
  /** Processes that ended by themselves: worth a look, and no loss. */
  readonly surprises: readonly string[];
}

export interface Wanted {
  readonly operations: number;
  readonly timesEach: number;
  readonly kinds: readonly string[];
  readonly recoveryMs: number;
  readonly answer503Ms: number;
  readonly closeMs: number;
}

const LOSSES = ['lost', 'phantom', 'double'] as const;

export function countOf(verdict: Verdict, kind: string): number {
  return verdict.violations.filter((violation) => violation.kind === kind).length;
}

/** Everything that keeps the run from being a good one. */
export function shortcomings(figures: RunFigures, wanted: Wanted): string[] {
  const { verdict, faults } = figures;
  const found = verdict.violations
    .slice(0, 10)
    .map(({ kind, lotId, what }) => `${kind} on lot ${lotId}: ${what}`);
  const tooFew = (what: string, count: number, min: number) => {
    if (count < min) found.push(`${what}: ${count}, and ${min} are wanted`);
  };
  const tooSlow = (what: string, ms: number, maxMs: number) => {
    if (ms > maxMs) found.push(`${what}: ${Math.round(ms)} ms, and ${maxMs} ms are allowed`);
  };
  tooFew('operations', verdict.bids, wanted.operations);
  tooFew('conflicts', figures.conflicts, 1);
  if (wanted.kinds.some((kind) => kind.includes('replies'))) tooFew('lost replies', figures.lostAnswers, 1);
  tooFew('restarts', figures.restarts, 1);
  for (const kind of wanted.kinds) {
    const own = faults.filter((fault) => fault.kind === kind);
    tooFew(kind, own.length, wanted.timesEach);
    for (const { recoveryMs } of own) tooSlow(`first bid taken after ${kind}`, recoveryMs, wanted.recoveryMs);
  }
  tooSlow('503', figures.slowest503.ms, wanted.answer503Ms);
  tooSlow('close', figures.slowestClose.ms, wanted.closeMs);
  if (figures.failedReads > 0)
    found.push(`public reads that failed while Redis was unavailable: ${figures.failedReads}`);
  return [...found, ...figures.further];
}

/** The table at the end. */
export function tableOf(figures: RunFigures): string {
  const { verdict, faults } = figures;
  const table = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'right'] });
  const slowest = (all: readonly FaultRecord[]) => Math.max(0, ...all.map(({ recoveryMs }) => recoveryMs));
  table.push(['seed', figures.seed], ['seconds', Math.round(figures.seconds)]);
  table.push(['operations', verdict.bids], ['tries of them', figures.tries]);
  table.push(['accepted', verdict.accepted], ['refused', verdict.refused]);
  table.push(['never answered (of these stand)', `${verdict.unanswered} (${verdict.unansweredStanding})`]);
  for (const kind of [...new Set(faults.map((fault) => fault.kind))].sort()) {
    const own = faults.filter((fault) => fault.kind === kind);
    table.push([`fault: ${kind} (slowest recovery)`, `${own.length} (${Math.round(slowest(own))} ms)`]);
  }
  table.push(['faults', faults.length], ['conflicts', figures.conflicts]);
  table.push(['lost replies', figures.lostAnswers], ['restarts', figures.restarts]);
  for (const kind of LOSSES) table.push([kind, countOf(verdict, kind)]);
  const other = verdict.violations.filter(({ kind }) => !LOSSES.some((loss) => loss === kind)).length;
  table.push(['wrong order, refusal, answer or rule', other]);
  table.push(['slowest recovery, ms', Math.round(slowest(faults))]);
  table.push([
    'slowest 503 while Redis was unavailable, ms (how many, of them silent)',
    `${Math.round(figures.slowest503.ms)} (${figures.answers503}, ${figures.silentDuringOutage})`,
  ]);
  table.push([
    'the slowest 503, begun after so many seconds',
    `${figures.slowest503.code}, ${Math.round(figures.slowest503.seconds)}`,
  ]);
  const { ms, lotId, seconds } = figures.slowestClose;
  table.push(
    ['slowest close, ms (lots closed)', `${Math.round(ms)} (${figures.closedLots})`],
    ['the slowest was of lot, after so many seconds', `${lotId}, ${Math.round(seconds)}`],
  );
  table.push([
    'public reads while Redis was unavailable (failed)',
    `${figures.readsDuringOutage} (${figures.failedReads})`,
  ]);
  return table.toString();
}
