/**
 * The servers that hold the journal, each over a connection of its own that is never opened again: what is read, found
 * right and then said to a server over it concerns one and the same run of that server, whatever is started in its
 * place meanwhile.
 */

import type { SingleServer } from './link-types.ts';
import { identityOf } from './server-identity.ts';
import { LOG_START } from './shard-log.ts';
import { ALL_SHARDS, shardKeys } from './shards.ts';

/** What a server said of itself and of the shards that it has. */
export interface ServerState {
  /** The name of this run: the server gets another one whenever it is started or takes over. */
  readonly runId: string;
  readonly isMaster: boolean;
  readonly shards: ReadonlyMap<number, ShardState>;
}

interface ShardState {
  readonly epoch: string | null;
  /** The id of the newest message of its log. */
  readonly lastId: string;
}

/** Reads what has to be compared. */
export async function readServerState(server: SingleServer): Promise<ServerState> {
  const { runId, isMaster } = identityOf(await server.send(['INFO', 'server', 'replication']));
  const shards = new Map<number, ShardState>();
  await Promise.all(
    ALL_SHARDS.map(async (shard) => {
      const state = await readShard(server, shard);
      if (state !== null) shards.set(shard, state);
    }),
  );
  return { runId, isMaster, shards };
}

/** Null where another server of the cluster has the shard. */
async function readShard(server: SingleServer, shard: number): Promise<ShardState | null> {
  const { meta, log } = shardKeys(shard);
  try {
    const [epoch = null, at = null] = await server.send<(string | null)[]>(['HMGET', meta, 'epoch', 'at']);
    return { epoch, lastId: at ?? (await lastIdOf(server, log)) };
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('MOVED')) return null;
    throw error;
  }
}

/** Of a log whose newest message was written before its id was kept beside it. */
async function lastIdOf(server: SingleServer, log: string): Promise<string> {
  try {
    const info = await server.send<unknown[] | Map<string, unknown>>(['XINFO', 'STREAM', log]);
    const flat = Array.isArray(info) ? info : [...info].flat();
    return String(flat[flat.indexOf('last-generated-id') + 1]);
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such key')) return LOG_START;
    throw error;
  }
}
