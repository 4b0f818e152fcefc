/**
 * The journal's calls: every one ends, with its answer or as `JournalUnavailable` after a while, or at once where
 * others already hang. A script that writes returns when its Redis has it on disk and, where the journal is
 * replicated, when a replica has it too.
 */
import { JournalUnavailable } from '../../engine/actor/journal.ts';
import { answerInTime } from './answer-in-time.ts';
import type { Fence, GuardedScript } from './guarded-script.ts';
import type { OpenLink } from './link.ts';
import { ReplicaConfirmation } from './replica-confirmation.ts';
import { shardKeys } from './shards.ts';

/** Where a commit has to be before anybody is answered. */
export type BidDurability = 'local' | 'replicated';

/** How long a call may take while others hang. */
const HANGING_MS = 200;
/** Arguments of a call that is more than what Redis reads of a connection at a time. */
const LARGE_CALL = 100;

export class JournalCalls {
  readonly #open: OpenLink;
  readonly #timeoutMs: number;
  readonly #confirmation: ReplicaConfirmation | null;
  #hanging = false;

  constructor(open: OpenLink, timeoutMs: number, durability: BidDurability) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
    this.#confirmation = durability === 'replicated' ? new ReplicaConfirmation() : null;
  }

  /** Something was answered: calls may take their time again. */
  noteAnswer(): void {
    this.#hanging = false;
  }

  /** The answer to a read. Rejects with `JournalUnavailable`, whatever went wrong. */
  read<T>(call: Promise<T>): Promise<T> {
    const limitMs = this.#hanging ? Math.min(this.#timeoutMs, HANGING_MS) : this.#timeoutMs;
    const late = () => {
      this.#hanging = true;
      return new JournalUnavailable(`the journal did not answer within ${limitMs} ms`);
    };
    const answered = call.then(
      (value) => {
        this.#hanging = false;
        return value;
      },
      (error: unknown) => {
        if (error instanceof JournalUnavailable) throw error;
        throw new JournalUnavailable(`the journal cannot be reached: ${String(error)}`, { cause: error });
      },
    );
    return answerInTime(answered, limitMs, late);
  }

  /** Resolves when a replica has all that the shard's server has now; at once where the journal is not replicated. */
  async confirm(shard: number): Promise<void> {
    if (this.#confirmation === null) return;
    await this.read(this.#confirmation.wait(this.#open.wide(shard), shardKeys(shard), false));
  }

  /**
   * Runs a script on a shard; `wrote` says of its answer whether it has written. Rejects with `JournalUnavailable` also
   * where no replica confirms, and then it may be committed all the same.
   */
  async write<Answer>(
    shard: number,
    script: GuardedScript<Answer>,
    keys: readonly string[],
    argsOf: (fence: Fence) => readonly string[],
    wrote: (answer: Answer) => boolean,
  ): Promise<Answer> {
    let { link } = this.#open;
    // Waiting for a replica blocks the whole connection.
    const linkOf = (args: readonly string[]) => {
      const isWide = this.#confirmation !== null || args.length >= LARGE_CALL;
      link = isWide ? this.#open.wide(shard) : this.#open.link;
      return link;
    };
    if (this.#confirmation === null) return this.read(script.run(linkOf, keys, argsOf));
    let under: Fence | undefined;
    const argsUnder = (fence: Fence) => {
      under = fence;
      return argsOf(fence);
    };
    const answer = await this.read(script.run(linkOf, keys, argsUnder));
    await this.read(this.#confirmation.wait(link, shardKeys(shard), wrote(answer)));
    if (under !== undefined) script.requireHeld(under);
    return answer;
  }
}
