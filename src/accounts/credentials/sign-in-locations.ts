/** From where an account was signed in to, according to its activity. Signing in reads it for accounts under attack. */
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { Activity } from '../activity/activity.ts';
import { areNeighbours } from '../people/network-tries.ts';

/** Of so many of the account's last deeds, the sign-ins count. */
const CHECKED_ROWS = 500;

/** Every guess at an account asks: in this process the answer is good for a moment. */
const FRESH_MS = 5_000;
const MAX_ACCOUNTS = 1_000;

interface Account {
  readonly email: string;
  readonly userId: number;
}

/** Where accounts were signed in to, as far as their activity says. */
export class SignInLocations {
  readonly #knex: Knex;
  readonly #known = new LRUCache<string, Promise<readonly string[]>>({ max: MAX_ACCOUNTS, ttl: FRESH_MS });

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Whether the account was signed in to from this address, or from one beside it, lately. */
  async include(account: Account, ip: string): Promise<boolean> {
    // By the address that was typed: whether it has an account must not show in how long this takes.
    const known = this.#known.get(account.email) ?? this.#read(account.userId);
    this.#known.set(account.email, known, { noUpdateTTL: true });
    known.catch(() => this.#known.delete(account.email));
    return (await known).some((seen) => areNeighbours(seen, ip));
  }

  async #read(userId: number): Promise<string[]> {
    const last = Activity.query()
      .where('user_id', userId)
      .orderBy('id', 'desc')
      .limit(CHECKED_ROWS)
      .as('activity');
    const rows = await Activity.query(this.#knex).from(last).where('action', 'sign_in').distinct('ip');
    return rows.flatMap(({ ip }) => (ip === null ? [] : [ip]));
  }
}
