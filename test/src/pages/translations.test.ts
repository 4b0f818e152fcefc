/** Sellers' texts on pages in the reader's language, with the original where there is none, and the seller's forms. */
import { expect } from 'chai';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { paymentOf, projectAuction, report, sell } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf } from './seller/seller-at-desk.ts';

const PASSWORD = 'a long enough password';

describe('what sellers say in other languages, on pages', () => {
  let service: Service;
  let desk: AtDesk;
  let lotId: number;
  let auction: { id: number; slug: string };

  before(async () => {
    service = await startService();
    desk = await aSellerAtDesk(service);
    auction = await anAuction(service.database, {
      ...{ team_id: desk.team.id, title: 'Sale of tables', description: 'All of oak' },
      translations: { de: { title: 'Tische zu Linz', description: 'Alle aus Eiche' } },
    });
    const translations = { de: { title: 'Ein Eichentisch', description: 'Rund & alt', condition: 'gut' } };
    const words = { title: 'An oak table', description: 'Round', condition: 'good' };
    lotId = (await aLot(service.database, { auction_id: auction.id, ...words, translations })).id;
    await aLot(service.database, { auction_id: auction.id, title: 'A chair' });
    await service.publish();
  });
  after(() => service.close());

  const pageIn = async (language: string, path: string) => {
    const browser = new BrowserLike(service.url, { 'accept-language': language });
    return (await browser.get(path)).text;
  };

  it('are in the reader’s language on the page of a lot', async () => {
    const german = await pageIn('de', `/lots/${lotId}`);
    expect(german).to.contain('<h1>Ein Eichentisch</h1>').and.contain('<title>Ein Eichentisch ·');
    expect(german)
      .to.contain('Rund &amp; alt')
      .and.contain('<dd>gut</dd>')
      .and.contain('>Tische zu Linz</a>');
    expect(german).not.to.contain('oak');
    const english = await pageIn('en', `/lots/${lotId}`);
    expect(english).to.contain('<h1>An oak table</h1>').and.contain('>Sale of tables</a>');
    expect(english).not.to.contain('Eiche');
  });

  it('are as the seller said them where there are none, marked as of no known language', async () => {
    const french = await pageIn('fr', `/lots/${lotId}`);
    expect(french).to.contain('<h1 lang="">An oak table</h1>').and.contain('<div class="prose" lang="">');
  });

  it('are marked as of the language that the seller writes in', async () => {
    const { database } = service;
    const form = await desk.browser.get('/seller/auctions/new');
    const fields = formOf(form, '/seller/auctions');
    expect(fields['language']).to.equal('en');
    const moments = { start_time: '2030-01-01T10:00', end_time: '2030-01-02T10:00' };
    const words = { title: 'Vente de tables', description: 'De chêne', language: 'fr' };
    const made = await desk.browser.post('/seller/auctions', { ...fields, ...moments, ...words });
    expect(made.status, made.text).to.equal(303);
    const { id } = await database.knex('auctions').where('title', words.title).first('id');
    const token = await service.tokenFor(desk.user, ['seller']);
    const path = `/api/v1/seller/auctions/${id}`;
    expect((await service.get(path, token)).body.data.language).to.equal('fr');
    const unknown = await service.call('PATCH', path, { token, body: { language: 'tlh' } });
    expect([unknown.status, Object.keys(unknown.body.errors)]).to.deep.equal([422, ['language']]);
    for (const [sent, stored] of [
      [null, null],
      ['de', 'de'],
    ] as const) {
      const { body } = await service.call('PATCH', path, { token, body: { language: sent } });
      expect(body.data.language).to.equal(stored);
    }
    const translations = { fr: { title: 'Une chaise' } };
    const sale = await anAuction(database, {
      team_id: desk.team.id,
      title: 'Tische',
      description: 'Eiche',
      language: 'de',
    });
    const lot = await aLot(database, {
      auction_id: sale.id,
      title: 'Ein Stuhl',
      description: 'Alt',
      translations,
    });
    await service.publish();
    for (const [language, title] of [
      ['en', '<h1 lang="de">Ein Stuhl</h1>'],
      ['de', '<h1>Ein Stuhl</h1>'],
      ['fr', '<h1>Une chaise</h1>'],
    ] as const) {
      const page = await pageIn(language, `/lots/${lot.id}`);
      expect(page, language).to.contain(title);
      expect(page.includes('<div class="prose" lang="de">'), language).to.equal(language !== 'de');
      expect(page.includes('lang="de">Tische</a>'), language).to.equal(language !== 'de');
      const all = await pageIn(language, `/auctions/${sale.slug}`);
      expect(all, language).to.match(language === 'de' ? /<h1>Tische</ : /<h1 lang="de">Tische</);
      expect(all.includes('<h3 lang="de"><a href="/lots/'), language).to.equal(language === 'en');
      const found = await pageIn(language, '/auctions');
      expect(found.includes(`<h3 lang="de"><a href="/auctions/${sale.slug}">`), language).to.equal(
        language !== 'de',
      );
    }
    for (const shown of [`lots/${lot.id}`, `auctions/${sale.id}`])
      expect((await service.get(`/api/v1/${shown}`)).body.data.language, shown).to.equal('de');
    for (const list of ['lots', 'auctions']) {
      const { data } = (await service.get(`/api/v1/${list}?per_page=100`)).body.data;
      const row = data.find(({ id }: { id: number }) => id === (list === 'lots' ? lot.id : sale.id));
      expect(row.language, list).to.equal('de');
    }
  });

  it('are never taken for a text of the service, whatever they say', async () => {
    const words = { title: 'Sold', description: 'Yes', delivery: 'none' };
    const sale = await anAuction(service.database, { team_id: desk.team.id, ...words });
    const lot = await aLot(service.database, {
      auction_id: sale.id,
      title: 'Lot 7 acres',
      description: 'No',
    });
    await service.publish();
    const german = await pageIn('de', `/lots/${lot.id}`);
    expect(german)
      .to.contain('<h1 lang="">Lot 7 acres</h1>')
      .and.contain('<dd>none</dd>')
      .and.contain('>Sold</a>');
    expect(german).to.contain('<p>No</p>').and.contain('Verkaufsbedingungen');
    const page = await pageIn('de', `/auctions/${sale.slug}`);
    expect(page)
      .to.contain('<h1 lang="">Sold</h1>')
      .and.contain('<p>Yes</p>')
      .and.contain('>Lot 7 acres</a>');
  });

  it('are in it on cards, and on the page of an auction', async () => {
    const path = `/auctions/${auction.slug}`;
    const sale = await pageIn('de', path);
    expect(sale).to.contain('<h1>Tische zu Linz</h1>').and.contain('Alle aus Eiche');
    for (const text of [sale, await pageIn('de', '/lots'), await pageIn('de', '/')])
      expect(text).to.contain(`<h3><a href="/lots/${lotId}">Ein Eichentisch</a></h3>`);
    for (const list of ['/', '/auctions', `/sellers/${desk.team.slug}`])
      expect(await pageIn('de', list)).to.contain(`<h3><a href="${path}">Tische zu Linz</a></h3>`);
    expect(await pageIn('es', '/lots')).to.contain(
      `<h3 lang=""><a href="/lots/${lotId}">An oak table</a></h3>`,
    );
  });

  it('are in it on the board', async () => {
    const { email, id } = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    await service.backends.knex('watchlist').insert({ user_id: id, lot_id: lotId });
    const browser = new BrowserLike(service.url, { 'accept-language': 'de' });
    await signIn(browser, email, PASSWORD);
    const { text } = await browser.get('/account/board');
    expect(text).to.contain(`">Ein Eichentisch</a></h3>`).and.contain('>Tische zu Linz</a>');
    const form = await browser.get(`/account/bid-groups/new?auction=${auction.slug}`);
    expect(form.text).to.contain('Ein Eichentisch').and.contain('>Tische zu Linz</a>').and.not.contain('oak');
  });

  it('are in it on invoices and on what is collected', async () => {
    const { backends, database } = service;
    const user = await aUser(database, { password_hash: quickHash(PASSWORD) });
    const collections = [{ from: '2031-01-01T10:00:00Z', to: '2031-01-01T11:00:00Z', slot_minutes: 30 }];
    const words = { title: 'Sale of tables', translations: { de: { title: 'Tische zu Graz' } } };
    const sale = await anAuction(database, { team_id: desk.team.id, ...words, type: 'simulcast' });
    await backends
      .knex('auctions')
      .where('id', sale.id)
      .update({ collections: JSON.stringify(collections) });
    const translations = { de: { title: 'Ein Eichentisch' } };
    const lot = await aLot(database, { auction_id: sale.id, title: 'An oak table', translations });
    await service.publish();
    await sell(backends.engine, lot.id, user, 10_000);
    await projectAuction(database, backends.redis, sale.id);
    const invoice = await backends.knex('invoices').where('lot_id', lot.id).first();
    const browser = new BrowserLike(service.url, { 'accept-language': 'de' });
    await signIn(browser, user.email, PASSWORD);
    const list = await browser.get('/account/invoices');
    expect(list.text).to.contain('Ein Eichentisch').and.contain('Tische zu Graz');
    await report(service, { type: 'payment_intent.succeeded', object: paymentOf(invoice) });
    const open = await browser.get('/account/collections');
    expect(open.text).to.contain('>Tische zu Graz</a>');
    const booked = await browser.post('/account/collections', formOf(open, '/account/collections'));
    const slip = await browser.get(booked.location ?? '');
    expect(slip.text).to.contain('Ein Eichentisch').and.contain('Tische zu Graz').and.not.contain('oak');
  });

  it('are never taken for a text of the service in what a page is called', async () => {
    const sale = await anAuction(service.database, { team_id: desk.team.id, title: 'Auctions' });
    const lot = await aLot(service.database, { auction_id: sale.id, title: 'Lot 1' });
    await service.publish();
    const german = await pageIn('de', `/lots/${lot.id}`);
    expect(german)
      .to.contain('<title>Lot 1 · Los 1 ·')
      .and.contain('property="og:title" content="Lot 1 · Los 1"');
    const page = await pageIn('de', `/auctions/${sale.slug}`);
    expect(page).to.contain('<title>Auctions ·').and.contain('title="Lose von Auctions"');
    const room = await desk.browser.get(`/seller/auctions/${sale.id}/table`, {
      'accept-language': 'de',
    });
    expect(room.text).to.match(/<title>[^<]*: Auctions ·/);
    expect(await pageIn('de', '/lots')).to.contain('<title>Lose ·');
  });

  it('are never taken for a text of the service where they name a seller or what a seller keeps', async () => {
    const { team, user, browser } = await aSellerAtDesk(service);
    const { knex } = service.backends;
    await knex('teams').where('id', team.id).update({ name: 'Auctions', slug: 'named-auctions' });
    const token = await service.tokenFor(user, ['seller']);
    const make = (path: string, body: object) =>
      service.call('POST', `/api/v1/${path}`, {
        token,
        headers: { 'x-team-id': String(team.id) },
        body,
      });
    expect((await make('inventory', { title: 'Lots', sku: 'L-1' })).status).to.equal(201);
    const days = { start_date: '2031-01-01', end_date: '2031-02-01' };
    const money = { budget_cents: 10_000, pricing_model: 'flat', placement: 'search' };
    const campaign = await make('ad-campaigns', { name: 'Bids', ...days, ...money });
    expect(campaign.status, campaign.text).to.equal(201);
    const german = async (path: string) => (await browser.get(path, { 'accept-language': 'de' })).text;
    expect(await pageIn('de', '/sellers/named-auctions')).to.contain('<title>Auctions ·');
    expect(await german('/seller/inventory'))
      .to.contain('>Lots</a></td>')
      .and.contain('aria-label="Lots auswählen"')
      .and.contain('aria-label="Startgebot von Lots"');
    expect(await german('/seller/campaigns')).to.contain('>Bids</a></td>');
    const { id } = campaign.body.data;
    expect(await german(`/seller/campaigns/${id}`)).to.contain('<h1>Bids</h1>');
  });

  it('are in it in feeds and calendars, with our own texts around them', async () => {
    const feed = await pageIn('de', '/lots.rss?search=oak');
    expect(feed).to.contain('<title>Lose: oak</title>').and.contain('<language>de</language>');
    expect(feed).to.contain('Ein Eichentisch').and.contain('Los 1 ·').and.not.contain('An oak table');
    expect(await pageIn('en', '/lots.rss?search=oak'))
      .to.contain('An oak table')
      .and.contain('Lot 1 ·');
    await aLot(service.database, { auction_id: auction.id, title: 'A walnut desk', catalog_number: '12A' });
    await service.publish();
    expect(await pageIn('de', '/lots.rss?search=walnut')).to.contain('Los 12A ·');
    const found = await pageIn('de', '/lots.rss?search=Sold');
    expect(found, 'what somebody searches for is no text of ours').to.contain('<title>Lose: Sold</title>');
    const path = `/auctions/${auction.slug}/calendar.ics`;
    expect(await pageIn('de', path)).to.contain('SUMMARY:Tische zu Linz');
    expect(await pageIn('fr', path)).to.contain('SUMMARY:Sale of tables');
  });

  it('are in it on the clerk’s console', async () => {
    const words = { title: 'Sale of chairs', type: 'simulcast' } as const;
    const sale = await anAuction(service.database, { team_id: desk.team.id, ...words });
    for (const [title, german] of [
      ['A stool', 'Ein Hocker'],
      ['A bench', 'Eine Bank'],
    ] as const)
      await aLot(service.database, { auction_id: sale.id, title, translations: { de: { title: german } } });
    await service.publish();
    const path = `/seller/auctions/${sale.id}/saleroom`;
    const german = await desk.browser.get(path, { 'accept-language': 'de' });
    expect(german.text).to.contain('<h2>Ein Hocker</h2>').and.contain('<span>Eine Bank</span>');
    expect(german.text).to.contain('1. Ein Hocker</button>').and.not.contain('A stool');
    expect((await desk.browser.get(path)).text).to.contain('<h2>A stool</h2>');
  });

  it('are fields of the seller’s forms, folded up', async () => {
    const { browser } = desk;
    const page = await browser.get(`/seller/lots/${lotId}`);
    expect(page.text).to.contain('<summary>In other languages</summary>');
    expect(page.text).to.match(/<textarea[^>]*name="translations\.de\.description"[^>]* lang="de"/);
    const action = `/seller/lots/${lotId}`;
    const fields = formOf(page, action);
    expect(fields).to.include({ 'translations.de.title': 'Ein Eichentisch', 'translations.fr.title': '' });
    const sent = { ...fields, 'translations.de.title': '', 'translations.fr.title': 'Une table' };
    expect((await browser.post(action, sent)).status).to.equal(303);
    const knex = service.backends.knex;
    const { translations } = await knex('lots').where('id', lotId).first('translations');
    expect(translations).to.deep.equal({
      de: { description: 'Rund & alt', condition: 'gut' },
      fr: { title: 'Une table' },
    });
    const edit = `/seller/auctions/${auction.id}/edit`;
    const ofAuction = formOf(await browser.get(edit), edit);
    const changed = await browser.post(edit, { ...ofAuction, 'translations.pt.title': 'Mesas' });
    expect(changed.status).to.equal(303);
    const row = await knex('auctions').where('id', auction.id).first('translations');
    expect(row.translations.pt).to.deep.equal({ title: 'Mesas' });
  });
});
