/** Bands of the premium and the surcharge on online bids, from the seller's setting to invoice, event, board and page. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { aUser } from '../../../support/builders.ts';
import { projectAuction, sell } from '../../../support/money.ts';
import { codeOf, SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

const TERMS = {
  premium_bands: [
    { from: '0.00', percentage: '25' },
    { from: '500.00', percentage: '12.5' },
  ],
  online_surcharge_percentage: '3.01',
  sales_tax_percentage: '10',
  payment_due_days: 3,
  type: 'simulcast',
};

describe('bands of the premium and the surcharge', () => {
  let service: Service;
  let team: SellingTeam;
  let ann: User;
  let token: string;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    ann = await aUser(service.database);
    token = await service.tokenFor(ann);
  });

  after(() => service.close());

  const bid = (lotId: number, body: object) =>
    service.call('POST', `/api/v1/lots/${lotId}/bids`, { token, body });
  async function soldFor(cents: number, lotId: number, auctionId: number) {
    const { engine, knex, redis } = service.backends;
    await sell(engine, lotId, ann, cents);
    await projectAuction(service.database, redis, auctionId);
    const invoice = await knex('invoices').where('lot_id', lotId).first();
    const lines = await knex('invoice_lines').where('invoice_id', invoice.id).orderBy('position');
    const event = await knex('events').where({ type: 'lot.sold', lot_id: lotId }).first();
    return { invoice, lines: lines.map((line) => line.amount_cents), sold: event.data };
  }

  it('are in the invoice of an online bid, rounded once, and due when the seller says', async () => {
    const { auctionId, lotId } = await team.liveLot({}, TERMS);
    expect((await bid(lotId, { max_amount: '900.01', amount: '900.01' })).status).to.equal(201);
    await projectAuction(service.database, service.backends.redis, auctionId);
    const board = await service.get('/api/v1/me/board', token);
    const page = await service.get(`/lots/${lotId}`);
    // 125 + 50.00125 + 27.090301 = 202.091551; tax on 1102.10.
    const { invoice, lines, sold } = await soldFor(90_001, lotId, auctionId);
    expect(lines).to.deep.equal([90_001, 20_209, 11_021]);
    expect(sold).to.include({ premium: '202.09', tax: '110.21', total: '1212.31' });
    expect(Date.parse(invoice.due_at) - Date.parse(invoice.created_at)).to.equal(3 * 86_400_000);
    expect(board.text).to.contain('"1212.31"');
    expect(page.text).to.contain('data-surcharge="301"');
    expect((await service.get(`/lots/${lotId}`, token)).text).to.contain('$900.01');
  });

  it('have no surcharge where the floor won, whoever led online before', async () => {
    const { auctionId, lotId } = await team.liveLot({}, TERMS);
    expect((await bid(lotId, { amount: '500.00' })).status).to.equal(201);
    const { lines, sold } = await soldFor(100_000, lotId, auctionId);
    expect(lines).to.deep.equal([100_000, 18_750, 11_875]);
    expect(sold).to.include({ premium: '187.50', total: '1306.25' });
  });

  it('are frozen by the first bid', async () => {
    const { auctionId, lotId } = await team.liveLot({}, TERMS);
    const change = (body: object) => team.call('PATCH', `seller/auctions/${auctionId}`, body);
    const higher = await change({ online_surcharge_percentage: '4', premium_bands: [] });
    expect(higher.body.data).to.deep.include({ premium_bands: [], online_surcharge_percentage: '4.00' });
    expect((await change({ premium_bands: TERMS.premium_bands })).status).to.equal(200);
    expect((await bid(lotId, { amount: '500.00' })).status).to.equal(201);
    for (const terms of [{ premium_bands: null }, { online_surcharge_percentage: '0' }]) {
      const refused = await change(terms);
      expect(codeOf(refused)).to.deep.equal([409, 'auction_locked']);
      expect(refused.body.data.fields).to.deep.equal(Object.keys(terms));
    }
    expect((await change({ payment_due_days: 9 })).status).to.equal(200);
    const own = await team.call('GET', `seller/auctions/${auctionId}`);
    expect(own.body.data).to.deep.include({ online_surcharge_percentage: '4.00', payment_due_days: 9 });
    await projectAuction(service.database, service.backends.redis, auctionId);
    const open = await service.get(`/api/v1/auctions/${auctionId}`);
    expect(open.body.data.premium_bands).to.deep.equal([
      { from: '0.00', percentage: '25.00' },
      { from: '500.00', percentage: '12.50' },
    ]);
  });
});
