/**
 * Brings the journal back after Redis lost its disk: a new life with a new name, the auctions' records and bidders,
 * and every live lot as far as it was projected or, where Postgres refused an entry, set aside. Sequences that may
 * have been given out and lost are never used again, and each lot's journal says from where it continues.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from '../../../adapters/postgres/database.ts';
import { whileHolding } from '../../../adapters/postgres/held-lock.ts';
import { isEventField } from '../../../adapters/redis/claimed-ids.ts';
import { writeEpoch } from '../../../adapters/redis/epoch.ts';
import { restoreClaims } from '../../../adapters/redis/event-claims.ts';
import { restoreRecords } from '../../../adapters/redis/kept-records.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { restoreAuction, restoreNote, wipeShards } from '../../../adapters/redis/restore.ts';
import { ALL_SHARDS } from '../../../adapters/redis/shards.ts';
import { unbrokenLink } from '../../../adapters/redis/unbroken-link.ts';
import type { AuctionEvent } from '../../../engine/actor/journal.ts';
import type { AuctionRecord, Bidder, BidderStatus } from '../../../engine/auction/record.ts';
import { OUTAGE_US, type Outage, userKey } from '../../../engine/auction/record.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { decodeSnapshot, formatOf } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { InputError } from '../../shared/input-error.ts';
import { readIdempotencyRecords } from '../projection/idempotency-records.ts';
import { readLag } from '../projection/lag.ts';
import { LogUnfit } from '../projection/log-fit.ts';
import { Projector } from '../projection/projector.ts';
import { readSetAsideAuctionEvents, readSetAsideEntries } from '../projection/set-aside.ts';
import type { LotClosedHook } from '../projection/write.ts';
import { readAuctionRows } from '../records/auction-rows.ts';
import { readShard } from '../records/auction-shards.ts';
import { groupsIn, readGroups } from '../records/grouped-lots.ts';
import { type PublishingParts, recordOf } from '../records/publishing.ts';
import { foldTail, UNKNOWN_LOT } from './archived-history.ts';
import { beginLife } from './begin-life.ts';
import type { EpochKeeper } from './epoch-keeper.ts';
import { type OnlyInRedis, onlyInRedis } from './only-in-redis.ts';

export interface RebuildParts extends PublishingParts {
  readonly database: Database;
  readonly redis: OpenLink;
  readonly epoch: EpochKeeper;
  /** What belongs to the closes that are still projected. */
  readonly onLotClosed: readonly LotClosedHook[];
}

export interface Resumed {
  readonly lotId: number;
  /** The last sequence that was kept, and the first that the lot continues with. */
  readonly keptSequence: number;
  readonly resumesAt: number;
}

/** What may be discarded, because somebody said so. */
export interface RebuildOptions {
  readonly wipeForeign?: boolean;
  /** Keeps what is discarded because it does not continue what Postgres has; absent: nothing may be. */
  readonly discard?: ((entries: readonly OnlyInRedis[]) => Promise<void>) | undefined;
}

/**
 * Rebuilds, once nobody else does. What Redis still has that continues what Postgres has is projected first. Throws
 * `InputError` where the journal is in order or was rebuilt meanwhile, and where Redis holds another journal or entries
 * that have parted from those that Postgres has, unless the caller allows to discard these.
 */
export async function rebuildJournal(own: RebuildParts, options: RebuildOptions = {}): Promise<Resumed[]> {
  const { database, knex, epoch } = own;
  // What is projected, wiped and named is what was found wrong, and no other server that has come in its place.
  const parts = { ...own, redis: unbrokenLink(own.redis, exchanged) };
  const before = await countRebuilds(knex);
  await epoch.check();
  if (epoch.trouble === null) throw new InputError('the journal is in order: there is nothing to rebuild');
  const isForeign = await epoch.isForeign();
  if (isForeign && !options.wipeForeign) {
    throw new InputError('REDIS_URL: this Redis holds a different journal; --wipe-foreign discards it');
  }
  const { lots, lives } = await whileHolding(database.url, 'rebuild', async () => {
    if ((await countRebuilds(knex)) !== before)
      throw new InputError('the journal has just been rebuilt by another process');
    return beginAnew(parts, isForeign, options);
  });
  await epoch.check();
  return reopenLots(parts, lots, lives);
}

