/**
 * The keys that sign checkpoints: one in use, those of before kept for ever, so that what they signed can still be
 * checked. Private keys are in Postgres sealed with `APP_SECRET`.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import { seal, unseal } from '../../shared/sealed.ts';
import { privateKeyFrom, rawPublicKey, verifierKey } from './signed-note.ts';

export interface SigningKey {
  readonly id: number;
  /** The log's name, which its checkpoints begin with. */
  readonly name: string;
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly public_key: Buffer;
  readonly private_key_sealed: string;
  readonly created_at: string;
  readonly retired_at: string | null;
}

/**
 * The key in use, made where there is none. `name` counts only then: a log keeps its name. Runs under the caller's
 * lock.
 */
export async function currentKey(knex: Knex, secrets: readonly string[], name: string): Promise<SigningKey> {
  const row = await knex<KeyRow>('checkpoint_keys').whereNull('retired_at').first();
  return row === undefined ? addKey(knex, secrets, name) : opened(row, secrets);
}

/**
 * Retires the key in use; the next checkpoint is signed with a new one of the same name, which it gives. Null where
 * there is no key yet.
 */
export async function rotateKey(knex: Knex, secrets: readonly string[]): Promise<SigningKey | null> {
  return knex.transaction(async (trx) => {
    const [row] = await trx<KeyRow>('checkpoint_keys')
      .whereNull('retired_at')
      .update({ retired_at: trx.fn.now() })
      .returning('*');
    return row === undefined ? null : addKey(trx, secrets, row.name);
  });
}

async function addKey(knex: Knex, secrets: readonly string[], name: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const rows: KeyRow[] = await knex('checkpoint_keys')
    .insert({ name, public_key: rawPublicKey(privateKey), private_key_sealed: seal(pem, secrets) })
    .returning('*');
  return opened(firstOf(rows), secrets);
}

function opened(row: KeyRow, secrets: readonly string[]): SigningKey {
  const privateKey = privateKeyFrom(unseal(row.private_key_sealed, secrets));
  return { id: row.id, name: row.name, publicKey: row.public_key, privateKey };
}

/** A key as the world sees it. */
export interface PublishedKey {
  readonly id: number;
  readonly name: string;
  readonly algorithm: 'Ed25519';
  /** Base64 of its 32 bytes. */
  readonly public_key: string;
  /** As note verifiers take it. */
  readonly verifier_key: string;
  readonly created_at: string;
  readonly retired_at: string | null;
}

/** All keys there have been, the oldest first. */
export async function publishedKeys(knex: Knex): Promise<PublishedKey[]> {
  const rows = await knex<KeyRow>('checkpoint_keys').orderBy('id');
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    algorithm: 'Ed25519',
    public_key: row.public_key.toString('base64'),
    verifier_key: verifierKey(row.name, row.public_key),
    created_at: row.created_at,
    retired_at: row.retired_at,
  }));
}
