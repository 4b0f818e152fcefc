/** Seals for tests of the engine: nothing is secret, and the key can be taken away. */
import type { Seals } from '../../engine/lot/seals.ts';

export class TestSeals implements Seals {
  /** Whether the key is at hand. */
  isThere = true;
  #count = 0;

  newLotKey(): string | null {
    return this.isThere ? 'lot-key' : null;
  }

  seal(lotKey: string, text: string): string | null {
    this.#count += 1;
    return this.isThere ? `${lotKey}|${this.#count}|${Buffer.from(text).toString('base64')}` : null;
  }

  open(lotKey: string, sealed: string): string | null {
    const [key, , text = ''] = sealed.split('|');
    if (key !== lotKey) throw new Error('sealed with another key');
    return this.isThere ? Buffer.from(text, 'base64').toString() : null;
  }
}
