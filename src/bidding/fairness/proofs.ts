/**
 * Proofs over the tree of checkpoints: that a lot's head is in it, and that it has only grown. All hashes are
 * lower-case hex.
 */
import type { Knex } from 'knex';
import { journalIdOf } from '../journal/journal-lots.ts';
import { type CheckpointRow, type Head, leafText, newestCheckpoint, tileReader } from './checkpoints.ts';
import { TiledTree } from './merkle-tree.ts';

export interface LotProof {
  readonly lot_id: number;
  readonly head: { readonly sequence: number; readonly hash: string };
  /** What the leaf is the hash of, and its place in the tree. */
  readonly leaf: string;
  readonly leaf_index: number;
  readonly inclusion_proof: readonly string[];
  readonly checkpoint: PresentedCheckpoint;
}

export interface PresentedCheckpoint {
  readonly number: number;
  readonly time: string;
  readonly size: number;
  readonly root: string;
  /** Base64 of the Ed25519 signature over the note's text. */
  readonly signature: string;
  readonly key_id: number;
  readonly note: string;
}

export function presentCheckpoint(row: CheckpointRow): PresentedCheckpoint {
  const { number, made_at: time, size, root, signature, key_id, note } = row;
  return {
    number,
    time,
    size,
    root: root.toString('hex'),
    signature: signature.toString('base64'),
    key_id,
    note,
  };
}

/** That the newest checkpoint holds the lot's head; null where none does yet. One moment's view of the tree. */
export function proveLot(knex: Knex, lotId: number): Promise<LotProof | null> {
  return knex.transaction(
    async (trx) => {
      const head = await trx<Head & { readonly leaf_index: number }>('checkpoint_heads')
        .where('lot_id', await journalIdOf(trx, lotId))
        .first();
      const checkpoint = await newestCheckpoint(trx);
      if (head === undefined || checkpoint === null) return null;
      const proof = await new TiledTree(tileReader(trx)).inclusionProof(head.leaf_index, checkpoint.size);
      return {
        lot_id: head.lot_id,
        head: { sequence: head.sequence, hash: head.hash },
        leaf: leafText(head),
        leaf_index: head.leaf_index,
        inclusion_proof: proof.map((hash) => hash.toString('hex')),
        checkpoint: presentCheckpoint(checkpoint),
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** That the tree of the newer checkpoint begins with the tree of the older one. */
export async function proveConsistency(
  knex: Knex,
  older: Pick<CheckpointRow, 'size'>,
  newer: Pick<CheckpointRow, 'size'>,
): Promise<string[]> {
  const proof = await new TiledTree(tileReader(knex)).consistencyProof(older.size, newer.size);
  return proof.map((hash) => hash.toString('hex'));
}
