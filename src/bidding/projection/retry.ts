/**
 * Tries again what was set aside, one lot, auction or bidder after the other, each in a transaction of its own and
 * its entries in order. What goes through is as if it had never been refused; where one is refused again, it waits on
 * with all behind it. Safe beside busy workers, to break off and to repeat.
 */

import type { Knex } from 'knex';
import type { Frame } from '../../../adapters/redis/frames.ts';
import { firstOf, present } from '../../../engine/first-of.ts';
import { writeContained } from './containment.ts';
import { foldFrames } from './fold.ts';
import { KnownRows } from './known-lots.ts';
import { noPendingWrites } from './pending-writes.ts';
import { holdPosition, touchFailures } from './positions.ts';
import { errorText, type Failure, framesOf, readFailures, type SetAsideFrame } from './set-aside.ts';
import { mayShareRows } from './shared-rows.ts';
import { type LotClosedHook, writePending } from './write.ts';

export interface RetryParts {
  readonly knex: Knex;
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

/** Throws what Postgres throws when it is unavailable; what was mended before stays so. */
export async function retryFailures(parts: RetryParts): Promise<Retried> {
  const failures = await readFailures(parts.knex);
  // Lots are judged by their auctions' records, so those go first.
  const inOrder = [
    ...failures.filter(({ lot_id }) => lot_id === null),
    ...failures.filter(({ lot_id }) => lot_id !== null),
  ];
  let resolved = 0;
  for (const { id, shard } of inOrder) {
    const isResolved = await parts.knex.transaction((trx) => retryOne(trx, id, shard, parts.onLotClosed));
    resolved += Number(isResolved);
  }
  const left = await readFailures(parts.knex);
  return { tried: inOrder.length, resolved, failures: left.length, left };
}

async function retryOne(
  trx: Knex.Transaction,
  id: number,
  shard: number,
  hooks: readonly LotClosedHook[],
): Promise<boolean> {
  await holdPosition(trx, shard);
  const kept = await framesOf(trx, id);
  // Somebody else has mended it meanwhile.
  if (kept.length === 0) return false;
  const known = new KnownRows();
  const frames = kept.map(({ frame }) => frame);
  await known.load(trx, frames, true);
  const news = frames.filter((frame) => !isWritten(known, frame));
  const refused = await writeContained(news, (wanted) =>
    trx.transaction(async (savepoint) => {
      await writeFrames(savepoint, known, news, wanted, hooks);
    }),
  );
  const [refusal] = refused.values();
  await touchFailures(trx, [shard]);
  if (refusal === undefined) {
    await trx('projection_failures').where({ id }).delete();
    return true;
  }
  await waitOn(trx, id, kept, firstOf(refusal.frames), refusal.error);
  return false;
}

async function writeFrames(
  trx: Knex.Transaction,
  known: KnownRows,
  frames: readonly Frame[],
  wanted: readonly Frame[],
  hooks: readonly LotClosedHook[],
): Promise<void> {
  const pending = noPendingWrites(await mayShareRows(trx));
  foldFrames(pending, known, frames, new Set(wanted));
  const recordOf = (auctionId: number) =>
    pending.newestRecords.get(auctionId) ?? known.auctions.get(auctionId) ?? null;
  await writePending(trx, pending, recordOf, hooks);
  known.keepLots(pending);
}

/** An entry that is in Postgres already, as after somebody has put it there by hand. */
function isWritten({ lots }: KnownRows, frame: Frame): boolean {
  if (frame.kind === 'auction') return false;
  const lot = lots.get(frame.entry.lotId);
  return lot !== undefined && lot.state.sequence >= frame.entry.sequence;
}

/** What went through before the refused frame is done with. */
async function waitOn(
  trx: Knex,
  id: number,
  kept: readonly SetAsideFrame[],
  refused: Frame,
  error: Error,
): Promise<void> {
  const first = present(kept.find(({ frame }) => frame === refused));
  await trx('projection_set_aside').where('failure_id', id).where('id', '<', first.id).delete();
  const sequence =
    refused.kind === 'entry' && Number.isSafeInteger(refused.entry.sequence) ? refused.entry.sequence : null;
  await trx('projection_failures')
    .where({ id })
    .increment('attempts', 1)
    .update({ sequence, error: errorText(error), tried_at: trx.fn.now() });
}
