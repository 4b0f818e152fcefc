/** A tender over HTTP: set up, bid on, replaced, taken back, opened, billed, explained and verified. */
import { expect } from 'chai';
import { LogTail } from '../../../../adapters/redis/log-tail.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { suspendBidder } from '../../../../src/bidding/staff/suspend-bidder.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { staffOf } from '../../../support/billing.ts';
import type { Bidder, Sale } from '../../../support/format-sales.ts';
import { projectAuction } from '../../../support/money.ts';
import { type Service, startService } from '../../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../../support/tender-sales.ts';

const NOTHING = { current_bid: null, bid_count: null, reserve_met: null, minimum_next_bid: '100.00' };

describe('a lot that is sold by tender', () => {
  let service: Service;
  let sales: TenderSales;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    sales = await TenderSales.of(service);
  });

  after(() => service.close());

  const project = ({ id }: Sale) => projectAuction(service.database, service.backends.redis, id);
  const mine = async ({ token }: Bidder, query = '') =>
    (await service.get(`/api/v1/me/bids${query}`, token)).body.data;

  it('takes bids that only their bidders see, opens them at the end, and bills the highest', async () => {
    const tender = await sales.open([{ reserve_price: '150.00' }]);
    const [lot] = tender.lots;
    expect(await sales.lot(lot)).to.deep.include({
      ...{ format: 'tender', round: 'first', has_reserve: true, ...NOTHING },
      ...{
        tender_may_lower: false,
        tender_may_withdraw: false,
        tender_pays: 'own',
        tender_final_round: null,
      },
    });
    const stranger = await sales.bidder();
    const early = await sales.bid(stranger, lot, '200.00');
    expect([early.status, early.body.code]).to.deep.equal([403, 'registration_required']);
    await sales.register(stranger, tender);
    expect((await sales.bid(stranger, lot, '99.99')).body.code, 'the very next bid').to.equal('bid_too_low');
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    const low = await sales.bid(ann, lot, '99.99');
    expect([low.status, low.body.code]).to.deep.equal([422, 'bid_too_low']);
    expect(low.body.data).to.include({ current_bid: null, minimum_next_bid: '100.00' });
    const first = await sales.bid(ann, lot, '212.34');
    expect(first.status, first.text).to.equal(201);
    expect(first.body.data).to.include({ outcome: 'sealed', amount: '212.34', sequence: null });
    expect(first.body.data.lot).to.include({ ...NOTHING, status: 'active', is_high_bidder: false });
    expect(Object.keys(first.body.data.receipt)).to.deep.equal(['hash']);
    const same = await sales.bid(ann, lot, '212.34');
    expect([same.status, same.body.code]).to.deep.equal([422, 'bid_too_low']);
    expect(same.body.errors.amount[0]).to.include('212.35');
    const second = await sales.bid(ann, lot, '234.56');
    expect(second.status).to.equal(201);
    expect((await sales.bid(bob, lot, '180.00')).status).to.equal(201);
    const own = (await sales.lot(lot, ann.token)).viewer;
    expect(own.bid).to.deep.include({ id: second.body.data.id, amount: '234.56' });
    expect(own).to.include({ in_final_round: false, is_high_bidder: false });
    expect((await sales.lot(lot, stranger.token)).viewer.bid).to.equal(null);
    await service.call('POST', `/api/v1/lots/${lot}/watchlist`, { token: ann.token });
    const { open: board } = (await service.get('/api/v1/me/board', ann.token)).body.data;
    expect(board[0]).to.include({ lot_id: lot, bid_count: null, current_bid: null, standing: 'watching' });
    const listed = (await service.get(`/api/v1/lots/${lot}/bids`, ann.token)).body;
    expect(listed.meta.total).to.equal(1);
    expect(listed.data[0]).to.include({ amount: '234.56', status: 'sealed', sequence: null, is_mine: true });
    for (const query of ['', '?status=sealed'])
      expect(
        (await mine(ann, query)).map((row: Record<string, unknown>) => [row['amount'], row['status']]),
      ).to.deep.equal([['234.56', 'sealed']]);
    expect(await mine(ann, '?status=outbid')).to.deep.equal([]);
    await sales.end(tender);
    expect(await sales.lot(lot)).to.include({
      ...{ status: 'sold', hammer_price: '234.56', current_bid: '234.56', bid_count: 2, reserve_met: true },
    });
    const rows = (await service.get(`/api/v1/lots/${lot}/bids`)).body.data;
    const shown = [
      ['180.00', 'outbid'],
      ['234.56', 'won'],
    ];
    const pairs = (some: Record<string, unknown>[]) => some.map((row) => [row['amount'], row['status']]);
    expect(pairs(rows)).to.deep.equal(shown);
    await project(tender);
    expect(pairs((await service.get(`/api/v1/lots/${lot}/bids`)).body.data)).to.deep.equal(shown);
    expect(pairs(await mine(ann))).to.deep.equal([['234.56', 'won']]);
    expect(pairs(await mine(bob))).to.deep.equal([['180.00', 'lost']]);
    const invoices = (await service.get('/api/v1/invoices', ann.token)).body.data;
    expect(invoices.map((one: Record<string, unknown>) => one['amount_due'])).to.deep.equal([258.02]);
    const journal = (await service.get(`/api/v1/lots/${lot}/journal`)).body.data;
    const events = journal.flatMap((entry: { events: { type: string }[] }) =>
      entry.events.map(({ type }) => type),
    );
    expect(events).to.include.members(['lot_scheduled', 'bid_sealed', 'bids_opened', 'lot_closed']);
    const openings = (await service.get(`/api/v1/lots/${lot}/journal/openings`)).body.data;
    const { verify } = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
    expect(await verify({ journal, openings })).to.deep.include({ ok: true, fault: null });
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true });
    const why = await service.get(`/api/v1/bids/${second.body.data.id}/explanation`);
    expect(why.status, why.text).to.equal(200);
    expect(why.body.data.steps.map((step: { rule: number }) => step.rule)).to.deep.equal([7, 22]);
  });

  it('gives a bid back where the seller allows it, and the same answer again under its key', async () => {
    const tender = await sales.open([{ tender_may_withdraw: true, tender_may_lower: true }, {}]);
    const [lot, strict] = tender.lots;
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    const first = await sales.bid(ann, lot, '300.00', 'key-1');
    const again = await sales.bid(ann, lot, '300.00', 'key-1');
    expect(again.status, again.text).to.equal(201);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.text).to.equal(first.text);
    expect((await sales.bid(ann, lot, '301.00', 'key-1')).body.code).to.equal('idempotency_key_reused');
    const lower = await sales.bid(ann, lot, '120.00');
    expect(lower.status).to.equal(201);
    const { id } = lower.body.data;
    expect((await sales.withdraw(bob, id)).status).to.equal(404);
    expect((await sales.withdraw(ann, first.body.data.id)).status).to.equal(404);
    const gone = await sales.withdraw(ann, id);
    expect([gone.status, gone.body.data.id]).to.deep.equal([200, id]);
    expect((await sales.withdraw(ann, id)).status).to.equal(404);
    expect((await sales.lot(lot, ann.token)).viewer.bid).to.equal(null);
    const kept = await sales.bid(ann, strict, '300.00');
    await project(tender);
    const refused = await sales.withdraw(ann, kept.body.data.id);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'withdrawal_not_allowed']);
    await sales.end(tender);
    expect((await sales.lot(lot)).status).to.equal('unsold');
    const late = await sales.withdraw(ann, kept.body.data.id);
    expect([late.status, late.body.code]).to.deep.equal([409, 'withdrawal_not_allowed']);
  });

  it('sells at the second price, and passes below the reserve', async () => {
    const lots = [{ tender_pays: 'second', reserve_price: '150.00' }, { reserve_price: '500.00' }];
    const tender = await sales.open(lots);
    const [lot, dear] = tender.lots;
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    await sales.bid(ann, lot, '300.00');
    await sales.bid(bob, lot, '200.00');
    await sales.bid(bob, dear, '499.99');
    await sales.end(tender);
    expect(await sales.lot(lot)).to.include({
      status: 'sold',
      hammer_price: '200.00',
      current_bid: '200.00',
    });
    expect(await sales.lot(dear)).to.include({ status: 'passed', hammer_price: null, reserve_met: false });
    const rows = (await service.get(`/api/v1/lots/${lot}/bids`)).body.data;
    expect(rows.map((row: Record<string, unknown>) => row['amount'])).to.have.members(['300.00', '200.00']);
  });

  it('has a final round for the highest, which all see and none but they may bid in', async () => {
    const tender = await sales.open([{ tender_final_round: 2, tender_final_seconds: 3_600 }]);
    const [lot] = tender.lots;
    const people = [
      await sales.registered(tender),
      await sales.registered(tender),
      await sales.registered(tender),
    ];
    const [ann, bob, cem] = people as [Bidder, Bidder, Bidder];
    await sales.bid(ann, lot, '300.00');
    await sales.bid(bob, lot, '250.00');
    await sales.bid(cem, lot, '200.00');
    await sales.end(tender);
    const shown = await sales.lot(lot);
    expect(shown).to.include({ status: 'active', round: 'final', ...NOTHING });
    expect((await sales.lot(lot, bob.token)).viewer).to.deep.include({ in_final_round: true });
    expect((await sales.lot(lot, cem.token)).viewer).to.deep.include({ in_final_round: false });
    const stranger = await sales.bid(cem, lot, '900.00');
    expect([stranger.status, stranger.body.code]).to.deep.equal([403, 'not_in_final_round']);
    expect((await sales.bid(bob, lot, '249.00')).body.code).to.equal('bid_too_low');
    expect((await sales.bid(bob, lot, '350.00')).status).to.equal(201);
    expect((await sales.bid(bob, lot, '360.00')).body.code).to.equal('not_in_final_round');
    await sales.end(tender);
    expect(await sales.lot(lot)).to.include({ status: 'sold', hammer_price: '350.00', bid_count: 3 });
  });

  it('takes a void out unseen, and knows limits over all lots of the auction', async () => {
    const tender = await sales.open([{}, {}], { registration: { bid_limit: '500.00' } });
    const [one, two] = tender.lots;
    const ann = await sales.registered(tender);
    const first = await sales.bid(ann, one, '300.00');
    expect(first.status, first.text).to.equal(201);
    const over = await sales.bid(ann, two, '200.01');
    expect([over.status, over.body.code]).to.deep.equal([403, 'bid_limit_exceeded']);
    expect((await sales.bid(ann, two, '200.00')).status).to.equal(201);
    expect((await sales.bid(ann, two, '200.01')).body.code).to.equal('bid_limit_exceeded');
    await project(tender);
    await voidBid(service.backends, first.body.data.id, 'a mistake');
    expect((await sales.bid(ann, two, '500.00')).status).to.equal(201);
    const both = await Promise.all([sales.bid(ann, one, '100.00'), sales.bid(ann, two, '501.00')]);
    expect(both.map(({ status }) => status)).to.deep.equal([403, 403]);
    await sales.end(tender);
    expect(await sales.lot(one)).to.include({ status: 'unsold' });
    expect(await sales.lot(two)).to.include({ status: 'sold', hammer_price: '500.00' });
  });

  it('counts no bid on a lot that was withdrawn against a limit', async () => {
    const tender = await sales.open([{}, {}], { registration: { bid_limit: '500.00' } });
    const [one, two] = tender.lots;
    const ann = await sales.registered(tender);
    expect((await sales.bid(ann, one, '300.00')).status).to.equal(201);
    expect((await sales.bid(ann, two, '200.01')).body.code).to.equal('bid_limit_exceeded');
    await service.backends.engine.submit(one!, { type: 'withdraw', reason: 'broken', byAdmin: true });
    expect((await sales.bid(ann, two, '500.00')).status).to.equal(201);
  });

  it('takes the bids of somebody who is suspended out unseen, where staff void them', async () => {
    const tender = await sales.open([{}]);
    const [lot = 0] = tender.lots;
    const ann = await sales.registered(tender);
    await sales.bid(ann, lot, '300.00');
    const parts = { ...service.backends, tail: new LogTail(service.backends.redis) };
    const order = { email: ann.user.email, leadingBids: null, reason: 'x', announce: async () => undefined };
    expect((await suspendBidder(parts, order)).lots).to.deep.equal([]);
    await suspendBidder(parts, { ...order, leadingBids: 'void' });
    await sales.end(tender);
    expect(await sales.lot(lot)).to.include({ status: 'unsold', bid_count: 0 });
  });

  it('is sold by the unit, and once more by a second chance, in the order of rank', async () => {
    const tender = await sales.open([{ units: '12.5', unit_name: 'acre', bid_per: 'unit' }]);
    const [lot = 0] = tender.lots;
    const [ann, bob] = [await sales.registered(tender), await sales.registered(tender)];
    const first = await sales.bid(ann, lot, '300.00');
    expect(first.body.data).to.include({ amount: '300.00', total: '3750.00' });
    expect(first.body.data.lot).to.include({ current_total: null, minimum_next_total: '1250.00' });
    await sales.bid(bob, lot, '200.20');
    await sales.end(tender);
    const sold = {
      status: 'sold',
      hammer_price: '3750.00',
      current_bid: '300.00',
      hammer_per_unit: '300.00',
    };
    expect(await sales.lot(lot)).to.include(sold);
    await project(tender);
    const { knex } = service.backends;
    await staffOf(service).defaultLot(lot);
    const { id } = await offerSecondChance(knex, lot);
    const taken = await service.call('POST', `/api/v1/offers/${id}/accept`, { token: bob.token });
    expect(taken.status, taken.text).to.equal(200);
    expect(await sales.lot(lot)).to.include({
      status: 'sold',
      hammer_price: '2502.50',
      current_bid: '200.20',
    });
    await project(tender);
    expect(await verifyJournal(service.backends, lot)).to.include({ ok: true });
    const [row] = (await service.get(`/api/v1/lots/${lot}/bids`)).body.data;
    expect(row).to.include({ amount: '200.20', status: 'won' });
    const why = (await service.get(`/api/v1/bids/${row.id}/explanation`)).body.data;
    expect(why.steps.map((step: { rule: number }) => step.rule)).to.deep.equal([10]);
    const journal = (await service.get(`/api/v1/lots/${lot}/journal?per_page=100`)).body.data;
    const openings = (await service.get(`/api/v1/lots/${lot}/journal/openings`)).body.data;
    const { verify } = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
    expect(await verify({ journal, openings })).to.deep.include({ ok: true, fault: null });
  });
});
