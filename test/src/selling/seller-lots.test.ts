/** Lots of sellers over HTTP: their numbers, their custom fields, many at once, and those taken out as drafts. */
import { expect } from 'chai';
import { LotFinder } from '../../../src/bidding/simulcast/lot-finder.ts';
import { aCategory } from '../../support/builders.ts';
import { draft, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

describe('lots of sellers', () => {
  let service: Service;
  let team: SellingTeam;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
  });

  after(() => service.close());

  const call: SellingTeam['call'] = (...args) => team.call(...args);

  it('never sells a lot that was withdrawn, or whose auction was cancelled, while still a draft', async () => {
    const lots: number[] = [];
    for (const move of ['scheduled', 'cancelled']) {
      const auction = (await call('POST', 'seller/auctions', draft())).body.data.id;
      const lot = { auction_id: auction, title: 'Taken out', starting_bid: '100.00' };
      const lotId = (await call('POST', 'seller/lots', lot)).body.data.id;
      await call('POST', 'seller/lots', lot);
      await call('PATCH', `seller/lots/${lotId}`, { status: 'scheduled' });
      if (move === 'scheduled') await call('PATCH', `seller/lots/${lotId}`, { status: 'withdrawn' });
      expect((await call('PATCH', `seller/auctions/${auction}`, { status: move })).status).to.equal(200);
      lots.push(lotId);
    }
    for (const lotId of lots) {
      const bid = await team.bid(lotId, { amount: '100.00' });
      expect(bid.status).to.equal(404);
      expect((await call('GET', `lots/${lotId}`, undefined, { team: null })).body.data.status).to.equal(
        'withdrawn',
      );
      const headers = { 'last-event-id': '0' };
      expect((await service.call('GET', `/api/v1/lots/${lotId}/stream`, { headers })).status).to.equal(404);
      expect(await new LotFinder(service.database.knex).find('hall', { lot_id: lotId })).to.equal(null);
    }
  });

  it('numbers lots made at once without doubles, and keeps a number that was requested', async () => {
    const auction = await call('POST', 'seller/auctions', draft());
    const make = (more: object = {}) =>
      call('POST', 'seller/lots', {
        auction_id: auction.body.data.id,
        title: 'A lot',
        starting_bid: 5,
        ...more,
      });
    const made = await Promise.all(Array.from({ length: 12 }, () => make()));
    const numbers = made.map(({ body }) => body.data.lot_number).sort((a, b) => a - b);
    expect(numbers).to.deep.equal(Array.from({ length: 12 }, (_, n) => n + 1));
    expect((await make({ lot_number: 40 })).body.data.lot_number).to.equal(40);
    expect((await make()).body.data.lot_number).to.equal(41);
    const taken = await make({ lot_number: 3 });
    expect([taken.status, Object.keys(taken.body.errors)]).to.deep.equal([422, ['lot_number']]);
  });

  it('checks custom fields against the category, its own or its auction’s', async () => {
    const schema = { type: 'object', properties: { soil: { type: 'string' } }, required: ['soil'] };
    const category = await aCategory(service.database, { schema });
    const auction = await call('POST', 'seller/auctions', draft({ category_id: category.id }));
    const make = (custom: object) =>
      call('POST', 'seller/lots', {
        auction_id: auction.body.data.id,
        title: 'Field',
        starting_bid: '1',
        custom_fields: custom,
      });
    expect((await make({ soil: 'loam' })).status).to.equal(201);
    expect(Object.keys((await make({})).body.errors)).to.deep.equal(['custom_fields.soil']);
    expect((await make({ soil: 'loam', other: 1 })).status).to.equal(422);
    // One that moves into an auction without a category is no longer held to the former one.
    const plain = await call('POST', 'seller/auctions', draft());
    const { id } = (await make({ soil: 'loam' })).body.data;
    const moved = { auction_id: plain.body.data.id, custom_fields: {} };
    expect((await call('PATCH', `seller/lots/${id}`, moved)).status).to.equal(200);
  });

  it('answers a bulk item by item', async () => {
    const auction = await call('POST', 'seller/auctions', draft());
    const lot = { auction_id: auction.body.data.id, title: 'One of many', starting_bid: '10.00' };
    const bulk = await call('POST', 'seller/lots/bulk', {
      lots: [
        lot,
        { ...lot, starting_bid: -1 },
        { ...lot, auction_id: 99999 },
        lot,
        7,
        { ...lot, title: '\u0000' },
      ],
    });
    expect(bulk.status).to.equal(200);
    expect(bulk.body.data.results.map(({ status }: { status: string }) => status)).to.deep.equal([
      'created',
      'failed',
      'failed',
      'created',
      'failed',
      'failed',
    ]);
    expect(bulk.body.data.results.at(-1).errors).to.have.keys(['title']);
    expect((await call('POST', 'seller/lots/bulk', { lots: [] })).status).to.equal(422);
    const large = { lots: [{ title: 'x'.repeat(1_100_000) }] };
    expect((await call('POST', 'seller/lots/bulk', large)).status).to.equal(413);
  });
});
