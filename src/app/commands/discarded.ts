/**
 * What `journal rebuild` lists and discards: entries that Redis holds and Postgres does not have, one line for each
 * bid, or for each entry without one.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isoFromUs } from '../../../engine/time.ts';
import { type OnlyInRedis, onlyInRedis } from '../../bidding/journal/only-in-redis.ts';
import type { Backends } from '../process/backends.ts';
import type { Outcome } from './outcome.ts';

/** As JSON lines and `--json` have it. */
function asJson({ lotId, sequence, bid, hash, continues }: OnlyInRedis) {
  return {
    ...{ lot_id: lotId, sequence, amount: bid?.amount ?? null },
    ...{ bid_id: bid?.id ?? null, bidder: bid?.bidder.key ?? null },
    ...{ bidder_name: bid?.bidder.name ?? null, bidder_email: bid?.bidder.email ?? null },
    ...{ hash, continues },
  };
}

function asLine({ lotId, sequence, bid, hash, continues }: OnlyInRedis): string {
  const what =
    bid === null
      ? 'no bid'
      : `${bid.amount}  ${bid.bidder.name ?? bid.bidder.key} <${bid.bidder.email ?? ''}>`;
  return `lot ${lotId}  ${sequence}  ${what}  ${hash}${continues ? '  (a rebuild keeps it)' : ''}`;
}

/** `journal rebuild --show`: changes nothing. */
export async function showOnlyInRedis({ knex, redis }: Backends): Promise<Outcome> {
  const all: OnlyInRedis[] = [];
  for await (const found of onlyInRedis(knex, redis)) all.push(...found);
  const lines = all.length === 0 ? ['Redis holds nothing that Postgres does not have.'] : all.map(asLine);
  return { result: { entries: all.map(asJson) }, text: lines.join('\n') };
}

/** Keeps what is discarded as JSON lines in DATA_DIR, with the entry as the journal had it. Only its owner reads it. */
export class DiscardedFile {
  readonly #folder: string;
  #path: string | null = null;
  #file: FileHandle | null = null;
  #count = 0;

  constructor(dataDir: string) {
    this.#folder = dataDir;
  }

  /** Null where nothing was discarded. */
  get path(): string | null {
    return this.#path;
  }

  get count(): number {
    return this.#count;
  }

  /** On the disk before it resolves. */
  async write(entries: readonly OnlyInRedis[]): Promise<void> {
    const file = this.#file ?? (await this.#create());
    const lines = entries.map((one) => {
      const { publicText, privateText, previousHash, firstSequence, recordedAtUs } = one.entry;
      const entry = {
        ...{ first_sequence: firstSequence, sequence: one.entry.sequence, previous_hash: previousHash },
        ...{ recorded_at: isoFromUs(recordedAtUs), public: publicText, private: privateText },
      };
      return `${JSON.stringify({ ...asJson(one), entry })}\n`;
    });
    await file.write(lines.join(''));
    await file.sync();
    this.#count += entries.length;
  }

  async #create(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true });
    const name = `discarded-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
    this.#path = join(this.#folder, name);
    this.#file = await open(this.#path, 'wx', 0o600);
    return this.#file;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
