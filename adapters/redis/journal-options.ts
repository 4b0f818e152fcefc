/** What the journal on Redis is opened with. */
import type { CommitFigures } from './commit-call.ts';
import type { JournalGuard } from './guarded-script.ts';
import type { BidDurability } from './journal-calls.ts';
import type { ShardDirectory } from './shard-directory.ts';

export interface RedisJournalOptions {
  /** Says what may be written, and when; or the name of the journal's life where that is known to be the right one. */
  readonly guard: JournalGuard | string;
  /** Where auctions lie. */
  readonly shards: ShardDirectory;
  /** Where the .lua files lie. */
  readonly scripts: string;
  readonly oldestStampUs?: number;
  readonly maxLogBytes?: number;
  /** How long a call may take before its callers get "unavailable". */
  readonly timeoutMs?: number;
  /** `replicated`: nobody is answered before a replica has the commit too. */
  readonly durability?: BidDurability;
  /** Called with every commit call that returned. */
  readonly onCommit?: (commit: CommitFigures) => void;
}
