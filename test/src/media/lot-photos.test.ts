/** Photographs for many lots: by file, by archive, and what hostile archives come to. */
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { aLot, anAuction } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { aPicture } from '../../support/media.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';
import { type ZippedFile, zipOf } from '../../support/zip.ts';
import { type AtDesk, aSellerAtDesk } from '../pages/seller/seller-at-desk.ts';

describe('photographs for many lots', () => {
  let service: Service;
  let seller: AtDesk;
  let token: string;
  let picture: Buffer;
  let auctionId: number;
  const lots: number[] = [];

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    token = await service.tokenFor(seller.user, ['read', 'write', 'seller']);
    picture = await aPicture('png', 64, 48);
    auctionId = (await anAuction(service.database, { team_id: seller.team.id, status: 'draft' })).id;
    for (const title of ['Plough', 'Harrow', 'Scythe'])
      lots.push((await aLot(service.database, { auction_id: auctionId, title, status: 'draft' })).id);
  });
  after(() => service.close());

  async function send(name: string, bytes: Buffer, more: Record<string, string> = {}, by = token) {
    const body = new FormData();
    for (const [key, value] of Object.entries(more)) body.set(key, value);
    body.set('file', new File([new Uint8Array(bytes)], name));
    const headers = { authorization: `Bearer ${by}`, 'x-team-id': String(seller.team.id) };
    const answer = await fetch(`${service.url}/api/v1/seller/auctions/${auctionId}/photos`, {
      ...{ method: 'POST', headers, body },
    });
    return { status: answer.status, body: (await answer.json()) as JsonValue };
  }

  const namesOf = async (lot: number): Promise<string[]> =>
    service.backends.knex('media').where('lot_id', lot).orderBy(['position', 'id']).pluck('file_name');
  const filesLeft = async (): Promise<string[]> =>
    (await readdir(tmpdir(), { withFileTypes: true })).filter((one) => one.isFile()).map(({ name }) => name);
  const zipped = (files: readonly (string | ZippedFile)[]) =>
    zipOf(files.map((one) => (typeof one === 'string' ? { name: one, bytes: picture } : one)));

  it('find their lots by number and by title, and tell what has none', async () => {
    const one = await send('2-back.png', picture);
    expect(one.status, JSON.stringify(one.body)).to.equal(200);
    const [harrow] = one.body.data.photos;
    expect(harrow).to.include({ lot_id: lots[1], lot_number: '2', title: 'Harrow', problem: null });
    expect((await send('scythe 1.png', picture)).body.data.photos[0].lot_id).to.equal(lots[2]);
    const none = (await send('IMG_0042.png', picture)).body.data.photos[0];
    expect(none).to.include({ media_id: null, problem: 'No lot has this number or name.' });
    const forced = await send('IMG_0042.png', picture, { lot_id: String(lots[2]) });
    expect(forced.body.data.photos[0].lot_id).to.equal(lots[2]);
    expect((await send('1.png', picture, { lot_id: '999999' })).status).to.equal(404);
  });

  it('come in an archive, in the order of their names or of the lot’s list', async () => {
    await service.backends
      .knex('lots')
      .where('id', lots[0])
      .update({ photos: ['b.png', 'a.png'] });
    const archive = zipped(['1-10.png', '1-2.png', '__MACOSX/._1-2.png', 'a.png', 'x/b.png', 'nobody.png']);
    const { status, body } = await send('all.zip', archive);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.photos).to.have.length(5);
    const kept = await namesOf(lots[0] ?? 0);
    expect(kept.indexOf('b.png')).to.be.below(kept.indexOf('a.png'));
    expect(kept.indexOf('1-2.png')).to.be.below(kept.indexOf('1-10.png'));
    expect(kept).to.have.length(4);
  });

  it('are not unpacked beyond what they may be, nor anywhere else', async () => {
    const before = await filesLeft();
    const bomb = { name: '1-bomb.png', bytes: Buffer.alloc(40 * 1024 * 1024) };
    const archive = zipped([
      ...[bomb, { ...bomb, name: '1-stored.png', stored: true }],
      { name: '../../../1-etc.png', bytes: picture },
      { name: '1-locked.png', bytes: picture, encrypted: true },
      { name: '1-text.png', bytes: Buffer.from('no picture') },
    ]);
    const { status, body } = await send('bad.zip', archive);
    expect(status, JSON.stringify(body)).to.equal(200);
    const problems = Object.fromEntries(
      body.data.photos.map((one: JsonValue) => [one.file_name, one.problem]),
    );
    expect(problems).to.deep.equal({
      '1-bomb.png': 'It is larger than 25 MiB.',
      '1-stored.png': 'It is larger than 25 MiB.',
      '1-etc.png': null,
      '1-locked.png': 'It is broken or encrypted.',
      '1-text.png': 'The file must be a JPEG, PNG or WebP image, or a PDF.',
    });
    // Other tests that run at the same time have files of their own there, which go as well.
    const came = (await filesLeft()).filter((name) => !before.includes(name));
    await eventually(async () => {
      const left = await filesLeft();
      return !came.some((name) => left.includes(name));
    });
    const many = zipOf(
      Array.from({ length: 501 }, (_, n) => ({ name: `${n}.png`, bytes: Buffer.from('x') })),
    );
    expect((await send('many.zip', many)).body.errors.file).to.deep.equal([
      'The archive has more than 500 files.',
    ]);
    const ofMac = zipOf(
      Array.from({ length: 520 }, (_, n) => ({
        name: `${n % 2 ? '' : '__MACOSX/._'}x.png`,
        bytes: Buffer.from('x'),
      })),
    );
    expect((await send('mac.zip', ofMac)).body.data?.photos).to.have.length(260);
    const cut = await send('cut.zip', archive.subarray(0, 2_000));
    expect(cut.body.errors.file[0]).to.match(/^The archive is broken/);
    const lying = Buffer.from(zipped(['1.png']));
    lying.writeUInt32LE(0x7fff_ffff, lying.length - 6);
    expect((await send('lying.zip', lying)).status).to.be.oneOf([200, 422]);
  });

  it('are the team’s own', async () => {
    const other = await aSellerAtDesk(service);
    const theirs = await service.tokenFor(other.user, ['read', 'write', 'seller']);
    expect((await send('1.png', picture, {}, theirs)).status).to.equal(403);
    const path = `/seller/auctions/${auctionId}/photos`;
    expect((await other.browser.get(path)).status).to.equal(404);
    const page = (await seller.browser.get(path)).text;
    expect(page).to.contain('Photographs for many lots').and.contain('name="lot_id"');
  });
});
