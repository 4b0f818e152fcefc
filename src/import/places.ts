/**
 * The wrong places of an import file, each with a sentence: `auctions[0].lots[2].starting_bid: must be …`. Collected first,
 * all of them, and thrown as one error.
 */
import { InputError } from '../input-error.ts';
import type { Complain } from '../mistakes.ts';

export interface Place {
  readonly path: string;
  readonly message: string;
}

/** The file does not fit. Nothing was loaded. */
export class ImportError extends InputError {
  override readonly name = 'ImportError';
  readonly places: readonly Place[];

  constructor(places: readonly Place[]) {
    super(places.map((place) => `${place.path}: ${place.message}`).join('\n'));
    this.places = places;
  }
}

export class Places {
  readonly #places: Place[] = [];
  readonly #seen = new Set<string>();

  add(path: string, message: string): void {
    const key = `${path}\n${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#places.push({ path, message });
  }

  /** Complains of fields below a place. */
  at(path: string): Complain {
    return (field, sentence) => this.add(`${path}.${field}`, sentence);
  }

  /** Throws when there is anything to complain of. */
  throwIfAny(): void {
    if (this.#places.length > 0) throw new ImportError(this.#places);
  }
}
