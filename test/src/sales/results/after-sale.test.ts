/** After a sale: every figure, what may be done with each lot, reminders, and the page where it is done. */
import { expect } from 'chai';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { markOverdue } from '../../../../src/billing/invoices/overdue.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { staffOf } from '../../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { paymentOf, projectAuction, report, sell } from '../../../support/money.ts';
import { codeOf, SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('after a sale', () => {
  let service: Service;
  let team: SellingTeam;
  let auctionId: number;
  let lots: readonly { id: number }[];
  let browser: BrowserLike;

  const leftToDo = async () => (await team.call('GET', `seller/auctions/${auctionId}/after`)).body.data;
  const numberOf = async (lotId: number) =>
    (await service.database.knex('invoices').where('lot_id', lotId).first('invoice_number')).invoice_number;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    const { database, backends } = service;
    const { knex } = database;
    await knex('users')
      .where('id', team.owner.id)
      .update({ password_hash: quickHash(PASSWORD) });
    await knex('users').where('id', team.owner.id).update({ current_team_id: team.id });
    browser = new BrowserLike(service.url);
    await signIn(browser, team.owner.email, PASSWORD);
    auctionId = (await anAuction(database, { team_id: team.id, currency: 'eur' })).id;
    lots = await Promise.all(
      ['Chair', 'Table', 'Bench'].map((title) => aLot(database, { auction_id: auctionId, title })),
    );
    const [ann, ben] = await Promise.all(['Ann', 'Ben'].map((name) => aUser(database, { name })));
    await publishAuction(backends, auctionId);
    for (const [index, lot] of lots.entries()) {
      await backends.engine.submit(lot.id, placeBid(ben!.id, null, 20_000 + index));
      await backends.engine.submit(lot.id, placeBid(ann!.id, null, 90_000));
      await sell(backends.engine, lot.id, ann!, 30_000);
    }
    await projectAuction(database, backends.redis, auctionId);
    await report(service, { object: paymentOf(await knex('invoices').where('lot_id', lots[0]!.id).first()) });
    await staffOf(service).defaultLot(lots[2]!.id);
    await knex('auctions').where('id', auctionId).update({ status: 'ended' });
    await settleAuctions(knex);
  });
  after(() => service.close());

  it('is summed up with the rows that each figure is made of', async () => {
    const { sold, to_decide, unpaid, to_collect, collected, money, buyers } = await leftToDo();
    expect(sold).to.deep.equal({ lots: 2, of: 3, hammer: '600.00' });
    expect(to_decide.map((row: { title: string }) => row.title)).to.deep.equal(['Bench']);
    expect(to_decide[0]).to.include({ status: 'defaulted', offered: null });
    expect(to_decide[0].options).to.deep.equal(['offer', 'relist']);
    expect(unpaid).to.have.length(1);
    expect(unpaid[0]).to.include({ title: 'Table', buyer: 'Ann', owed: '300.00', reminded_at: null });
    expect(to_collect.map((row: { title: string }) => row.title)).to.deep.equal(['Chair']);
    expect(collected).to.deep.equal([]);
    expect([money.received, money.owed]).to.deep.equal(['300.00', '300.00']);
    expect(money.settlement).to.include({ status: 'draft', net: '570.00', paid_at: null });
    expect(money.settlement.waiting_for).to.deep.equal([unpaid[0].invoice_number]);
    expect(buyers).to.have.length(1);
    expect(buyers[0]).to.include({ name: 'Ann', bought: '600.00', owed: '300.00' });
    expect(buyers[0].lot_numbers).to.have.length(2);
  });

  it('reminds the buyer of an open invoice, once a day, and by itself once it is overdue', async () => {
    const { knex } = service.database;
    const number = await numberOf(lots[1]!.id);
    const remind = (name = number) => team.call('POST', `seller/invoices/${name}/reminder`);
    const paid = await numberOf(lots[0]!.id);
    expect(codeOf(await remind(paid))).to.deep.equal([409, 'invalid_transition']);
    const other = await SellingTeam.of(service);
    expect((await other.call('POST', `seller/invoices/${number}/reminder`)).status).to.equal(404);
    expect((await other.call('GET', `seller/auctions/${auctionId}/after`)).status).to.equal(404);
    const both = await Promise.all([remind(), remind()]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect((await leftToDo()).unpaid[0].reminded_at).not.to.equal(null);
    await knex('invoices')
      .where('invoice_number', number)
      .update({ reminded_at: null, due_at: knex.raw("now() - interval '1 minute'") });
    await markOverdue(knex);
    const [row] = (await leftToDo()).unpaid;
    expect([row.overdue_at === null, row.reminded_at === null]).to.deep.equal([false, false]);
  });

  it('is done on its page with one tap each', async () => {
    const page = `/seller/auctions/${auctionId}/after`;
    const { text } = await browser.get(page);
    for (const heading of ['To decide', 'Unpaid', 'Collection', 'Money', 'Buyers'])
      expect(text).to.contain(`>${heading}</h2>`);
    const tap = (action: string, into = '') => browser.post(page, { action, into });
    expect((await tap(`offer-${lots[2]!.id}`)).location).to.equal(`${page}?done=offer`);
    const [{ options, offered }] = (await leftToDo()).to_decide;
    expect([options, offered.amount]).to.deep.equal([[], '200.02']);
    expect((await tap(`relist-${lots[2]!.id}`, '1')).status).to.equal(409);
    await service.database.knex('offers').update({ status: 'declined' });
    const next = (
      await team.call('POST', 'seller/auctions', {
        ...{ title: 'Next', start_time: '2031-01-01T10:00:00Z', end_time: '2031-01-02T10:00:00Z' },
      })
    ).body.data.id;
    expect((await browser.get(page)).text).to.contain('aria-label="Relist lot');
    expect((await tap(`relist-${lots[2]!.id}`, String(next))).location).to.equal(`${page}?done=relist`);
    expect((await leftToDo()).to_decide).to.deep.equal([]);
    expect((await tap('nothing')).status).to.be.oneOf([404, 422]);
  });

  it('is not paid in full where an invoice is voided', async () => {
    const number = await numberOf(lots[1]!.id);
    await staffOf(service).voidInvoice(number);
    expect((await leftToDo()).unpaid).to.deep.equal([]);
    const { text } = await browser.get(`/seller/auctions/${auctionId}/after`);
    expect(text).to.contain('So far').and.not.contain('Paid in full');
  });
});
