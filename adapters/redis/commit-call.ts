/**
 * One call of commit.lua in words: flat arguments out, verdicts back. Flat ones, because JSON arguments cost the script a third
 * to a half more.
 */
import type { Batch, CommitResult, LimitCheck } from '../../engine/actor/journal.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/lot/snapshot.ts';
import { packEntry } from './frames.ts';
import type { ShardKeys } from './shards.ts';

/** How long idempotency keys of one stretch are kept together; a key lives for one to two of them. */
export const KEY_BUCKET_SECONDS = 86_400;

export interface CallLimits {
  readonly oldestStampUs: number;
  readonly mostLogBytes: number;
}

export function commitKeys(keys: ShardKeys, stretch: number): string[] {
  const { ver, lot, aver, due, log, meta, exp } = keys;
  return [
    ver,
    lot,
    aver,
    due,
    log,
    meta,
    exp,
    keys.keys(stretch - 1),
    keys.keys(stretch),
    keys.keys(stretch + 1),
  ];
}

export function commitArguments(
  batches: readonly Batch[],
  epoch: string,
  stretch: number,
  limits: CallLimits,
): string[] {
  const args = [
    epoch,
    String(limits.oldestStampUs),
    String(limits.mostLogBytes),
    String(stretch),
    String(KEY_BUCKET_SECONDS),
    String(batches.length),
    '',
    '',
    '',
  ];
  const columns: Columns = { keys: [], kept: [], mostFields: [], most: [], leastFields: [], least: [] };
  for (const batch of batches) pushBatch(args, batch, columns);
  const { keys, kept, mostFields, most, leastFields, least } = columns;
  [args[6], args[7], args[8]] = [String(keys.length), String(most.length), String(least.length)];
  return args.concat(keys, kept, mostFields, most, leastFields, least);
}

/** What the script takes by the column, over all lots. */
interface Columns {
  readonly keys: string[];
  readonly kept: string[];
  readonly mostFields: string[];
  readonly most: string[];
  readonly leastFields: string[];
  readonly least: string[];
}

function pushBatch(args: string[], batch: Batch, columns: Columns): void {
  const { entry } = batch;
  const { most, least } = columns;
  const [mostBefore, leastBefore] = [most.length, least.length];
  for (const limit of batch.limits) pushLimit(batch.auctionId, limit, columns);
  args.push(
    String(batch.lotId),
    String(batch.auctionId),
    String(batch.expectedSequence),
    batch.expectedPreviousHash ?? '',
    String(batch.recordVersion),
    String(batch.stampUs),
    batch.validUntilUs === null ? '' : String(batch.validUntilUs),
    entry === null ? '' : String(entry.sequence),
    entry === null ? '' : encodeSnapshot(batch.next),
    batch.dueUs === null ? '' : String(batch.dueUs),
    entry === null ? '' : packEntry(entry),
    String(batch.keys.length),
    String(most.length - mostBefore),
    String(least.length - leastBefore),
    String(batch.exposure.length),
  );
  for (const { key, deltaCents } of batch.exposure)
    args.push(exposureField(batch.auctionId, key), String(deltaCents));
  for (const { field, value } of batch.keys) {
    columns.keys.push(field);
    columns.kept.push(value ?? '');
  }
}

function pushLimit(auctionId: number, limit: LimitCheck, columns: Columns): void {
  const { key, limitCents, assumedCents, increaseCents, refused } = limit;
  const field = exposureField(auctionId, key);
  if (increaseCents > 0) {
    columns.mostFields.push(field);
    columns.most.push(String(limitCents - increaseCents));
  }
  if (refused) {
    columns.leastFields.push(field);
    columns.least.push(String(assumedCents));
  }
}

export function exposureField(auctionId: number, bidderKey: string): string {
  return `${auctionId}|${bidderKey}`;
}

export type Verdict = 1 | [why: 'v' | 'r' | 'c' | 'k' | 'x', ...rest: string[]];

/** What the script said of one lot. `lost` is the fault to give where the lot is not there although it should be. */
export function resultOf(verdict: Verdict, batch: Batch, lost: () => Error): CommitResult {
  if (verdict === 1) return { kind: 'committed' };
  const [why, ...rest] = verdict;
  switch (why) {
    case 'v':
      if (rest[0] === '' || rest[0] === undefined) return { kind: 'failed', fault: lost() };
      return { kind: 'conflict', state: decodeSnapshot(rest[0]) };
    case 'r':
      return { kind: 'record_changed' };
    case 'c':
      return { kind: 'clock' };
    case 'k':
      return { kind: 'replayed', records: pairs(rest) };
    case 'x': {
      const actual = new Map<string, number>();
      const prefix = exposureField(batch.auctionId, '').length;
      for (const [field, cents] of pairs(rest)) actual.set(field.slice(prefix), Number(cents));
      return { kind: 'exposure', actual };
    }
  }
}

function pairs(flat: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let at = 0; at + 1 < flat.length; at += 2) map.set(flat[at]!, flat[at + 1]!);
  return map;
}
