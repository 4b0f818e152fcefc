/** The projection as the fence sees it: positions that move where the log continues from them, by the real comparison. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { writeEpoch } from '../../../adapters/redis/epoch.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { wipeShards } from '../../../adapters/redis/restore.ts';
import { LOG_START, readLog } from '../../../adapters/redis/shard-log.ts';
import { ALL_SHARDS, shardKeys } from '../../../adapters/redis/shards.ts';
import { unbrokenLink } from '../../../adapters/redis/unbroken-link.ts';
import { beginLife } from '../../../src/bidding/journal/begin-life.ts';
import { LogUnfit, readFitPositions } from '../../../src/bidding/projection/log-fit.ts';
import type { FenceProcess } from './process.ts';
import type { FenceWorld } from './world.ts';

/** Sequences that may have been given out and lost are passed over. */
const PASSED_OVER = 1_000_000;

/** Projects until its machine ends. */
export async function keepProjecting(world: FenceWorld, worker: FenceProcess): Promise<void> {
  const { link } = worker.open();
  const knex = world.postgres.knexFor(worker, world.network);
  for (;;) {
    await worker.machine.sleep(world.dice.wait(world.plan.projectionUs));
    await projectOnce(world, worker, knex, link).catch((error: Error) => world.noteFault(worker, error));
  }
}

/** One round; how many messages it has projected. */
async function projectOnce(world: FenceWorld, by: FenceProcess, knex: Knex, link: OpenLink): Promise<number> {
  const { shards } = world.plan;
  const epoch = (await knex('journal_meta').first<{ epoch: string } | undefined>())?.epoch;
  const { positions, unfit } = await readFitPositions(knex, link, shards);
  for (const error of unfit.values()) if (!(error instanceof LogUnfit)) throw error;
  let projected = 0;
  for (const [shard, { streamId, messages }] of positions) {
    const found = await readLog(link, shard, streamId, 1_000);
    // Frames are not simulated: what the messages are is known from their ids.
    const last = found.at(-1);
    if (last === undefined) continue;
    const moved = await world.network.call(by.machine, world.postgres, 'move', () => {
      const { tables } = world.postgres;
      const row = tables.projection_positions.find((one) => one['shard'] === shard);
      const isUnmoved = (row?.['stream_id'] ?? LOG_START) === streamId;
      if (!isUnmoved || tables.journal_meta[0]?.['epoch'] !== epoch) return 0;
      const next = { shard, stream_id: last.id, messages: messages + found.length };
      tables.projection_positions = [...tables.projection_positions.filter((one) => one !== row), next];
      const ids = new Set(found.map(({ id }) => id));
      for (const entry of world.truth.entries)
        if (entry.shard === shard && ids.has(entry.id) && entry.life === world.truth.life)
          entry.isProjected = true;
      return found.length;
    });
    projected += moved;
  }
  return projected;
}

/**
 * What `rostrum journal rebuild` does, as far as the fence is concerned: in a process of its own, which nobody bids
 * at. Whether it got through.
 */
export async function rebuild(world: FenceWorld, operator: FenceProcess): Promise<boolean> {
  const { fence, keeper, link: usual } = operator.open();
  const knex = world.postgres.knexFor(operator, world.network);
  const { shards } = world.plan;
  const link = unbrokenLink(usual, () => new Error('the connection is closed'));
  try {
    await keeper.check();
    if (keeper.trouble === null) return true;
    world.trace.note(`the journal is rebuilt: ${keeper.trouble}`);
    // A connection of its own holds it, and ends with the process.
    world.postgres.tables.held_locks = [{ lock: 'rebuild' }];
    await fence.halt();
    while ((await projectOnce(world, operator, knex, link)) > 0);
    await wipeShards(link);
    const name = randomUUID();
    const lives = await beginLife(knex, name);
    for (const shard of shards) {
      const kept = world.truth.entries.filter((entry) => entry.shard === shard && entry.isProjected);
      const sequence = kept.reduce((most, one) => Math.max(most, one.sequence), lives * PASSED_OVER);
      await link.link.hSet(shardKeys(shard).ver, { sequence: String(sequence) });
    }
    await writeEpoch(link, name);
    world.postgres.tables.held_locks = [];
    await keeper.check();
    return keeper.trouble === null;
  } catch (error) {
    world.trace.note(`the rebuild fails: ${(error as Error).message}`);
    world.noteFault(operator, error as Error);
    return false;
  } finally {
    world.postgres.tables.held_locks = [];
    await fence.close();
  }
}

/** Every shard has the name of the journal's life. */
export function carriesName(world: FenceWorld): boolean {
  const epoch = world.postgres.tables.journal_meta[0]?.['epoch'];
  return ALL_SHARDS.every((shard) => world.hostOf(shard).run?.hash(shardKeys(shard).meta)['epoch'] === epoch);
}
