/** Sales tax from the seller's setting to the invoice and to subscribers' events: one total everywhere. */
import { expect } from 'chai';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { projectAuction, sell } from '../../../support/money.ts';
import { SellingTeam } from '../../../support/selling-team.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('sales tax', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });

  after(() => service.close());

  const seller = (method: string, path: string, body?: unknown) => team.call(method, `seller/${path}`, body);

  it('is on hammer and premium, in the invoice and in the total of lot.sold, and shows in every detail', async () => {
    const auction = await anAuction(service.database, { team_id: team.id, buyer_premium_bps: 1_000 });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await publishAuction(service.backends, auction.id);
    const set = await seller('PATCH', `auctions/${auction.id}`, { sales_tax_percentage: '8.1234' });
    expect(set.body.data.sales_tax_percentage, set.text).to.equal('8.1234');
    expect((await seller('GET', `auctions/${auction.id}`)).body.data.sales_tax_percentage).to.equal('8.1234');
    for (const bad of ['8.12345', '100.0001', -1, 'eight']) {
      const refused = await seller('PATCH', `auctions/${auction.id}`, { sales_tax_percentage: bad });
      expect([refused.status, Object.keys(refused.body.errors)]).to.deep.equal([
        422,
        ['sales_tax_percentage'],
      ]);
    }
    const buyer = await aUser(service.database);
    await sell(service.backends.engine, lot.id, buyer, 100_000);
    await projectAuction(service.database, service.backends.redis, auction.id);

    const detail = (await service.get(`/api/v1/lots/${lot.id}`)).body.data;
    expect([detail.sales_tax_percentage, detail.hammer_price]).to.deep.equal(['8.1234', '1000.00']);
    expect((await seller('GET', `lots/${lot.id}`)).body.data.sales_tax_percentage).to.equal('8.1234');
    const { knex } = service.backends;
    const invoice = await knex('invoices').where('lot_id', lot.id).first();
    expect(invoice.amount_due_cents).to.equal(118_936);
    const lines = await knex('invoice_lines').where('invoice_id', invoice.id).orderBy('position');
    expect(lines.map(({ kind, amount_cents }) => [kind, amount_cents])).to.deep.equal([
      ['hammer', 100_000],
      ['premium', 10_000],
      ['tax', 8_936],
    ]);
    expect(lines[2]!.description).to.equal('Sales tax 8.1234%');
    const sold = await knex('events').where({ type: 'lot.sold', lot_id: lot.id }).first();
    expect(sold.data).to.deep.include({
      hammer_price: '1000.00',
      premium: '100.00',
      tax: '89.36',
      total: '1189.36',
      invoice_number: invoice.invoice_number,
    });
  });

  it('is null until sold in lists and details alike', async () => {
    const auction = await anAuction(service.database, { team_id: team.id });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await publishAuction(service.backends, auction.id);
    expect((await service.get(`/api/v1/lots/${lot.id}`)).body.data.hammer_price).to.equal(null);
    const list = await service.get(`/api/v1/lots?auction_id=${auction.id}&status=all`);
    expect(list.body.data.data.map((one: { hammer_price: unknown }) => one.hammer_price)).to.deep.equal([
      null,
    ]);
  });

  it('says who owns an auction, and shows its media, to its seller too', async () => {
    const auction = await anAuction(service.database, { team_id: team.id });
    await service.backends.knex('media').insert({
      auction_id: auction.id,
      position: 1,
      kind: 'image',
      file_key: 'a/one.jpg',
      thumb_key: 'a/one-thumb.webp',
      medium_key: 'a/one-medium.webp',
      file_name: 'one.jpg',
      mime_type: 'image/jpeg',
      size: 100,
      width: 10,
      height: 10,
    });
    const { data } = (await seller('GET', `auctions/${auction.id}`)).body;
    expect(data.auctionable).to.include({ id: team.id, type: 'team' });
    expect(data.media).to.have.length(1);
    expect(data.media[0]).to.include({
      url: `${service.url}/media/a/one.jpg`,
      thumbnail_url: `${service.url}/media/a/one-thumb.webp`,
      medium_url: `${service.url}/media/a/one-medium.webp`,
    });
    const [listed] = (await seller('GET', 'auctions')).body.data;
    expect(listed).to.have.property('auctionable');
  });
});
