/**
 * Watches that the Redis at hand is the one that Postgres knows: same life, and not older than what was projected
 * from it. A journal that starts its life gets its name here; one that came back empty or older stays closed until
 * somebody rebuilds it.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { shardEpochs, writeEpoch } from '../../../adapters/redis/epoch.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { compareLogIds, lastLogId } from '../../../adapters/redis/shard-log.ts';
import { shardsFor } from '../../../adapters/redis/shards.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';

/** `written`: every shard has carried the name, so one that does not has lost it. */
interface Life {
  readonly epoch: string;
  readonly written: boolean;
}

export class EpochKeeper {
  #epoch: string | null = null;
  #trouble = 'the journal has not been looked at yet';
  readonly #knex: Knex;
  readonly #open: OpenLink;

  constructor(knex: Knex, open: OpenLink) {
    this.#knex = knex;
    this.#open = open;
  }

  /** The epoch to commit under. Throws `JournalUnavailable` while the journal is not known to be the right one. */
  readonly current = (): string => {
    if (this.#epoch === null) throw new JournalUnavailable(this.#trouble);
    return this.#epoch;
  };

  /** What is wrong, or null. */
  get trouble(): string | null {
    return this.#epoch === null ? this.#trouble : null;
  }

  /** Whether the Redis at hand holds a journal that is not ours: nobody may write over it unasked. */
  async isForeign(): Promise<boolean> {
    const known = await this.#known();
    return (
      known !== null &&
      (await shardEpochs(this.#open)).some((found) => found !== null && found !== known.epoch)
    );
  }

  /** Looks again. Cheap enough to be asked by every readiness check. Throws what Postgres or Redis throw. */
  async check(): Promise<void> {
    const life = (await this.#known()) ?? (await this.#begin());
    const trouble = await this.#compare(life);
    this.#trouble = trouble ?? '';
    this.#epoch = trouble === null ? life.epoch : null;
  }

  async #known(): Promise<Life | null> {
    return (await this.#knex('journal_meta').first<Life | undefined>('epoch', 'written')) ?? null;
  }

  /** First start: Postgres is told the name and over how many shards auctions are spread, whoever comes first. */
  async #begin(): Promise<Life> {
    const shards = shardsFor(this.#open.masters);
    await this.#knex('journal_meta').insert({ epoch: randomUUID(), shards }).onConflict().ignore();
    return (await this.#known())!;
  }

  async #compare({ epoch, written }: Life): Promise<string | null> {
    const found = await shardEpochs(this.#open);
    if (found.some((other) => other !== null && other !== epoch)) {
      return 'Redis carries another journal: give this one a Redis of its own, or run `rostrum journal rebuild`';
    }
    if (found.some((own) => own === null)) {
      if (written) return 'Redis has come back empty: run `rostrum journal rebuild`';
      await writeEpoch(this.#open, epoch);
    }
    if (!written) await this.#knex('journal_meta').where({ epoch }).update({ written: true });
    return this.#olderThanProjected();
  }

  async #olderThanProjected(): Promise<string | null> {
    const positions: { shard: number; stream_id: string }[] = await this.#knex('projection_positions').select(
      'shard',
      'stream_id',
    );
    if (positions.length === 0) return null;
    const last = await Promise.all(positions.map(({ shard }) => lastLogId(this.#open, shard)));
    const older = positions
      .filter(({ stream_id }, index) => compareLogIds(last[index]!, stream_id) < 0)
      .map(({ shard }) => shard);
    if (older.length === 0) return null;
    return `Redis is older than what was projected from it (shards ${older.join(', ')}): run \`rostrum journal rebuild\``;
  }
}
