/**
 * Counts what is held at this moment, over all processes that share a Redis: a bounded number of leases for each key,
 * each of which its process renews while it holds it. What a process held that died is free again a minute later.
 * While Redis is unavailable, each process counts its own alone.
 */
import { randomUUID } from 'node:crypto';
import type { RedisLink } from './link.ts';

const LIFE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
const KEY_PREFIX = 'leases:';

/** KEYS[1]; ARGV: life in ms, max, id. Gives 1 where the lease was taken. The clock is the server's. */
const TAKE = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

/** KEYS[1]; ARGV: life in ms, ids. One that had run out meanwhile is taken again: it is held all the same. */
const RENEW = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

export interface LeaseRules {
  /** Distinguishes what is counted. */
  readonly name: string;
  readonly max: number;
}

export class RedisLeases {
  readonly #link: RedisLink;
  readonly #rules: LeaseRules;
  readonly #held = new Map<string, Set<string>>();
  readonly #timer: NodeJS.Timeout;

  constructor(link: RedisLink, rules: LeaseRules) {
    this.#link = link;
    this.#rules = rules;
    this.#timer = setInterval(() => this.#renew(), RENEW_EVERY_MS).unref();
  }

  /** Takes one; gives what ends it (as often as it is called), or null where the key has as many as it may. */
  async take(key: string): Promise<(() => void) | null> {
    const held = this.#held.get(key) ?? new Set<string>();
    if (held.size >= this.#rules.max) return null;
    const id = randomUUID();
    this.#held.set(key, held.add(id));
    const command = ['EVAL', TAKE, '1', this.#name(key), String(LIFE_MS), String(this.#rules.max), id];
    const taken = await this.#link.send(this.#name(key), command).catch(() => 1);
    const end = () => this.#end(key, id);
    if (Number(taken) === 1) return end;
    end();
    return null;
  }

  /** Stops renewing; what is held runs out. */
  close(): void {
    clearInterval(this.#timer);
  }

  #end(key: string, id: string): void {
    const held = this.#held.get(key);
    if (held?.delete(id) !== true) return;
    if (held.size === 0) this.#held.delete(key);
    this.#link.send(this.#name(key), ['ZREM', this.#name(key), id]).catch(() => undefined);
  }

  #renew(): void {
    for (const [key, ids] of this.#held) {
      const command = ['EVAL', RENEW, '1', this.#name(key), String(LIFE_MS), ...ids];
      this.#link.send(this.#name(key), command).catch(() => undefined);
    }
  }

  #name(key: string): string {
    return `${KEY_PREFIX}${this.#rules.name}:${key}`;
  }
}
