/**
 * Watches that the Redis at hand is the one that Postgres knows: same life, and not older than what was projected from it. A
 * journal that starts its life gets its name here; one that came back empty or older stays closed until somebody rebuilds it.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { foreignShards, isBlank, writeEpoch } from '../../adapters/redis/epoch.ts';
import type { OpenLink } from '../../adapters/redis/link.ts';
import { compareLogIds, lastLogId } from '../../adapters/redis/log.ts';
import { JournalUnavailable } from '../../engine/journal.ts';

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
    if (known === null) return false;
    const foreign = await foreignShards(this.#open, known);
    return foreign.length > 0 && !(await isBlank(this.#open));
  }

  /** Looks again. Cheap enough to be asked by every readiness check. Throws what Postgres or Redis throw. */
  async check(): Promise<void> {
    const known = await this.#known();
    const found = known ?? (await this.#begin());
    const trouble = await this.#compare(found);
    this.#trouble = trouble ?? '';
    this.#epoch = trouble === null ? found : null;
  }

  async #known(): Promise<string | null> {
    const row = await this.#knex('journal_meta').first<{ epoch: string } | undefined>('epoch');
    return row?.epoch ?? null;
  }

  /** First start: Postgres is told the name, whoever comes first. */
  async #begin(): Promise<string> {
    await this.#knex('journal_meta').insert({ epoch: randomUUID() }).onConflict().ignore();
    return (await this.#known())!;
  }

  async #compare(epoch: string): Promise<string | null> {
    const foreign = await foreignShards(this.#open, epoch);
    if (foreign.length > 0) {
      if (!(await isBlank(this.#open)) && !(await this.#neverUsed())) {
        return `Redis carries another journal in shards ${foreign.join(', ')}: run \`rostrum journal rebuild\``;
      }
      if (!(await this.#neverUsed())) return 'Redis has come back empty: run `rostrum journal rebuild`';
      await writeEpoch(this.#open, epoch);
    }
    return this.#olderThanProjected();
  }

  /** Nothing has ever been written to the journal that Postgres knows: an unfinished first start, not a loss. */
  async #neverUsed(): Promise<boolean> {
    const opened = await this.#knex('lots').where('journal_opened', true).first('id');
    const entries = await this.#knex('journal_entries').first('lot_id');
    return opened === undefined && entries === undefined;
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
