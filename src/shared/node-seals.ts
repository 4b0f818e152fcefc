/**
 * Sealing bids, filled by Node: each lot's key is 32 random bytes, sealed with `SEAL_KEY`, and seals the lot's bids.
 * With `SEAL_KEY=new,old` new keys are sealed with the first, and what either has sealed can be opened.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Seals } from '../../engine/lot/seals.ts';
import { NotUnsealable, seal, unseal } from './sealed.ts';

const KEY_BYTES = 32;
/** Texts are filled up to a multiple of this, so that their length does not say how large an amount is. */
const BLOCK = 64;
const MAX_LOTS = 10_000;

/** Seals with these keys, the newest first; without one nothing can be sealed or opened. */
export function nodeSeals(sealKeys: readonly string[]): Seals {
  const opened = new LRUCache<string, string>({ max: MAX_LOTS });
  const keyOf = (lotKey: string): string | null => {
    const known = opened.get(lotKey);
    if (known !== undefined) return known;
    try {
      const key = unseal(lotKey, sealKeys);
      opened.set(lotKey, key);
      return key;
    } catch (fault) {
      if (fault instanceof NotUnsealable) return null;
      throw fault;
    }
  };
  return {
    newLotKey: () =>
      sealKeys.length === 0 ? null : seal(randomBytes(KEY_BYTES).toString('base64url'), sealKeys),
    seal(lotKey, text) {
      const key = keyOf(lotKey);
      return key === null ? null : seal(filled(text), [key]);
    },
    open(lotKey, sealed) {
      const key = keyOf(lotKey);
      return key === null ? null : unseal(sealed, [key]).trimEnd();
    },
  };
}

/** None of what is sealed ends with a space. */
function filled(text: string): string {
  return text.padEnd(Math.ceil((text.length + 1) / BLOCK) * BLOCK);
}