async function countRebuilds(knex: Knex): Promise<number> {
  const row = await knex('journal_meta').first<{ rebuilds: number } | undefined>('rebuilds');
  return row?.rebuilds ?? 0;
}

/** Until it has its name nobody takes the journal for the right one: what is acknowledged between would be wiped. */
async function beginAnew(parts: RebuildParts, isForeign: boolean, options: RebuildOptions) {
  const { knex, epoch, redis } = parts;
  await epoch.fence?.halt();
  if (!isForeign) {
    await projectWhatContinues(parts);
    await discardTheRest(parts, options.discard ?? null);
  }
  const lots = await keptLots(knex);
  await wipeShards(redis);
  await restoreAuctions(parts);
  for await (const kept of readIdempotencyRecords(knex)) {
    await restoreRecords(redis, kept);
    await restoreClaims(redis, kept, floorEventIds(kept.records.keys()));
  }
  const name = randomUUID();
  const lives = await beginLife(knex, name);
  await writeEpoch(redis, name, outageSince(lots, await redis.timeUs()));
  return { lots, lives };
}

function exchanged(): InputError {
  return new InputError('Redis was exchanged, or out of reach, while the journal was rebuilt: run it again');
}

/** The ids of simulcast events among the fields of answers. */
function floorEventIds(fields: Iterable<string>): string[] {
  return [...fields].flatMap((field) => (isEventField(field) ? [field.slice(1)] : []));
}

/** Another worker may have the shards in hand: then it is waited for. */
const ANOTHER_MS = 50;

/** A Redis that is older in one shard may hold acknowledged bids of another that nobody else has. */
async function projectWhatContinues({ database, redis, onLotClosed }: RebuildParts): Promise<void> {
  const projector = new Projector({ database, redis, onLotClosed });
  for (;;) {
    const { messages, moved, unread } = await projector.step(ALL_SHARDS);
    // A log that could only not be read just now may continue what Postgres has.
    for (const error of unread.values()) if (!(error instanceof LogUnfit)) throw error;
    if (messages === 0 && moved.length === 0) return;
    if (messages === 0) await sleep(ANOTHER_MS);
  }
}

async function discardTheRest(
  { knex, redis }: RebuildParts,
  discard: RebuildOptions['discard'] | null,
): Promise<void> {
  let entries = 0;
  for await (const found of onlyInRedis(knex, redis)) {
    entries += found.length;
    await discard?.(found);
  }
  // Of what was trimmed the lots' states alone are left.
  const lag = await readLag(knex, redis);
  if (discard || entries + lag.entries === 0) return;
  throw new InputError(
    `Redis holds commits that Postgres does not have (${Math.max(entries, lag.entries)}) and that do not continue it: ` +
      '`rostrum journal rebuild --show` lists them, --discard-unprojected keeps them in a file and goes on',
  );
}

/** More than the changes to one record that are lost with a Redis. */
const VERSIONS_APART = 1_000;

async function restoreAuctions({ knex, redis }: RebuildParts): Promise<void> {
  const rebuilds = await countRebuilds(knex);
  const setAside = await readSetAsideAuctionEvents(knex);
  const ids: number[] = await knex('auctions')
    .where('record_version', '>', 0)
    .orWhereRaw('id = any(?::bigint[])', [setAside.map(({ auctionId }) => auctionId)])
    .orderBy('id')
    .pluck('id');
  for (const row of await readAuctionRows(knex, ids)) {
    // Further on with each rebuild, of which Postgres' version knows nothing: processes that still decide by an earlier
    // record, or by what they read of bidders in a Redis that was empty, must read both again.
    const { auctionId } = row;
    const beyond = setAside.filter((one) => one.auctionId === auctionId).map(({ event }) => event);
    const kept = newestRecord({ ...recordOf(row), ...(await readGroups(knex, row)) }, beyond);
    const record = { ...kept, version: kept.version + VERSIONS_APART * (rebuilds + 1) };
    const shard = await readShard(knex, auctionId);
    await restoreAuction(redis, shard, record, newestBidders(await readBidders(knex, auctionId), beyond));
    await restoreNotes({ knex, redis }, shard, record);
  }
}

