/**
 * One call of commit.lua: flat arguments out, results back. Flat ones, because JSON arguments cost the script a third
 * to a half more.
 */
import type { Batch, CommitResult, LimitCheck } from '../../engine/actor/journal.ts';
import { OUTAGE_US } from '../../engine/auction/record.ts';
import { firstOf, itemAt } from '../../engine/first-of.ts';
import { decodeSnapshot, encodeSnapshot } from '../../engine/formats/formats.ts';
import { CLAIMS_KEPT_S, claimKeys, isEventField } from './claimed-ids.ts';
import { packEntry } from './frames.ts';
import type { ShardKeys } from './shards.ts';

/** How long a time bucket is: idempotency records of one are records together, each for one to two buckets. */
export const KEY_BUCKET_SECONDS = 86_400;

/** One call of the commit script. */
export interface CommitFigures {
  readonly seconds: number;
  /** Lots whose batches went into it. */
  readonly batches: number;
  /** Batches that somebody else was faster than. */
  readonly conflicts: number;
}

export interface CallLimits {
  readonly oldestStampUs: number;
  readonly maxLogBytes: number;
  /** How far the log was acknowledged, as `Marks` has it. */
  readonly mark: string;
}

/** `claimed`: the ids of events are claimed by the commit, as one script may write them and any shard. */
export function commitKeys(
  keys: ShardKeys,
  bucket: number,
  batches: readonly Batch[],
  claimed: boolean,
): string[] {
  const { ver, lot, aver, due, log, meta, exp, note } = keys;
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
    ...(claimed && batches.some(hasEvents) ? claimKeys(bucket) : NONE),
    ...(batches.some(hasNote) ? [note] : NONE),
  ];
}

const NONE: readonly string[] = [];

function hasEvents({ keys }: Batch): boolean {
  return keys.some(({ field }) => isEventField(field));
}

function hasNote({ note }: Batch): boolean {
  return note !== undefined;
}

/** The arguments of one call, as commit.lua names them. */
export function commitArguments(
  batches: readonly Batch[],
  epoch: string,
  bucket: number,
  limits: CallLimits,
): string[] {
  const columns = new Columns(firstOf(batches).stampUs);
  for (const batch of batches) columns.add(batch);
  const { entries, kept, untils, ids, auctions, recordVersions, heads, keys, records } = columns;
  const { upperFields, upper, lowerFields, lower, changeFields, changes } = columns;
  const twice = new Set(ids).size < ids.length;
  const head = [
    epoch,
    String(limits.oldestStampUs),
    String(limits.maxLogBytes),
    String(bucket),
    String(KEY_BUCKET_SECONDS),
    String(columns.stampUs),
    twice ? '1' : '',
    ...[ids, auctions, keys, upper, lower, changes].map((column) => String(column.length)),
    String(OUTAGE_US),
    entries.join('\n'),
    kept.length === 0 ? '' : JSON.stringify(kept),
    `[${untils.join(',')}]`,
    columns.firstUntilUs === Number.POSITIVE_INFINITY ? '' : String(columns.firstUntilUs),
    CLAIMS_KEPT_S,
    limits.mark,
    batches.some(hasNote) ? JSON.stringify(batches.map(noteOf)) : '',
  ];
  return head.concat(
    ...[ids, auctions, recordVersions, heads, keys, records],
    ...[upperFields, upper, lowerFields, lower, changeFields, changes],
  );
}

/**
 * The group's field, the note that was assumed, the next or '', the lots that are due where it changes, and whether
 * they are so where the index has not got them.
 */
function noteOf({ auctionId, note }: Batch): unknown {
  if (note === undefined) return 0;
  const { group, expected, next, lotIds, wakes } = note;
  return [noteField(auctionId, group), expected, next ?? '', lotIds.map(String), wakes];
}

/** What the script takes by the column, over all lots. */
class Columns {
  /** The call's stamp: most lots have it. */
  readonly stampUs: number;
  readonly entries: string[] = [];
  /** Keys and records in turn, as `kept-records.ts` reads them. */
  readonly kept: string[] = [];
  /** Until when each batch is valid; 0: for good. */
  readonly untils: number[] = [];
  firstUntilUs = Number.POSITIVE_INFINITY;
  readonly ids: string[] = [];
  readonly auctions: string[] = [];
  readonly recordVersions: string[] = [];
  readonly heads: string[] = [];
  readonly keys: string[] = [];
  readonly records: string[] = [];
  readonly upperFields: string[] = [];
  readonly upper: string[] = [];
  readonly lowerFields: string[] = [];
  readonly lower: string[] = [];
  readonly changeFields: string[] = [];
  readonly changes: string[] = [];
  /** Where the newest entry of each auction is among `auctions`, counted from 1. */
  readonly #auctionAt = new Map<number, number>();

  constructor(stampUs: number) {
    this.stampUs = stampUs;
  }

