/**
 * One call of commit.lua: flat arguments out, results back. Flat ones, because JSON arguments cost the script a third
 * to a half more.
 */
import type { Batch, CommitResult, LimitCheck } from '../../engine/actor/journal.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/lot/snapshot.ts';
import { packEntry } from './frames.ts';
import type { ShardKeys } from './shards.ts';

/** How long a time bucket is: idempotency records of one are records together, each for one to two buckets. */
export const KEY_BUCKET_SECONDS = 86_400;

export interface CallLimits {
  readonly oldestStampUs: number;
  readonly maxLogBytes: number;
}

export function commitKeys(keys: ShardKeys, bucket: number): string[] {
  const { ver, lot, aver, due, log, meta, exp } = keys;
  return [
    ver,
    lot,
    aver,
    due,
    log,
    meta,
    exp,
    keys.keys(bucket - 1),
    keys.keys(bucket),
    keys.keys(bucket + 1),
  ];
}

export function commitArguments(
  batches: readonly Batch[],
  epoch: string,
  bucket: number,
  limits: CallLimits,
): string[] {
  const args = [
    epoch,
    String(limits.oldestStampUs),
    String(limits.maxLogBytes),
    String(bucket),
    String(KEY_BUCKET_SECONDS),
    String(batches.length),
    '',
    '',
    '',
  ];
  const columns: Columns = { keys: [], records: [], upperFields: [], upper: [], lowerFields: [], lower: [] };
  for (const batch of batches) pushBatch(args, batch, columns);
  const { keys, records, upperFields, upper, lowerFields, lower } = columns;
  [args[6], args[7], args[8]] = [String(keys.length), String(upper.length), String(lower.length)];
  return args.concat(keys, records, upperFields, upper, lowerFields, lower);
}

/** What the script takes by the column, over all lots. */
interface Columns {
  readonly keys: string[];
  readonly records: string[];
  readonly upperFields: string[];
  readonly upper: string[];
  readonly lowerFields: string[];
  readonly lower: string[];
}

function pushBatch(args: string[], batch: Batch, columns: Columns): void {
  const { entry } = batch;
  const { upper, lower } = columns;
  const [upperBefore, lowerBefore] = [upper.length, lower.length];
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
    String(upper.length - upperBefore),
    String(lower.length - lowerBefore),
    String(batch.exposure.length),
  );
  for (const { key, deltaCents } of batch.exposure)
    args.push(exposureField(batch.auctionId, key), String(deltaCents));
  for (const { field, value } of batch.keys) {
    columns.keys.push(field);
    columns.records.push(value ?? '');
  }
}

function pushLimit(auctionId: number, limit: LimitCheck, columns: Columns): void {
  const { key, limitCents, assumedCents, increaseCents, refused } = limit;
  const field = exposureField(auctionId, key);
  if (increaseCents > 0) {
    columns.upperFields.push(field);
    columns.upper.push(String(limitCents - increaseCents));
  }
  if (refused) {
    columns.lowerFields.push(field);
    columns.lower.push(String(assumedCents));
  }
}

export function exposureField(auctionId: number, bidderKey: string): string {
  return `${auctionId}|${bidderKey}`;
}

/** What the script says of one lot: 1 for committed, else the kind of the result and what belongs to it. */
export type LotResult = 1 | [kind: Exclude<CommitResult['kind'], 'committed' | 'failed'>, ...rest: string[]];

/**
 * A lot's result in the engine's terms. `lost` is the fault to give where the lot is not there although it should be.
 */
export function resultOf(result: LotResult, batch: Batch, lost: () => Error): CommitResult {
  if (result === 1) return COMMITTED;
  const [kind, ...rest] = result;
  switch (kind) {
    case 'conflict':
      if (rest[0] === '' || rest[0] === undefined) return { kind: 'failed', fault: lost() };
      return { kind, state: decodeSnapshot(rest[0]) };
    case 'record_changed':
    case 'clock':
      return { kind };
    case 'replayed':
      return { kind, records: pairs(rest) };
    case 'exposure': {
      const actual = new Map<string, number>();
      const prefix = exposureField(batch.auctionId, '').length;
      for (const [field, cents] of pairs(rest)) actual.set(field.slice(prefix), Number(cents));
      return { kind, actual };
    }
  }
}

const COMMITTED: CommitResult = { kind: 'committed' };

function pairs(flat: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let at = 0; at + 1 < flat.length; at += 2) map.set(flat[at]!, flat[at + 1]!);
  return map;
}
