/**
 * What is set aside of the journal, in Postgres: the lots, auctions and bidders that cannot continue, and their entries
 * in order. Whoever changes it holds the lock of the shard's position. Readers of a lot's journal find here what is
 * neither in the tables nor ahead of the position in the log.
 */
import type { Knex } from 'knex';
import { type Frame, packAuctionEvent, packEntry, unpackFrames } from '../../../adapters/redis/frames.ts';
import type { AuctionEvent } from '../../../engine/actor/journal.ts';
import { firstOf } from '../../../engine/first-of.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import { nodeDigest } from '../../shared/node-crypto.ts';
import { cleanText } from './clean-text.ts';
import { subjectOf, type UnwritableFrames } from './containment.ts';
import { isTransient } from './unwritable.ts';

/** One lot, auction or bidder that cannot continue. */
export interface Failure {
  readonly id: number;
  readonly shard: number;
  readonly auction_id: number | null;
  readonly lot_id: number | null;
  /** The entry that was refused; null where it is the auction's record or a bidder. */
  readonly sequence: number | null;
  readonly error: string;
  readonly attempts: number;
  /** A lock, a statement that does not end, or a full disk and the like holds it up: it is retried by itself. */
  readonly transient: boolean;
  /** Since when it counts as a failure; null where it is waiting for a lock and has not waited long. */
  readonly reported_at: string | null;
  readonly created_at: string;
  readonly tried_at: string;
}

export interface SetAsideFrame {
  readonly id: number;
  readonly frame: Frame;
}

const LONGEST_ERROR = 1_000;
const LONGEST_SUBJECT = 200;

/** How a frame's subject is named in the table: as text that an index holds, whatever a bidder is called. */
export function storedSubject(frame: Frame): string {
  const subject = subjectOf(frame);
  const clean = cleanText(subject);
  if (clean === subject && subject.length <= LONGEST_SUBJECT) return subject;
  return `${clean.slice(0, LONGEST_SUBJECT)}#${nodeDigest.sha256(JSON.stringify(subject))}`;
}

/** What Postgres or the fold said, without the statement that Knex puts before it. */
export function errorText(error: Error): string {
  if ('nativeError' in error && error.nativeError instanceof Error) return errorText(error.nativeError);
  const { message } = error;
  const statementEnds = 'severity' in error ? message.lastIndexOf(' - ') : -1;
  return cleanText(statementEnds === -1 ? message : message.slice(statementEnds + 3)).slice(0, LONGEST_ERROR);
}

/** One line about what is set aside, for people. */
export function describeFailure({ lot_id, auction_id, sequence, error, transient }: Failure): string {
  const what =
    lot_id === null ? `auction ${auction_id}, its record or a bidder` : `lot ${lot_id}, entry ${sequence}`;
  return `${what}: set aside, because ${transient ? 'it waits' : 'Postgres refused it'}: ${error}`;
}

/** The shards of which these are. */
export function shardsOf(failures: readonly Failure[]): number[] {
  return [...new Set(failures.map(({ shard }) => shard))];
}

/** The subjects that are set aside in these shards, each with its failure; a shard without any is not there. */
export async function readSubjects(
  trx: Knex,
  shards: readonly number[],
): Promise<Map<number, Map<string, number>>> {
  // SQL: any number of shards in one prepared form.
  const { rows } = await trx.raw<{ rows: { id: number; shard: number; subject: string }[] }>(
    'SELECT id, shard, subject FROM projection_failures WHERE shard = ANY(?::int[])',
    [[...shards]],
  );
  const byShard = new Map<number, Map<string, number>>();
  for (const { id, shard, subject } of rows)
    byShard.set(shard, (byShard.get(shard) ?? new Map<string, number>()).set(subject, id));
  return byShard;
}

/** Sets a subject aside. Returns its row. */
export async function setAside(trx: Knex, shard: number, refusal: UnwritableFrames): Promise<Failure> {
  const { error, frames } = refusal;
  const first = firstOf(frames);
  const transient = isTransient(error);
  const isEntry = first.kind === 'entry';
  const rows: Failure[] = await trx('projection_failures')
    .insert({
      shard,
      subject: storedSubject(first),
      auction_id: storable(isEntry ? first.entry.auctionId : first.auctionId),
      lot_id: isEntry ? storable(first.entry.lotId) : null,
      sequence: isEntry ? storable(first.entry.sequence) : null,
      error: errorText(error),
      transient,
      reported_at: transient ? null : trx.fn.now(),
    })
    .returning('*');
  const failure = firstOf(rows);
  await append(trx, failure.id, frames);
  return failure;
}

/** Puts frames behind what is set aside already. */
export async function append(trx: Knex, failureId: number, frames: readonly Frame[]): Promise<void> {
  const rows = frames.map((frame) => ({ failure_id: failureId, frame: JSON.stringify(pack(frame)) }));
  // SQL: any number of frames as one document.
  await trx.raw(
    `INSERT INTO projection_set_aside (failure_id, frame)
     SELECT * FROM json_to_recordset(?::json) AS n (failure_id bigint, frame text)`,
    [JSON.stringify(rows)],
  );
}

