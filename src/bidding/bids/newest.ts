/**
 * The state of a lot now, with what of its journal may not be in Postgres yet: the first step of every read that must
 * show what was acknowledged a moment ago, on whatever process.
 */

import type { Knex } from 'knex';
import type { LogTail } from '../../../adapters/redis/log-tail.ts';
import { LOG_START } from '../../../adapters/redis/shard-log.ts';
import { shardOf } from '../../../adapters/redis/shards.ts';
import { firstOf } from '../../../engine/first-of.ts';
import { faceOf, memberIds } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { Seals } from '../../../engine/lot/seals.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { carrierOfBids, type OfferJournal } from '../../shared/group-offers.ts';
import { foldTail } from '../journal/archived-history.ts';
import { joined } from '../journal/lot-entries.ts';
import { readSetAsideEntries } from '../projection/set-aside.ts';

export interface NewestParts {
  readonly knex: Knex;
  readonly journal: OfferJournal;
  readonly tail: LogTail;
  /** Opens a bidder's own sealed bids for them; absent: nothing is opened. */
  readonly seals?: Seals;
}

export interface LotIds {
  readonly lotId: number;
  readonly auctionId: number;
}

export interface Newest {
  /** Null where the journal does not have the lot: it has left it, or has not come yet. Then Postgres knows all. */
  readonly state: LotState | null;
  /** The lot's entries that may not be in Postgres yet, up to the state, oldest first. */
  readonly entries: readonly SealedEntry[];
  /** The journal could not be read: Postgres may be behind. */
  readonly stale: boolean;
}

/**
 * The state first, then what is between Postgres and the log's end: read from the projection's position before, so
 * that what moves to Postgres meanwhile is found there.
 */
export async function readNewest(parts: NewestParts, lotIds: LotIds): Promise<Newest> {
  const live = await readLive(parts, lotIds);
  return live.state === null ? { ...live, entries: [] } : readBeyond(parts, lotIds, live.state);
}

/** How the journal has the lot. Does not throw: a journal that cannot be read is `stale`. */
export async function readLive(
  { journal }: { readonly journal: Pick<OfferJournal, 'load'> },
  { auctionId, lotId }: LotIds,
): Promise<Pick<Newest, 'state' | 'stale'>> {
  try {
    return { state: await journal.load(auctionId, lotId), stale: false };
  } catch {
    return { state: null, stale: true };
  }
}

/**
 * How the journal has the lot whose journal holds this one's bids, and which that is: another one, where lots are
 * offered together. Does not throw.
 */
export async function readCarrier(
  parts: Pick<NewestParts, 'journal'>,
  lotIds: LotIds,
): Promise<{ readonly carrier: LotIds; readonly live: Pick<Newest, 'state' | 'stale'> }> {
  const live = await readLive(parts, lotIds);
  if (live.state === null) return { carrier: lotIds, live };
  try {
    const carrier = { ...lotIds, lotId: await carrierOfBids(parts.journal, live.state) };
    return { carrier, live: carrier.lotId === lotIds.lotId ? live : await readLive(parts, carrier) };
  } catch {
    return { carrier: lotIds, live: { ...live, stale: true } };
  }
}

interface Reached {
  readonly shard: number | null;
  readonly sequence: number | null;
  readonly stream_id: string | null;
  readonly is_set_aside: boolean;
}

/** What the journal says beyond Postgres of a lot that was in this state a moment ago. */
export async function readBeyond(
  { knex, tail }: NewestParts,
  { auctionId, lotId }: LotIds,
  state: LotState,
): Promise<Newest> {
  // SQL: a hot read: three facts in one statement, so that they are of one moment.
  const { rows } = await knex.raw<{ rows: Reached[] }>(
    `SELECT a.shard, (SELECT sequence FROM lot_states WHERE lot_id = :lotId) AS sequence,
            (SELECT stream_id FROM projection_positions p WHERE p.shard = coalesce(a.shard, CAST(:byId AS int)))
              AS stream_id,
            EXISTS (SELECT 1 FROM projection_failures WHERE lot_id = :journalId) AS is_set_aside
     FROM (SELECT 1) one LEFT JOIN auctions a ON a.id = :auctionId`,
    { lotId, auctionId, journalId: firstOf(memberIds(state)), byId: shardOf(auctionId, null) },
  );
  const { shard: own, sequence, stream_id, is_set_aside } = firstOf(rows);
  const shard = shardOf(auctionId, own);
  if ((sequence ?? 0) >= state.sequence) return { state, entries: [], stale: false };
  try {
    const journalId = firstOf(memberIds(state));
    const inLog = await tail.entriesOf(shard, journalId, stream_id ?? LOG_START);
    const setAside = is_set_aside ? (await readSetAsideEntries(knex, journalId)).get(journalId) : undefined;
    const entries = setAside === undefined ? inLog : joined(setAside, inLog);
    return { state: faceOf(foldTail(state, entries), lotId), entries, stale: false };
  } catch {
    return { state: null, entries: [], stale: true };
  }
}
