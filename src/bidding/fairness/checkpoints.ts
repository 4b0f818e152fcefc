/**
 * Checkpoints: periodically the head of every lot's journal that has grown is added to one Merkle tree, whose root is
 * signed. A checkpoint fixes every entry before it: none can be changed, left out or inserted later. One worker at a
 * time makes them; it reads what the projection has written and never touches a bid's way.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Knex } from 'knex';
import { runPrepared } from '../../../adapters/postgres/prepared.ts';
import { SEALED_FORMATS } from '../../../engine/formats/formats.ts';
import { currentKey } from './checkpoint-keys.ts';
import { appendLeaves, TiledTree } from './merkle-tree.ts';
import { checkpointText, signedNote, signText } from './signed-note.ts';

export interface CheckpointParts {
  readonly knex: Knex;
  /** What the signing key is sealed with. */
  readonly secrets: readonly string[];
  /** The log's name, where it has none yet. */
  readonly name: string;
}

export interface CheckpointRow {
  readonly number: number;
  readonly made_at: string;
  readonly size: number;
  readonly root: Buffer;
  readonly key_id: number;
  readonly signature: Buffer;
  /** The same as a signed note. */
  readonly note: string;
}

/** The head of a lot's journal: its last entry. */
export interface Head {
  readonly lot_id: number;
  readonly sequence: number;
  readonly hash: string;
}

/** What a leaf of the tree holds, in RFC 8785 form. */
export function leafText({ lot_id, sequence, hash }: Head): string {
  return `{"hash":"${hash}","lot_id":${lot_id},"sequence":${sequence}}`;
}

/** Which lots a round reads: those that have closed since, those that may still move, or all there are. */
export type Scope = 'closed' | 'live' | 'all';

const SCOPES: Readonly<Record<Scope, string>> = {
  closed: "s.finished_at IS NOT NULL AND s.place <> 'left'",
  live: "s.place <> 'left'",
  all: 'true',
};

/** A lot with sealed bids has its first entry alone in the tree until it is over: its head would show that it moved. */
const SEALED = `SELECT a.id FROM auctions a WHERE a.format IN (${SEALED_FORMATS.map((name) => `'${name}'`).join()})`;
const HEAD = `(CASE WHEN s.finished_at IS NULL AND s.auction_id IN (${SEALED})
  THEN (SELECT min(f.sequence) FROM journal_entries f WHERE f.lot_id = s.lot_id) ELSE s.sequence END)`;
const MOVED = 'lot_states s LEFT JOIN checkpoint_heads h ON h.lot_id = s.lot_id';
/** No head is later than the last entry, and nearly every one is it: a lot without a new entry is asked no further. */
const HAS_MOVED = `s.host_id IS NULL AND (h.sequence IS NULL OR (h.sequence < s.sequence AND h.sequence < ${HEAD}))`;

/** Asked first: most rounds find nothing, and need neither a transaction nor the lock. */
async function hasMovedHead(knex: Knex, scope: Scope): Promise<boolean> {
  const text = `SELECT s.lot_id FROM ${MOVED} WHERE ${SCOPES[scope]} AND ${HAS_MOVED} LIMIT 1`;
  return (await runPrepared(knex, { text, values: [], once: true })).length > 0;
}

const CHECKPOINT_LOCK = 7_265_737_410;

/**
 * Puts the heads that have moved into the tree and signs its root. Null where none has. Two at once wait for each
 * other; killed in between, nothing has happened.
 */
export async function makeCheckpoint(parts: CheckpointParts, scope: Scope): Promise<CheckpointRow | null> {
  if (!(await hasMovedHead(parts.knex, scope))) return null;
  return parts.knex.transaction(async (trx) => {
    // SQL: no builder knows advisory locks.
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [CHECKPOINT_LOCK]);
    const last = await newestCheckpoint(trx);
    const before = last?.size ?? 0;
    const leaves = await keepMovedHeads(trx, scope, before);
    if (leaves.length === 0) return null;
    await growTree(trx, before, leaves);
    return signRoot(parts, trx, { number: (last?.number ?? 0) + 1, size: before + leaves.length });
  });
}

/**
 * Keeps the heads that the tree does not have yet, as far as the projection has come, and gives the hashes of their
 * leaves in order. Postgres does it in one statement, leaf by leaf: a hundred thousand heads need not come here.
 */
