/**
 * The answers under idempotency keys as Postgres keeps them: written with the entries that they belong to, so that a
 * journal that is rebuilt knows the keys of exactly those bids that it has.
 */
import type { Knex } from 'knex';
import { KEY_BUCKET_SECONDS } from '../../../adapters/redis/commit-call.ts';
import { decodeKeptRecords, type KeptRecords } from '../../../adapters/redis/kept-records.ts';

interface RecordsOfShard {
  readonly shard: number;
  readonly records: readonly string[];
}

/** Writes what each shard's log comes to, in the transaction that moves its position. */
export async function writeIdempotencyRecords(
  trx: Knex.Transaction,
  segments: readonly RecordsOfShard[],
): Promise<void> {
  const rows = segments
    .filter(({ records }) => records.length > 0)
    .map(({ shard, records }) => ({ shard, records: Buffer.from(records.join('\n')) }));
  if (rows.length > 0) await trx('idempotency_records').insert(rows);
}

/** All that may still be replayed, oldest first, in parts that are each of one shard and one time bucket. */
export async function* readIdempotencyRecords(knex: Knex): AsyncGenerator<KeptRecords> {
  let after = 0;
  for (;;) {
    const row = await knex('idempotency_records')
      .where('id', '>', after)
      .whereRaw(`written_at > now() - ? * interval '1 second'`, [KEY_BUCKET_SECONDS])
      .orderBy('id')
      .first<Row | undefined>(
        'id',
        'shard',
        'records',
        // SQL: a moment as the number of its bucket.
        knex.raw('floor(extract(epoch from written_at) / ?)::int AS bucket', [KEY_BUCKET_SECONDS]),
      );
    if (row === undefined) return;
    after = row.id;
    const texts = row.records.toString().split('\n');
    yield { shard: row.shard, bucket: row.bucket, records: new Map(texts.flatMap(decodeKeptRecords)) };
  }
}

interface Row {
  readonly id: number;
  readonly shard: number;
  readonly bucket: number;
  readonly records: Buffer;
}

/** Removes what cannot be replayed any more. */
export async function dropOldIdempotencyRecords(knex: Knex): Promise<void> {
  await knex('idempotency_records')
    .whereRaw(`written_at <= now() - ? * interval '1 second'`, [KEY_BUCKET_SECONDS])
    .delete();
}
