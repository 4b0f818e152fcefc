/**
 * Keeping amounts secret until a lot is over: a port that formats with sealed bids decide with. Each lot has a key of
 * its own, itself sealed with a key that no database has; whoever has only the journal reads neither.
 */

export interface Seals {
  /** A new lot's key, sealed; null: there is nothing to seal it with. */
  newLotKey(): string | null;
  /** Seals a text, different every time and of a length that says nothing; null: the key is not at hand. */
  seal(lotKey: string, text: string): string | null;
  /** Opens what `seal` made with that key; null: the key is not at hand. Throws for a text that was changed. */
  open(lotKey: string, sealed: string): string | null;
}

/** Where nothing can be sealed. */
export const NO_SEALS: Seals = { newLotKey: () => null, seal: () => null, open: () => null };

/** An amount with the salt of its commitment. */
export interface Secret {
  readonly salt: string;
  readonly cents: number;
}

/** Seals an amount with its salt; null: the key is not at hand. */
export function sealSecret(seals: Seals, lotKey: string, { salt, cents }: Secret): string | null {
  return seals.seal(lotKey, `${salt}:${cents}`);
}

/** Opens an amount; null: the key is not at hand. */
export function openSecret(seals: Seals, lotKey: string, sealed: string): Secret | null {
  const text = seals.open(lotKey, sealed);
  if (text === null) return null;
  const at = text.lastIndexOf(':');
  return { salt: text.slice(0, at), cents: Number(text.slice(at + 1)) };
}
