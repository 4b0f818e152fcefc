/**
 * Passwords as scrypt hashes (N = 2^15, r = 8, p = 3), one computation at a time and in a line of bounded length: each
 * takes about 100 MiB, and a burst of sign-ins must not take the machine with it. Used by accounts and sign-in.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { HashQueue, type HashTurn } from './hash-queue.ts';

const COST = 2 ** 15;
const BLOCK_SIZE = 8;
const PARALLELIZATION = 3;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const MAX_MEMORY = 256 * 1024 * 1024;

export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;

/** Whether a password has 8 to 128 characters (as people count them, not UTF-16 units). */
export function isPasswordLength(password: string): boolean {
  const length = [...password].length;
  return length >= PASSWORD_MIN_LENGTH && length <= PASSWORD_MAX_LENGTH;
}

/** Of this process: it is the machine that is short of memory, not one caller. */
const queue = new HashQueue();
const OURSELVES: HashTurn = { caller: '', known: true };

/** Hashes a password: `scrypt$15$8$3$<salt>$<key>`, base64url. Throws 503 `overloaded` where too many wait. */
export async function hashPassword(password: string, turn: HashTurn = OURSELVES): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await queue.run(() => derive(password, salt, COST, BLOCK_SIZE, PARALLELIZATION), turn);
  const cost = Math.log2(COST);
  return `scrypt$${cost}$${BLOCK_SIZE}$${PARALLELIZATION}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Whether the password is the one that was hashed. With `null` (no such user, or one without a password) it takes as
 * long and says no, so that the time tells nobody who has an account. Throws 503 `overloaded` where too many wait.
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  turn: HashTurn = OURSELVES,
): Promise<boolean> {
  const [scheme, cost, blockSize, parallelization, salt, key] = (hash ?? ABSENT).split('$');
  if (scheme !== 'scrypt' || !salt || !key) return false;
  const stored = Buffer.from(key, 'base64url');
  const derived = await queue.run(
    () =>
      derive(
        password,
        Buffer.from(salt, 'base64url'),
        2 ** Number(cost),
        Number(blockSize),
        Number(parallelization),
      ),
    turn,
  );
  return derived.length === stored.length && timingSafeEqual(derived, stored) && hash !== null;
}

const ABSENT = `scrypt$${Math.log2(COST)}$${BLOCK_SIZE}$${PARALLELIZATION}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function derive(password: string, salt: Buffer, cost: number, blockSize: number, parallelization: number) {
  const options = { cost, blockSize, parallelization, maxmem: MAX_MEMORY };
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
