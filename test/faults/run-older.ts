/**
 * `npm run test:older`: many returns of an older Redis under bids, alone, behind Sentinel and as a cluster. Exits 1
 * where something is wrong, and ends everything that it started.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { migratedDatabase } from '../support/migrated-database.ts';
import { programToRun } from '../support/program.ts';
import { aloneServer, clusterServers, sentinelServers } from './older-copies.ts';
import { runOlder } from './older-redis.ts';

const { values } = parseArgs({
  options: {
    /** Of each of the six: 204 returns. */
    times: { type: 'string', default: '34' },
    /** Of each of the six: it begins no return after that. */
    'most-seconds': { type: 'string', default: '900' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    webs: { type: 'string', multiple: true, default: ['1', '4'] },
    servers: { type: 'string', multiple: true, default: ['alone', 'sentinel', 'cluster'] },
    /** Every so many returns the web processes are killed as well. */
    'restart-every': { type: 'string', default: '4' },
  },
});

const OPEN = { alone: aloneServer, sentinel: sentinelServers, cluster: clusterServers };

async function main(): Promise<number> {
  let bad = 0;
  let [returned, ready] = [0, 0];
  for (const name of values.servers)
    for (const webs of values.webs) {
      const open = Object.entries(OPEN).find(([known]) => known === name)?.[1];
      if (open === undefined) throw new Error(`no such servers: ${name}`);
      const [servers, database] = [await open(), await migratedDatabase()];
      const base = await mkdtemp(join(tmpdir(), 'rostrum-older-'));
      try {
        const figures = await runOlder({
          ...{ servers, base, program: programToRun(), databaseUrl: database.databaseUrl },
          ...{ webs: Number(webs), times: Number(values.times), seed: Number(values.seed) },
          restartEvery: Number(values['restart-every']),
          maxSeconds: Number(values['most-seconds']),
          say: (line) => console.log(`  ${line}`),
        });
        const { returns, accepted, wrong, readyMeantReady } = figures;
        console.log(
          `${name}, ${webs} web processes: ${returns} returns, ${accepted} bids taken, ${wrong.length} wrong; ` +
            `ready meant ready ${readyMeantReady} times`,
        );
        for (const what of wrong) console.log(`  not good: ${what}`);
        bad += wrong.length;
        returned += returns;
        ready += readyMeantReady;
        if (returns < Number(values.times)) {
          console.log(`  not good: only ${returns} returns of ${values.times} in time`);
          bad += 1;
        }
      } finally {
        await servers.close();
        await database.drop();
        await rm(base, { recursive: true, force: true });
      }
    }
  console.log(
    `${returned} returns, ${bad} wrong; the first /readyz 200 was followed by 20 bids taken ${ready} times`,
  );
  return bad === 0 ? 0 : 1;
}

process.exitCode = await main();
