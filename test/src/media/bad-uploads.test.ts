import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { aPdf, aPicture, bearer, sendForm, type Upload, uploadForm } from '../../support/media.ts';
import { type Service, startService } from '../../support/service.ts';

const MIB = 1024 * 1024;
const HTML = '<!doctype html><script>alert(1)</script>';

describe('media: bad input', () => {
  let service: Service;
  let token: string;
  let lotId: number;
  let otherLotId: number;
  before(async () => {
    service = await startService();
    const user = await aUser(service.database);
    token = await service.tokenFor(user, ['write']);
    const auction = await anAuction(service.database, { user_id: user.id });
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
    otherLotId = (await aLot(service.database, { auction_id: auction.id })).id;
  });
  after(() => service.close());

  const upload = (bytes: Uint8Array, more: Partial<Upload> = {}) =>
    sendForm(service, uploadForm({ bytes, modelId: lotId, ...more }), bearer(token));
  const post = (form: FormData) => sendForm(service, form, bearer(token));
  const reorder = (media_ids: unknown) =>
    service.call('POST', '/api/media/reorder', { token, body: { media_ids } });
  const rowCount = async () => Number((await service.database.knex('media').count('* as n').first())!['n']);
  async function fileCount(): Promise<number> {
    const storage = service.config.mediaStorage;
    if (storage.kind !== 'file') throw new Error('not a folder');
    const shards = await readdir(storage.folder).catch(() => []);
    const files = await Promise.all(shards.map((shard) => readdir(join(storage.folder, shard))));
    return files.flat().length;
  }
  /** Refused, with nothing kept. */
  async function refused(bytes: Uint8Array, status: number, code: string | null, more: Partial<Upload> = {}) {
    const before = [await rowCount(), await fileCount()];
    const answer = await upload(bytes, more);
    expect([answer.status, answer.body.code ?? null], answer.text).to.deep.equal([status, code]);
    expect([await rowCount(), await fileCount()]).to.deep.equal(before);
    return answer;
  }

  it('takes no SVG, HTML, GIF, text or archive, whatever they are called', async () => {
    const svg = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(60)]);
    for (const bytes of [
      Buffer.from(svg),
      Buffer.from(svg.slice(21)),
      Buffer.from(HTML),
      await aPicture('gif'),
      Buffer.from('GIF89a'),
      zip,
      Buffer.from('hello'),
      Buffer.from([0]),
      Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)]),
      Buffer.from('II*\0\x08\0\0\0\0\0'),
    ]) {
      await refused(bytes, 415, 'unsupported_media_type', { fileName: 'photo.jpg', mimeType: 'image/jpeg' });
    }
  });

  it('says 422 of broken images', async () => {
    const jpeg = await aPicture('jpeg', 900, 900);
    const png = await aPicture('png', 300, 300);
    const webp = await aPicture('webp', 300, 300);
    const flipped = Buffer.from(png);
    flipped.fill(0xaa, Math.floor(png.length / 2), Math.floor(png.length / 2) + 20);
    for (const bytes of [
      jpeg.subarray(0, jpeg.length / 2),
      jpeg.subarray(0, 4),
      png.subarray(0, 40),
      ...[8, 12, 20].map((length) => Buffer.concat([png.subarray(0, length), Buffer.alloc(100, 0xaa)])),
      png.subarray(0, 8),
      png.subarray(0, png.length - 30),
      webp.subarray(0, webp.length / 2),
      flipped,
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(HTML)]),
    ]) {
      const { body } = await refused(bytes, 422, 'validation_failed');
      expect(body.errors.file).to.have.length(1);
    }
    await refused(Buffer.alloc(0), 422, 'validation_failed');
  });

  it('says 422 of more than 100 megapixels, by the header alone', async () => {
    const started = Date.now();
    const { body } = await refused(hugePng(20_000, 20_000), 422, 'validation_failed');
    expect(body.errors.file[0]).to.contain('100 megapixels');
    await refused(hugePng(2_000_000_000, 2_000_000_000), 422, 'validation_failed');
    expect(Date.now() - started).to.be.lessThan(20_000);
  });

  it('keeps nothing of what hangs on an image', async () => {
    const polyglot = Buffer.concat([await aPicture('jpeg'), Buffer.from(HTML), aPdf()]);
    const { status, body } = await upload(polyglot, { fileName: 'a.jpg' });
    expect(status).to.equal(201);
    const got = await fetch(body.data.url);
    expect(got.headers.get('content-type')).to.equal('image/jpeg');
    expect(Buffer.from(await got.arrayBuffer()).includes('script')).to.equal(false);
    // What begins like a PDF is one, and is only ever handed out for saving.
    const document = await upload(Buffer.concat([aPdf(), Buffer.from(HTML)]), { fileName: 'a.html' });
    const saved = await fetch(document.body.data.url);
    expect(saved.headers.get('content-type')).to.equal('application/pdf');
    expect(saved.headers.get('content-disposition')).to.equal('attachment; filename="a.html.pdf"');
    await refused(Buffer.concat([Buffer.from(HTML), aPdf()]), 415, 'unsupported_media_type');
  });

  it('bounds sizes: images 10 MiB, documents 25 MiB', async () => {
    const padded = async (base: Buffer, size: number) =>
      Buffer.concat([base, Buffer.alloc(size - base.length)]);
    const jpeg = await aPicture('jpeg');
    expect((await upload(await padded(jpeg, 10 * MIB))).status).to.equal(201);
    await refused(await padded(jpeg, 10 * MIB + 1), 413, 'file_too_large');
    expect((await upload(await padded(aPdf(), 25 * MIB))).status).to.equal(201);
    await refused(await padded(aPdf(), 25 * MIB + 1), 413, 'file_too_large');
  });

  it('keeps only the name of what was sent as a path', async () => {
    for (const [sent, kept] of [
      ['../../etc/passwd', 'passwd'],
      ['..\\..\\boot.ini', 'boot.ini'],
      ['/', 'file.pdf'],
      ['..', 'file.pdf'],
      ['a\u202egpj.exe', 'agpj.exe'],
      [`${'n'.repeat(400)}.pdf`, 'n'.repeat(255)],
    ] as const) {
      const { status, body, text } = await upload(aPdf(), { fileName: sent });
      expect(status, text).to.equal(201);
      expect(body.data.file_name).to.equal(kept);
      expect(body.data.url).to.match(/\/media\/[0-9a-f]{32}\.pdf$/);
      expect((await fetch(body.data.url)).status).to.equal(200);
    }
  });

  it('names what is missing or wrong in the form', async () => {
    const whole = () => uploadForm({ bytes: aPdf(), modelId: lotId });
    const cases: [string, (form: FormData) => void, string][] = [
      ['no file', (form) => form.delete('file'), 'file'],
      ['a file as text', (form) => form.set('file', 'text'), 'file'],
      ['no model_type', (form) => form.delete('model_type'), 'model_type'],
      ['another model_type', (form) => form.set('model_type', 'user'), 'model_type'],
      ['a class name', (form) => form.set('model_type', 'App\\Models\\Lot'), 'model_type'],
      ['__proto__', (form) => form.set('model_type', '__proto__'), 'model_type'],
      ['no model_id', (form) => form.delete('model_id'), 'model_id'],
      ['a word for an id', (form) => form.set('model_id', 'one'), 'model_id'],
      ['a negative id', (form) => form.set('model_id', '-1'), 'model_id'],
      ['an id beyond all', (form) => form.set('model_id', '9'.repeat(30)), 'model_id'],
      ['two ids', (form) => form.append('model_id', '2'), 'model_id'],
      ['two files', (form) => form.append('file', new Blob(['x']), 'b.pdf'), 'file'],
      ['a field nobody knows', (form) => form.set('position', '0'), 'position'],
      ['an owner of choice', (form) => form.set('uploaded_by', '1'), 'uploaded_by'],
    ];
    for (const [name, spoil, field] of cases) {
      const form = whole();
      spoil(form);
      const { status, body } = await post(form);
      expect(status, name).to.equal(422);
      expect(Object.keys(body.errors), name).to.include(field);
    }
    const json = await service.call('POST', '/api/v1/media', { token, body: {} });
    expect([json.status, json.body.code]).to.deep.equal([415, 'unsupported_media_type']);
  });

  it('refuses 10,000 parts', async () => {
    const form = uploadForm({ bytes: aPdf(), modelId: lotId });
    for (let n = 0; n < 10_000; n += 1) form.append(`field${n}`, 'x');
    const { status, body } = await post(form).catch(() => ({ status: 400, body: { success: false } }));
    expect(status).to.be.within(400, 422);
    expect(body.success).to.equal(false);
    // On the same connection, which nothing of the refused form may block.
    expect((await upload(aPdf())).status).to.equal(201);
  });

  it('refuses wrong orders as a whole', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await upload(aPdf(), { modelId: otherLotId })).body.data.id);
    const [a, b, c] = ids as [number, number, number];
    const foreign = (await upload(aPdf())).body.data.id;
    const order = () =>
      service.database.knex('media').where('lot_id', otherLotId).orderBy('position').pluck('id');
    for (const [wrong, status] of [
      [[c, a, c], 422],
      [[c, foreign], 422],
      [[c, 987_654_321], 404],
      [[], 422],
      [undefined, 422],
      ['1,2', 422],
      [[String(c)], 422],
      [[c, 1.5], 422],
      [[0], 422],
      [[2 ** 60], 422],
      [[null], 422],
      [Array.from({ length: 10_000 }, (_, n) => n + 1), 422],
    ] as const) {
      const answer = await reorder(wrong);
      expect(answer.status, JSON.stringify(wrong)?.slice(0, 80)).to.equal(status);
      expect(await order()).to.deep.equal([a, b, c]);
    }
    for (const path of ['0', '-1', 'x', '1.5', '9'.repeat(25), '%00']) {
      expect((await service.call('DELETE', `/api/media/${path}`, { token })).status, path).to.equal(404);
    }
  });

  it('keeps one order whatever comes at once', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 6; n += 1) ids.push((await upload(aPdf(), { modelId: otherLotId })).body.data.id);
    const doomed = ids.pop()!;
    const orders = [[...ids], [...ids].reverse(), [ids[2]!, ids[0]!], [ids[4]!]];
    const answers = await Promise.all([
      ...orders.map(reorder),
      upload(aPdf(), { modelId: otherLotId }),
      upload(aPdf(), { modelId: otherLotId }),
      service.call('DELETE', `/api/media/${doomed}`, { token }),
      service.call('DELETE', `/api/media/${doomed}`, { token }),
      ...orders.map(reorder),
    ]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(9).fill(200), 201, 201, 404]);
    const rows = await service.database.knex('media').where('lot_id', otherLotId).select('id', 'position');
    expect(new Set(rows.map(({ position }) => position)).size).to.equal(rows.length);
  });
});

/** A PNG whose header promises a picture of this size. */
function hugePng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunks = [
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.alloc(1_000))],
    ['IEND', Buffer.alloc(0)],
  ] as const;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...chunks.map(([name, data]) => chunk(name, data)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
