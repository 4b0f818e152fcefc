/**
 * Goes on with a journal whose Postgres was put back from before what the logs still hold. Redis knows how every lot
 * stands, and the last entries that led there; those between are lost. They are recorded as missing, lot by lot,
 * and the projection continues behind them: no lot's standing changes, and no bid that is in Redis is lost.
 */
import type { Knex } from 'knex';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import {
  type BidderOfAuction,
  liveBidders,
  liveLots,
  liveRecords,
} from '../../../adapters/redis/live-shard.ts';
import { logEnd } from '../../../adapters/redis/shard-log.ts';
import { SHARD_COUNT } from '../../../adapters/redis/shards.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { decodeSnapshot, encodeSnapshot, isFinal } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { isClosed, type LotState } from '../../../engine/lot/state.ts';
import { InputError } from '../../shared/input-error.ts';
import { foldClose } from '../projection/fold.ts';
import { type LogFit, readLogFits } from '../projection/log-fit.ts';
import { type KnownLot, noPendingWrites, type PendingWrites } from '../projection/pending-writes.ts';
import { holdPosition, movePositions, touchFailures } from '../projection/positions.ts';
import { type LotClosedHook, writePending } from '../projection/write.ts';
import { UNKNOWN_LOT } from './archived-history.ts';
import type { EpochKeeper } from './epoch-keeper.ts';
import { insertGap } from './journal-gaps.ts';
import { readShardTail } from './lot-entries.ts';
import { describeMissing, type MissingRows, makeMissingRows } from './missing-rows.ts';
import { HighestIds, passOverIds } from './passed-ids.ts';
import { stateBefore } from './state-before.ts';

export interface BridgeParts {
  readonly knex: Knex;
  readonly redis: OpenLink;
  readonly epoch: EpochKeeper;
  readonly onLotClosed: readonly LotClosedHook[];
}

/** A lot of which entries are missing: those after `keptSequence`, up to and with `missingTo`. */
export interface BridgedLot {
  readonly lotId: number;
  readonly keptSequence: number;
  readonly missingTo: number;
  readonly state: LotState;
}

export interface Bridged {
  /** What Postgres did not know at all. */
  readonly made: MissingRows;
  readonly lots: readonly BridgedLot[];
}

/**
 * Makes what Postgres lacks, and bridges every gap. Throws `InputError` where nothing is missing, and where something
 * else is wrong with the journal or somebody still writes to it. Each shard is bridged whole or not at all; what was
 * bridged before stays so.
 */
export async function bridgeJournal(parts: BridgeParts): Promise<Bridged> {
  const { knex, redis, epoch } = parts;
  await epoch.check();
  const gaps = epoch.trouble === null ? [] : await requireGaps(parts, epoch.trouble);
  const made = await knex.transaction((trx) => makeMissingRows(trx, redis));
  if (gaps.length === 0 && describeMissing(made) === null)
    throw new InputError('the journal is in order: there is nothing to bridge');
  const lots: BridgedLot[] = [];
  for (const shard of gaps) lots.push(...(await knex.transaction((trx) => bridgeShard(parts, trx, shard))));
  await epoch.check();
  return { made, lots: lots.sort((a, b) => a.lotId - b.lotId) };
}

/** The shards with a gap. */
async function requireGaps({ knex, redis, epoch }: BridgeParts, trouble: string): Promise<number[]> {
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);
  const fits = [...(await readLogFits(knex, redis, shards))];
  const gaps = fits.flatMap(([shard, fit]) => (isGap(fit) ? [shard] : []));
  const isOnlyGaps = fits.every(([, fit]) => !(fit instanceof Error) && fit.misfit !== 'older');
  if (gaps.length === 0 || !isOnlyGaps || (await epoch.isForeign())) throw new InputError(trouble);
  return gaps;
}

function isGap(fit: LogFit | Error | undefined): fit is LogFit {
  return fit !== undefined && !(fit instanceof Error) && fit.misfit === 'gap';
}

