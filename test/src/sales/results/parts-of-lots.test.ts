/** Of a lot that several have bought a part of, each pays, defaults on and collects their own part. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { settleAuctions } from '../../../../src/billing/settlements/settlements.ts';
import { refusalOf, type Staff, staffOf } from '../../../support/billing.ts';
import { FallingSales } from '../../../support/falling-sales.ts';
import { HOUR_MS } from '../../../support/format-sales.ts';
import { paymentOf, projectAuction, report } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('parts of a lot', () => {
  let service: Service;
  let sales: FallingSales;
  let staff: Staff;
  let knex: Knex;

  before(async () => {
    service = await startService();
    sales = await FallingSales.of(service);
    staff = staffOf(service);
    knex = service.database.knex;
  });

  after(() => service.close());

  /** A lot of which each of these has bought so many pieces, in this order; ended, with its invoices. */
  async function bought(takes: readonly number[], buyers: readonly { readonly token: string }[]) {
    const from = Date.now() + 24 * HOUR_MS;
    const { id, lots } = await sales.auctionOf(
      [{ quantity: takes.reduce((sum, take) => sum + take, 0) }],
      2.5 * HOUR_MS,
      {
        collections: [
          {
            from: new Date(from).toISOString(),
            to: new Date(from + HOUR_MS).toISOString(),
            slot_minutes: 30,
          },
        ],
      },
    );
    const lot = lots[0]!;
    for (const [index, take] of takes.entries())
      expect((await sales.bid(buyers[index]!.token, lot, { amount: '200.00', take })).status).to.equal(201);
    await projectAuction(service.database, service.backends.redis, id);
    await knex('auctions').where({ id }).update({ status: 'ended' });
    await settleAuctions(knex);
    const invoices: Invoice[] = await knex('invoices').where({ lot_id: lot, kind: 'winner' }).orderBy('id');
    return { id, lot, invoices };
  }
  const pay = (invoice: Invoice | undefined) => report(service, { object: paymentOf(invoice!) });
  const relist = (lot: number, auction: number) =>
    sales.sell('POST', `lots/${lot}/relist`, { auction_id: auction });

  it('is named on the invoice, of how many', async () => {
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    const { invoices } = await bought([1, 2], [ann, bob]);
    const numbers = invoices.map(({ id }) => id);
    const lines = await knex('invoice_lines').whereIn('invoice_id', numbers).where('kind', 'hammer');
    expect(lines.map(({ description }) => description)).to.have.members([
      'Lot 1: Tulips, 1 of 3 pieces',
      'Lot 1: Tulips, 2 of 3 pieces',
    ]);
  });

  it('is collected by each of them', async () => {
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    const { id, lot, invoices } = await bought([1, 1, 2], [ann, bob, ann]);
    const slots = (await service.get(`/api/v1/auctions/${id}/collections`)).body.data;
    const book = async ({ token }: { readonly token: string }, slot: number) =>
      (
        await service.call('POST', '/api/v1/me/collections', {
          token,
          body: { auction_id: id, from: slots[slot].from },
        })
      ).body.data;
    await pay(invoices[0]);
    await pay(invoices[1]);
    const first = await book(ann, 0);
    expect(first.lots).to.deep.equal([
      {
        ...{ id: lot, lot_number: 1, catalog_number: null, title: 'Tulips', quantity: 1 },
        ...{ collected_at: null, is_disputed: false },
      },
    ]);
    const other = await book(bob, 1);
    expect(other.lots[0]).to.include({ id: lot, quantity: 1 });
    expect((await service.get(`/api/v1/me/collections/${first.id}`, ann.token)).body.data).to.deep.equal(
      first,
    );
    await pay(invoices[2]);
    expect((await book(ann, 0)).lots[0]).to.include({ id: lot, quantity: 3 });
    const gate = (code: string) => sales.sell('POST', `collections/${code}/collected`, { lot_ids: [lot] });
    const gone = await gate(other.code);
    expect(gone.body.data.lots[0].collected_at).to.be.a('string');
    const rest = await gate(first.code);
    expect(rest.status, rest.text).to.equal(200);
    expect(rest.body.data.lots).to.have.length(1);
    expect(rest.body.data.lots[0]).to.include({ id: lot, quantity: 3 });
  });

  it('whose money went back is collected by nobody, and the others are', async () => {
    const ann = await sales.bidder();
    const { id, lot, invoices } = await bought([1, 2], [ann, ann]);
    for (const invoice of invoices) await pay(invoice);
    const { from } = (await service.get(`/api/v1/auctions/${id}/collections`)).body.data[0];
    const made = await service.call('POST', '/api/v1/me/collections', {
      token: ann.token,
      body: { auction_id: id, from },
    });
    await staff.refund(invoices[1]!.invoice_number);
    const { code } = made.body.data;
    const gone = await sales.sell('POST', `collections/${code}/collected`, { lot_ids: [lot] });
    expect(gone.body.data.lots[0]).to.include({ id: lot, quantity: 1 });
    const again = await sales.sell('POST', `collections/${code}/collected`, { lot_ids: [lot] });
    expect([again.status, again.body.code]).to.deep.equal([409, 'not_paid']);
  });

  it('falls through for the buyer who has not paid, whoever was billed last', async () => {
    const [ann, bob] = [await sales.bidder(), await sales.bidder()];
    const { id, lot, invoices } = await bought([1, 1], [ann, bob]);
    await pay(invoices[1]);
    expect(await staff.defaultLot(lot)).to.include({ invoiceNumber: invoices[0]!.invoice_number });
    expect((await refusalOf(staff.defaultLot(lot))).code).to.equal('invalid_transition');
    const standingOf = async ({ token }: { readonly token: string }) =>
      (await service.get('/api/v1/me/bids', token)).body.data[0].status;
    expect([await standingOf(ann), await standingOf(bob)]).to.deep.equal(['defaulted', 'won']);
    // The other part is sold.
    const offered = await sales.sell('POST', `lots/${lot}/second-chance`, {});
    expect([offered.status, offered.body.code]).to.deep.equal([409, 'invalid_transition']);
    const { id: next } = (
      await sales.sell('POST', 'auctions', {
        title: 'The next sale',
        format: 'falling',
        start_time: new Date(Date.now() + HOUR_MS).toISOString(),
        end_time: new Date(Date.now() + 9 * HOUR_MS).toISOString(),
      })
    ).body.data;
    expect((await relist(lot, next)).status).to.equal(409);
    expect((await staff.books(id)).differences).to.deep.equal([]);
    await staff.refund(invoices[1]!.invoice_number);
    expect(await staff.defaultLot(lot)).to.include({ invoiceNumber: invoices[1]!.invoice_number });
    const nobody = await sales.sell('POST', `lots/${lot}/second-chance`, {});
    expect([nobody.status, nobody.body.code]).to.deep.equal([409, 'no_bidder_left']);
    expect((await relist(lot, next)).status).to.equal(201);
    expect((await staff.books(id)).differences).to.deep.equal([]);
  });

  it('falls through for one of several only once they are named', async () => {
    const ann = await sales.bidder();
    const { id, lot, invoices } = await bought([1, 2], [ann, ann]);
    const several = await staff.defaultLot(lot).catch((error: Error) => error);
    expect(several).to.have.property('message').that.includes(invoices[0]!.invoice_number);
    expect((await refusalOf(staff.defaultLot(lot, 'INV-2019-00001'))).code).to.equal('not_found');
    const { invoice_number: number } = invoices[0]!;
    expect(await staff.defaultLot(lot, number)).to.include({ invoiceNumber: number });
    // What they bought by the other bid is theirs.
    const [row] = (await service.get('/api/v1/me/bids?status=won', ann.token)).body.data;
    expect(row).to.include({ lot_id: lot, status: 'won' });
    expect((await staff.books(id)).differences).to.deep.equal([]);
  });
});
