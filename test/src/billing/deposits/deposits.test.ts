/** Deposits: one invoice for each bidder and auction, and the payment lets them bid at once. */
import { expect } from 'chai';
import { userKey } from '../../../../engine/auction/record.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { applyPaidDeposits, openDepositInvoice } from '../../../../src/billing/deposits/deposits.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { invoiceNow, paymentOf, report } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('deposits', () => {
  let service: Service;

  before(async function () {
    this.timeout(60_000);
    service = await startService();
  });

  after(() => service.close());

  const open = (auctionId: number, userId: number) =>
    service.database.knex.transaction((trx) => openDepositInvoice(trx, auctionId, userId));

  async function deposited() {
    const { database: db, platform } = service;
    const auction = await anAuction(db, { registration_mode: 'deposit', registration_deposit_cents: 25_000 });
    const lot = await aLot(db, { auction_id: auction.id });
    await publishAuction(platform, auction.id);
    return { auction, lot, bidder: await aUser(db) };
  }

  it('let a bidder bid as soon as the payment is reported', async () => {
    const { auction, lot, bidder } = await deposited();
    const bid = () => service.platform.engine.submit(lot.id, placeBid(bidder.id, 10_000, null));
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

  it('are made up for by the round, and never lift a suspension', async () => {
    const { auction, bidder } = await deposited();
    const { journal } = service.platform;
    const key = userKey(bidder.id);
    await journal.saveBidder(
      auction.id,
      { key, userId: bidder.id, alias: 'a1b2c3d4', paddle: null, status: 'suspended', limitCents: null },
      'because',
    );
    const invoice = (await open(auction.id, bidder.id))!;
    const paid = { status: 'paid', paid_at: new Date().toISOString(), amount_paid_cents: 25_000 };
    await service.database.knex('invoices').where('id', invoice.id).update(paid);
    expect(await applyPaidDeposits(service.platform)).to.equal(1);
    expect(await applyPaidDeposits(service.platform)).to.equal(0);
    expect((await journal.loadBidders(auction.id, [key])).get(key)?.bidder?.status).to.equal('suspended');
    const plain = await anAuction(service.database);
    expect(await open(plain.id, bidder.id)).to.equal(null);
  });
});
