/**
 * How often somebody may guess, so that no account can be guessed open and none be locked by a stranger. Guesses count
 * by address (IPv6: by /64) first. An account's own counter counts only addresses that are still within theirs, and
 * where it is spent it leaves each address a few tries instead of none. Browsers that have signed in to the account
 * before have their own counter. Each guess is counted before it is checked and taken back where it was right,
 * or could not be checked.
 */
import { rateKey } from '../../../adapters/http/rate-limit.ts';

/** Counts attempts over all processes; `adapters/redis/attempts.ts` does. */
export interface AttemptCounter {
  /** Counts one. Null when it may be made, otherwise the seconds until the next may. */
  take(key: string): Promise<number | null>;
  giveBack(key: string): Promise<void>;
}

export interface GuardCounters {
  /** By address, whatever the account. */
  readonly address: AttemptCounter;
  /** By browser, for accounts that it has signed in to before. */
  readonly browser: AttemptCounter;
  /** By account, from wherever. */
  readonly account: AttemptCounter;
  /** By account and address, once the account's own counter is spent. */
  readonly spent: AttemptCounter;
}

export interface Guess {
  /** The address that was typed, or the user's id. */
  readonly account: string;
  readonly ip: string;
  /** The browser's id where it has signed in to this account before. */
  readonly knownBrowser: string | null;
}

/** `refused`: seconds until the next guess. Otherwise the guess may be made; `takeBack` uncounts it. */
export type Admission =
  | { readonly refused: number }
  | { readonly refused: null; readonly accountSpent: boolean; takeBack(): Promise<void> };

export class SignInGuard {
  readonly #counters: GuardCounters;

  constructor(counters: GuardCounters) {
    this.#counters = counters;
  }

  async admit({ account, ip, knownBrowser }: Guess): Promise<Admission> {
    const { address, browser, account: accounts, spent } = this.#counters;
    if (knownBrowser !== null) return this.#count([[browser, knownBrowser]], false);
    const addressKey = rateKey(null, ip);
    const waitS = await address.take(addressKey);
    if (waitS !== null) return { refused: waitS };
    const counted: Counted[] = [[address, addressKey]];
    const accountSpent = (await accounts.take(account)) !== null;
    if (!accountSpent) return admitted([...counted, [accounts, account]], false);
    return this.#count([[spent, `${account}|${addressKey}`]], true, counted);
  }

  async #count(to: readonly Counted[], accountSpent: boolean, before: readonly Counted[] = []) {
    for (const [counter, key] of to) {
      const waitS = await counter.take(key);
      if (waitS !== null) return { refused: waitS };
    }
    return admitted([...before, ...to], accountSpent);
  }
}

type Counted = readonly [AttemptCounter, string];

function admitted(counted: readonly Counted[], accountSpent: boolean): Admission {
  return {
    refused: null,
    accountSpent,
    takeBack: async () => void (await Promise.all(counted.map(([counter, key]) => counter.giveBack(key)))),
  };
}
