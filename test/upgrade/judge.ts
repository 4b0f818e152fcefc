/** What must hold after an upgrade run, and the figures that it prints. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backends } from '../../src/app/process/backends.ts';
import type { Try } from '../faults/bidders.ts';
import { readHistories, rowFaults, untilProjected } from '../faults/journals.ts';
import type { OfferedLot } from '../faults/rounds.ts';
import { checkHistory } from '../history/check.ts';
import type { Balancer } from './balancer.ts';
import type { Subscriber } from './subscriber.ts';
import type { Gap, Watcher } from './watcher.ts';

export interface UpgradeRun {
  readonly backends: Backends;
  readonly lots: readonly OfferedLot[];
  /** Those that were open throughout. */
  readonly watched: readonly OfferedLot[];
  /** By turns on the watched lots. */
  readonly watchers: readonly Watcher[];
  readonly tries: readonly Try[];
  readonly oddities: readonly string[];
  readonly dropped: Balancer['dropped'];
  /** The steps in which processes of the previous release end: how, is theirs to answer for. */
  readonly theirs: readonly string[];
  readonly surprises: readonly string[];
  readonly subscriber: Subscriber;
  /** Jobs that were given up, a sentence each. */
  readonly failedJobs: readonly string[];
  readonly mostGapMs: number;
  /** What each release says of the journals. */
  readonly verified: readonly Promise<string>[];
}

const CLOCK = { toleranceUs: 100_000, stampAgeUs: 250_000 };
const PATIENCE_MS = 120_000;

/** Sentences about everything that is not as it must be. */
export async function faultsOf(run: UpgradeRun, say: (line: string) => void): Promise<string[]> {
  const { backends, lots, tries } = run;
  const closing = lots.filter((lot) => !run.watched.includes(lot));
  await untilClosed(backends, closing);
  await untilProjected(backends, lots, PATIENCE_MS);
  const histories = await readHistories(backends, lots);
  const verdict = checkHistory(histories, tries, CLOCK);
  const unserved = tries.filter(({ status }) => status === 0 || status >= 500);
  const gaps = run.watchers.flatMap((watcher) => watcher.gaps);
  const slowest = longest(gaps);
  const others = run.watchers.flatMap(({ otherGaps }) => otherGaps);
  const sales = await salesOf(backends, closing);
  say(
    `${tries.length} bids, ${verdict.accepted} taken; ${unserved.length} without an answer or 5xx; ` +
      `${gaps.length} gaps in ${run.watchers.length} streams, the longest ${slowest.ms} ms ` +
      `(${others.length} by the release before, the longest ${longest(others).ms} ms); ` +
      `${run.dropped.length} requests dropped; ` +
      `${sales.length} lots sold, ${sales.filter(({ invoices }) => invoices === 1).length} with one invoice`,
  );
  const faults = verdict.violations.map(({ kind, lotId, what }) => `${kind} on lot ${lotId}: ${what}`);
  const ours = run.dropped.filter(({ step }) => !run.theirs.includes(step));
  faults.push(
    ...ours.map(({ what, step }) => `dropped (${step}): ${what}`),
    ...run.oddities,
    ...run.surprises,
  );
  // Those are bids that the balancer dropped, and nothing else.
  if (unserved.length > run.dropped.length)
    for (const { status, code } of unserved.slice(0, 5)) faults.push(`a bid got ${status} ${code}`);
  if (slowest.ms > run.mostGapMs) faults.push(`a stream was away for ${slowest.ms} ms (${slowest.step})`);
  if (gaps.length === 0) faults.push('no stream was ever cut: the run shows nothing of them');
  if (sales.length === 0) faults.push('no lot was sold: the run shows nothing of sales');
  for (const { lot_id, invoices } of sales)
    if (invoices !== 1) faults.push(`lot ${lot_id} was sold and has ${invoices} invoices`);
  faults.push(...(await rowFaults(backends, histories)), ...streamFaults(run));
  faults.push(...(await run.subscriber.faults(histories, say)), ...run.failedJobs);
  for (const verified of run.verified) {
    const text = await verified.catch((error: unknown) => String(error));
    if (!/"ok": ?true/.test(text)) faults.push(`journal verify: ${text}`);
  }
  return faults;
}

function longest(gaps: readonly Gap[]): Gap {
  const none = { ms: 0, step: 'none' };
  return gaps.reduce((most, gap) => (gap.ms > most.ms ? gap : most), none);
}

async function untilClosed(backends: Backends, lots: readonly OfferedLot[]): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(100)) {
    const states = await Promise.all(
      lots.map(({ auctionId, lotId }) => backends.journal.load(auctionId, lotId)),
    );
    if (states.every((state) => state !== null && state.status !== 'active' && state.status !== 'scheduled'))
      return;
  }
}

async function salesOf(
  { knex }: Backends,
  lots: readonly OfferedLot[],
): Promise<{ lot_id: number; invoices: number }[]> {
  return knex('lots as l')
    .leftJoin('invoices as i', 'i.lot_id', 'l.id')
    .whereIn(
      'l.id',
      lots.map(({ lotId }) => lotId),
    )
    .where('l.status', 'sold')
    .groupBy('l.id')
    .select('l.id as lot_id', knex.raw('count(i.id)::int as invoices'));
}

/** Each watcher of a lot sees every event after its first one once, whatever it was cut off from. */
function streamFaults({ watched, watchers }: UpgradeRun): string[] {
  return watched.flatMap((lot, at) => {
    const all = watchers.filter((_, index) => index % watched.length === at).map(({ ids }) => ids);
    const faults: string[] = [];
    for (const ids of all) {
      if (new Set(ids).size < ids.length) faults.push(`an event of lot ${lot.lotId} came twice`);
      const other = all.find(
        (one) => one !== ids && one.includes(ids[0] ?? '') && one.includes(ids.at(-1) ?? ''),
      );
      const same = other?.slice(other.indexOf(ids[0] ?? ''), other.indexOf(ids.at(-1) ?? '') + 1);
      if (same !== undefined && same.join() !== ids.join())
        faults.push(`two watchers of lot ${lot.lotId} were told different things`);
    }
    return faults;
  });
}
