/** Deposits: one invoice for each bidder and auction, and the payment lets them bid at once. */
import { expect } from 'chai';
import { userKey } from '../../../../engine/auction/record.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import type { Invoice } from '../../../../src/billing/invoices/invoice.model.ts';
import { RefundRefused } from '../../../../src/billing/providers/provider.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { refusalOf, type Staff, withService } from '../../../support/billing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import {
  invoiceNow,
  paymentOf,
  projectAuction,
  report,
  reportDispute,
  sell,
} from '../../../support/money.ts';
import type { JsonValue, Service } from '../../../support/service.ts';

describe('deposits', () => {
  let service: Service;
  let staff: Staff;
  withService((parts) => {
    ({ service, staff } = parts);
  });

  const open = (auctionId: number, userId: number) =>
    service.database.knex.transaction((trx) => openDepositInvoice(trx, auctionId, userId));

  async function deposited() {
    const { database: db, backends } = service;
    const auction = await anAuction(db, { registration_mode: 'deposit', registration_deposit_cents: 25_000 });
    const lot = await aLot(db, { auction_id: auction.id });
    await publishAuction(backends, auction.id);
    return { auction, lot, bidder: await aUser(db) };
  }

  it('let a bidder bid as soon as the payment is reported', async () => {
    const { auction, lot, bidder } = await deposited();
    const bid = () => service.backends.engine.submit(lot.id, placeBid(bidder.id, 10_000, null));
    expect(JSON.stringify(await bid())).to.match(/deposit_required|registration_required/);
    const made = await Promise.all(Array.from({ length: 5 }, () => open(auction.id, bidder.id)));
    expect(new Set(made.map((invoice) => invoice!.id)).size).to.equal(1);
    const invoice = made[0]!;
    expect(invoice).to.include({ kind: 'deposit', amount_due_cents: 25_000, status: 'open', lot_id: null });
    await report(service, { object: paymentOf(invoice, { amount: 24_999 }) });
    expect(JSON.stringify(await bid())).to.match(/deposit_required|registration_required/);
    await report(service, { object: paymentOf(invoice, { amount: 1 }) });
    expect(await bid()).to.deep.include({ kind: 'answer' });
    expect(JSON.stringify(await bid())).to.not.include('deposit_required');
    expect((await invoiceNow(service.database, invoice)) as object)
      .to.have.property('deposit_applied_at')
      .that.is.a('string');
  });

  it('are corrected by the next pass, and never lift a suspension', async () => {
    const { auction, bidder } = await deposited();
    const { journal } = service.backends;
    const key = userKey(bidder.id);
    await journal.saveBidder(
      auction.id,
      { key, userId: bidder.id, alias: 'a1b2c3d4', paddle: null, status: 'suspended', limitCents: null },
      'because',
    );
    const invoice = (await open(auction.id, bidder.id))!;
    await report(service, { object: paymentOf(invoice) });
    await service.database.knex('invoices').where('id', invoice.id).update({ deposit_applied_at: null });
    expect(await staff.followDeposits()).to.equal(1);
    expect(await staff.followDeposits()).to.equal(0);
    expect((await journal.loadBidders(auction.id, [key])).get(key)?.bidder?.status).to.equal('suspended');
    const plain = await anAuction(service.database);
    expect(await open(plain.id, bidder.id)).to.equal(null);
  });

  /** A deposit auction of a team whose owner has a token, with a bidder and theirs. */
  async function house(columns: object = {}) {
    const { database: db, backends } = service;
    const owner = await aUser(db);
    const team = await aTeam(db, { owner });
    const auction = await anAuction(db, {
      team_id: team.id,
      registration_mode: 'deposit',
      registration_deposit_cents: 25_000,
      ...columns,
    });
    const lots = [
      await aLot(db, { auction_id: auction.id }),
      await aLot(db, { auction_id: auction.id }),
    ] as const;
    await publishAuction(backends, auction.id);
    const bidder = await aUser(db);
    const sellers = await service.tokenFor(owner, ['seller']);
    const bidders = await service.tokenFor(bidder);
    const path = `/api/v1/seller/auctions/${auction.id}/registrations`;
    const headers = { 'x-team-id': String(team.id) };
    return {
      auction,
      lots,
      bidder,
      register: () => service.call('POST', `/api/v1/auctions/${auction.id}/registration`, { token: bidders }),
      bid: (max: string) =>
        service.call('POST', `/api/v1/lots/${lots[0].id}/bids`, {
          token: bidders,
          body: { max_amount: max },
        }),
      invite: (body: object) => service.call('POST', path, { token: sellers, headers, body }),
      decide: (id: number, body: object) =>
        service.call('PATCH', `${path}/${id}`, { token: sellers, headers, body }),
      list: () => service.call('GET', path, { token: sellers, headers }),
      see: () => service.get(`/api/v1/lots/${lots[0].id}`, bidders),
    };
  }

  const pay = async (number: string, amount?: number): Promise<Invoice> => {
    const invoice = await findInvoice(number);
    await report(service, { object: paymentOf(invoice, amount === undefined ? {} : { amount }) });
    return findInvoice(number);
  };
  const findInvoice = async (number: string): Promise<Invoice> =>
    (await service.database.knex('invoices').where('invoice_number', number).first()) as Invoice;

  it('are not replaced by an approval, unless the seller waives them', async () => {
    const { register, bid, decide, list } = await house();
    const { id, status, deposit_invoice_number: number } = (await register()).body.data;
    expect(status).to.equal('deposit_due');
    const approved = (await decide(id, { status: 'approved' })).body.data;
    expect(approved).to.include({ status: 'deposit_due', deposit_invoice_number: number });
    expect((await bid('500.00')).body.code).to.equal('deposit_required');
    expect((await list()).body.data[0]).to.include({ deposit_invoice_number: number, deposit_waived: false });
    const waived = (await decide(id, { status: 'approved', waive_deposit: true })).body.data;
    expect(waived).to.include({ status: 'approved', deposit_waived: true });
    expect((await bid('500.00')).status).to.equal(201);
  });

  it('let their bidder bid as before where a refund is refused, as while they are disputed', async () => {
    const { register, bid } = await house();
    const number = (await register()).body.data.deposit_invoice_number as string;
    const payment = paymentOf(await findInvoice(number));
    await report(service, { object: payment });
    await reportDispute(service, payment, 'created', { amount: 25_000, status: 'needs_response' });
    expect((await refusalOf(staff.refund(number))).code).to.equal('deposit_in_use');
    expect((await findInvoice(number)).deposit_applied_at).to.be.a('string');
    const { status, text } = await bid('500.00');
    expect(status, text).to.equal(201);
  });

  it('are due again when they are refunded, and are not refunded under a bid that leads', async () => {
    const { register, bid, auction, lots } = await house();
    const number = (await register()).body.data.deposit_invoice_number as string;
    await pay(number);
    expect((await bid('500.00')).status).to.equal(201);
    expect((await refusalOf(staff.refund(number))).code).to.equal('deposit_in_use');
    expect((await findInvoice(number)).status).to.equal('paid');
    expect((await bid('600.00')).body.data.outcome).to.equal('max_raised');
    const rival = await aUser(service.database);
    const { journal, engine } = service.backends;
    const key = userKey(rival.id);
    const known = { key, userId: rival.id, alias: 'a1b2c3d5', paddle: null, limitCents: null };
    await journal.saveBidder(auction.id, { ...known, status: 'approved' }, null);
    await engine.submit(lots[0].id, placeBid(rival.id, null, 90_000));
    const refunded = await staff.refund(number);
    expect(refunded).to.include({ status: 'refunded', amount_refunded_cents: 25_000 });
    expect([...staff.provider.sent.values()].map(({ cents }) => cents)).to.deep.equal([25_000]);
    expect((await bid('2000.00')).body.code).to.equal('deposit_required');
    // Another deposit lets them in again.
    const again = (await register()).body.data.deposit_invoice_number as string;
    expect(again).to.not.equal(number);
    await pay(again);
    expect((await bid('2000.00')).status).to.equal(201);
    // A refund that the provider reports has happened, whoever leads.
    const payment = await service.database
      .knex('payments')
      .where('invoice_id', (await findInvoice(again)).id)
      .first();
    await report(service, {
      type: 'charge.refunded',
      object: { id: payment.payment_id, amount: 25_000, currency: 'usd', metadata: {} },
    });
    expect((await bid('3000.00')).body.code).to.equal('deposit_required');
  });

  it('stay where the provider sends nothing back, and the bidder is let in again', async () => {
    const { register, bid } = await house();
    const number = (await register()).body.data.deposit_invoice_number as string;
    await pay(number);
    staff.provider.failure = new RefundRefused('the card is gone');
    expect((await refusalOf(staff.refund(number))).code).to.equal('refund_refused');
    staff.provider.failure = null;
    expect((await findInvoice(number)).status).to.equal('paid');
    await staff.followDeposits();
    expect((await bid('500.00')).status).to.equal(201);
  });

  it('let nobody bid while it is not known whether they have gone back', async () => {
    const { register, bid } = await house();
    const number = (await register()).body.data.deposit_invoice_number as string;
    await pay(number);
    staff.provider.failure = new Error('the provider is unavailable');
    expect(await staff.refund(number)).to.include({ status: 'paid', amount_refunded_cents: 0 });
    await staff.followDeposits();
    expect((await bid('500.00')).body.code).to.equal('deposit_required');
    expect((await register()).body.data.status).to.equal('deposit_due');
    staff.provider.failure = null;
    await staff.tryAtOnce();
    await staff.returnSurplus();
    expect((await findInvoice(number)).status).to.equal('refunded');
    await staff.followDeposits();
    expect((await bid('500.00')).body.code).to.equal('deposit_required');
  });

  it('come on top of the invitation in a private auction, never in its place', async () => {
    const { register, bid, invite, see, bidder, auction, list } = await house({ privacy_setting: 'private' });
    expect((await register()).status).to.equal(404);
    expect((await see()).status).to.equal(404);
    const uninvited = (await open(auction.id, bidder.id))!;
    await report(service, { object: paymentOf(uninvited) });
    expect((await bid('500.00')).status).to.equal(404);
    const other = await house({ privacy_setting: 'private' });
    const invited = await other.invite({ email: other.bidder.email.toUpperCase(), bid_limit: '900.00' });
    expect(invited.status).to.equal(201);
    expect(invited.body.data).to.include({ status: 'deposit_due', bid_limit: '900.00' });
    const registered = await other.register();
    expect(registered.status).to.equal(200);
    expect((await other.bid('500.00')).body.code).to.equal('deposit_required');
    await pay(registered.body.data.deposit_invoice_number);
    expect((await other.bid('500.00')).status).to.equal(201);
    await projectAuction(service.database, service.backends.redis, other.auction.id);
    expect((await other.see()).status).to.equal(200);
    expect((await other.invite({ email: other.bidder.email })).status).to.equal(201);
    // Who has paid before is let in by the invitation at once.
    expect((await invite({ email: bidder.email })).status).to.equal(201);
    expect((await register()).body.data.status).to.equal('approved');
    expect((await list()).body.data).to.have.length(1);
  });

  it('are credited against what their bidders won when the auction is over, and the rest goes back', async () => {
    const { auction, lots, bidder, register } = await house();
    const number = (await register()).body.data.deposit_invoice_number as string;
    await pay(number);
    const loser = await aUser(service.database);
    const theirs = (await open(auction.id, loser.id))!;
    await report(service, { object: paymentOf(theirs) });
    const unpaid = (await open(auction.id, (await aUser(service.database)).id))!;
    await report(service, { object: paymentOf(unpaid, { amount: 5_000 }) });
    expect(await staff.returnDeposits()).to.equal(0);
    await sell(service.backends.engine, lots[0].id, bidder, 10_000);
    await sell(service.backends.engine, lots[1].id, bidder, 100_000);
    await projectAuction(service.database, service.backends.redis, auction.id);
    staff.provider.sent.clear();
    staff.provider.failure = new Error('the provider is unavailable');
    expect(await staff.returnDeposits()).to.equal(1);
    staff.provider.failure = null;
    expect(await staff.returnDeposits(), 'they wait for their next try').to.equal(0);
    await staff.tryAtOnce();
    await staff.returnDeposits();
    await staff.returnDeposits();
    expect([...staff.provider.sent.values()].map(({ cents }) => cents).sort()).to.deep.equal([25_000, 5_000]);
    expect(await findInvoice(theirs.invoice_number)).to.include({ status: 'refunded' });
    expect(await findInvoice(unpaid.invoice_number)).to.include({ status: 'voided' });
    expect(await findInvoice(number)).to.include({ status: 'paid', credited_cents: 25_000 });
    const token = await service.tokenFor(bidder);
    const mine = (await service.get('/api/v1/invoices?kind=winner', token)).body.data;
    expect(mine.map((row: JsonValue) => [row.status, row.amount_due, row.credits])).to.deep.equal([
      ['open', 850, [{ kind: 'deposit', invoice_number: number, amount: 150 }]],
      ['paid', 0, [{ kind: 'deposit', invoice_number: number, amount: 100 }]],
    ]);
    expect(await staff.books(auction.id)).to.deep.include({ ok: true, differences: [] });
    // The sale falls through: its cover is free again and goes back.
    await staff.defaultLot(lots[1].id);
    await staff.refund(mine[1].invoice_number);
    expect(await staff.returnDeposits()).to.equal(1);
    expect(await findInvoice(number)).to.include({ status: 'refunded', amount_refunded_cents: 25_000 });
    const { totals, differences } = await staff.books(auction.id);
    expect(differences).to.deep.equal([]);
    expect(totals).to.include({ deposits_held_cents: 0, deposits_credited_cents: 0 });
  });
});
