/** Consignors' links: made once, read by whoever has one, only that consignor's lots, and nothing after revocation. */
import { expect } from 'chai';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { settleAuctions } from '../../../src/billing/settlements/settlements.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { paymentOf, projectAuction, report, sell } from '../../support/money.ts';
import { SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

const PATH = 'seller/consignor-links';
const PASSWORD = 'a long enough password';

describe('a consignor’s link', () => {
  let service: Service;
  let team: SellingTeam;
  let consignor: User;
  let auctionId: number;
  const lots: Record<string, number> = {};

  const visit = (url: string) => new BrowserLike(service.url).get(new URL(url).pathname);
  const create = (body: object, as = team) => as.call('POST', PATH, body);

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    const { database, backends } = service;
    const { knex } = database;
    consignor = await aUser(database, { name: 'Jürgen Groß' });
    auctionId = (await anAuction(database, { team_id: team.id, currency: 'eur', title: 'Farm sale' })).id;
    for (const title of ['Plough', 'Harrow', 'Seeder'])
      lots[title] = (await aLot(database, { auction_id: auctionId, title })).id;
    await knex('lots')
      .where('id', lots['Plough']!)
      .update({ named_consignor_id: consignor.id, catalog_number: '7B' });
    const buyer = await aUser(database, { name: 'Secret Buyer' });
    await publishAuction(backends, auctionId);
    await sell(backends.engine, lots['Plough']!, buyer, 100_000);
    await sell(backends.engine, lots['Harrow']!, buyer, 20_000);
    await projectAuction(database, backends.redis, auctionId);
    await report(service, {
      object: paymentOf(await knex('invoices').where('lot_id', lots['Plough']!).first()),
    });
    await knex('auctions').where('id', auctionId).update({ status: 'ended' });
    await settleAuctions(knex);
  });
  after(() => service.close());

  it('shows that consignor’s lots with prices and statement to whoever has it, and nothing else', async () => {
    const made = await create({ name: 'Estate Groß', consignor_id: consignor.id });
    expect(made.status).to.equal(201);
    const page = await visit(made.body.data.url);
    expect(page.status).to.equal(200);
    for (const text of ['7B', 'Plough', '€1,000.00', '€50.00', '€950.00', 'The buyer paid', 'Estate Groß'])
      expect(page.text, text).to.contain(text);
    for (const text of ['Harrow', 'Seeder', 'Secret Buyer']) expect(page.text, text).not.to.contain(text);
    expect(page.headers.get('x-robots-tag')).to.equal('noindex, nofollow');
    expect(page.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(page.headers.get('cache-control')).to.equal('no-store');
    const { token_hash: kept } = await service.database.knex('consignor_links').first('token_hash');
    expect(kept)
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.to.contain(made.body.data.url.split('/').at(-1));
    const [link] = (await team.call('GET', PATH)).body.data.links;
    expect(link).to.include({ id: made.body.data.id, name: 'Estate Groß', revoked_at: null });
    expect(link.opened_at).not.to.equal(null);
    expect(link).not.to.have.property('url');
  });

  it('takes lots that are named, with the commission that was agreed', async () => {
    const body = {
      name: 'Neighbour',
      lot_ids: [lots['Harrow'], lots['Seeder']],
      commission_percentage: '12.50',
    };
    const page = await visit((await create(body)).body.data.url);
    for (const text of ['Harrow', 'Seeder', '€25.00', '€175.00', 'Not paid yet'])
      expect(page.text, text).to.contain(text);
    expect(page.text).not.to.contain('Plough');
  });

  it('is refused for others’ lots and consignors, and for nobody', async () => {
    const other = await SellingTeam.of(service);
    const errors = async (body: object, as = team) => Object.keys((await create(body, as)).body.errors ?? {});
    expect(await errors({ name: 'x', lot_ids: [lots['Plough']] }, other)).to.deep.equal(['lot_ids']);
    expect(await errors({ name: 'x', consignor_id: consignor.id }, other)).to.deep.equal(['consignor_id']);
    expect(await errors({ name: 'x' })).to.deep.equal(['lot_ids']);
    expect(
      await errors({ name: 'x', lot_ids: [lots['Plough']], commission_percentage: '101' }),
    ).to.deep.equal(['commission_percentage']);
    const { id } = (await team.call('GET', PATH)).body.data.links[0];
    expect((await other.call('DELETE', `${PATH}/${id}`)).status).to.equal(404);
    expect((await other.call('GET', PATH)).body.data).to.deep.equal({ links: [], consignors: [] });
  });

  it('opens nothing once it is revoked, and a made-up one neither', async () => {
    const { id, url } = (await create({ name: 'Gone', lot_ids: [lots['Plough']] })).body.data;
    expect((await visit(url)).status).to.equal(200);
    expect((await team.call('DELETE', `${PATH}/${id}`)).status).to.equal(204);
    expect((await team.call('DELETE', `${PATH}/${id}`)).status).to.equal(204);
    const gone = await visit(url);
    expect([gone.status, gone.text.includes('Plough')]).to.deep.equal([404, false]);
    expect((await visit(`${service.url}/consignor/${'A'.repeat(43)}`)).status).to.equal(404);
    expect((await visit(`${service.url}/consignor/short`)).status).to.equal(404);
  });

  it('is made on the desk by lot numbers, shown once, and revoked', async () => {
    const { knex } = service.database;
    await knex('users')
      .where('id', team.owner.id)
      .update({ password_hash: quickHash(PASSWORD), current_team_id: team.id });
    const browser = new BrowserLike(service.url);
    await signIn(browser, team.owner.email, PASSWORD);
    await browser.get('/seller/consignors');
    const form = { name: 'By numbers', auction: String(auctionId), numbers: '1-2', commission: '10' };
    const wrong = await browser.post('/seller/consignors', { ...form, numbers: '1-9' });
    expect([wrong.status, wrong.text.includes('The auction has no lot 4.')]).to.deep.equal([422, true]);
    expect(wrong.text).to.contain('value="By numbers"');
    const made = await browser.post('/seller/consignors', form);
    const [, url = ''] = /value="(http[^"]+\/consignor\/[^"]+)"/.exec(made.text) ?? [];
    const page = await visit(url);
    expect(page.text).to.contain('Plough').and.to.contain('Harrow').and.not.to.contain('Seeder');
    expect((await browser.get('/seller/consignors')).text)
      .not.to.contain('/consignor/A')
      .and.not.to.contain(url);
    const { id } = await knex('consignor_links').where('name', 'By numbers').first('id');
    expect((await browser.post(`/seller/consignors/${id}/revoke`, {})).location).to.equal(
      '/seller/consignors',
    );
    expect((await visit(url)).status).to.equal(404);
  });
});
