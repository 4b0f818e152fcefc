/**
 * Passwords as scrypt hashes (N = 2^15, r = 8, p = 3): each takes 32 MiB and a good part of a second of a core, and a
 * burst of sign-ins must not take the machine with it. Browsers that have signed in to the account before have a queue
 * of their own; strangers have theirs (`strangers-queues.ts`). Used by accounts and sign-in.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Derivation, derive } from './derivation.ts';
import { HashQueue } from './hash-queue.ts';
import { HashWorker } from './hash-worker.ts';
import { StrangersQueues, type UnknownClient } from './strangers-queues.ts';

/** Whose hash it is. */
export type HashClient = KnownClient | UnknownClient;

/** Of a browser that has signed in to the account before, of a user with its mailed link, or of the service itself. */
export interface KnownClient {
  readonly known: true;
  readonly group: string;
  readonly caller: string;
}

let costLog2 = 15;
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

/** Hashes from now on at N = 2^log2; what is hashed keeps its own cost. */
export function hashPasswordsAt(log2: number): void {
  costLog2 = log2;
}

/** Of this process: it is the machine that is short of memory, not one caller. */
const known = new HashQueue();
const lowPriority = new HashWorker();
const strangers = new StrangersQueues(derive, (wanted) => lowPriority.derive(wanted));
const OURSELVES: KnownClient = { caller: '', group: '', known: true };

/** Hashes a password: `scrypt$15$8$3$<salt>$<key>`, base64url. Throws 503 `overloaded` where too many wait. */
export async function hashPassword(password: string, client: HashClient = OURSELVES): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const wanted = derivation(password, salt, 2 ** costLog2, BLOCK_SIZE, PARALLELIZATION);
  const key = Buffer.from(
    await (client.known ? deriveKnown(client, wanted) : strangers.derive(client, wanted)),
  );
  return hashed(salt.toString('base64url'), key.toString('base64url'));
}

/**
 * Whether the password is the one that was hashed. With `null` (no such user, or one without a password) it takes as
 * long and says no, so that the duration reveals nobody's account. Throws 503 `overloaded` where too many wait.
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  client: HashClient = OURSELVES,
): Promise<boolean> {
  const [scheme, cost, blockSize, parallelization, salt, key] = (hash ?? absent()).split('$');
  if (scheme !== 'scrypt' || !salt || !key) return false;
  const stored = Buffer.from(key, 'base64url');
  const saltBytes = Buffer.from(salt, 'base64url');
  const wanted = derivation(
    password,
    saltBytes,
    2 ** Number(cost),
    Number(blockSize),
    Number(parallelization),
  );
  const isRight = (derived: Uint8Array) =>
    derived.length === stored.length && timingSafeEqual(derived, stored) && hash !== null;
  return client.known
    ? isRight(await deriveKnown(client, wanted))
    : strangers.verify(client, wanted, isRight);
}

const hashed = (salt: string, key: string): string =>
  ['scrypt', costLog2, BLOCK_SIZE, PARALLELIZATION, salt, key].join('$');

const absent = (): string => hashed('A'.repeat(22), 'A'.repeat(43));

function deriveKnown(client: KnownClient, wanted: Derivation): Promise<Uint8Array> {
  return known.run(() => derive(wanted), { ...client, suspicion: 0 });
}

function derivation(
  password: string,
  salt: Buffer,
  cost: number,
  blockSize: number,
  parallelization: number,
): Derivation {
  const options = { cost, blockSize, parallelization, maxmem: MAX_MEMORY };
  return { password: password.normalize('NFKC'), salt, keyBytes: KEY_BYTES, options };
}
