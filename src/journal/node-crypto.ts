/**
 * The engine's two ports to the outside, filled by Node: SHA-256, and unguessable ids and salts. Salts come from a pool, so
 * that one call of the system's generator serves 256 bids.
 */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Digest, Randomness } from '../../engine/digest.ts';

const POOL_BYTES = 4_096;
const SALT_BYTES = 16;

export const nodeDigest: Digest = { sha256: (text) => hash('sha256', text, 'hex') };

let pool = Buffer.alloc(0);
let taken = 0;

/** 128 random bits, hex. */
export function newSalt(): string {
  if (taken + SALT_BYTES > pool.length) {
    pool = randomBytes(POOL_BYTES);
    taken = 0;
  }
  taken += SALT_BYTES;
  return pool.toString('hex', taken - SALT_BYTES, taken);
}

/** 122 random bits, hex. */
export function newBidId(): string {
  return randomUUID().replaceAll('-', '');
}

export const nodeRandomness: Randomness = { bidId: newBidId, salt: newSalt };