/** What lots of a group have said of it beside their journals, as these have it. */
async function restoreNotes(
  { knex, redis }: Pick<RebuildParts, 'knex' | 'redis'>,
  shard: number,
  record: AuctionRecord,
): Promise<void> {
  for (const { name: group, lotIds } of groupsIn(record)) {
    const snapshots: string[] = await knex('lot_states')
      .whereRaw('lot_id = any(?::bigint[])', [[...lotIds]])
      .pluck('snapshot');
    const states = snapshots.map(decodeSnapshot);
    const [first] = states;
    const note = first && formatOf(first).grouped?.noteOf(states);
    if (note != null) await restoreNote(redis, shard, { auctionId: record.auctionId, group, note });
  }
}

function newestRecord(kept: AuctionRecord, beyond: readonly AuctionEvent[]): AuctionRecord {
  let newest = kept;
  for (const event of beyond)
    if (event.type === 'auction_recorded' && event.record.version > newest.version) newest = event.record;
  return newest;
}

function newestBidders(kept: readonly Bidder[], beyond: readonly AuctionEvent[]): Bidder[] {
  const byKey = new Map(kept.map((bidder) => [bidder.key, bidder]));
  for (const event of beyond) if (event.type === 'bidder_saved') byKey.set(event.bidder.key, event.bidder);
  return [...byKey.values()];
}

interface BidderRow {
  readonly user_id: number;
  readonly alias: string;
  readonly paddle_number: string | null;
  readonly status: BidderStatus;
  readonly bid_limit_cents: number | null;
  readonly conditions_version: number | null;
}

async function readBidders(knex: Knex, auctionId: number): Promise<Bidder[]> {
  const rows: BidderRow[] = await knex('registrations').where('auction_id', auctionId).whereNotNull('alias');
  return rows.map((row) => ({
    key: userKey(row.user_id),
    userId: row.user_id,
    alias: row.alias,
    paddle: row.paddle_number,
    status: row.status,
    limitCents: row.bid_limit_cents,
    ...(row.conditions_version === null ? {} : { conditionsVersion: row.conditions_version }),
  }));
}

/** What cannot be read stays set aside; the lot continues from before it. */
function foldReadable(state: LotState, entries: readonly SealedEntry[]): LotState {
  let newest = state;
  for (const entry of entries) {
    try {
      newest = foldTail(newest, [entry]);
    } catch {
      return newest;
    }
  }
  return newest;
}

async function keptLots(knex: Knex): Promise<LotState[]> {
  const setAside = await readSetAsideEntries(knex);
  const rows: { lot_id: number; snapshot: string }[] = await knex('lot_states')
    .where((query) => query.whereNull('finished_at').whereNull('host_id'))
    .orWhereRaw('lot_id = any(?::bigint[])', [[...setAside.keys()]])
    .orderBy('lot_id')
    .select('lot_id', 'snapshot');
  const states = new Map(rows.map((row) => [row.lot_id, decodeSnapshot(row.snapshot)]));
  for (const [lotId, entries] of setAside)
    states.set(lotId, foldReadable(states.get(lotId) ?? UNKNOWN_LOT, entries));
  return [...states.values()].filter(isOpen);
}

/** Nothing is known of the journal since the last entry that was kept: nobody could bid from then on (rule 16). */
function outageSince(lots: readonly LotState[], toUs: number): Outage | null {
  const fromUs = lots.reduce((latest, { recordedAtUs }) => Math.max(latest, recordedAtUs), 0);
  return fromUs > 0 && toUs - fromUs > OUTAGE_US ? { fromUs, toUs } : null;
}

async function reopenLots(
  { engine }: RebuildParts,
  kept: readonly LotState[],
  lives: number,
): Promise<Resumed[]> {
  const reopened = await Promise.all(
    kept.map((state: LotState) => engine.open(state.auctionId, state, lives)),
  );
  return kept.map((state, index) => ({
    lotId: state.lotId,
    keptSequence: state.sequence,
    resumesAt: itemAt(reopened, index).sequence,
  }));
}
