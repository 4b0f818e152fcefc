/**
 * The wrong places of an import file, each with a sentence: `auctions[0].lots[2].starting_bid: must be …`. Collected
 * first, all of them, and thrown as one error.
 */
import { InputError } from '../../shared/input-error.ts';
import type { Complain } from '../../shared/mistakes.ts';

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
  readonly #paths = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #before: Places | null;

  /** With `before`: a second look, which is silent about what the first has complained of already. */
  constructor(before: Places | null = null) {
    this.#before = before;
  }

  add(path: string, message: string): void {
    const key = `${path}\n${message}`;
    if (this.#seen.has(key) || this.#before?.covers(path)) return;
    this.#seen.add(key);
    this.#paths.add(path);
    this.#places.push({ path, message });
  }

  paths(): string[] {
    return [...this.#paths];
  }

  /** Whether this place, or one that it lies in, was complained of, now or before. */
  covers(path: string): boolean {
    for (let at = path; at !== ''; at = at.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]+)$/, '')) {
      if (this.#paths.has(at)) return true;
      if (!/[.[]/.test(at)) break;
    }
    return this.#before?.covers(path) ?? false;
  }

  /** Complains of fields below a place. */
  at(path: string): Complain {
    return (field, sentence) => this.add(`${path}.${field}`, sentence);
  }

  /** Throws when there is anything to complain of. */
  throwIfAny(): void {
    const all = [...(this.#before?.all() ?? []), ...this.#places];
    if (all.length > 0) throw new ImportError(all);
  }

  all(): readonly Place[] {
    return this.#places;
  }
}
