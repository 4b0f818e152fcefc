/**
 * Retries what was set aside, one lot, auction or bidder after the other, each in its own transaction and
 * its entries in order. What goes through is as if it had never been refused; where one is refused again, it waits on
 * with all behind it. Safe alongside busy workers, to break off and to repeat.
 */

import type { Knex } from 'knex';
import type { Frame } from '../../../adapters/redis/frames.ts';
import { firstOf, present } from '../../../engine/first-of.ts';
import { type UnwritableFrames, writeContained } from './containment.ts';
import { foldFrames } from './fold.ts';
import { KnownRows } from './known-lots.ts';
import { noPendingWrites } from './pending-writes.ts';
import { holdPosition, touchFailures } from './positions.ts';
import { waitBriefly } from './row-locks.ts';
import { errorText, type Failure, framesOf, readFailures, type SetAsideFrame } from './set-aside.ts';
import { isTransient } from './unwritable.ts';
import { type LotClosedHook, writePending } from './write.ts';

export interface RetryParts {
  readonly knex: Knex;
  /** How long a statement may take. */
  readonly statementTimeoutMs?: number;
  readonly onLotClosed: readonly LotClosedHook[];
}

export interface Retried {
  /** How many were tried, and how many of them are mended. */
  readonly tried: number;
  readonly resolved: number;
  /** How many are set aside still, and which. */
  readonly failures: number;
  readonly left: readonly Failure[];
}

/** If it was requested. */
const PATIENT_MS = 30_000;

/** What is set aside, as it is found for a retry. */
export type Waiting = Pick<Failure, 'id' | 'shard'>;

/** The outcome of trying one of them. */
export interface Tried {
  readonly resolved: boolean;
  /** Entries that were written. */
  readonly entries: number;
  /** What it is now, where it counts as a failure from this try on. */
  readonly failure: Failure | null;
}

/** Throws what Postgres throws when it is unavailable; what was mended before stays so. */
export async function retryFailures(parts: RetryParts): Promise<Retried> {
  // Lots are judged by their auctions' records, so those go first.
  const all: Waiting[] = await parts
    .knex('projection_failures')
    .orderByRaw('lot_id IS NOT NULL, id')
    .select('id', 'shard');
  let resolved = 0;
  for (const one of all) resolved += Number((await retryOne(parts, one)).resolved);
  const left = await readFailures(parts.knex);
  return { tried: all.length, resolved, failures: left.length, left };
}

/** Tries one of them again, in its own transaction. */
export function retryOne(parts: RetryParts, { id, shard }: Waiting): Promise<Tried> {
  const { knex, onLotClosed, statementTimeoutMs = PATIENT_MS } = parts;
  return knex.transaction(async (trx) => {
    await holdPosition(trx, shard);
    await waitBriefly(trx, statementTimeoutMs);
    const kept = await framesOf(trx, id);
    // Somebody else has mended it meanwhile.
    if (kept.length === 0) return { resolved: false, entries: 0, failure: null };
    const known = new KnownRows();
    const frames = kept.map(({ frame }) => frame);
    await known.load(trx, frames, true);
    const news = frames.filter((frame) => !isWritten(known, frame));
    let entries = 0;
    const refused = await writeContained(news, async (wanted) => {
      entries += await trx.transaction((savepoint) =>
        writeFrames(savepoint, known, news, wanted, onLotClosed),
      );
    });
    const [refusal] = refused.values();
    await touchFailures(trx, [shard]);
    if (refusal !== undefined)
      return { resolved: false, entries, failure: await waitOn(trx, id, kept, refusal) };
    await trx('projection_failures').where({ id }).delete();
    return { resolved: true, entries, failure: null };
  });
}

async function writeFrames(
  trx: Knex.Transaction,
  known: KnownRows,
  frames: readonly Frame[],
  wanted: readonly Frame[],
  hooks: readonly LotClosedHook[],
): Promise<number> {
  const pending = noPendingWrites();
  foldFrames(pending, known, frames, new Set(wanted));
  const recordOf = (auctionId: number) =>
    pending.newestRecords.get(auctionId) ?? known.auctions.get(auctionId) ?? null;
  await writePending(trx, pending, recordOf, hooks);
  known.keepLots(pending);
  return pending.entries.length;
}

/** An entry that is in Postgres already, as after somebody has put it there by hand. */
function isWritten({ lots }: KnownRows, frame: Frame): boolean {
  if (frame.kind === 'auction') return false;
  const lot = lots.get(frame.entry.lotId);
  return lot !== undefined && lot.state.sequence >= frame.entry.sequence;
}

/**
 * What went through before the refused frame is done with. What is locked only now keeps what is known of it. Gives
 * what counts as a failure from now on.
 */
async function waitOn(
  trx: Knex,
  id: number,
  kept: readonly SetAsideFrame[],
  { error, frames }: UnwritableFrames,
): Promise<Failure | null> {
  const refused = firstOf(frames);
  const first = present(kept.find(({ frame }) => frame === refused));
  await trx('projection_set_aside').where('failure_id', id).where('id', '<', first.id).delete();
  const sequence =
    refused.kind === 'entry' && Number.isSafeInteger(refused.entry.sequence) ? refused.entry.sequence : null;
  const before: Failure = await trx('projection_failures').where({ id }).first();
  const { attempts, reported_at } = before;
  const tried = { sequence, attempts: attempts + 1, tried_at: trx.fn.now() };
  const why = isTransient(error)
    ? {}
    : { error: errorText(error), transient: false, reported_at: reported_at ?? trx.fn.now() };
  const [after]: Failure[] = await trx('projection_failures')
    .where({ id })
    .update({ ...tried, ...why })
    .returning('*');
  return reported_at === null && after?.reported_at != null ? after : null;
}
