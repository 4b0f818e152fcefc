/**
 * What is wrong in an import file: path and sentence: `auctions[0].lots[2].starting_bid: must be …`. Collected
 * first, all of them, and thrown as one error.
 */

import type { AddError } from '../../shared/add-error.ts';
import { InputError } from '../../shared/input-error.ts';

export interface ImportFault {
  readonly path: string;
  readonly message: string;
}

/** The file does not fit. Nothing was loaded. */
export class ImportError extends InputError {
  override readonly name = 'ImportError';
  readonly errors: readonly ImportFault[];

  constructor(errors: readonly ImportFault[]) {
    super(errors.map(({ path, message }) => `${path}: ${message}`).join('\n'));
    this.errors = errors;
  }
}

export class ImportErrors {
  readonly #errors: ImportFault[] = [];
  readonly #paths = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #before: ImportErrors | null;

  /** With `before`: a second check, which is silent about what the first has found already. */
  constructor(before: ImportErrors | null = null) {
    this.#before = before;
  }

  add(path: string, message: string): void {
    const key = `${path}\n${message}`;
    if (this.#seen.has(key) || this.#before?.covers(path)) return;
    this.#seen.add(key);
    this.#paths.add(path);
    this.#errors.push({ path, message });
  }

  paths(): string[] {
    return [...this.#paths];
  }

  /** Whether this place, or one that it is in, has an error, now or before. */
  covers(path: string): boolean {
    for (let at = path; at !== ''; at = at.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]+)$/, '')) {
      if (this.#paths.has(at)) return true;
      if (!/[.[]/.test(at)) break;
    }
    return this.#before?.covers(path) ?? false;
  }

  /** Adds an error for fields below a place. */
  at(path: string): AddError {
    return (field, sentence) => this.add(`${path}.${field}`, sentence);
  }

  /** Throws when there is an error. */
  throwIfAny(): void {
    const all = [...(this.#before?.all() ?? []), ...this.#errors];
    if (all.length > 0) throw new ImportError(all);
  }

  all(): readonly ImportFault[] {
    return this.#errors;
  }
}