async function keepMovedHeads(trx: Knex.Transaction, scope: Scope, before: number): Promise<Buffer[]> {
  // Sorted in memory: temporary files would be written to the disk that bids wait for.
  // SQL: a setting of this transaction, then the moved heads numbered and kept in one statement.
  await trx.raw("SET LOCAL work_mem = '64MB'");
  const { rows } = await trx.raw<{ rows: { leaves: Buffer }[] }>(
    `WITH moved AS MATERIALIZED (
       SELECT s.lot_id, e.sequence, e.hash, :before - 1 + row_number() OVER (ORDER BY s.lot_id) AS leaf_index
       FROM ${MOVED}
       JOIN journal_entries e ON e.lot_id = s.lot_id AND e.sequence = ${HEAD}
       WHERE ${SCOPES[scope]} AND ${HAS_MOVED}),
     kept AS (
       INSERT INTO checkpoint_heads (lot_id, leaf_index, sequence, hash)
       SELECT lot_id, leaf_index, sequence, hash FROM moved
       ON CONFLICT (lot_id) DO UPDATE
         SET leaf_index = excluded.leaf_index, sequence = excluded.sequence, hash = excluded.hash)
     SELECT string_agg(${LEAF_HASH_SQL}, ''::bytea ORDER BY leaf_index) AS leaves
     FROM moved GROUP BY leaf_index / ${LEAVES_TOGETHER} ORDER BY min(leaf_index)`,
    { before },
  );
  return rows.flatMap(({ leaves }) => hashesIn(leaves));
}

const LEAVES_TOGETHER = 4_096;
const HASH_BYTES = 32;
/** RFC 6962's hash of a leaf, of `leafText`, in Postgres; a proof that leads to a signed root shows that they agree. */
const LEAF_HASH_SQL = `sha256('\\x00'::bytea || convert_to(
  '{"hash":"' || hash || '","lot_id":' || lot_id || ',"sequence":' || sequence || '}', 'UTF8'))`;

function hashesIn(leaves: Buffer): Buffer[] {
  return Array.from({ length: leaves.length / HASH_BYTES }, (_, at) =>
    leaves.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

async function growTree(trx: Knex.Transaction, before: number, leaves: readonly Buffer[]): Promise<void> {
  const tiles = await appendLeaves(tileReader(trx), before, leaves, () => yieldToEventLoop());
  // SQL: thousands of tiles as three arrays.
  await trx.raw(
    `INSERT INTO checkpoint_tiles (level, number, hashes)
     SELECT * FROM unnest(?::smallint[], ?::bigint[], ?::bytea[])
     ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes`,
    [tiles.map(({ level }) => level), tiles.map(({ number }) => number), tiles.map(({ hashes }) => hashes)],
  );
}

async function signRoot(
  parts: CheckpointParts,
  trx: Knex.Transaction,
  { number, size }: { readonly number: number; readonly size: number },
): Promise<CheckpointRow> {
  const key = await currentKey(trx, parts.secrets, parts.name);
  const root = await new TiledTree(tileReader(trx)).root(size);
  // SQL: the clock of the server.
  const { rows } = await trx.raw<{ rows: { now: string }[] }>('SELECT clock_timestamp() AS now');
  const time = rows[0]?.now ?? '';
  const text = checkpointText({ origin: key.name, size, root, number, time });
  const signature = signText(text, key.privateKey);
  const note = signedNote(text, key.name, key.publicKey, signature);
  const row = { number, made_at: time, size, root, key_id: key.id, signature, note };
  await trx('checkpoints').insert(row);
  return row;
}

/** Reads tiles of the tree as they are in this transaction. */
export function tileReader(knex: Knex) {
  return async (level: number, number: number): Promise<Buffer | null> => {
    const row = await knex('checkpoint_tiles')
      .where({ level, number })
      .first<{ hashes: Buffer } | undefined>();
    return row?.hashes ?? null;
  };
}

/** The newest checkpoint that there is, or null. */
export async function newestCheckpoint(knex: Knex): Promise<CheckpointRow | null> {
  return (await knex<CheckpointRow>('checkpoints').orderBy('number', 'desc').first()) ?? null;
}

/** The checkpoint of this number, or null. */
export async function findCheckpoint(knex: Knex, number: number): Promise<CheckpointRow | null> {
  return (await knex<CheckpointRow>('checkpoints').where({ number }).first()) ?? null;
}

/** One page, the newest first. */
export async function listCheckpoints(
  knex: Knex,
  { page, perPage }: { readonly page: number; readonly perPage: number },
): Promise<{ readonly rows: CheckpointRow[]; readonly total: number }> {
  const newest = await newestCheckpoint(knex);
  // Numbers have no gaps: the newest is how many there are.
  const total = newest?.number ?? 0;
  const from = total - (page - 1) * perPage;
  const rows = await knex<CheckpointRow>('checkpoints')
    .whereBetween('number', [from - perPage + 1, from])
    .orderBy('number', 'desc');
  return { rows, total };
}
