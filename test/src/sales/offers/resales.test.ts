/** A second chance that was taken is the lot's one result: price, winner, bids, journal and stream say the same. */
import { expect } from 'chai';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { archiveClosedLots } from '../../../../src/bidding/projection/archiving.ts';
import { publishAuction } from '../../../../src/bidding/records/publishing.ts';
import { acceptOffer } from '../../../../src/sales/offers/answer-offer.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { recordResales } from '../../../../src/sales/offers/record-resales.ts';
import { placeBid } from '../../../support/auction-house.ts';
import { type Staff, staffOf } from '../../../support/billing.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { readStream } from '../../../support/event-stream.ts';
import { projectAuction, sell } from '../../../support/money.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('a lot that is sold by a second chance', () => {
  let service: Service;
  let staff: Staff;
  let seller: User;
  let teamId: number;

  before(async () => {
    service = await startService();
    staff = staffOf(service);
    seller = await aUser(service.database);
    teamId = (await aTeam(service.database, { owner: seller })).id;
  });

  after(() => service.close());

  /** Pages of lists are remembered for a second: each asks for another. */
  let fresh = 10;

  interface Sold {
    readonly lotId: number;
    readonly auctionId: number;
    readonly bidders: readonly User[];
  }

  /** Lots that the first bidder bought for 325, the others behind at 300 and 200, as proxies or straight. */
  async function sold(): Promise<Sold> {
    const { database: db, backends } = service;
    const auction = await anAuction(db, { team_id: teamId, buyer_premium_bps: 1_000 });
    const lot = await aLot(db, { auction_id: auction.id });
    const bidders = [await aUser(db), await aUser(db), await aUser(db)];
    await publishAuction(backends, auction.id);
    for (const [index, max] of [
      [2, 20_000],
      [1, 30_000],
      [0, 90_000],
    ] as const)
      await backends.engine.submit(lot.id, placeBid(bidders[index]!.id, null, max));
    await sell(backends.engine, lot.id, bidders[0]!, 32_500);
    await projectAuction(db, backends.redis, auction.id);
    return { lotId: lot.id, auctionId: auction.id, bidders };
  }

  const project = ({ auctionId }: Sold) =>
    projectAuction(service.database, service.backends.redis, auctionId);

  async function takeChance({ lotId, bidders }: Sold, by: number): Promise<void> {
    await staff.defaultLot(lotId);
    const { id } = await offerSecondChance(service.backends.knex, lotId);
    const token = await service.tokenFor(bidders[by]!);
    const { status } = await service.call('POST', `/api/v1/offers/${id}/accept`, { token });
    expect(status).to.equal(200);
  }

  /** What every place says of the lot. */
  async function expectResult(lot: Sold, by: number, price: string, count: number, isProjected = true) {
    const { lotId, bidders } = lot;
    const token = await service.tokenFor(bidders[by]!);
    const bids: JsonValue[] = (await service.get(`/api/v1/lots/${lotId}/bids?per_page=100`, token)).body.data;
    const won = bids.filter(({ status }) => status === 'won');
    expect(won.map(({ amount, is_mine }) => ({ amount, is_mine }))).to.deep.equal([
      { amount: price, is_mine: true },
    ]);
    expect(bids.filter(({ status }) => status === 'leading')).to.deep.equal([]);
    expect(bids).to.have.length(count);
    const [detail, list, mine, sellers, page, stream] = await Promise.all([
      service.get(`/api/v1/lots/${lotId}`, token),
      service.get(`/api/v1/lots?status=sold&auction_id=${lot.auctionId}&per_page=${++fresh}`, token),
      service.get('/api/v1/me/bids?status=won', token),
      service.call('GET', `/api/v1/seller/lots/${lotId}`, {
        token: await service.tokenFor(seller, ['seller']),
        headers: { 'x-team-id': String(teamId) },
      }),
      fetch(`${service.url}/lots/${lotId}`).then((answer) => answer.text()),
      readStream(`${service.url}/api/v1/lots/${lotId}/stream`, { enough: (received) => received.length > 0 }),
    ]);
    const listed = list.body.data.data.find(({ id }: JsonValue) => id === lotId);
    const own = mine.body.data.find(({ lot_id }: JsonValue) => lot_id === lotId);
    const sources = {
      detail: detail.body.data,
      sellers: sellers.body.data,
      stream: stream.events[0]?.data,
      // Lists of what is over come from the projection.
      ...(isProjected ? { listed } : {}),
    };
    for (const [source, shown] of Object.entries(sources)) {
      expect(shown, source).to.include({
        hammer_price: price,
        current_bid: price,
        status: 'sold',
        bid_count: count,
      });
    }
    expect([own.status, own.lot.hammer_price]).to.deep.equal(['won', price]);
    expect(page).to.contain(price);
    const why = (await service.get(`/api/v1/bids/${won[0].id}/explanation`, token)).body.data.steps[0];
    expect([why.rule, why.values]).to.deep.equal([10, { hammer_price: price }]);
  }

  it('shows it everywhere at once, while Redis has it and after it has left, once and twice', async () => {
    const { knex, redis } = service.backends;
    const [near, far] = [await sold(), await sold()];
    expect(await archiveClosedLots({ knex, redis }, 3_600)).to.equal(0);
    await takeChance(near, 1);
    await expectResult(near, 1, '300.00', 5, false);
    await project(near);
    await expectResult(near, 1, '300.00', 5);
    expect(await archiveClosedLots({ knex, redis }, 0)).to.equal(2);
    await takeChance(far, 1);
    await expectResult(far, 1, '300.00', 5, false);
    await project(far);
    expect(await archiveClosedLots({ knex, redis }, 0)).to.equal(1);
    for (const lot of [near, far]) {
      await takeChance(lot, 2);
      await expectResult(lot, 2, '200.00', 6, false);
      await project(lot);
      await expectResult(lot, 2, '200.00', 6);
    }
    expect(await verifyJournal(service.backends, null)).to.include({ ok: true, lots: 2 });
    const verifier = await import(new URL('../../../../verifier/verify.mjs', import.meta.url).href);
    for (const { lotId } of [near, far]) {
      const bundle = await verifier.fetchBundle(service.url, lotId);
      expect((await verifier.verify(bundle)).fault).to.equal(null);
    }
    expect((await staff.books(near.auctionId)).differences).to.deep.equal([]);
  });

  it('is counted once, however often the journal is notified, and later if it was unavailable', async () => {
    const { knex, engine } = service.backends;
    const lot = await sold();
    await takeChance(lot, 1);
    await knex('offers').where('lot_id', lot.lotId).update({ recorded_at: null });
    await Promise.all([recordResales({ knex, engine }), recordResales({ knex, engine })]);
    await project(lot);
    await expectResult(lot, 1, '300.00', 5);
    expect(await recordResales({ knex, engine })).to.equal(0);
    const types: string[] = await knex('events').where('lot_id', lot.lotId).orderBy('id').pluck('type');
    expect(types.filter((type) => type === 'lot.sold')).to.have.length(1);
    expect(await knex('invoices').where({ lot_id: lot.lotId, kind: 'winner' })).to.have.length(2);

    const late = await sold();
    await staff.defaultLot(late.lotId);
    await acceptOffer(knex, (await offerSecondChance(knex, late.lotId)).id, late.bidders[1]!.id);
    const unavailable = { submit: () => Promise.reject(new Error('unavailable')) };
    const fault = await recordResales({ knex, engine: unavailable }).catch((error: Error) => error.message);
    expect(fault).to.match(/^the sale by offer \d+: unavailable$/);
    expect(await recordResales({ knex, engine })).to.equal(1);
    await project(late);
    await expectResult(late, 1, '300.00', 5);
  });
});
