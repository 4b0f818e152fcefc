/**
 * Counters that many processes add to and one takes away: each name has a number, and `take` hands over all of them at
 * once. What was taken stays, under the same id, until it is dropped, so a caller that stores it with its id counts
 * everything once.
 */

import { itemAt } from '../../engine/first-of.ts';
import { type RedisLink, Script } from './link.ts';

export interface TakenCounts {
  readonly id: string;
  readonly counts: ReadonlyMap<string, number>;
}

const ID_FIELD = 'batch';

const TAKE = new Script<readonly string[]>(`
if redis.call('exists', KEYS[2]) == 0 then
  if redis.call('exists', KEYS[1]) == 0 then return {} end
  redis.call('rename', KEYS[1], KEYS[2])
  redis.call('hset', KEYS[2], '${ID_FIELD}', ARGV[1])
end
return redis.call('hgetall', KEYS[2])`);

const DROP = new Script(`
if redis.call('hget', KEYS[1], '${ID_FIELD}') == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`);

export class Tally {
  readonly #link: RedisLink;
  readonly #key: string;
  readonly #taken: string;

  constructor(link: RedisLink, name: string) {
    this.#link = link;
    this.#key = `{tally:${name}}:now`;
    this.#taken = `{tally:${name}}:taken`;
  }

  /** Adds to a number. Throws when Redis is unavailable. */
  async add(name: string, by = 1): Promise<void> {
    await this.#link.hIncrBy(this.#key, name, by);
  }

  /**
   * Everything since the batch before, under a new id; the batch before where it was not dropped. Null: nothing to
   * take.
   */
  async take(newId: string): Promise<TakenCounts | null> {
    const flat = await TAKE.run(this.#link, [this.#key, this.#taken], [newId]);
    const fields = new Map<string, string>();
    for (let at = 0; at + 1 < flat.length; at += 2) fields.set(itemAt(flat, at), itemAt(flat, at + 1));
    const id = fields.get(ID_FIELD);
    if (id === undefined) return null;
    fields.delete(ID_FIELD);
    return { id, counts: new Map([...fields].map(([name, count]) => [name, Number(count)])) };
  }

  /** Forgets a batch that is recorded. */
  async drop(id: string): Promise<void> {
    await DROP.run(this.#link, [this.#taken], [id]);
  }
}
