/** What people would build instead: Koa before a row lock in Postgres, with the pool that is fastest for its load. */
import { bidTables } from '../engine/postgres.ts';
import type { Handler } from './koa-service.ts';
import type { Marketplace } from './marketplace.ts';
import { instruct, type Server } from './servers.ts';

const POOLS = [2, 4, 8, 16, 32, 64];

/** Bids a second by the connections of the pool, and which was the fastest. */
export interface Sweep {
  readonly rates: readonly (readonly [connections: number, perSecond: number])[];
  readonly best: number;
}

/** Makes its tables, for all lots of the marketplace; their address. */
export function rowLockTables({ databaseUrl, sets }: Marketplace): Promise<string> {
  const scenario = { name: 'http', title: '', auctions: 1, bidders: 1, waiting: 1, pick: () => 1 };
  return bidTables(databaseUrl, { ...scenario, lots: Math.max(...sets.flat()) });
}

/** The server answers by the row lock from now on. */
export function lockRows(koa: Server, handler: Handler, tablesUrl: string, pool: number): Promise<void> {
  return instruct(koa, { ...handler, rowLock: { tablesUrl, connections: pool } });
}

/** Pools of several sizes, briefly each. */
export async function sweep(rateOf: (pool: number) => Promise<number>): Promise<Sweep> {
  const rates: (readonly [number, number])[] = [];
  for (const pool of POOLS) rates.push([pool, await rateOf(pool)]);
  const [[best]] = rates.toSorted(([, one], [, two]) => two - one) as [readonly [number, number]];
  return { rates, best };
}
