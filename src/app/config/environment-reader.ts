/**
 * Reads the variables of an environment one by one, each as the kind of value it takes. Only the configuration uses
 * it; it guarantees that a value which does not fit ends in one sentence that names the variable, and that no secret
 * is shown in it.
 */
import { InputError } from '../../shared/input-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that does not fit. The message: which one, what it got, what it takes. */
export class ConfigError extends InputError {
  override readonly name = 'ConfigError';
}

/** Reads variables one by one; an empty one counts as not set. */
export class EnvironmentReader {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: string): string | null {
    return this.#env[name]?.trim() || null;
  }

  /** As it is: of a password, spaces at its ends are part. */
  password(name: string): string | null {
    return this.#env[name] || null;
  }

  fail(name: string, takes: string): never {
    throw new ConfigError(`${name}: got ${JSON.stringify(this.#env[name] ?? '')}, but it takes ${takes}`);
  }

  /** As `fail`, without showing what it got: for addresses and secrets. */
  failHidden(name: string, got: string, takes: string): never {
    throw new ConfigError(`${name}: got ${got}, but it takes ${takes}`);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (!/^[0-9]{1,15}$/.test(text) || value < min || value > max)
      this.fail(name, `a whole number from ${min} to ${max}`);
    return value;
  }

  flag(name: string): boolean {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined || text === '0' || text === 'false') return false;
    if (text === '1' || text === 'true') return true;
    return this.fail(name, '1 or 0');
  }

  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.text(name);
    if (text === null) return fallback;
    return values.find((value) => value === text) ?? this.fail(name, `one of ${values.join(', ')}`);
  }

  address(name: string, schemes: readonly string[], example: string): string | null {
    const text = this.text(name);
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url && schemes.includes(url.protocol)) return text;
    const got = url ? `an address that begins with "${url.protocol}"` : 'something that is not an address';
    return this.failHidden(name, got, `an address such as ${example}`);
  }
}
