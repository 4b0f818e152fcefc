/** Pictures that are turned and cropped: made anew from the original, which stays; never once their lot has bids. */
import { expect } from 'chai';
import sharp from 'sharp';
import type { PrepareWork } from '../../../adapters/images/image-work.ts';
import { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { makeMediumImages } from '../../../src/media/medium-images.ts';
import { sweepOrphans } from '../../../src/media/orphan-sweep.ts';
import { editPicture } from '../../../src/media/picture-edits.ts';
import { openLog } from '../../../src/shared/log.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { aPdf, bearer, sendForm, uploadForm } from '../../support/media.ts';
import { type Service, startService } from '../../support/service.ts';

function folderOf({ config: { mediaStorage } }: Service): FolderStorage {
  if (mediaStorage.kind !== 'file') throw new Error('not a folder');
  return new FolderStorage(mediaStorage.folder);
}

describe('a picture that is turned and cropped', () => {
  let service: Service;
  let token: string;
  let lotId: number;
  let userId: number;
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    const user = await aUser(service.database);
    userId = user.id;
    token = await service.tokenFor(user, ['write']);
    const auction = await anAuction(service.database, { user_id: user.id });
    lotId = (await aLot(service.database, { auction_id: auction.id })).id;
  });
  after(() => service.close());

  /** Red at the left, blue at the right, its upper half white. */
  async function flag(): Promise<Buffer> {
    const part = (background: string, width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer();
    return sharp({ create: { width: 200, height: 100, channels: 3, background: '#ffffff' } })
      .composite([
        { input: await part('#ff0000', 100, 50), left: 0, top: 50 },
        { input: await part('#0000ff', 100, 50), left: 100, top: 50 },
      ])
      .png()
      .toBuffer();
  }
  const upload = async (bytes: Uint8Array, modelId = lotId) =>
    (await sendForm(service, uploadForm({ bytes, modelId, mimeType: 'image/png' }), bearer(token))).body.data;
  const edit = (id: number, body: object, by = token) =>
    service.call('PUT', `/api/v1/media/${id}/edit`, { token: by, body });
  const bytesOf = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
  /** The colour at a part of its width and height. */
  async function colour(url: string, x: number, y: number): Promise<string> {
    const { data, info } = await sharp(await bytesOf(url))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    return [data[at], data[at + 1], data[at + 2]].map((value) => ((value ?? 0) > 127 ? 1 : 0)).join('');
  }

  it('is made from the original each time, with new addresses, and goes back to it', async () => {
    const first = await upload(await flag());
    const turned = await edit(first.id, { turn: 90, crop: null });
    expect(turned.status, turned.text).to.equal(200);
    const { media, edit: said } = turned.body.data;
    expect(said).to.deep.equal({ turn: 90, crop: null });
    expect(media).to.include({ id: first.id, width: 100, height: 200, position: first.position });
    expect(media.url).not.to.equal(first.url);
    expect(await Promise.all([colour(media.url, 0.25, 0.25), colour(media.url, 0.25, 0.75)])).to.deep.equal([
      '100',
      '001',
    ]);
    expect((await fetch(first.thumbnail_url)).status, 'the old thumbnail').to.equal(404);
    const crop = { left: 0, top: 0, width: 0.5, height: 0.5 };
    const cropped = (await edit(first.id, { turn: 90, crop })).body.data.media;
    expect(cropped).to.include({ width: 50, height: 100 });
    expect(await colour(cropped.url, 0.9, 0.9)).to.equal('100');
    expect(await sharp(await bytesOf(cropped.thumbnail_url)).metadata()).to.include({
      width: 50,
      height: 100,
    });
    expect((await fetch(media.url)).status, 'the picture before').to.equal(404);
    const got = await service.get(`/api/v1/media/${first.id}/edit`, token);
    expect(got.body.data.edit).to.deep.equal({ turn: 90, crop });
    const again = (await edit(first.id, { turn: 0, crop: null })).body.data.media;
    expect(again).to.include({ url: first.url, width: 200, height: 100, size: first.size });
    expect((await bytesOf(again.url)).length).to.equal(first.size);
    expect(await knex()('media').where('id', first.id).first('original_key', 'edit')).to.deep.equal({
      original_key: null,
      edit: null,
    });
  });

  it('keeps its original from the sweep, and gets its own medium size', async () => {
    const { id, url } = await upload(await flag());
    await edit(id, { turn: 180, crop: null });
    const folder = folderOf(service);
    await sweepOrphans({ knex: knex(), storage: folder, log: openLog('silent', 'test') }, 0);
    expect(await folder.head(url.split('/').at(-1)!)).not.to.equal(null);
    const workshop = { resize: async () => ({ kind: 'broken' as const }) };
    await makeMediumImages({ knex: knex(), storage: folder, workshop });
    const row = await knex()('media').where('id', id).first();
    expect(row.medium_key).to.equal(row.file_key);
    const back = await edit(id, { turn: 0, crop: null });
    expect([back.status, back.body.data.media.url]).to.deep.equal([200, url]);
  });

  it('refuses what is no edit, what is no picture, and what is others’', async () => {
    const { id } = await upload(await flag());
    for (const body of [
      { turn: 45, crop: null },
      { turn: 0, crop: { left: 0.6, top: 0, width: 0.6, height: 1 } },
      { turn: 0, crop: { left: 0, top: 0, width: 0, height: 1 } },
      { turn: 0, crop: { left: 0, top: 0, width: 2, height: 1 } },
      { turn: 0 },
    ])
      expect((await edit(id, body)).status, JSON.stringify(body)).to.equal(422);
    const document = await sendForm(service, uploadForm({ bytes: aPdf(), modelId: lotId }), bearer(token));
    expect((await edit(document.body.data.id, { turn: 90, crop: null })).status).to.equal(422);
    const stranger = await service.tokenFor(await aUser(service.database), ['write']);
    const others = await edit(id, { turn: 90, crop: null }, stranger);
    expect([others.status, others.body.code]).to.deep.equal([403, 'media_not_owned']);
    expect((await edit(99_999_999, { turn: 90, crop: null })).status).to.equal(404);
  });

  it('is fixed once its lot has a bid, but for one that an amendment is still to name', async () => {
    const auction = await anAuction(service.database, {
      user_id: (
        await knex()('lots')
          .join('auctions', 'auctions.id', 'auction_id')
          .where('lots.id', lotId)
          .first('user_id')
      ).user_id,
    });
    const { id: sold } = await aLot(service.database, { auction_id: auction.id });
    const shown = await upload(await flag(), sold);
    await service.publish();
    const bidder = await service.tokenFor(await aUser(service.database), ['write']);
    const bid = await service.call('POST', `/api/v1/lots/${sold}/bids`, {
      token: bidder,
      body: { amount: '100.00' },
    });
    expect(bid.status, bid.text).to.equal(201);
    const fixed = await edit(shown.id, { turn: 90, crop: null });
    expect([fixed.status, fixed.body.code]).to.deep.equal([409, 'lot_locked']);
    const fresh = await upload(await flag(), sold);
    expect((await edit(fresh.id, { turn: 90, crop: null })).status).to.equal(200);
  });

  it('is not exchanged where a bid comes while it is made', async () => {
    const { id } = await upload(await flag());
    const workshop = new ImageWorkshop();
    let hasBid = false;
    const parts = {
      knex: knex(),
      storage: folderOf(service),
      isFixed: async () => hasBid,
      workshop: {
        async prepare(work: PrepareWork) {
          const made = await workshop.prepare(work);
          hasBid = true;
          return made;
        },
      },
    };
    const before = await knex()('media').where({ id }).first();
    const seller = { userId, isAdmin: false, lockedTeamIds: [] };
    const ended = await editPicture(parts, id, { turn: 90, crop: null }, seller).catch(
      (error: Error) => error,
    );
    workshop.close();
    expect(ended).to.include({ code: 'lot_locked' });
    expect(await knex()('media').where({ id }).first()).to.deep.equal(before);
  });
});
