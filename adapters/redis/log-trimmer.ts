/** Cutting off a shard's old end; it keeps the shard's count of bytes right while it does. */
import { GuardedScript, type JournalGuard } from './guarded-script.ts';
import type { OpenLink } from './link.ts';
import { shardKeys } from './shards.ts';

/** Cuts logs. Built once, as it reads its script from a file. */
export class LogTrimmer {
  readonly #script: GuardedScript<[count: number, more: number]>;
  readonly #open: OpenLink;

  /** `scripts` is the folder of the .lua files. */
  constructor(open: OpenLink, guard: JournalGuard, scripts: string) {
    this.#open = open;
    this.#script = new GuardedScript(scripts, 'trim-log', guard);
  }

  /**
   * Removes every message up to and with `throughId`, in steps that hold Redis up for a moment only, each with the
   * count of bytes in one script. Safe to break off and to repeat. Returns how many messages went.
   */
  async trim(shard: number, throughId: string): Promise<number> {
    const { log, meta } = shardKeys(shard);
    let removed = 0;
    for (;;) {
      const args = [throughId, String(STEP_BYTES)];
      const [count, more] = await this.#script.run(
        () => this.#open.link,
        [log, meta],
        () => args,
      );
      removed += count;
      if (more === 0) return removed;
    }
  }
}

const STEP_BYTES = 1_000_000;
