/**
 * Media through the whole service with their files in a bucket: uploaded, resized by a worker, served, deleted, swept.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import S3rver from 's3rver';
import sharp from 'sharp';
import { queuePrefix } from '../../../adapters/queue/connection.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { startMediaJobs } from '../../../src/app/jobs/media-jobs.ts';
import { openStorage } from '../../../src/app/process/open-storage.ts';
import { sweepOrphans } from '../../../src/media/orphan-sweep.ts';
import { openLog } from '../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { aPdf, aPicture, bearer, sendForm, uploadForm } from '../../support/media.ts';
import { type Service, startService } from '../../support/service.ts';

/** Where the bucket's own kit looks for keys; these are the ones that the server of the tests takes. */
const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

describe('media in a bucket', () => {
  let folder: string;
  let bucket: S3rver;
  let service: Service;
  let storage: Storage;
  let token: string;
  let lotId: number;
  const before_ = { ...process.env };

  before(async () => {
    Object.assign(process.env, KEYS);
    folder = await mkdtemp(join(tmpdir(), 'rostrum-bucket-'));
    bucket = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'media', configs: [] }],
    });
    const { port } = await bucket.run();
    const MEDIA_STORAGE = `s3://media/pictures?endpoint=http://127.0.0.1:${port}&region=us-east-1`;
    service = await startService({ env: { MEDIA_STORAGE } });
    storage = await openStorage(service.config.mediaStorage);
    const user = await aUser(service.database);
    token = await service.tokenFor(user, ['write']);
    const auction = await anAuction(service.database, { user_id: user.id });
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
  });

  after(async () => {
    storage.close();
    await service.close();
    await bucket.close();
    await rm(folder, { recursive: true, force: true });
    for (const name of Object.keys(KEYS)) {
      if (before_[name] === undefined) delete process.env[name];
      else process.env[name] = before_[name];
    }
  });

  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of storage.list()) found.push(key);
    return found;
  }
  const upload = (bytes: Uint8Array) =>
    sendForm(service, uploadForm({ bytes, modelId: lotId }), bearer(token));

  it('are uploaded, served whole and in parts, and deleted', async () => {
    const sent = await upload(await aPicture('jpeg', 1_600, 800));
    expect(sent.status, sent.text).to.equal(201);
    const { id, url, thumbnail_url, size } = sent.body.data;
    expect(await keys()).to.have.length(2);
    const whole = await fetch(url);
    expect([whole.status, whole.headers.get('content-type')]).to.deep.equal([200, 'image/jpeg']);
    expect((await whole.arrayBuffer()).byteLength).to.equal(size);
    const part = await fetch(url, { headers: { range: 'bytes=0-9' } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).to.deep.equal([206, 10]);
    const thumb = await sharp(await (await fetch(thumbnail_url)).arrayBuffer()).metadata();
    expect(thumb).to.include({ format: 'webp', width: 400, height: 200 });

    const address = { redisUrl: service.redis.redisUrl, prefix: queuePrefix('test') };
    const worker = await startMediaJobs(service.config, address, service.backends, openLog('silent', 'test'));
    for (let waited = 0; (await keys()).length < 3 && waited < 20_000; waited += 50) await sleep(50);
    await worker.close();
    const row = await service.backends.knex('media').where('id', id).first('medium_key');
    const medium = await sharp(await (await fetch(`${service.url}/media/${row.medium_key}`)).arrayBuffer());
    expect(await medium.metadata()).to.include({ format: 'webp', width: 1_200, height: 600 });

    const gone = await service.call('DELETE', `/api/media/${id}`, { token });
    expect(gone.status, gone.text).to.equal(200);
    expect(await keys()).to.deep.equal([]);
    expect((await fetch(url)).status).to.equal(404);
  });

  it('is swept of files without a row, and of rows without a file', async () => {
    const [kept, lost] = [await upload(aPdf()), await upload(aPdf())];
    const lostKey = new URL(lost.body.data.url).pathname.split('/').at(-1)!;
    await storage.delete(lostKey);
    const stray = join(folder, 'stray');
    await writeFile(stray, 'x');
    await storage.put(`${'e'.repeat(32)}.pdf`, stray, 'application/pdf');
    const parts = { knex: service.backends.knex, storage, log: openLog('silent', 'test') };
    expect(await sweepOrphans(parts)).to.deep.equal({ files: 0, rows: 0 });
    // A bucket tells moments by the second.
    await sleep(1_100);
    expect(await sweepOrphans(parts, 0)).to.deep.equal({ files: 1, rows: 1 });
    expect(await service.backends.knex('media').pluck('id')).to.deep.equal([kept.body.data.id]);
    expect(await keys()).to.have.length(1);
  });
});