export async function framesOf(trx: Knex, failureId: number): Promise<SetAsideFrame[]> {
  const rows: { id: number; frame: string }[] = await trx('projection_set_aside')
    .where('failure_id', failureId)
    .orderBy('id')
    .select('id', 'frame');
  return rows.map(({ id, frame }) => ({ id, frame: firstOf(unpackFrames(JSON.parse(frame))) }));
}

/** Everything that is set aside and counts as a failure, oldest first. */
export async function readFailures(knex: Knex, lotId: number | null = null): Promise<Failure[]> {
  const query = knex('projection_failures').whereNotNull('reported_at').orderBy('id').select<Failure[]>('*');
  return lotId === null ? query : query.where('lot_id', lotId);
}

/** What Postgres refused, with its lot and the lot's price as far as there is one. */
export type ShownFailure = Failure & {
  readonly title: string | null;
  readonly current_bid_cents: number | null;
  readonly currency: string | null;
};

/** The oldest of them, and how many there are. */
export async function oldestFailures(
  knex: Knex,
  limit: number,
): Promise<{ rows: ShownFailure[]; total: number }> {
  const rows = await shownFailures(knex).whereNotNull('f.reported_at').orderBy('f.id').limit(limit);
  return { rows, total: await countFailures(knex) };
}

/** One of them; null where there is none, or no longer. */
export async function findFailure(knex: Knex, id: number): Promise<ShownFailure | null> {
  return (await shownFailures(knex).where('f.id', id).first()) ?? null;
}

function shownFailures(knex: Knex) {
  return knex('projection_failures as f')
    .leftJoin('auctions as a', 'a.id', 'f.auction_id')
    .leftJoin('lots as l', 'l.id', 'f.lot_id')
    .select<ShownFailure[]>('f.*', 'l.title', 'l.current_bid_cents', 'a.currency');
}

/** What is set aside for longer than a moment. */
export interface SetAsideCounts {
  /** Postgres refused it: somebody has to do something. */
  readonly refused: number;
  /** A lock or a time limit holds it up: it continues by itself. */
  readonly waiting: number;
}

export async function countSetAside(knex: Knex): Promise<SetAsideCounts> {
  const rows = await knex('projection_failures')
    .whereNotNull('reported_at')
    .groupBy('transient')
    // SQL: a count as a number.
    .select<{ transient: boolean; count: number }[]>('transient', knex.raw('count(*)::int AS count'));
  const of = (transient: boolean) => rows.find((row) => row.transient === transient)?.count ?? 0;
  return { refused: of(false), waiting: of(true) };
}

/** All of it. */
export async function countFailures(knex: Knex): Promise<number> {
  const { refused, waiting } = await countSetAside(knex);
  return refused + waiting;
}

/** Entries that are set aside, oldest first: those of one lot, or of all, by lot. */
export async function readSetAsideEntries(
  knex: Knex,
  lotId: number | null = null,
): Promise<Map<number, SealedEntry[]>> {
  const byLot = new Map<number, SealedEntry[]>();
  const query = knex('projection_failures as f')
    .join('projection_set_aside as s', 's.failure_id', 'f.id')
    .whereNotNull('f.lot_id')
    .orderBy('s.id')
    .select<{ frame: string }[]>('s.frame');
  for (const { frame } of await (lotId === null ? query : query.where('f.lot_id', lotId))) {
    for (const read of unpackFrames(JSON.parse(frame))) {
      if (read.kind !== 'entry') continue;
      const entries = byLot.get(read.entry.lotId);
      if (entries === undefined) byLot.set(read.entry.lotId, [read.entry]);
      else entries.push(read.entry);
    }
  }
  return byLot;
}

/** Records and bidders that are set aside, oldest first, of these auctions or of all. */
export async function readSetAsideAuctionEvents(
  knex: Knex,
  auctionIds: readonly number[] | null = null,
): Promise<{ auctionId: number; event: AuctionEvent }[]> {
  const query = knex('projection_failures as f')
    .join('projection_set_aside as s', 's.failure_id', 'f.id')
    .whereNull('f.lot_id')
    .orderBy('s.id')
    .select<{ frame: string }[]>('s.frame');
  if (auctionIds !== null) query.whereRaw('f.auction_id = any(?::bigint[])', [[...auctionIds]]);
  const frames = (await query).flatMap(({ frame }) => unpackFrames(JSON.parse(frame)));
  return frames.flatMap((frame) => (frame.kind === 'auction' ? [frame] : []));
}

function pack(frame: Frame): string {
  return frame.kind === 'entry' ? packEntry(frame.entry) : packAuctionEvent(frame.auctionId, frame.event);
}

/** What is wrong may be the number itself. */
function storable(number: number): number | null {
  return Number.isSafeInteger(number) ? number : null;
}