async function bridgeShard(
  { redis, onLotClosed }: BridgeParts,
  trx: Knex.Transaction,
  shard: number,
): Promise<BridgedLot[]> {
  await holdPosition(trx, shard);
  const fit = (await readLogFits(trx, redis, [shard])).get(shard);
  // Somebody else has bridged it meanwhile.
  if (!isGap(fit)) return [];
  const { end, position } = fit;
  const records = await liveRecords(redis, shard);
  const highest = new HighestIds();
  const pending = noPendingWrites();
  for (const record of records.values()) pending.records.set(record.auctionId, record);
  for await (const bidders of liveBidders(redis, shard)) await addBidders(trx, pending, bidders, highest);
  const tails = await readShardTail({ knex: trx, redis }, shard);
  const bridged = new Map<number, BridgedLot>();
  for await (const states of liveLots(redis, shard)) {
    const kept = await readKeptLots(trx, states);
    for (const state of states) {
      highest.see(state);
      const known = kept.get(state.lotId) ?? { state: UNKNOWN_LOT, entryCount: 0 };
      const tail = tails.get(state.lotId) ?? [];
      if (bridged.has(state.lotId) || followsOn(known.state, tail, state)) continue;
      bridged.set(state.lotId, await bridgeLot(trx, { pending, records }, known, tail, state));
    }
  }
  await writePending(trx, pending, (auctionId) => records.get(auctionId) ?? null, onLotClosed);
  await passOverIds(trx, highest);
  // What was set aside of these lots is behind the gap now.
  await trx('projection_failures')
    .whereRaw('lot_id = any(?::bigint[])', [[...bridged.keys()]])
    .delete();
  await touchFailures(trx, [shard]);
  const { lastId, added, length } = end;
  const to = { streamId: length === 0 ? lastId : position.streamId, messages: added - length };
  await movePositions(trx, [{ shard, from: position, to }]);
  if ((await logEnd(redis, shard)).lastId !== lastId)
    throw new InputError(
      'a process still writes to the journal: stop web processes and workers, then try again',
    );
  return [...bridged.values()];
}

/** Whether nothing is missing between what Postgres has of a lot and what Redis has. */
function followsOn(kept: LotState, [first]: readonly SealedEntry[], { hash }: LotState): boolean {
  return (first === undefined ? hash : first.previousHash) === kept.hash;
}

/** What a shard's lots are written with. */
interface Bridging {
  readonly pending: PendingWrites;
  readonly records: ReadonlyMap<number, AuctionRecord>;
}

async function bridgeLot(
  trx: Knex.Transaction,
  { pending, records }: Bridging,
  { state: kept, entryCount }: KnownLot,
  tail: readonly SealedEntry[],
  state: LotState,
): Promise<BridgedLot> {
  const { lotId, auctionId } = state;
  const before = stateBefore(state, tail);
  await insertGap(trx, { lotId, afterSequence: kept.sequence, knownFrom: state.sequence, state: before });
  if (state.status !== 'scheduled') pending.opened.add(auctionId);
  if (tail.length > 0) await putBefore(trx, before, entryCount);
  else {
    pending.lots.set(lotId, { state, entryCount });
    if (state.status === 'withdrawn') pending.ended.add(auctionId);
    if (isClosed(state) && isFinal(state) && !(isClosed(kept) && isFinal(kept)))
      foldClose(pending, state, records.get(auctionId) ?? null);
  }
  return { lotId, keptSequence: kept.sequence, missingTo: before.sequence, state };
}

/** The projection folds the entries that are left into this. */
async function putBefore(trx: Knex, before: LotState, entryCount: number): Promise<void> {
  await trx('lot_states')
    .insert({
      lot_id: before.lotId,
      auction_id: before.auctionId,
      sequence: before.sequence,
      entry_count: entryCount,
      finished_at: null,
      snapshot: encodeSnapshot(before),
    })
    .onConflict('lot_id')
    .merge(['sequence', 'finished_at', 'snapshot']);
}

async function readKeptLots(trx: Knex, states: readonly LotState[]): Promise<Map<number, KnownLot>> {
  const rows: { lot_id: number; snapshot: string; entry_count: number }[] = await trx('lot_states')
    .whereRaw('lot_id = any(?::bigint[])', [states.map(({ lotId }) => lotId)])
    .select('lot_id', 'snapshot', 'entry_count');
  return new Map(
    rows.map((row) => [row.lot_id, { state: decodeSnapshot(row.snapshot), entryCount: row.entry_count }]),
  );
}

/** Adds those whom Postgres knows otherwise, or not at all. */
async function addBidders(
  trx: Knex,
  pending: PendingWrites,
  bidders: readonly BidderOfAuction[],
  highest: HighestIds,
): Promise<void> {
  const rows: { auction_id: number; user_id: number; status: string; alias: string | null }[] = await trx(
    'registrations',
  )
    .whereRaw('auction_id = any(?::bigint[])', [[...new Set(bidders.map(({ auctionId }) => auctionId))]])
    .select('auction_id', 'user_id', 'status', 'alias');
  const known = new Set(rows.map((row) => `${row.auction_id}|${row.user_id}|${row.status}|${row.alias}`));
  for (const { auctionId, bidder } of bidders) {
    highest.seeUser(bidder.userId);
    if (!known.has(`${auctionId}|${bidder.userId}|${bidder.status}|${bidder.alias}`))
      pending.bidders.set(`${auctionId}|${bidder.key}`, { auctionId, bidder, reason: null });
  }
}
