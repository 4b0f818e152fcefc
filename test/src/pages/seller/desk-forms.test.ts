import { expect } from 'chai';
import { BrowserLike } from '../../../support/browser-like.ts';
import { aLot, anAuction } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { aPicture } from '../../../support/media.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, errorBeside, formOf } from './seller-at-desk.ts';

const DAY_MS = 86_400_000;
const local = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 16);

describe('the forms of the seller’s desk, without JavaScript', function () {
  this.timeout(60_000);
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
      'soft_close.window_seconds': '60',
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

  it('tell each refusal of an auction beside its field, and lose nothing that was typed', async () => {
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
      ['soft_close.window_seconds', '86401'],
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

  it('send only what was changed, so that an old form takes nothing back', async () => {
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
    const asked = await seller.browser.post('/seller/lots', { ...fields, step: 'fields' });
    expect(asked.text).to.contain('Engine hours').and.to.contain('value="Deere"');
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

  it('tell each refusal of a lot beside its field', async () => {
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
      ['consignor_id', '99999999'],
      ['location.country', 'usa'],
      ['location.lat', '91'],
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
    const past = await seller.browser.post(`${path}/publish`, { without_pictures: 'yes' });
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

  it('take pictures in, move and delete them, and refuse what is none', async () => {
    const id = await aDraft();
    const lot = await aLot(service.database, { auction_id: id, status: 'draft' });
    const owner = { model_type: 'lot', model_id: String(lot.id) };
    await seller.browser.get(`/seller/lots/${lot.id}`);
    const upload = async (bytes: Uint8Array, token = seller.browser.csrfToken) => {
      const form = new FormData();
      for (const [name, text] of Object.entries({ ...owner, _csrf: token })) form.set(name, text);
      form.set('file', new Blob([new Uint8Array(bytes)]), 'one.jpg');
      return seller.browser.send('POST', '/seller/media', {}, form);
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
    await seller.browser.get(`/seller/lots/${lot.id}`);
    await seller.browser.post('/seller/media/order', { ...owner, media_id: String(second), move: 'earlier' });
    expect(await ids()).to.deep.equal([second, first]);
    await seller.browser.post('/seller/media/delete', { ...owner, media_id: String(second) });
    expect(await ids()).to.deep.equal([first]);
    await stranger.browser.get('/seller');
    const taken = await stranger.browser.post('/seller/media/delete', { ...owner, media_id: String(first) });
    expect(taken.status).to.equal(403);
    expect(await ids()).to.deep.equal([first]);
  });

  it('change many at once, and say which of them were refused', async () => {
    const id = await aDraft();
    const lots = [
      await aLot(service.database, { auction_id: id, status: 'draft' }),
      await aLot(service.database, { auction_id: id, status: 'draft' }),
    ];
    const ticked = Object.fromEntries(lots.map((lot) => [`lot-${lot.id}`, 'on']));
    await seller.browser.get('/seller/lots');
    const priced = await seller.browser.post('/seller/lots/many', {
      ...ticked,
      deed: 'starting_bid',
      value: '12.50',
    });
    expect(priced.text).to.contain('2 of 2 changed.');
    expect(await knex()('lots').where('auction_id', id).pluck('starting_bid_cents')).to.deep.equal([
      1_250, 1_250,
    ]);
    const wrong = await seller.browser.post('/seller/lots/many', {
      ...ticked,
      deed: 'starting_bid',
      value: 'x',
    });
    expect(wrong.text).to.contain('0 of 2 changed.');
    await stranger.browser.get('/seller/lots');
    const theirs = await stranger.browser.post('/seller/lots/many', { ...ticked, deed: 'delete' });
    expect(theirs.status).to.equal(404);
    const deleted = await seller.browser.post('/seller/lots/many', { ...ticked, deed: 'delete' });
    expect(deleted.text).to.contain('2 of 2 changed.');
    expect((await seller.browser.post('/seller/lots/many', { deed: 'delete' })).text).to.contain(
      'Nothing was selected.',
    );
  });

  describe('import lots', () => {
    const bring = async (auctionId: number, text: string | Uint8Array) => {
      await seller.browser.get(`/seller/auctions/${auctionId}/import`);
      const form = new FormData();
      form.set('_csrf', seller.browser.csrfToken);
      form.set('file', new Blob([typeof text === 'string' ? text : new Uint8Array(text)]), 'lots.csv');
      return seller.browser.send('POST', `/seller/auctions/${auctionId}/import`, {}, form);
    };
    const settled = (path: string) =>
      eventually(async () => !(await seller.browser.get(path)).text.includes('Progress of the import'));

    it('shows a file, guesses its columns, tells errors by line and column, and takes all or nothing', async () => {
      const id = await aDraft('Import');
      const text =
        'Lot no,Name,Opening bid,Colour,Quantity\n1,Plough,10.00,red,1\n2,,20.00,blue,none\n3,Rake,x,green,1\n';
      const brought = await bring(id, text);
      expect(brought.status, brought.text).to.equal(303);
      const path = brought.location ?? '';
      const preview = await seller.browser.get(path);
      expect(preview.text).to.contain('Plough');
      expect(formOf(preview, path)).to.include({
        'column-0': 'lot_number',
        'column-1': 'title',
        'column-2': 'starting_bid',
        'column-3': '',
        'column-4': 'quantity',
      });
      await seller.browser.post(path, { ...formOf(preview, path), deed: 'import' });
      await settled(path);
      const refused = await seller.browser.get(path);
      const told = [...refused.text.matchAll(/<td class="num">(\d+)<\/td><td><code>([^<]+)/g)].map((m) => [
        m[1],
        m[2],
      ]);
      expect(told).to.have.deep.members([
        ['3', 'title'],
        ['3', 'quantity'],
        ['4', 'starting_bid'],
      ]);
      expect(await knex()('lots').where('auction_id', id)).to.have.length(0);
      const second = await bring(id, 'title,starting_bid,Hue\nPlough,10,red\nRake,20,green\n');
      const next = second.location ?? '';
      const form = formOf(await seller.browser.get(next), next);
      await seller.browser.post(next, { ...form, deed: 'check' });
      await settled(next);
      expect((await seller.browser.get(next)).text).to.contain('Every row is right.');
      expect(await knex()('lots').where('auction_id', id)).to.have.length(0);
      await Promise.all([
        seller.browser.post(next, { ...form, deed: 'import' }),
        seller.browser.post(next, { ...form, deed: 'import' }),
      ]);
      await settled(next);
      expect((await seller.browser.get(next)).text).to.contain('2 lots imported.');
      expect(await knex()('lots').where('auction_id', id).orderBy('lot_number').pluck('title')).to.deep.equal(
        ['Plough', 'Rake'],
      );
      await stranger.browser.get('/seller');
      expect((await stranger.browser.get(next)).status).to.equal(404);
    });

    it('refuses what is no list of lots, and has a template with the fields of the category', async () => {
      const id = await aDraft();
      for (const text of ['', 'title,"starting', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0xff])]) {
        const page = await bring(id, text);
        expect(page.status, String(text)).to.equal(422);
        expect(errorBeside(page, 'file')).to.be.a('string');
      }
      await knex()('auctions').where({ id }).update({ category_id: categoryId });
      const file = await seller.browser.get(`/seller/auctions/${id}/import/template.csv`);
      expect(file.text).to.match(/^title,starting_bid,.*custom_fields\.drive,custom_fields\.hours\r\n$/);
    });

    it('stops where it is asked to, with nothing taken', async () => {
      const id = await aDraft();
      const rows = Array.from({ length: 1_500 }, (_, index) => `Thing ${index},1`).join('\n');
      const path = (await bring(id, `title,starting_bid\n${rows}\n`)).location ?? '';
      const form = formOf(await seller.browser.get(path), path);
      await seller.browser.post(path, { ...form, deed: 'import' });
      await seller.browser.post(path, { deed: 'cancel' });
      await settled(path);
      expect((await seller.browser.get(path)).text).to.contain('Cancelled. Nothing was taken.');
      expect(await knex()('lots').where('auction_id', id)).to.have.length(0);
    });
  });

  describe('are for the team alone', () => {
    it('send visitors to sign in, and show another team’s things to nobody', async () => {
      const id = await aDraft();
      const lot = await aLot(service.database, { auction_id: id, status: 'draft' });
      const visitor = new BrowserLike(service.url);
      for (const path of [
        `/seller/auctions/${id}`,
        `/seller/auctions/${id}/edit`,
        `/seller/lots/${lot.id}`,
        `/seller/auctions/${id}/import`,
      ]) {
        expect((await visitor.get(path)).location, path).to.equal(
          `/sign-in?next=${encodeURIComponent(path)}`,
        );
        expect((await stranger.browser.get(path)).status, path).to.equal(404);
        expect((await seller.browser.get(path)).status, path).to.equal(200);
      }
      for (const [path, fields] of [
        [`/seller/auctions/${id}/edit`, { title: 'Mine' }],
        [`/seller/auctions/${id}/publish`, {}],
        [`/seller/auctions/${id}/status`, { status: 'cancelled' }],
        [`/seller/auctions/${id}/delete`, {}],
        [`/seller/lots/${lot.id}`, { title: 'Mine' }],
        [`/seller/lots/${lot.id}/status`, { status: 'deleted' }],
        ['/seller/lots', { auction_id: String(id), title: 'Mine', starting_bid: '1' }],
      ] as const) {
        expect((await stranger.browser.post(path, fields)).status, path).to.equal(404);
      }
      expect(await knex()('auctions').where({ id }).first()).to.include({ status: 'draft', title: 'Draft' });
    });

    it('change hands with the choice of team, for teams that one is in', async () => {
      const page = await seller.browser.get('/seller');
      expect(page.text).to.match(/<label>Team <select name="team"/);
      const personal = await knex()('teams').where('personal_user_id', seller.user.id).first();
      const gone = await seller.browser.post('/seller/team', {
        team: String(personal.id),
        back: '/seller/lots/7',
      });
      expect(gone.location).to.equal('/seller/lots');
      await eventually(async () =>
        (await seller.browser.get('/seller')).text.includes('is not approved yet'),
      );
      expect((await seller.browser.post('/seller/team', { team: String(stranger.team.id) })).status).to.equal(
        403,
      );
      await seller.browser.post('/seller/team', { team: String(seller.team.id) });
      await eventually(
        async () => !(await seller.browser.get('/seller')).text.includes('is not approved yet'),
      );
    });

    it('are closed to whoever is suspended, or in no team', async () => {
      const other = await aSellerAtDesk(service);
      await other.browser.get('/seller/auctions/new');
      await knex()('users').where('id', other.user.id).update({ suspended_at: new Date() });
      const notes = () => other.browser.post('/seller/auctions/many', {});
      await eventually(async () => (await notes()).status === 403);
      expect((await other.browser.post('/seller/auctions', auctionFields())).status).to.equal(403);
      expect(await knex()('auctions').where('team_id', other.team.id)).to.have.length(0);
      const lonely = await aSellerAtDesk(service);
      await knex()('memberships').where('user_id', lonely.user.id).delete();
      await eventually(async () =>
        (await lonely.browser.get('/seller')).text.includes('You are in no seller’s team yet'),
      );
    });
  });
});
