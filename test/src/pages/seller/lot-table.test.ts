/** The table of lots without JavaScript: a row is a form; what others changed meanwhile is not overwritten. */
import { expect } from 'chai';
import { aLot, anAuction } from '../../../support/builders.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf } from './seller-at-desk.ts';

describe('the table of lots', () => {
  let service: Service;
  let seller: AtDesk;
  let auctionId: number;
  const lots: number[] = [];
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    seller = await aSellerAtDesk(service);
    auctionId = (await anAuction(service.database, { team_id: seller.team.id, status: 'draft' })).id;
    for (const title of ['Plough', 'Harrow', 'Scythe'])
      lots.push((await aLot(service.database, { auction_id: auctionId, title, status: 'draft' })).id);
  });
  after(() => service.close());

  const path = () => `/seller/auctions/${auctionId}/table`;
  /** A row's form with its cells, which stand outside of it. */
  async function rowOf(lot: number | null) {
    const page = await seller.browser.get(path());
    const action = lot === null ? path() : `${path()}/${lot}`;
    const own = formOf(page, action);
    const id = lot === null ? 'row-new' : `row-${lot}`;
    const cells = [...page.text.matchAll(new RegExp(`form="${id}" name="([^"]+)" value="([^"]*)"`, 'g'))];
    return {
      action,
      fields: { ...own, ...Object.fromEntries(cells.map(([, name, value]) => [name, value])) },
    };
  }
  const titles = async () =>
    knex()('lots').where('auction_id', auctionId).orderBy('lot_number').pluck('title');

  it('shows a row for each lot and one for a new one, saves a row and says what is wrong at its cell', async () => {
    const [first = 0] = lots;
    const { action, fields } = await rowOf(first);
    expect(fields).to.include({ title: 'Plough', starting_bid: '100.00', catalog_number: '' });
    const saved = await seller.browser.post(action, {
      ...fields,
      ...{ title: 'Plough, red', reserve_price: '250.00', catalog_number: '1a' },
    });
    expect([saved.status, saved.location]).to.deep.equal([303, `${path()}#lot-${first}`]);
    const row = await knex()('lots')
      .where('id', first)
      .first('title', 'reserve_price_cents', 'catalog_number');
    expect(row).to.deep.equal({ title: 'Plough, red', reserve_price_cents: 25_000, catalog_number: '1A' });
    const wrong = await seller.browser.post(action, { ...(await rowOf(first)).fields, starting_bid: 'much' });
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.match(/name="starting_bid" value="much"[^>]*aria-invalid="true"/);
    expect(wrong.text).to.match(/id="row-\d+-starting_bid-error">Starting bid must /);
    expect(wrong.text.replaceAll(/<[^>]*>/g, ' ')).not.to.match(/\b[a-z]+_[a-z_]+\b/);
  });

  it('does not overwrite what somebody else has changed since the row was shown', async () => {
    const [, second = 0] = lots;
    const { action, fields } = await rowOf(second);
    await knex()('lots').where('id', second).update({ title: 'Harrow, blue', condition: 'good' });
    const both = await seller.browser.post(action, { ...fields, title: 'Harrow, green' });
    expect(both.status).to.equal(409);
    expect(both.text).to.contain('Somebody has changed this to “Harrow, blue” meanwhile.');
    const other = await seller.browser.post(action, { ...fields, sku: 'H-1' });
    expect(other.status).to.equal(303);
    expect(await knex()('lots').where('id', second).first('title', 'condition', 'sku')).to.deep.equal({
      ...{ title: 'Harrow, blue', condition: 'good', sku: 'H-1' },
    });
    const again = /name="_marks" value="([^"]*)"/.exec(
      both.text.slice(both.text.indexOf(`action="${action}"`)),
    )?.[1];
    const marks = (again ?? '').replaceAll('&quot;', '"');
    const wanted = await seller.browser.post(action, { ...fields, _marks: marks, title: 'Harrow, green' });
    expect(wanted.status).to.equal(303);
    expect(await titles()).to.include('Harrow, green');
  });

  it('adds a lot from the last row, and keeps what was typed where it is refused', async () => {
    const { action, fields } = await rowOf(null);
    const refused = await seller.browser.post(action, { ...fields, title: 'Anvil' });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.match(/form="row-new" name="title" value="Anvil"/);
    const added = await seller.browser.post(action, { ...fields, title: 'Anvil', starting_bid: '20' });
    expect(added.status, added.text).to.equal(303);
    expect((await titles()).at(-1)).to.equal('Anvil');
  });

  it('moves lots by a button or all at once, until one is published', async () => {
    const order = `/seller/auctions/${auctionId}/lot-order`;
    const [first = 0, second = 0, third = 0] = lots;
    expect((await seller.browser.post(order, { lot_id: String(first), move: 'later' })).status).to.equal(303);
    expect((await titles()).slice(0, 2)).to.deep.equal(['Harrow, green', 'Plough, red']);
    const token = await service.tokenFor(seller.user, ['seller']);
    const send = (lot_ids: number[], id = auctionId) =>
      service.call('POST', `/api/v1/seller/auctions/${id}/lot-order`, { token, body: { lot_ids } });
    expect((await send([third, first, second])).status).to.equal(200);
    expect((await titles()).slice(0, 3)).to.deep.equal(['Scythe', 'Plough, red', 'Harrow, green']);
    const numbers = await knex()('lots')
      .where('auction_id', auctionId)
      .orderBy('lot_number')
      .pluck('lot_number');
    expect(numbers).to.deep.equal([1, 2, 3, 4]);
    expect((await send([first, first])).status).to.equal(422);
    const live = await anAuction(service.database, { team_id: seller.team.id });
    const up = await aLot(service.database, { auction_id: live.id });
    await service.publish();
    expect((await send([up.id])).status).to.equal(422);
    const locked = await send([up.id], live.id);
    expect(locked.body.code, locked.text).to.equal('lot_locked');
  });

  it('stays on the page that a row is on, and moves its lots there', async () => {
    const { id } = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    const many: number[] = [];
    for (let number = 1; number <= 53; number += 1)
      many.push((await aLot(service.database, { auction_id: id, status: 'draft' })).id);
    const [before = 0, next = 0, last = 0] = many.slice(50);
    const at = `/seller/auctions/${id}/table`;
    const row = { starting_bid: 'much', _marks: JSON.stringify({ starting_bid: '100.00' }) };
    const wrong = await seller.browser.post(`${at}/${last}`, row);
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.match(/name="starting_bid" value="much"[^>]*aria-invalid="true"/);
    const saved = await seller.browser.post(`${at}/${last}`, { ...row, starting_bid: '120.00' });
    expect(saved.location).to.equal(`${at}?page=2#lot-${last}`);
    const order = () => knex()('lots').where('auction_id', id).orderBy('lot_number').pluck('id');
    const send = (form: Record<string, string>) =>
      seller.browser.post(`/seller/auctions/${id}/lot-order`, form);
    expect((await send({ ids: [next, last, before].join() })).status).to.equal(303);
    expect(await order()).to.deep.equal([...many.slice(0, 50), next, last, before]);
    expect((await send({ lot_id: String(last), move: 'later' })).location).to.equal(
      `${at}?page=2#lot-${last}`,
    );
    expect(await order()).to.deep.equal([...many.slice(0, 50), next, before, last]);
    expect((await send({ ids: `${last},${lots[0]}` })).status).to.equal(422);
    expect((await seller.browser.get(`${at}?page=2`)).text).to.contain('data-first-number="51"');
  });

  it('leads from what is missing to each lot that lacks it', async () => {
    const [first = 0, second = 0] = lots;
    await knex()('lots').whereIn('id', [first, second]).update({ catalog_number: '7A' });
    const { text } = await seller.browser.get(`/seller/auctions/${auctionId}`);
    expect(text)
      .to.contain('4 lots have no picture.')
      .and.contain('Several lots have the same catalog number.');
    expect(text).to.contain(`<a href="/seller/lots/${first}#media">7A: `);
    expect(text).to.contain(`<a href="/seller/lots/${second}#field-catalog-number">7A: `);
    const lot = (await seller.browser.get(`/seller/lots/${first}`)).text;
    expect(lot).to.contain('id="field-catalog-number"').and.contain('id="media"');
  });

  it('is the team’s own', async () => {
    const other = await aSellerAtDesk(service);
    const { action, fields: own } = await rowOf(lots[0] ?? 0);
    const { _csrf: _none, ...fields } = own;
    expect((await other.browser.get(path())).status).to.equal(404);
    expect((await other.browser.post(action, { ...fields, title: 'Theirs' })).status).to.equal(404);
    const elsewhere = await anAuction(service.database, { team_id: seller.team.id, status: 'draft' });
    const wrong = `/seller/auctions/${elsewhere.id}/table/${lots[0]}`;
    expect((await seller.browser.post(wrong, { ...fields, title: 'Elsewhere' })).status).to.equal(404);
    expect(await titles())
      .not.to.include('Theirs')
      .and.not.include('Elsewhere');
  });
});
