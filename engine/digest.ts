/**
 * What the engine needs of the outside to make entries checkable: a hash, and unguessable ids and salts. Two tiny
 * ports, passed in when the engine is built, so that the engine itself stays a pure function of its inputs.
 */

export interface Digest {
  /** Hex SHA-256 over the UTF-8 form of a text: 64 lower-case digits. */
  sha256(text: string): string;
}

export interface Randomness {
  /** A new bid id, unique for good: letters, digits, `-` and `_` only, as it is written without escaping. */
  bidId(): string;
  /** A fresh secret that a commitment is salted with: at least 128 bits, of the same characters. */
  salt(): string;
}

/** What a lot's first entry names as the hash before it. */
export const GENESIS_HASH = '0'.repeat(64);

/** A salted commitment to an amount that must stay secret (a ceiling, a reserve): SHA-256 over `salt:cents`, hex. */
export function commitmentTo(digest: Digest, salt: string, cents: number): string {
  return digest.sha256(`${salt}:${cents}`);
}
