/** Collecting what was bought: a time of the sale for paid lots, a slip with a code, and the seller's gate. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { type Staff, withService } from '../../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { paymentOf, projectAuction, report, reportDispute, sell } from '../../../support/money.ts';
import type { Service } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';
const HOUR_MS = 3_600_000;

describe('collections', () => {
  let service: Service;
  let staff: Staff;
  let knex: Knex;
  withService((parts) => {
    ({ service, staff, knex } = parts);
  });

  const person = () => aUser(service.database, { password_hash: quickHash(PASSWORD) });
  const begin = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS;
  const at = (minutes: number) => new Date(begin + minutes * 60_000).toISOString();

  /** A sale whose lots each buyer has won two of, with two slots of half an hour and a day without slots. */
  async function sold(...buyers: readonly User[]) {
    const { database: db, backends } = service;
    const owner = await person();
    const team = await aTeam(db, { owner });
    const auction = await anAuction(db, { team_id: team.id });
    const collections = [
      { from: at(0), to: at(60), place: 'Barn 2', slot_minutes: 30 },
      { from: at(600), to: at(900), place: null, slot_minutes: null },
    ];
    await knex('auctions')
      .where('id', auction.id)
      .update({ collections: JSON.stringify(collections) });
    const invoices: Invoice[] = [];
    for (const _ of [1, 2]) {
      for (const buyer of buyers) {
        const lot = await aLot(db, { auction_id: auction.id });
        await publishAuction(backends, auction.id);
        await sell(backends.engine, lot.id, buyer, 10_000);
        await projectAuction(db, backends.redis, auction.id);
        invoices.push((await knex('invoices').where('lot_id', lot.id).first()) as Invoice);
      }
    }
    const sellers = await service.tokenFor(owner, ['read', 'write', 'seller']);
    const gate = (method: string, path: string, body?: object) =>
      service.call(method, `/api/v1/seller/collections${path}`, {
        token: sellers,
        headers: { 'x-team-id': String(team.id) },
        ...(body === undefined ? {} : { body }),
      });
    return { auction, invoices, owner, gate };
  }
  const pay = (invoice: Invoice) => report(service, { object: paymentOf(invoice) });
  const book = async (buyer: User, auctionId: number, from: string) =>
    service.call('POST', '/api/v1/me/collections', {
      token: await service.tokenFor(buyer),
      body: { auction_id: auctionId, from },
    });

  it('are for paid lots alone, at a time of the sale that nobody else has', async () => {
    const [buyer, other] = [await person(), await person()];
    const { auction, invoices } = await sold(buyer, other);
    const early = await book(buyer, auction.id, at(0));
    expect([early.status, early.body.code]).to.deep.equal([409, 'not_paid']);
    await pay(invoices[0]!);
    await pay(invoices[1]!);
    const made = await book(buyer, auction.id, at(0));
    expect(made.status, made.text).to.equal(201);
    const { id, code, from, to, lots, ...rest } = made.body.data;
    expect(rest).to.deep.equal({ auction_id: auction.id, place: 'Barn 2' });
    expect(code).to.match(/^[A-HJKMNP-Z2-9]{8}$/);
    expect([from, to].map((time) => Date.parse(time))).to.deep.equal([at(0), at(30)].map(Date.parse));
    expect(lots.map((lot: { id: number }) => lot.id)).to.deep.equal([invoices[0]!.lot_id]);
    const taken = await book(other, auction.id, at(0));
    expect([taken.status, taken.body.code]).to.deep.equal([409, 'slot_taken']);
    for (const wrong of [at(15), at(60), 'today'])
      expect((await book(other, auction.id, wrong)).status, wrong).to.equal(422);
    expect((await book(other, 987_654, at(0))).status).to.equal(404);
    const slots = (await service.get(`/api/v1/auctions/${auction.id}/collections`)).body.data;
    expect(slots.map(({ free }: { free: boolean }) => free)).to.deep.equal([false, true, true]);
    // A day without slots is for all, at any time of it.
    await pay(invoices[2]!);
    const moved = await book(buyer, auction.id, at(660));
    expect(moved.body.data).to.include({ id, code, place: null });
    expect(moved.body.data.lots).to.have.length(2);
    expect((await book(other, auction.id, at(600))).status).to.equal(201);
    expect((await book(other, auction.id, at(0))).status).to.equal(201);
  });

  it('are read by their buyer alone', async () => {
    const [buyer, other] = [await person(), await person()];
    const { auction, invoices } = await sold(buyer);
    await pay(invoices[0]!);
    const made = (await book(buyer, auction.id, at(30))).body.data;
    const [own, others] = [await service.tokenFor(buyer), await service.tokenFor(other)];
    const path = '/api/v1/me/collections';
    expect((await service.get(`${path}/${made.id}`, own)).body.data).to.deep.equal(made);
    expect((await service.get(path, own)).body.data).to.deep.equal([made]);
    expect((await service.get(`${path}/${made.id}`, others)).status).to.equal(404);
    expect((await service.get(path, others)).body.data).to.deep.equal([]);
  });

  it('are one for each slot, whoever comes at once', async () => {
    const buyers = [await person(), await person(), await person()];
    const { auction, invoices } = await sold(...buyers);
    for (const invoice of invoices) await pay(invoice);
    const answers = await Promise.all(buyers.map((buyer) => book(buyer, auction.id, at(0))));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
  });

  it('are found by their code at the gate, where lots that are paid are noted as gone', async () => {
    const buyer = await person();
    const { auction, invoices, gate } = await sold(buyer);
    const [first, second] = invoices.map(({ lot_id }) => lot_id);
    await pay(invoices[0]!);
    await pay(invoices[1]!);
    const { code } = (await book(buyer, auction.id, at(0))).body.data;
    const seen = await gate('GET', `/${code.toLowerCase()}`);
    expect(seen.body.data).to.deep.include({ code, buyer: { name: buyer.name } });
    expect((await gate('GET', '')).body.data.map((one: { code: string }) => one.code)).to.deep.equal([code]);
    const collected = (...lot_ids: unknown[]) => gate('POST', `/${code}/collected`, { lot_ids });
    const went = await collected(first);
    expect(went.status, went.text).to.equal(200);
    const [gone, left] = went.body.data.lots;
    expect(gone.collected_at).to.be.a('string');
    expect(left).to.include({ id: second, collected_at: null });
    expect((await collected(first)).body.data.lots[0]).to.deep.equal(gone);
    for (const wrong of [[], [999_999], ['x']])
      expect((await collected(...wrong)).status, JSON.stringify(wrong)).to.equal(422);
    await staff.refund(invoices[1]!.invoice_number);
    const unpaid = await collected(second);
    expect([unpaid.status, unpaid.body.code]).to.deep.equal([409, 'not_paid']);
    expect((await gate('GET', `/${code}`)).body.data.lots).to.have.length(1);
    const stranger = await sold(await person());
    expect((await stranger.gate('GET', `/${code}`)).status).to.equal(404);
    expect((await stranger.gate('POST', `/${code}/collected`, { lot_ids: [first] })).status).to.equal(404);
    expect((await stranger.gate('GET', '')).body.data).to.deep.equal([]);
    const again = await book(buyer, auction.id, at(30));
    expect([again.status, again.body.code]).to.deep.equal([409, 'not_paid']);
  });

  it('say at the gate, on the slip and on the invoice that the payment is disputed', async () => {
    const buyer = await person();
    const { auction, invoices, owner, gate } = await sold(buyer);
    const payment = paymentOf(invoices[0]!);
    await report(service, { object: payment });
    await pay(invoices[1]!);
    const { code, id } = (await book(buyer, auction.id, at(0))).body.data;
    const browser = new BrowserLike(service.url);
    await signIn(browser, buyer.email, PASSWORD);
    const desk = new BrowserLike(service.url);
    await signIn(desk, owner.email, PASSWORD);
    await knex('users').where('id', owner.id).update({ current_team_id: auction.team_id });
    const token = await service.tokenFor(buyer);
    const own = `/account/invoices/${invoices[0]!.invoice_number}`;
    const pages = [
      () => browser.get('/account/invoices'),
      () => browser.get(own),
      () => browser.get('/account/collections'),
      () => browser.get(`/account/collections/${id}`),
      () => desk.get(`/seller/collections/${code}`),
    ];
    const said = async () =>
      Promise.all(pages.map(async (page) => (await page()).text.split('Payment disputed').length - 1));
    const told = async () => [
      ...(await service.get('/api/v1/invoices', token)).body.data.map(disputedOf),
      ...(await gate('GET', `/${code}`)).body.data.lots.map(disputedOf),
    ];
    const disputedOf = ({ is_disputed }: { readonly is_disputed: boolean }) => is_disputed;
    expect([await said(), await told()]).to.deep.equal([
      [0, 0, 0, 0, 0],
      [false, false, false, false],
    ]);
    await reportDispute(service, payment, 'created', { amount: 10_000 });
    expect(await said()).to.deep.equal([1, 1, 1, 1, 1]);
    expect(await told()).to.deep.equal([false, true, true, false]);
    expect((await browser.get('/account/collections')).text).to.include('A payment is disputed.');
    const other = `/account/invoices/${invoices[1]!.invoice_number}`;
    expect((await browser.get(other)).text).to.not.include('disputed');
    await reportDispute(service, payment, 'closed', { amount: 10_000, status: 'won' });
    expect(await said()).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('are booked, printed and ticked on pages', async () => {
    const buyer = await person();
    const { auction, invoices, owner } = await sold(buyer);
    await pay(invoices[0]!);
    const browser = new BrowserLike(service.url);
    await signIn(browser, buyer.email, PASSWORD);
    const list = await browser.get('/account/collections');
    const { lot_id: lotId } = invoices[0]!;
    expect(list.text).to.match(new RegExp(`<li><a href="/lots/${lotId}"[^>]*>[^<]+</a></li>`));
    expect(list.text).to.include('One paid lot to collect.').and.to.include('>Book a collection</button>');
    const form = { auction_id: String(auction.id), from: at(0) };
    expect((await browser.post('/account/collections', { ...form, from: at(7) })).status).to.equal(422);
    const booked = await browser.post('/account/collections', form);
    expect(booked.location).to.match(/^\/account\/collections\/\d+$/);
    const { code } = await knex('collections').where('user_id', buyer.id).first('code');
    expect((await browser.get('/account/collections')).text).to.include(`Code <strong>${code}</strong>`);
    const board = await browser.get('/account/board');
    expect(board.text).to.include('href="/account/collections">Collect it</a>');
    await knex('lots').where('id', lotId).update({ catalog_number: '12A' });
    const slip = await browser.get(booked.location ?? '/');
    expect(slip.text)
      .to.include(`<strong class="code" translate="no">${code}</strong>`)
      .and.include('<td>12A</td>')
      .and.include('Signature of the buyer');
    expect(slip.text).to.include(`Collection ${code}`).and.to.include('Barn 2').and.to.include('<svg');
    const desk = new BrowserLike(service.url);
    await signIn(desk, owner.email, PASSWORD);
    await knex('users').where('id', owner.id).update({ current_team_id: auction.team_id });
    const gate = await desk.get('/seller/collections');
    expect(gate.text).to.include(code).and.to.include(buyer.name);
    const spelled = `${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`;
    const found = await desk.get(`/seller/collections?code=${spelled}`);
    expect(found.location).to.equal(`/seller/collections/${code}`);
    expect((await desk.get('/seller/collections?code=nothing')).status).to.equal(404);
    const page = await desk.get(`/seller/collections/${code}`);
    expect(page.text).to.include('Lot 12A:');
    expect(page.text).to.include(`name="lot-${invoices[0]!.lot_id}"`).and.to.include('>Collected</button>');
    const path = `/seller/collections/${code}/collected`;
    expect((await desk.post(path, {})).text).to.include('Tick what is collected.');
    const done = await desk.post(path, { [`lot-${invoices[0]!.lot_id}`]: '1' });
    expect(done.location).to.equal(`/seller/collections/${code}?done=1`);
    expect((await desk.get(done.location ?? '/')).text).to.include('Nothing is left to collect.');
    const stranger = new BrowserLike(service.url);
    await signIn(stranger, (await person()).email, PASSWORD);
    expect((await stranger.get(booked.location ?? '/')).status).to.equal(404);
  });
});