  add(batch: Batch): void {
    const { entry, auctionId } = batch;
    const [upperBefore, lowerBefore] = [this.upper.length, this.lower.length];
    for (const limit of batch.limits) this.#addLimit(auctionId, limit);
    const upper = this.upper.length - upperBefore;
    const lower = this.lower.length - lowerBefore;
    if (entry !== null) this.entries.push(packEntry(entry));
    this.untils.push(batch.validUntilUs ?? 0);
    this.firstUntilUs = Math.min(this.firstUntilUs, batch.validUntilUs ?? Number.POSITIVE_INFINITY);
    this.ids.push(String(batch.lotId));
    this.heads.push(
      String(this.#auctionOf(batch)),
      String(batch.expectedSequence),
      entry === null ? '' : String(entry.sequence),
      entry === null ? '' : encodeSnapshot(batch.next),
      `${batch.keys.length},${upper},${lower},${batch.exposure.length}${this.#unusualOf(batch)}`,
    );
    for (const { key, deltaCents } of batch.exposure) {
      this.changeFields.push(exposureField(auctionId, key));
      this.changes.push(String(deltaCents));
    }
    for (const { field, value } of batch.keys) {
      this.keys.push(field);
      const record = value ?? '';
      this.records.push(record);
      if (record !== '') this.kept.push(field, record);
    }
  }

  /** What most lots have in common, where this one has another: due, stamp and the hash that it must follow on. */
  #unusualOf(batch: Batch): string {
    const { entry, dueUs, stampUs, expectedPreviousHash } = batch;
    const isUsual = stampUs === this.stampUs && expectedPreviousHash === null;
    if (isUsual && (entry === null || dueUs === 'unchanged')) return '';
    return `,${dueOf(batch)},${stampUs === this.stampUs ? '' : stampUs},${expectedPreviousHash ?? ''}`;
  }

  /** The number of an auction at a record's version; two lots of one may have been decided under different ones. */
  #auctionOf({ auctionId, recordVersion, lastOutageUs }: Batch): number {
    const version = lastOutageUs === 0 ? String(recordVersion) : `${recordVersion}|${lastOutageUs}`;
    const known = this.#auctionAt.get(auctionId);
    if (known !== undefined && this.recordVersions[known - 1] === version) return known;
    this.auctions.push(String(auctionId));
    const added = this.recordVersions.push(version);
    this.#auctionAt.set(auctionId, added);
    return added;
  }

  #addLimit(auctionId: number, limit: LimitCheck): void {
    const { key, limitCents, assumedCents, increaseCents, refused } = limit;
    const field = exposureField(auctionId, key);
    if (increaseCents > 0) {
      this.upperFields.push(field);
      this.upper.push(String(limitCents - increaseCents));
    }
    if (refused) {
      this.lowerFields.push(field);
      this.lower.push(String(assumedCents));
    }
  }
}

function dueOf({ entry, dueUs }: Batch): string {
  if (entry === null || dueUs === null) return '';
  return dueUs === 'unchanged' ? '=' : String(dueUs);
}

export function noteField(auctionId: number, group: string): string {
  return `${auctionId}|${group}`;
}

export function exposureField(auctionId: number, bidderKey: string): string {
  return `${auctionId}|${bidderKey}`;
}

/** What the script says of one lot: 1 for committed, else the kind of the result and what belongs to it. */
export type LotResult = 1 | [kind: Exclude<CommitResult['kind'], 'committed' | 'failed'>, ...rest: string[]];

/**
 * What the script answers: the clock, or what was wrong with the whole call; then the result of each lot, and where it
 * has written the id of the log's message.
 */
export type CommitAnswer = [string, ...(LotResult | string)[]];

/** What a call that went through came to. */
export function readCommitAnswer(
  [, ...rest]: CommitAnswer,
  batches: readonly Batch[],
  lost: (lotId: number) => Error,
): { readonly found: CommitResult[]; readonly messageId: string | null } {
  const found = batches.map((batch, index) => {
    const result = itemAt(rest, index);
    if (typeof result === 'string') throw new Error('an answer lacks the result of a lot');
    return resultOf(result, batch, () => lost(batch.lotId));
  });
  const last = rest[batches.length];
  return { found, messageId: typeof last === 'string' ? last : null };
}

/** Whether a lot was committed by a call. */
export function hasCommitted(answer: CommitAnswer): boolean {
  return answer.includes(1);
}

/**
 * A lot's result in the engine's terms. `lost` is the fault to give where the lot is not there although it should be.
 */
function resultOf(result: LotResult, batch: Batch, lost: () => Error): CommitResult {
  if (result === 1) return COMMITTED;
  const [kind, ...rest] = result;
  switch (kind) {
    case 'conflict':
      if (rest[0] === '' || rest[0] === undefined) return { kind: 'failed', fault: lost() };
      return { kind, state: decodeSnapshot(rest[0]) };
    case 'record_changed':
    case 'clock':
      return { kind };
    case 'note_changed':
      return { kind, note: rest[0] ?? '' };
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
  for (let at = 0; at + 1 < flat.length; at += 2) map.set(itemAt(flat, at), itemAt(flat, at + 1));
  return map;
}
