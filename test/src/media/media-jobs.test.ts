import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { queuePrefix } from '../../../adapters/queue/connection.ts';
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { startMediaJobs } from '../../../src/app/jobs/media-jobs.ts';
import { openLog } from '../../../src/shared/log.ts';
import { aLot } from '../../support/builders.ts';
import { aPicture } from '../../support/media.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { freshRedis } from '../../support/redis-servers.ts';

const KEY = 'c'.repeat(32);

describe('the worker’s part in media', () => {
  it('makes medium sizes by itself, with two workers at it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rostrum-jobs-'));
    const [own, redis] = await Promise.all([migratedDatabase(), freshRedis()]);
    const { knex } = own.db;
    const config = loadConfig({ NODE_ENV: 'test', DATA_DIR: folder });
    const address = { redisUrl: redis.redisUrl, prefix: queuePrefix('test') };
    const log = openLog('silent', 'test');
    const workers = await Promise.all([1, 2].map(() => startMediaJobs(config, address, { knex }, log)));
    try {
      const picture = await aPicture('jpeg', 1_600, 800);
      await writeFile(join(folder, 'sent'), picture);
      await new FolderStorage(join(folder, 'media')).put(`${KEY}.jpg`, join(folder, 'sent'));
      await knex('media').insert({
        lot_id: (await aLot(own.db)).id,
        kind: 'image',
        file_key: `${KEY}.jpg`,
        file_name: 'a.jpg',
        mime_type: 'image/jpeg',
        size: picture.length,
        width: 1_600,
        height: 800,
      });
      const medium = async () => (await knex('media').first('medium_key')).medium_key;
      for (const deadline = Date.now() + 60_000; (await medium()) === null && Date.now() < deadline; )
        await sleep(50);
      expect(await medium()).to.equal(`${KEY}-medium.webp`);
      expect(await new FolderStorage(join(folder, 'media')).head(`${KEY}-medium.webp`)).not.to.equal(null);
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
      await redis.close();
      await own.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
