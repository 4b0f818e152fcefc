import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { aPdf, aPicture, bearer, sendForm, type Upload, uploadForm } from '../../support/media.ts';
import { type Service, startService } from '../../support/service.ts';

describe('media of lots and auctions', () => {
  let service: Service;
  let token: string;
  let lotId: number;
  let auctionId: number;
  before(async () => {
    service = await startService();
    const user = await aUser(service.database);
    token = await service.tokenFor(user, ['write']);
    auctionId = (await anAuction(service.database, { user_id: user.id })).id;
    lotId = (await aLot(service.database, { auction_id: auctionId })).id;
  });
  after(() => service.close());

  const upload = (bytes: Uint8Array, more: Partial<Upload> = {}) =>
    sendForm(service, uploadForm({ bytes, modelId: lotId, ...more }), bearer(token));
  const aLotOfMine = async () => (await aLot(service.database, { auction_id: auctionId })).id;
  const mediaOf = async (id: number) => (await service.get(`/api/v1/lots/${id}`)).body.data.media;
  const idsOf = async (id: number) => (await mediaOf(id)).map((item: { id: number }) => item.id);
  const file = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url, { method, headers });
  async function filesOnDisk(): Promise<string[]> {
    const storage = service.config.mediaStorage;
    if (storage.kind !== 'file') throw new Error('not a folder');
    const shards = await readdir(storage.folder).catch(() => []);
    const files = await Promise.all(shards.map((shard) => readdir(join(storage.folder, shard))));
    return files.flat().sort();
  }

  it('answers an upload with the whole item', async () => {
    const answer = await upload(await aPicture('jpeg', 640, 480), { fileName: 'barn.jpg' });
    expect(answer.status, answer.text).to.equal(201);
    const { data } = answer.body;
    expect(data).to.include({ type: 'image', file_name: 'barn.jpg', mime_type: 'image/jpeg' });
    expect(data).to.include({ width: 640, height: 480, position: 0 });
    expect(Object.keys(data)).to.have.members(
      'id type url thumbnail_url medium_url file_name mime_type size width height position created_at'.split(
        ' ',
      ),
    );
    expect(data.url).to.match(new RegExp(`^${service.url}/media/[0-9a-f]{32}\\.jpg$`));
    expect(await mediaOf(lotId)).to.deep.equal([data]);
    const thumb = await sharp(await (await file(data.thumbnail_url)).arrayBuffer()).metadata();
    expect(thumb).to.include({ format: 'webp', width: 400, height: 300 });
  });

  it('takes PNG, WebP and PDF, and auctions too; the bytes say what it is, whatever the name says', async () => {
    for (const [format, mimeType, ending] of [
      ['png', 'image/png', 'png'],
      ['webp', 'image/webp', 'webp'],
    ] as const) {
      const { status, body } = await upload(await aPicture(format), {
        fileName: 'x.jpg',
        mimeType: 'image/jpeg',
      });
      expect(status).to.equal(201);
      expect(body.data).to.include({ mime_type: mimeType, width: 64, height: 48, file_name: 'x.jpg' });
      expect(body.data.url).to.match(new RegExp(`\\.${ending}$`));
    }
    const { status, body } = await upload(aPdf(), {
      fileName: 'terms.pdf',
      modelType: 'auction',
      modelId: auctionId,
    });
    expect(status).to.equal(201);
    expect(body.data).to.include({ type: 'document', mime_type: 'application/pdf', thumbnail_url: null });
    expect(body.data).to.include({ width: null, height: null, size: aPdf().length });
    const auction = (await service.get(`/api/v1/auctions/${auctionId}`)).body.data;
    expect(auction.media).to.deep.equal([body.data]);
  });

  it('turns images upright and removes where they were taken', async () => {
    const sent = await sharp(await aPicture('jpeg', 60, 20))
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect((await sharp(sent).metadata()).exif, 'the test itself').not.to.equal(undefined);
    const { data } = (await upload(sent)).body;
    expect(data).to.include({ width: 20, height: 60 });
    for (const url of [data.url, data.thumbnail_url]) {
      const got = await sharp(await (await file(url)).arrayBuffer()).metadata();
      expect(got.exif, url).to.equal(undefined);
      expect(got.orientation ?? 1).to.equal(1);
      expect(got.height).to.be.greaterThan(got.width);
    }
  });

  it('serves files with everything that keeps browsers safe, for ever', async () => {
    const { data } = (await upload(await aPicture('jpeg'), { fileName: 'naïve "x".html' })).body;
    expect(data.file_name).to.equal('naïve "x".html');
    const got = await file(data.url);
    expect(got.status).to.equal(200);
    expect((await got.arrayBuffer()).byteLength).to.equal(data.size);
    expect(got.headers.get('content-type')).to.equal('image/jpeg');
    expect(got.headers.get('content-length')).to.equal(String(data.size));
    expect(got.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(got.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(got.headers.get('content-security-policy')).to.contain("default-src 'none'; sandbox");
    expect(got.headers.get('accept-ranges')).to.equal('bytes');
    const disposition = got.headers.get('content-disposition');
    expect(disposition)
      .to.match(/^inline; filename=/)
      .and.to.match(/\.html\.jpg"/)
      .and.to.contain("filename*=UTF-8''na%C3%AFve");
    const tag = got.headers.get('etag')!;
    expect((await file(data.url, { 'if-none-match': tag })).status).to.equal(304);
    const head = await file(data.url, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, String(data.size)]);
    expect(await head.text()).to.equal('');
  });

  it('serves documents as downloads', async () => {
    const { data } = (await upload(aPdf(), { fileName: 'survey.pdf' })).body;
    const got = await file(data.url);
    expect(got.headers.get('content-type')).to.equal('application/pdf');
    expect(got.headers.get('content-disposition')).to.equal('attachment; filename="survey.pdf"');
    expect(Buffer.from(await got.arrayBuffer()).equals(aPdf())).to.equal(true);
  });

  it('serves parts', async () => {
    const whole = aPdf().toString();
    const size = whole.length;
    const { data } = (await upload(aPdf())).body;
    for (const [range, start, end] of [
      ['bytes=0-3', 0, 3],
      ['bytes=0-0', 0, 0],
      ['bytes=5-', 5, size - 1],
      ['bytes=-4', size - 4, size - 1],
      [`bytes=2-${size + 900}`, 2, size - 1],
    ] as const) {
      const got = await file(data.url, { range });
      expect(got.status, range).to.equal(206);
      expect(got.headers.get('content-range')).to.equal(`bytes ${start}-${end}/${size}`);
      expect(await got.text(), range).to.equal(whole.slice(start, end + 1));
    }
    const beyond = await file(data.url, { range: `bytes=${size}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).to.deep.equal([416, `bytes */${size}`]);
    expect(await beyond.json()).to.include({ success: false });
    const ignored: Record<string, string>[] = [
      { range: 'lines=1-2' },
      { range: 'bytes=x' },
      { range: 'bytes=0-1,4-5' },
      { range: 'bytes=0-1', 'if-range': '"other"' },
    ];
    for (const headers of ignored) {
      const got = await file(data.url, headers);
      expect(got.status, JSON.stringify(headers)).to.equal(200);
      expect(await got.text()).to.equal(whole);
    }
  });

  it('has nothing under other names', async () => {
    const { data } = (await upload(aPdf())).body;
    const name = new URL(data.url).pathname.slice('/media/'.length);
    for (const path of ['nothing.jpg', '..%2f..%2fetc%2fpasswd', 'a', `${name}%00`, `${name}/`, '']) {
      const got = await file(`${service.url}/media/${path}`);
      expect(got.status, path).to.equal(404);
      expect(await got.json()).to.include({ success: false });
    }
  });

  it('orders: those named first, the others behind as they were', async () => {
    const lot = await aLotOfMine();
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1) ids.push((await upload(aPdf(), { modelId: lot })).body.data.id);
    const [a, b, c, d] = ids as [number, number, number, number];
    expect(await idsOf(lot)).to.deep.equal([a, b, c, d]);
    const answer = await service.call('POST', '/api/media/reorder', { token, body: { media_ids: [d, b] } });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.have.all.keys('success', 'message').and.to.include({ success: true });
    expect(await idsOf(lot)).to.deep.equal([d, b, a, c]);
    expect((await mediaOf(lot)).map((item: { position: number }) => item.position)).to.deep.equal([
      0, 1, 2, 3,
    ]);
  });

  it('deletes the row and the files', async () => {
    const before = await filesOnDisk();
    const { data } = (await upload(await aPicture('png'))).body;
    expect(await filesOnDisk()).to.have.length(before.length + 2);
    const answer = await service.call('DELETE', `/api/media/${data.id}`, { token });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.have.all.keys('success', 'message').and.to.include({ success: true });
    expect(await filesOnDisk()).to.deep.equal(before);
    expect((await file(data.url)).status).to.equal(404);
    expect((await service.call('DELETE', `/api/media/${data.id}`, { token })).status).to.equal(404);
  });
});
