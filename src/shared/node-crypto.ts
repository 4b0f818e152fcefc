/**
 * The engine's two ports to the outside, filled by Node: SHA-256, and unguessable ids and salts. Salts come from a
 * pool, so that one call of the system's generator serves many bids.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Digest, Randomness } from '../../engine/digest.ts';

const POOL_BYTES = 4_096;
const SALT_BYTES = 16;

export const nodeDigest: Digest = { sha256: (text) => hash('sha256', text, 'hex') };

let pool = Buffer.alloc(0);
let taken = 0;

/** Random bytes, hex. */
function randomHex(bytes: number): string {
  if (taken + bytes > pool.length) {
    pool = randomBytes(POOL_BYTES);
    taken = 0;
  }
  taken += bytes;
  return pool.toString('hex', taken - bytes, taken);
}

export function newSalt(): string {
  return randomHex(SALT_BYTES);
}

const MOMENT_DIGITS = 12;
const RANDOM_ID_BYTES = 10;

let momentMs = 0;
let moment = '';

/** This millisecond, hex: printed once for all bids that come in it. */
function momentHex(): string {
  const nowMs = Date.now();
  if (nowMs !== momentMs) {
    momentMs = nowMs;
    moment = nowMs.toString(16).padStart(MOMENT_DIGITS, '0');
  }
  return moment;
}

/**
 * 48 bits of the moment before 80 random ones: unguessable, and next to each other in Postgres' index, where random
 * ids would each touch their own page.
 */
export function newBidId(): string {
  return momentHex() + randomHex(RANDOM_ID_BYTES);
}

const BID_ID = /^[0-9a-f]{32}$/;

/** Whether a bid may have been given this id. */
export function isBidId(text: string): boolean {
  return BID_ID.test(text);
}

export const nodeRandomness: Randomness = { bidId: newBidId, salt: newSalt };
