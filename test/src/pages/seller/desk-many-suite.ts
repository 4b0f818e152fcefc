/** Pictures, changes of many lots at once, and imports at the seller’s desk. */

import { expect } from 'chai';
import type { Knex } from 'knex';
import { aLot } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { aPicture } from '../../../support/media.ts';
import type { Service } from '../../../support/service.ts';
import { type AtDesk, errorBeside, formOf } from './seller-at-desk.ts';

/** What the tests have from their service. */
export interface DeskManyWorld {
  readonly aDraft: (title?: string) => Promise<number>;
  readonly service: Service;
  readonly seller: AtDesk;
  readonly knex: () => Knex;
  readonly stranger: AtDesk;
  readonly categoryId: number;
}

/** Pictures, changes of many lots at once, and imports at the seller’s desk. */
export function deskManySuite(world: DeskManyWorld): void {
  const { aDraft, knex } = world;

  it('take pictures in, move and delete them, and refuse what is none', async () => {
    const id = await aDraft();
    const lot = await aLot(world.service.database, { auction_id: id, status: 'draft' });
    const owner = { model_type: 'lot', model_id: String(lot.id) };
    await world.seller.browser.get(`/seller/lots/${lot.id}`);
    const upload = async (bytes: Uint8Array, token = world.seller.browser.csrfToken) => {
      const form = new FormData();
      for (const [name, text] of Object.entries({ ...owner, _csrf: token })) form.set(name, text);
      form.set('file', new Blob([new Uint8Array(bytes)]), 'one.jpg');
      return world.seller.browser.send('POST', '/seller/media', {}, form);
    };
    const picture = await aPicture('jpeg');
    expect((await upload(picture, 'forged')).status).to.equal(403);
    expect((await upload(picture)).status).to.equal(303);
    expect((await upload(picture)).status).to.equal(303);
    const gif = await upload(await aPicture('gif'));
    expect(gif.status).to.equal(415);
    expect(gif.text).to.contain('role="alert"');
    const ids = () => knex()('media').where('lot_id', lot.id).orderBy('position').pluck('id');
    const [first, second] = await ids();
    await world.seller.browser.get(`/seller/lots/${lot.id}`);
    await world.seller.browser.post('/seller/media/order', {
      ...owner,
      media_id: String(second),
      move: 'earlier',
    });
    expect(await ids()).to.deep.equal([second, first]);
    await world.seller.browser.post('/seller/media/delete', { ...owner, media_id: String(second) });
    expect(await ids()).to.deep.equal([first]);
    await world.stranger.browser.get('/seller');
    const taken = await world.stranger.browser.post('/seller/media/delete', {
      ...owner,
      media_id: String(first),
    });
    expect(taken.status).to.equal(403);
    expect(await ids()).to.deep.equal([first]);
  });

  it('change many at once, and say which of them were refused', async () => {
    const id = await aDraft();
    const lots = [
      await aLot(world.service.database, { auction_id: id, status: 'draft' }),
      await aLot(world.service.database, { auction_id: id, status: 'draft' }),
    ];
    const ticked = Object.fromEntries(lots.map((lot) => [`lot-${lot.id}`, 'on']));
    await world.seller.browser.get('/seller/lots');
    const priced = await world.seller.browser.post('/seller/lots/many', {
      ...ticked,
      action: 'starting_bid',
      value: '12.50',
    });
    expect(priced.text).to.contain('2 of 2 changed.');
    expect(await knex()('lots').where('auction_id', id).pluck('starting_bid_cents')).to.deep.equal([
      1_250, 1_250,
    ]);
    const wrong = await world.seller.browser.post('/seller/lots/many', {
      ...ticked,
      action: 'starting_bid',
      value: 'x',
    });
    expect(wrong.text).to.contain('0 of 2 changed.');
    await world.stranger.browser.get('/seller/lots');
    const theirs = await world.stranger.browser.post('/seller/lots/many', { ...ticked, action: 'delete' });
    expect(theirs.status).to.equal(404);
    const deleted = await world.seller.browser.post('/seller/lots/many', { ...ticked, action: 'delete' });
    expect(deleted.text).to.contain('2 of 2 changed.');
    expect((await world.seller.browser.post('/seller/lots/many', { action: 'delete' })).text).to.contain(
      'Nothing was selected.',
    );
  });

  it('asks of a lot what every lot needs, and of land what land is', async () => {
    const id = await aDraft();
    await knex()('auctions').where({ id }).update({ category_id: world.categoryId });
    const asked = async () => {
      const { text } = await world.seller.browser.get(`/seller/lots/new?auction_id=${id}`);
      return text.split('<details class="folded"')[0] ?? '';
    };
    expect(await asked())
      .to.contain('What may it cost?')
      .and.contain('custom_fields.hours')
      .and.not.contain('name="consignor"')
      .and.not.contain('name="land.acres"');
    await aLot(world.service.database, { auction_id: id, acres: '40', status: 'draft' });
    expect(await asked()).to.contain('name="land.acres"');
    await knex()('lots').where('auction_id', id).delete();
  });

  describe('import lots', () => {
    const bring = async (auctionId: number, text: string | Uint8Array) => {
      await world.seller.browser.get(`/seller/auctions/${auctionId}/import`);
      const form = new FormData();
      form.set('_csrf', world.seller.browser.csrfToken);
      form.set('file', new Blob([typeof text === 'string' ? text : new Uint8Array(text)]), 'lots.csv');
      return world.seller.browser.send('POST', `/seller/auctions/${auctionId}/import`, {}, form);
    };
    const settled = (path: string) =>
      eventually(async () => !(await world.seller.browser.get(path)).text.includes('Progress of the import'));

    it('shows a file, guesses its columns, tells errors by line and column, and takes all or nothing', async () => {
      const id = await aDraft('Import');
      const text =
        'Lot no,Name,Opening bid,Colour,Quantity\n1,Plough,10.00,red,1\n2,,20.00,blue,none\n3,Rake,x,green,1\n';
      const brought = await bring(id, text);
      expect(brought.status, brought.text).to.equal(303);
      const path = brought.location ?? '';
      const preview = await world.seller.browser.get(path);
      expect(preview.text).to.contain('Plough');
      expect(formOf(preview, path)).to.include({
        'column-0': 'lot_number',
        'column-1': 'title',
        'column-2': 'starting_bid',
        'column-3': '',
        'column-4': 'quantity',
      });
      await world.seller.browser.post(path, { ...formOf(preview, path), action: 'import' });
      await settled(path);
      const refused = await world.seller.browser.get(path);
      const reported = [
        ...refused.text.matchAll(/<td class="num"[^>]*>(\d+)<\/td><td[^>]*><strong>([^<]+)/g),
      ].map((m) => [m[1], m[2]]);
      expect(reported).to.have.deep.members([
        ['3', 'Title'],
        ['3', 'Quantity'],
        ['4', 'Starting bid'],
      ]);
      // By the column's own name in the file, and with what the file says there.
      expect(refused.text)
        .to.match(/“Quantity”<\/span><\/td><td[^>]*><q translate="no">none<\/q>/)
        .and.match(
          /Starting bid<\/strong> <span [^>]*>“Opening bid”<\/span><\/td><td[^>]*><q translate="no">x<\/q>/,
        )
        .and.contain('Quantity must be a whole number.')
        .and.contain('>Starting bid</option>')
        .and.not.contain('starting_bid field');
      expect(await knex()('lots').where('auction_id', id)).to.have.length(0);
      const second = await bring(id, 'title,starting_bid,Hue\nPlough,10,red\nRake,20,green\n');
      const next = second.location ?? '';
      const form = formOf(await world.seller.browser.get(next), next);
      await world.seller.browser.post(next, { ...form, action: 'check' });
      await settled(next);
      expect((await world.seller.browser.get(next)).text).to.contain('Every row is valid.');
      expect(await knex()('lots').where('auction_id', id)).to.have.length(0);
      await Promise.all([
        world.seller.browser.post(next, { ...form, action: 'import' }),
        world.seller.browser.post(next, { ...form, action: 'import' }),
      ]);
      await settled(next);
      expect((await world.seller.browser.get(next)).text).to.contain('2 lots imported.');
      expect(await knex()('lots').where('auction_id', id).orderBy('lot_number').pluck('title')).to.deep.equal(
        ['Plough', 'Rake'],
      );
      await world.stranger.browser.get('/seller');
      expect((await world.stranger.browser.get(next)).status).to.equal(404);
    });

    it('calls fields as the form does, beside their names, and knows columns by both', async () => {
      const id = await aDraft();
      const { text } = await world.seller.browser.get(`/seller/auctions/${id}/import`);
      for (const [label, name] of [
        ['Low estimate', 'estimate_low'],
        ['Buy-now price', 'buy_now_price'],
        ['Number of units', 'units'],
        ['APN', 'land.apn'],
      ])
        expect(text).to.contain(`<th scope="row">${label}</th><td><code translate="no">${name}</code></td>`);
      const path = (await bring(id, 'Title,Starting bid,Low estimate,APN,Buy-now price\nPlough,10,5,7,90\n'))
        .location;
      expect(formOf(await world.seller.browser.get(path ?? ''), path ?? '')).to.include({
        'column-1': 'starting_bid',
        'column-2': 'estimate_low',
        'column-3': 'land.apn',
        'column-4': 'buy_now_price',
      });
    });

    it('refuses what is no list of lots, and has a template with the fields of the category', async () => {
      const id = await aDraft();
      for (const text of ['', 'title,"starting', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0xff])]) {
        const page = await bring(id, text);
        expect(page.status, String(text)).to.equal(422);
        expect(errorBeside(page, 'file')).to.be.a('string');
      }
      await knex()('auctions').where({ id }).update({ category_id: world.categoryId });
      const file = await world.seller.browser.get(`/seller/auctions/${id}/import/template.csv`);
      expect(file.text).to.match(/^title,starting_bid,.*custom_fields\.drive,custom_fields\.hours\r\n$/);
    });

    it('stops on request, without accepting anything', async () => {
      const id = await aDraft();
      const rows = Array.from({ length: 1_500 }, (_, index) => `Thing ${index},1`).join('\n');
      const path = (await bring(id, `title,starting_bid\n${rows}\n`)).location ?? '';
      const form = formOf(await world.seller.browser.get(path), path);
      await world.seller.browser.post(path, { ...form, action: 'import' });
      await world.seller.browser.post(path, { action: 'cancel' });
      await settled(path);
      expect((await world.seller.browser.get(path)).text).to.contain('Cancelled. Nothing was imported.');
      expect(await knex()('lots').where('auction_id', id)).to.have.length(0);
    });
  });
}
