import { expect } from 'chai';
import type { BrowserLike } from '../../../support/browser-like.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { aPicture } from '../../../support/media.ts';
import { type Service, startService } from '../../../support/service.ts';
import { deskAccessSuite } from './desk-access-suite.ts';
import { deskManySuite } from './desk-many-suite.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

const DAY_MS = 86_400_000;
const local = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 16);

describe('the forms of the seller’s desk, without JavaScript', () => {
  let service: Service;
  let seller: AtDesk;
  let stranger: AtDesk;
  let categoryId: number;
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    [seller, stranger] = await Promise.all([aSellerAtDesk(service), aSellerAtDesk(service)]);
    const schema = {
      type: 'object',
      properties: {
        hours: { type: 'integer', title: 'Engine hours', minimum: 0, maximum: 9_000 },
        drive: { type: 'string', title: 'Drive', enum: ['2WD', '4WD'] },
      },
      required: ['hours'],
    };
    const [row] = await knex()('categories')
      .insert({ slug: 'tractors', name: 'Tractors', position: 1, schema: JSON.stringify(schema) })
      .returning('id');
    categoryId = row.id;
  });
  after(() => service.close());

  const auctionFields = (more: Record<string, string> = {}) => ({
    title: 'Spring sale',
    start_time: local(1),
    end_time: local(2),
    timezone: 'UTC',
    ...more,
  });

  /** Fills the form of a page in and sends it. */
  async function send(browser: BrowserLike, path: string, action: string, filled: Record<string, string>) {
    const page = await browser.get(path);
    return browser.post(action, { ...formOf(page, action), ...filled });
  }

  async function aDraft(title = 'Draft'): Promise<number> {
    const made = await send(
      seller.browser,
      '/seller/auctions/new',
      '/seller/auctions',
      auctionFields({ title }),
    );
    expect(made.status, made.text).to.equal(303);
    return Number(/auctions\/(\d+)/.exec(made.location ?? '')?.[1]);
  }

  it('make an auction with every setting, by the clocks of its zone', async () => {
    const made = await send(seller.browser, '/seller/auctions/new', '/seller/auctions', {
      ...auctionFields({
        timezone: 'America/Chicago',
        start_time: '2027-07-01T10:00',
        end_time: '2027-07-02T10:00',
      }),
      'registration.mode': 'deposit',
      'registration.deposit_amount': '250.00',
      'registration.require_verified': 'true',
      'soft_close.window_seconds': '1',
      'increments.0.from': '0.00',
      'increments.0.increment': '7.50',
      buyer_premium_percentage: '12.5',
      category_id: String(categoryId),
    });
    expect(made.status, made.text).to.equal(303);
    const row = await knex()('auctions').where('team_id', seller.team.id).orderBy('id', 'desc').first();
    expect(row).to.include({
      start_time: '2027-07-01T15:00:00.000000Z',
      registration_mode: 'deposit',
      registration_deposit_cents: 25_000,
      registration_require_verified: true,
      soft_close_window_seconds: 60,
      buyer_premium_bps: 1_250,
      category_id: categoryId,
      status: 'draft',
    });
    expect(row.increments).to.deep.equal([{ from_cents: 0, increment_cents: 750 }]);
  });

  it('tell each refusal of an auction next to its field, and lose nothing that was typed', async () => {
    for (const [field, text] of [
      ['title', ''],
      ['start_time', ''],
      ['end_time', local(0.5)],
      ['end_time', '1999-01-01'],
      ['timezone', 'Mars/Olympus'],
      ['currency', 'dollars'],
      ['buyer_premium_percentage', '101'],
      ['sales_tax_percentage', 'lots'],
      ['stagger_seconds', '-1'],
      ['stagger_seconds', 'soon'],
      ['confirm_factor', 'twice'],
      ['category_id', '99999999'],
      ['soft_close.window_seconds', '1441'],
      ['soft_close.extension_seconds', 'five'],
      ['registration.deposit_amount', '1.234'],
      ['registration.bid_limit', '0'],
      ['increments.0.from', '5'],
    ] as const) {
      const typed = auctionFields({
        description: 'Kept <as> typed',
        'increments.0.increment': '5',
        [field]: text,
      });
      const page = await send(seller.browser, '/seller/auctions/new', '/seller/auctions', {
        ...(field.startsWith('increments') ? {} : { 'increments.0.from': '0' }),
        ...typed,
      });
      const what = `${field}=${text}`;
      expect(page.status, what).to.equal(422);
      expect(errorBeside(page, field), what).to.be.a('string');
      expect(page.text, what).to.contain('role="alert"').and.to.contain('Kept &lt;as&gt; typed');
      expect(formOf(page, '/seller/auctions')['increments.0.increment'], what).to.equal('5');
    }
  });

  it('send only what was changed, so that an old form reverts nothing', async () => {
    const id = await aDraft();
    const path = `/seller/auctions/${id}/edit`;
    const page = await seller.browser.get(path);
    await knex()('auctions').where({ id }).update({ description: 'Changed meanwhile', stagger_seconds: 30 });
    const saved = await seller.browser.post(path, { ...formOf(page, path), title: 'Renamed' });
    expect(saved.status, saved.text).to.equal(303);
    const row = await knex()('auctions').where({ id }).first();
    expect(row).to.include({ title: 'Renamed', description: 'Changed meanwhile', stagger_seconds: 30 });
    const cleared = await send(seller.browser, path, path, {
      'soft_close.max_extensions': '3',
      description: '',
    });
    expect(cleared.status, cleared.text).to.equal(303);
    expect(await knex()('auctions').where({ id }).first()).to.include({
      soft_close_max_extensions: 3,
      soft_close_window_seconds: 300,
    });
  });

  it('make and change a lot with its category’s fields', async () => {
    const auctionId = await aDraft('Tractors');
    const fields = {
      auction_id: String(auctionId),
      title: 'Deere',
      starting_bid: '100',
      category_id: String(categoryId),
    };
    const posted = await seller.browser.post('/seller/lots', { ...fields, step: 'fields' });
    expect(posted.text).to.contain('Engine hours').and.to.contain('value="Deere"');
    const refused = await seller.browser.post('/seller/lots', { ...fields, 'custom_fields.hours': '9001' });
    expect(refused.status).to.equal(422);
    expect(errorBeside(refused, 'custom_fields.hours')).to.be.a('string');
    const made = await seller.browser.post('/seller/lots', {
      ...fields,
      'custom_fields.hours': '12',
      'custom_fields.drive': '4WD',
      'land.road_access': 'true',
      'land.utilities': 'water\nelectricity',
      'location.city': 'Ames',
    });
    expect(made.status, made.text).to.equal(303);
    const path = (made.location ?? '').split('?')[0] ?? '';
    const lot = await knex()('lots').where('auction_id', auctionId).first();
    expect(lot).to.include({ title: 'Deere', starting_bid_cents: 10_000, road_access: true, city: 'Ames' });
    expect(lot.custom_fields).to.deep.equal({ hours: 12, drive: '4WD' });
    expect(lot.utilities).to.deep.equal(['water', 'electricity']);
    const changed = await send(seller.browser, path, path, {
      reserve_price: '500.00',
      'custom_fields.drive': '2WD',
    });
    expect(changed.status, changed.text).to.equal(303);
    const now = await knex()('lots').where('id', lot.id).first();
    expect(now.custom_fields).to.deep.equal({ hours: 12, drive: '2WD' });
    expect(now).to.include({ reserve_price_cents: 50_000, city: 'Ames' });
  });

  it('tell each refusal of a lot next to its field', async () => {
    const auctionId = await aDraft();
    await aLot(service.database, { auction_id: auctionId, lot_number: 7, status: 'draft' });
    for (const [field, text] of [
      ['auction_id', ''],
      ['title', ''],
      ['starting_bid', ''],
      ['starting_bid', '0'],
      ['starting_bid', 'a lot'],
      ['lot_number', '7'],
      ['reserve_price', '1,5'],
      ['quantity', '0'],
      ['consignor', '99999999'],
      ['consignor', 'Nobody of that name'],
      ['location.country', 'usa'],
      ['location.place', 'Nowhere at all'],
      ['location.place', 'Springfield'],
      ['land.acres', 'many'],
    ] as const) {
      const page = await send(seller.browser, `/seller/lots/new?auction_id=${auctionId}`, '/seller/lots', {
        ...{ title: 'Kept', starting_bid: '5', description: 'Long words' },
        [field]: text,
      });
      expect(page.status, `${field}=${text}`).to.equal(422);
      expect(errorBeside(page, field), `${field}=${text}`).to.be.a('string');
      expect(page.text).to.contain('Long words');
    }
  });

  it('publish an auction, and say what it lacks', async () => {
    const id = await aDraft('To publish');
    const path = `/seller/auctions/${id}`;
    await seller.browser.get(path);
    const empty = await seller.browser.post(`${path}/publish`, {});
    expect(empty.status).to.equal(422);
    expect(empty.text).to.contain('The auction has no lots.');
    const lot = await aLot(service.database, { auction_id: id, status: 'draft' });
    const bare = await seller.browser.post(`${path}/publish`, {});
    expect(bare.text).to.contain('One lot has no picture.').and.to.contain('Publish without pictures');
    await knex()('auctions')
      .where({ id })
      .update({ end_time: new Date(0), start_time: new Date(-1) });
    const past = await seller.browser.post(`${path}/publish`, { as_it_is: 'yes' });
    expect(past.text).to.contain('The end is in the past.');
    const end = new Date(Date.now() + DAY_MS);
    await knex()('auctions').where({ id }).update({ end_time: end });
    const form = new FormData();
    form.set('_csrf', seller.browser.csrfToken);
    form.set('model_type', 'lot');
    form.set('model_id', String(lot.id));
    form.set('file', new Blob([new Uint8Array(await aPicture('jpeg'))]), 'front.jpg');
    const stored = await seller.browser.send('POST', '/seller/media', {}, form);
    expect(stored.status, stored.text).to.equal(303);
    expect((await seller.browser.get(path)).text).to.contain('Nothing is missing.');
    const published = await seller.browser.post(`${path}/publish`, {});
    expect(published.location, published.text).to.equal(`${path}?done=scheduled`);
    const beginner = await aSellerAtDesk(service, { approved: false });
    const theirs = await anAuction(service.database, { team_id: beginner.team.id, status: 'draft' });
    await beginner.browser.get('/seller');
    const unready = await beginner.browser.post(`/seller/auctions/${theirs.id}/publish`, {});
    expect(unready.text).to.contain('The team is not approved yet');
  });

  deskManySuite({
    aDraft,
    get service() {
      return service;
    },
    get seller() {
      return seller;
    },
    knex,
    get stranger() {
      return stranger;
    },
    get categoryId() {
      return categoryId;
    },
  });
  deskAccessSuite({
    aDraft,
    get service() {
      return service;
    },
    get stranger() {
      return stranger;
    },
    get seller() {
      return seller;
    },
    knex,
    auctionFields,
  });
});
