/**
 * What a server has acknowledged is handed in as soon as it is lost: should this process end next, and the server come
 * back older, nobody else would know.
 */
import { expect } from 'chai';
import { openBackends } from '../../../../src/app/process/backends.ts';
import { openLog } from '../../../../src/shared/log.ts';
import {
  aloneServer,
  clusterServers,
  type OlderServers,
  sentinelServers,
} from '../../../faults/older-copies.ts';
import { eventually } from '../../../support/market.ts';
import { migratedDatabase } from '../../../support/migrated-database.ts';

const KINDS: Readonly<Record<string, () => Promise<OlderServers>>> = {
  alone: aloneServer,
  'behind Sentinel': sentinelServers,
  'of a cluster': clusterServers,
};

describe('a Redis server that is lost', () => {
  for (const [kind, open] of Object.entries(KINDS))
    it(`has what it acknowledged handed in at once: ${kind}`, async () => {
      const [servers, database] = await Promise.all([open(), migratedDatabase()]);
      const addresses = { databaseUrl: database.databaseUrl, redisUrl: servers.redisUrl };
      const backends = await openBackends(addresses, openLog('silent', 'test'));
      const { epoch, knex } = backends;
      // The rounds of every second are over: what is handed in from now on is for the loss.
      epoch.watch = async () => undefined;
      await epoch.fence?.keepUp();
      epoch.marks.note(3, '7-1');
      await servers.server.kill();
      const row = await eventually(
        async () => (await knex('journal_marks').where('shard', 3).first()) ?? null,
      );
      expect(row).to.include({ ms: 7, counter: 1 });
      await backends.close();
      await database.drop();
      await servers.close();
    });
});
