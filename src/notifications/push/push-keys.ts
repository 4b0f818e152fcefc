/**
 * The key pair by which push services know this installation (RFC 8292): made when it is first needed, kept in Postgres
 * with the private part sealed with `APP_SECRET`.
 */
import type { Knex } from 'knex';
import webPush from 'web-push';
import { seal, unseal } from '../../shared/sealed.ts';
import { PushKeyRow } from '../browsers/push.model.ts';

/** Both in base64url: an uncompressed point of P-256, and its scalar. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The keys, made where there are none; whoever makes them at the same time agrees. */
export async function pushKeys(knex: Knex, secrets: readonly [string, ...string[]]): Promise<PushKeys> {
  const found = await readKeys(knex, secrets);
  if (found !== null) return found;
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  await PushKeyRow.query(knex)
    .insert({ id: 1, public_key: publicKey, private_key_sealed: seal(privateKey, secrets) })
    .onConflict('id')
    .ignore();
  return (await readKeys(knex, secrets)) ?? { publicKey, privateKey };
}

async function readKeys(knex: Knex, secrets: readonly string[]): Promise<PushKeys | null> {
  const row = await PushKeyRow.query(knex).first();
  if (row === undefined) return null;
  return { publicKey: row.public_key, privateKey: unseal(row.private_key_sealed, secrets) };
}
