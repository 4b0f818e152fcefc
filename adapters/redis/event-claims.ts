/**
 * What an event's id belongs to, over all shards and processes: the first to claim an id keeps it for a day or two.
 * On one server the commit itself claims the ids of its lots' events (commit.lua). In a cluster, whose scripts cannot,
 * and for lots that have left the journal, simulcast claims an id here before it submits the event. One call is on its
 * way at a time: what comes meanwhile goes out together with the next.
 */

import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { itemAt } from '../../engine/first-of.ts';
import { answerInTime } from './answer-in-time.ts';
import { CLAIMS_BUCKET_S, CLAIMS_KEPT_S, claimKeys, claimsKey } from './claimed-ids.ts';
import { GuardedScript, type JournalGuard } from './guarded-script.ts';
import type { KeptRecords } from './kept-records.ts';
import type { OpenLink } from './link.ts';

const MAX_PER_CALL = 1_000;
const TIMEOUT_MS = 1_500;

/**
 * The owner of an id of which only the shard is known that has its answer: whatever comes with it for a lot of that
 * shard is answered from there, and for any other lot it is taken.
 */
export function shardOwner(shard: number): string {
  return `shard ${shard}`;
}

/** Puts ids back whose answers a shard has kept, for as long as they would have stayed. */
export async function restoreClaims(
  open: OpenLink,
  { shard, bucket }: KeptRecords,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const key = claimsKey(bucket);
  await Promise.all(ids.map((id) => open.link.hSetNX(key, id, shardOwner(shard))));
  await open.link.send(key, ['EXPIRE', key, CLAIMS_KEPT_S, 'NX']);
}

interface Waiting {
  readonly id: string;
  readonly owner: string;
  resolve(owner: string): void;
  reject(fault: Error): void;
}

export class EventClaims {
  readonly #open: OpenLink;
  readonly #script: GuardedScript<readonly string[]>;
  #waiting: Waiting[] = [];
  #busy = false;

  /** `scripts` is where the .lua files lie. */
  constructor(open: OpenLink, guard: JournalGuard, scripts: string) {
    this.#open = open;
    this.#script = new GuardedScript(scripts, 'claim-events', guard);
  }

  /**
   * Who has claimed `id`: `owner`, or whoever claimed it before. Rejects with `JournalUnavailable`; claiming again is
   * safe.
   */
  claim(id: string, owner: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, owner, resolve, reject });
      if (this.#waiting.length === 1 && !this.#busy) setImmediate(() => this.#flush());
    });
  }

  async #flush(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, MAX_PER_CALL));
    this.#busy = false;
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    const bucket = Math.floor(Date.now() / 1_000 / CLAIMS_BUCKET_S);
    try {
      const ids = waiting.map(({ id }) => id);
      const wanted = waiting.map(({ owner }) => owner);
      const owners = await this.#call(claimKeys(bucket), [CLAIMS_KEPT_S, ...ids, ...wanted]);
      waiting.forEach(({ resolve }, index) => {
        resolve(itemAt(owners, index));
      });
    } catch (cause) {
      const fault = new JournalUnavailable(`the event’s id cannot be looked up: ${String(cause)}`, { cause });
      for (const { reject } of waiting) reject(fault);
    }
  }

  async #call(keys: string[], args: string[]): Promise<readonly string[]> {
    const owners = this.#script.run(
      () => this.#open.link,
      keys,
      () => args,
    );
    return answerInTime(owners, TIMEOUT_MS, () => new Error('no answer in time'));
  }
}
