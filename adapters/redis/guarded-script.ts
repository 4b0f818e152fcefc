/**
 * Scripts that write the journal. The text that a server knows them by carries the number of the fence under which
 * that very server was compared; a server keeps scripts only while it runs. So one that was started since, from
 * whatever copy of its disk, does not know the script: the call ends without an effect, the server is compared, and the
 * call is made again. One that has copied another meanwhile still knows it: so after a connection was lost, and where
 * a server has refused as a replica, the first call waits until the server has said who it is. Nothing is looked up for
 * this on the way of any other call.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { firstOf } from '../../engine/first-of.ts';
import type { RedisLink } from './link.ts';
import { Marks } from './marks.ts';

/** What a call is made under. */
export interface Fence {
  /** The name of the journal's life. */
  readonly epoch: string;
  /** Its number; null: servers are not compared, as in tests of the journal alone. */
  readonly number: number | null;
}

/** Says under which fence this process may write. */
export interface JournalGuard {
  readonly marks: Marks;
  /** No check is under way, and what calls go to is what was compared, as far as is known. */
  readonly isSettled: boolean;
  /** Resolves when that is known again. Rejects with `JournalUnavailable` where it cannot be. */
  settled(): Promise<Fence>;
  /** The same object for as long as nothing has changed. Throws `JournalUnavailable` where nothing may be written. */
  current(): Fence;
  /** Compares the servers again: one was met that does not know this fence. Never throws. */
  recheck(): Promise<void>;
}

/** The guard of a journal that is known to be the right one. */
export function unguarded(epoch: string): JournalGuard {
  const fence: Fence = { epoch, number: null };
  const settled = () => Promise.resolve(fence);
  return { marks: new Marks(), isSettled: true, settled, current: () => fence, async recheck() {} };
}

/** A server that was not compared under the fence of the call. Nothing was executed. */
class UncomparedServer extends JournalUnavailable {}

/** What a server refuses with that was started since it was compared, or that copies another one. */
const EXCHANGED = /^NOSCRIPT|^LOADING|READONLY/;

const NAMES = ['commit', 'save-record', 'register', 'heartbeat', 'claim-events', 'trim-log'] as const;
type JournalScript = (typeof NAMES)[number];

/** The texts of all of them under a fence, for a server that was compared. `folder` is where the .lua files lie. */
export function fencedTexts(folder: string, fence: number): string[] {
  return NAMES.map((name) => fenced(read(folder, name), fence));
}

function read(folder: string, name: JournalScript): string {
  return readFileSync(join(folder, `${name}.lua`), 'utf8');
}

function fenced(text: string, fence: number | null): string {
  return fence === null ? text : `${text}\n-- fence ${fence}\n`;
}

/** One of the scripts. Its author says what it answers. */
export class GuardedScript<Answer> {
  readonly #text: string;
  readonly #guard: JournalGuard;
  #fence: Fence | null = null;
  #sha = '';

  constructor(folder: string, name: JournalScript, guard: JournalGuard) {
    this.#text = read(folder, name);
    this.#guard = guard;
  }

  /**
   * Runs on the server that has the first key, under the fence of now or, where a server has to be compared first, of
   * then. Rejects with `JournalUnavailable` where it may not write, or where the fence was lost before the answer came:
   * it may have been executed then.
   */
  async run(
    linkOf: (args: readonly string[]) => RedisLink,
    keys: readonly string[],
    argsOf: (fence: Fence) => readonly string[],
  ): Promise<Answer> {
    const guard = this.#guard;
    const fence = guard.isSettled ? guard.current() : await guard.settled();
    try {
      return await this.#runUnder(fence, linkOf, keys, argsOf(fence));
    } catch (error) {
      if (!(error instanceof UncomparedServer)) throw error;
      await guard.recheck();
      const newer = await guard.settled();
      return this.#runUnder(newer, linkOf, keys, argsOf(newer));
    }
  }

  async #runUnder(
    fence: Fence,
    linkOf: (args: readonly string[]) => RedisLink,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<Answer> {
    if (this.#fence !== fence) {
      this.#sha = createHash('sha1').update(fenced(this.#text, fence.number)).digest('hex');
      this.#fence = fence;
    }
    const command = ['EVALSHA', this.#sha, String(keys.length), ...keys, ...args];
    const link = linkOf(args);
    let answer: Answer;
    try {
      answer = await link.send<Answer>(firstOf(keys), command);
    } catch (error) {
      const refusal = error instanceof Error ? error.message : '';
      if (fence.number !== null && EXCHANGED.test(refusal))
        throw new UncomparedServer('this Redis has been exchanged since it was compared');
      if (!refusal.startsWith('NOSCRIPT')) throw error;
      answer = await link.send<Answer>(firstOf(keys), ['EVAL', this.#text, ...command.slice(2)]);
    }
    this.requireHeld(fence);
    return answer;
  }

  /** Throws `JournalUnavailable` where the fence was lost: nobody may be told what was executed under it. */
  requireHeld(fence: Fence): void {
    if (this.#guard.current() !== fence)
      throw new JournalUnavailable('Redis was exchanged meanwhile: whether this was committed is unknown');
  }
}
