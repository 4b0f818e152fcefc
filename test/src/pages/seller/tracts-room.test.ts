/** The clerk's console on a sale of tracts, without a script: calls on sets, the hammer, and what may be taken back. */
import { expect } from 'chai';
import { BrowserLike, signIn } from '../../../support/browser-like.ts';
import { PASSWORD, type Sale } from '../../../support/format-sales.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type Service, startService } from '../../../support/service.ts';
import { formOf } from './seller-at-desk.ts';

describe('a saleroom of tracts', () => {
  let service: Service;
  let sales: ParcelsSales;
  let browser: BrowserLike;

  before(async () => {
    service = await startService();
    sales = await ParcelsSales.of(service);
    const { owner, team } = sales;
    await service.backends.knex('users').where('id', owner.id).update({ current_team_id: team.id });
    browser = new BrowserLike(service.url);
    await signIn(browser, owner.email, PASSWORD);
  });
  after(() => service.close());

  async function aRoom(settings: object = {}) {
    const sale = await sales.open([{}, {}, {}], { type: 'simulcast', ...settings });
    const path = `/seller/auctions/${sale.id}/saleroom`;
    await browser.get(path);
    for (const paddle of ['88', '7'])
      await browser.post(`${path}/paddle`, { paddle, name: 'Ann Miller', contact: '' });
    const press = async (what: string, more: Record<string, string> = {}) => {
      const form = formOf(await browser.get(path), `${path}/${what}`);
      return browser.post(`${path}/${what}`, { ...form, ...more });
    };
    const call = (lots: string, amount: string, paddle = '88', more: Record<string, string> = {}) =>
      press('bid', { lots, amount, paddle, ...more });
    return { sale, path, press, call };
  }

  const said = ({ text }: { text: string }) => /data-said><p[^>]*>([^<]*)/.exec(text)?.[1] ?? null;
  const statuses = ({ lots }: Sale) => Promise.all(lots.map(async (lot) => (await sales.lot(lot)).status));

  it('takes calls on sets, and shows with what the tracts that are typed would lead', async () => {
    const { sale, path, call } = await aRoom();
    const [one, two, three] = sale.lots;
    expect((await call('1-2', '250')).status).to.equal(303);
    expect((await call('3', '100.00', '7')).status).to.equal(303);
    const board = await sales.parcels(sale);
    expect(board.total).to.equal('350.00');
    const page = (await browser.get(path)).text;
    expect(page).to.contain('<td>1, 2</td><td>88</td>').and.contain('$350.00');
    const show = await browser.post(`${path}/bid`, {
      ...formOf(await browser.get(path), `${path}/bid`),
      ...{ lots: '2, 3', show: 'yes' },
    });
    expect(show.location).to.equal(`${path}?lots=2%2C%203`);
    const quoted = (await browser.get(show.location ?? '')).text;
    expect(quoted).to.contain('data-lead="350.01"').and.contain('paddle 88, 7');
    const low = await call('2 3', '300', '7');
    expect([low.status, said(low)]).to.deep.equal([422, 'The bid would not lead: that takes 350.01.']);
    expect(formOf(low, `${path}/bid`)).to.deep.include({ lots: '2 3', amount: '300', paddle: '7' });
    expect((await call('2 3', '300', '7', { standing: 'yes' })).status).to.equal(303);
    expect((await sales.parcels(sale, [two, three])).best_bid).to.equal('300.00');
    expect((await sales.lot(one)).leading_set.paddle_number).to.equal('88');
    for (const [lots, amount, paddle, sentence] of [
      ['9', '100', '88', 'There is no tract 9 in this sale.'],
      ['', '100', '88', 'Enter the numbers of the tracts, such as 2 5 6 or 2-4.'],
      ['one', '100', '88', 'Enter the numbers of the tracts, such as 2 5 6 or 2-4.'],
      ['1', 'much', '88', 'This is not a valid amount.'],
      ['1', '900', '', 'Enter the paddle: a number of at most six digits.'],
      ['1', '900', '55', 'Nobody has this paddle: hand it out first, with a name.'],
      ['1 2', '255', '7', 'The bid is too low for this set: 260.00 would lead.'],
    ] as const)
      expect(said(await call(lots, amount, paddle)), lots + amount + paddle).to.equal(sentence);
  });

  it('takes no set before its time, and the last call back', async () => {
    const from = new Date(Date.now() + 600_000).toISOString();
    const { sale, press, call } = await aRoom({ combinations_from: from });
    expect(said(await call('1 2', '900'))).to.equal('Several tracts together are not taken yet.');
    await call('1', '100');
    await call('2', '120', '7');
    expect((await press('undo')).status).to.equal(303);
    expect((await sales.parcels(sale)).total).to.equal('100.00');
  });

  it('sells all that leads at once, and takes the hammer back', async () => {
    const { sale, path, press, call } = await aRoom();
    expect(said(await press('hammer', { result: 'sold' }))).to.equal('Nobody has bid yet.');
    await call('1 2 3', '400');
    const before = formOf(await browser.get(path), `${path}/hammer`);
    await call('1 2 3', '450', '7');
    const late = await browser.post(`${path}/hammer`, { ...before, result: 'sold' });
    expect(said(late)).to.equal('A bid has come in: the lot is now at 450.00.');
    expect((await press('warning')).status).to.equal(303);
    expect((await browser.get(path)).text).to.match(/data-warned>/);
    expect((await browser.get(`/auctions/${sale.slug}/screen`)).text)
      .to.contain('<td>1, 2, 3</td><td>7</td>')
      .and.match(/data-warned>/);
    expect((await press('hammer', { result: 'sold' })).status).to.equal(303);
    expect(await statuses(sale)).to.deep.equal(['sold', 'sold', 'sold']);
    const held = (await browser.get(path)).text;
    expect(held)
      .to.contain('Take back')
      .and.contain('The sets that lead are sold.')
      .and.not.contain('data-set ');
    expect((await press('take-back')).status).to.equal(303);
    expect(await statuses(sale)).to.deep.equal(['active', 'active', 'active']);
    expect((await press('hammer', { result: 'passed' })).status).to.equal(303);
    expect(await statuses(sale)).to.deep.equal(['passed', 'passed', 'passed']);
  });

  it('plays bids that were left for single tracts: to lead, never above the maximum, else to stand', async () => {
    const { sale, path, press, call } = await aRoom();
    const left = `/seller/auctions/${sale.id}/left-bids`;
    const entered = await browser.post(left, {
      absentee: '88, 1, 180\n7, 1, 150\n7, 2, 140',
      phones: '7, 3, +1 555 0100, Spanish, Ana',
    });
    expect(entered.status).to.equal(303);
    const shown = async () => (await browser.get(path)).text;
    const pills = async () =>
      [...(await shown()).matchAll(/at most (\S+)<\/span> <span class="pill[^>]*>([^<]+)/g)].map(
        ([, most, state]) => `${most} ${state}`,
      );
    const button = async () => /aria-keyshortcuts="A">([^<]*[^< ]) /.exec(await shown())?.[1];
    const playNext = async () => {
      const { text } = await browser.get(path);
      const form = text.slice(text.lastIndexOf('<form', text.indexOf('aria-keyshortcuts="A"')));
      const fields = [...form.slice(0, form.indexOf('</form>')).matchAll(/name="([^"]+)" value="([^"]*)"/g)];
      return browser.post(`${path}/bid`, Object.fromEntries(fields.map(([, name, value]) => [name, value])));
    };
    expect(await shown())
      .to.contain('<strong>Tract 3</strong>')
      .and.contain('tel:+15550100');
    expect(await pills()).to.deep.equal(['$180.00 Can lead', '$150.00 Can lead', '$140.00 Can lead']);
    // As far as it takes to beat the other one.
    expect(await button()).to.equal('Absentee bid on tract 1 of paddle 88: $160.00');
    expect((await playNext()).status).to.equal(303);
    expect(await pills()).to.deep.equal([
      '$180.00 Leading',
      '$150.00 Price has passed it',
      '$140.00 Can lead',
    ]);
    expect(await button()).to.match(/^Absentee bid on tract 2 of paddle 7: /);
    await call('2 3', '400', '88');
    // Alone it leads no more, and may by others' bids.
    expect(await button()).to.equal('Absentee bid on tract 2 of paddle 7, to stand: $140.00');
    expect((await playNext()).status).to.equal(303);
    expect((await pills())[2]).to.equal('$140.00 Stands');
    expect(await shown()).to.not.contain('aria-keyshortcuts="A"');
    expect(
      (await sales.parcels(sale)).standing.map(({ amount }: { amount: string }) => amount),
    ).to.deep.equal(['140.00']);
    expect((await press('hammer', { result: 'sold' })).status).to.equal(303);
    expect(await shown()).to.not.contain('data-left-bids');
  });

  it('shows buyers the board, and that it closes in the saleroom', async () => {
    const { sale } = await aRoom();
    const auction = (await browser.get(`/auctions/${sale.slug}`)).text;
    expect(auction).to.contain('All tracts close at once in the saleroom').and.not.contain('data-block');
    expect((await browser.get(`/auctions/${sale.slug}/parcels`)).text).to.contain('In the saleroom');
  });
});
