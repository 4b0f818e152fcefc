/**
 * Which thing an event's id belongs to, over all shards and processes: the first that comes with an id keeps it for a day or two.
 * Simulcast asks it before a lot is asked, because the lot's own shard knows only of its own lots. What one turn of the event loop
 * asks goes out as one call.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { type RedisLink, Script } from './link.ts';

const STRETCH_S = 86_400;
const KEPT_S = 2 * STRETCH_S + 3_600;
const MOST_PER_CALL = 1_000;
const TIMEOUT_MS = 1_500;

interface Waiting {
  readonly id: string;
  readonly owner: string;
  resolve(owner: string): void;
  reject(fault: Error): void;
}

export class EventClaims {
  readonly #link: RedisLink;
  readonly #script: Script;
  #waiting: Waiting[] = [];

  /** `scripts` is where the .lua files lie. */
  constructor(link: RedisLink, scripts: string) {
    this.#link = link;
    this.#script = new Script(readFileSync(join(scripts, 'claim-events.lua'), 'utf8'));
  }

  /** Whose `id` is: `owner`, or whoever came with it before. Rejects with `JournalUnavailable`; asking again is safe. */
  claim(id: string, owner: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, owner, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += MOST_PER_CALL)
      void this.#send(waiting.slice(at, at + MOST_PER_CALL));
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    const stretch = Math.floor(Date.now() / 1_000 / STRETCH_S);
    const keys = [stretch - 1, stretch, stretch + 1].map((n) => `{event-claims}:${n}`);
    try {
      const args = waiting.flatMap(({ id, owner }) => [id, owner]);
      const owners = await this.#ask(keys, [String(KEPT_S), ...args]);
      waiting.forEach(({ resolve }, index) => {
        resolve(owners[index]!);
      });
    } catch (cause) {
      const fault = new JournalUnavailable(`the event’s id cannot be looked up: ${String(cause)}`, { cause });
      for (const { reject } of waiting) reject(fault);
    }
  }

  async #ask(keys: string[], args: string[]): Promise<readonly string[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
    });
    try {
      return (await Promise.race([this.#script.run(this.#link, keys, args), late])) as readonly string[];
    } finally {
      clearTimeout(timer);
    }
  }
}
