/**
 * What people try around the moments that count: a tender's opening, and tracts that are sold. Late, twice, out of
 * order, from another's team, as somebody else.
 */
import { expect } from 'chai';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { projectAuction } from '../../../support/money.ts';
import { ParcelsSales } from '../../../support/parcels-sales.ts';
import { type Service, startService } from '../../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../../support/tender-sales.ts';

describe('formats under attack', () => {
  let service: Service;
  let tenders: TenderSales;
  let parcels: ParcelsSales;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    tenders = await TenderSales.of(service);
    parcels = await ParcelsSales.of(service);
  });
  after(() => service.close());

  const statusOf = ({ status }: { readonly status: number }) => status;
  const winnerInvoices = async (lots: readonly number[]) =>
    service.backends
      .knex('invoices')
      .whereIn('lot_id', [...lots])
      .where('kind', 'winner');

  it('opens a tender once, whoever asks for it, and takes nothing at that moment twice', async () => {
    const tender = await tenders.open([{ tender_may_withdraw: true }]);
    const [lot = 0] = tender.lots;
    const [ann, bob] = [await tenders.registered(tender), await tenders.registered(tender)];
    const mine = await tenders.bid(ann, lot, '300.00', 'once');
    // Under one key at once: one bid, told to all who ask.
    const same = await Promise.all([1, 2, 3, 4].map(() => tenders.bid(bob, lot, '200.00', 'again')));
    expect(new Set(same.map(({ body }) => body.data?.id)).size).to.equal(1);
    const [, ...ends] = await Promise.all([
      tenders.end(tender),
      ...[1, 2, 3].map((n) => tenders.bid(bob, lot, `40${n}.00`)),
      tenders.withdraw(ann, mine.body.data.id),
    ]);
    await tenders.advance(tender);
    await tenders.advance(tender);
    const journal = (await service.get(`/api/v1/lots/${lot}/journal?per_page=100`)).body.data;
    const events = journal.flatMap((entry: { events: { type: string }[] }) => entry.events);
    const opened = events.filter(({ type }: { type: string }) => type === 'bids_opened');
    expect(opened).to.have.length(1);
    expect(events.filter(({ type }: { type: string }) => type === 'lot_closed')).to.have.length(1);
    // What was answered 201 is what was opened, and nothing else.
    const taken = ends.filter((one) => one.status === 201).map(({ body }) => body.data.amount);
    const highest = [...taken, '200.00'].toSorted((a, b) => Number(a) - Number(b)).at(-1);
    const amounts = opened[0].bids.map(({ amount }: { amount: string }) => amount);
    const isGone = ends.at(-1)?.status === 200;
    expect(amounts).to.have.members([highest, ...(isGone ? [] : ['300.00'])]);
    for (const late of [
      await tenders.bid(ann, lot, '999.00'),
      await tenders.withdraw(bob, same[0]?.body.data.id),
    ])
      expect(late.status).to.equal(409);
    const replayed = await tenders.bid(ann, lot, '300.00', 'once');
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
    await projectAuction(service.database, service.backends.redis, tender.id);
    expect(await winnerInvoices(tender.lots)).to.have.length(1);
  });

  it('lets nobody take back, see or use a sealed bid of somebody else, the seller’s team neither', async () => {
    const tender = await tenders.open([{ tender_may_withdraw: true }]);
    const [lot = 0] = tender.lots;
    const [ann, bob] = [await tenders.registered(tender), await tenders.registered(tender)];
    const { id } = (await tenders.bid(ann, lot, '300.00')).body.data;
    const others = [bob.token, tenders.seller, parcels.seller];
    for (const token of others) {
      const gone = await service.call('DELETE', `/api/v1/bids/${id}`, { token });
      const why = await service.call('GET', `/api/v1/bids/${id}/explanation`, { token });
      expect([gone, why].map(statusOf), token).to.deep.equal([404, 404]);
    }
    expect((await service.call('DELETE', `/api/v1/bids/${id}`)).status).to.equal(401);
    const team = await service.call('POST', `/api/v1/lots/${lot}/bids`, {
      ...{ token: tenders.seller, body: { amount: '400.00' } },
    });
    expect([team.status, team.body.code]).to.deep.equal([403, 'seller_cannot_bid']);
    expect((await tenders.lot(lot, ann.token)).viewer.bid).to.include({ id, amount: '300.00' });
  });

  it('sells tracts once, and takes no set with a lot of elsewhere, twice, or out of its order', async () => {
    const [sale, other] = [await parcels.open([{}, {}, {}]), await parcels.open([{}, {}])];
    const [one = 0, two = 0, three = 0] = sale.lots;
    const [ann, bob] = [await parcels.bidder(), await parcels.bidder()];
    for (const set of [
      [one, other.lots[0]],
      [one, one],
      [one, 999_999],
    ])
      expect((await parcels.bid(ann, set, '900.00')).status, String(set)).to.equal(422);
    const apart = await service.call('POST', `/api/v1/lots/${one}/bids`, {
      ...{ token: ann.token, body: { amount: '900.00', lot_ids: [two, three] } },
    });
    expect(apart.status, 'a set without the lot of its path').to.equal(422);
    const placed = await parcels.bid(ann, [two, one], '400.00', {}, 'set');
    expect([placed.status, placed.body.data.lot_ids]).to.deep.equal([201, [one, two]]);
    const again = await service.call('POST', `/api/v1/lots/${two}/bids`, {
      ...{ token: ann.token, body: { amount: '400.00', lot_ids: [one, two] } },
      headers: { 'idempotency-key': 'set' },
    });
    // The same set in another order is the same bid, or refused as another; never a second one.
    expect(again.body.data?.id ?? again.body.code).to.be.oneOf([
      placed.body.data.id,
      'idempotency_key_reused',
    ]);
    const [, ...late] = await Promise.all([
      parcels.end(sale),
      ...[1, 2, 3].map((n) => parcels.bid(bob, [three], `15${n}.00`, { standing: true })),
    ]);
    for (const answer of late) expect(answer.status).to.be.oneOf([201, 409, 422]);
    await parcels.advance(sale);
    const state = await parcels.parcels(sale);
    await projectAuction(service.database, service.backends.redis, sale.id);
    const billed = await winnerInvoices(sale.lots);
    const sold = state.leading.flatMap(({ lot_ids }: { lot_ids: number[] }) => lot_ids);
    expect(billed.map(({ lot_id }) => lot_id)).to.have.members(sold);
    const over = await parcels.bid(bob, [one, two, three], '9000.00');
    expect([over.status, over.body.code]).to.deep.equal([409, 'lot_closed']);
  });

  it('lets no other team default, offer or list again what was sold in a format', async () => {
    const sale = await parcels.open([{}, {}]);
    const [one = 0] = sale.lots;
    const ann = await parcels.bidder();
    expect((await parcels.bid(ann, sale.lots, '400.00')).status).to.equal(201);
    await parcels.end(sale);
    await projectAuction(service.database, service.backends.redis, sale.id);
    for (const [path, body] of [
      [`lots/${one}/second-chance`, {}],
      [`lots/${one}/accept-bid`, {}],
      [`lots/${one}/relist`, { auction_id: sale.id }],
    ] as const)
      expect((await tenders.sell('POST', path, body)).status, path).to.equal(404);
    const refused = await offerSecondChance(service.backends.knex, one).catch((error: unknown) => error);
    expect(String(refused)).to.match(/not marked as defaulted/);
  });
});
