/** Lots that are offered together in the saleroom (rule 25): platforms, online bids, and the winner's choice. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { verifyJournal } from '../../../../src/bidding/journal/verify.ts';
import { followGroups } from '../../../../src/bidding/projection/group-prices.ts';
import { ChoiceRoom, type Room, statusOf } from '../../../support/choice-room.ts';
import { eventually } from '../../../support/market.ts';
import type { JsonValue } from '../../../support/service.ts';

const FLOOR = { paddle: '88', external_id: 'b-9' };

describe('lots that are offered together', () => {
  let room: ChoiceRoom;

  before(async () => {
    room = await ChoiceRoom.open();
    await room.sweep();
  });

  after(() => room.close());

  const priceOf = async (group: Room) => {
    const state = await room.service.backends.journal.load(group.auctionId, group.lotIds[0]!);
    return state!.currentCents;
  };

  it('have one price, whichever is named', async () => {
    const group = await room.group(3);
    const [first, second, third] = group.lotIds as [number, number, number];
    expect(statusOf(await room.floorBid(second, '500.00'))).to.equal('applied');
    expect((await room.bid(third, '600.00')).status).to.equal(201);
    expect(statusOf(await room.floorBid(first, '550.00'))).to.equal('rejected');
    expect(statusOf(await room.floorBid(first, '700.00'))).to.equal('applied');
    expect(await priceOf(group)).to.equal(70_000);
  });

  it('have all bids, whichever was named, since their bidding last began anew', async () => {
    const group = await room.group(3);
    const [first, second, third] = group.lotIds as [number, number, number];
    const listed = async (lotId: number) => {
      const { body } = await room.service.get(`/api/v1/lots/${lotId}/bids`, room.tokens[0]);
      const { length } = body.data;
      expect([body.meta.total, (await room.lot(lotId)).bid_count]).to.deep.equal([length, length]);
      return body.data.map((row: JsonValue) => [row.amount, row.status, row.is_mine]);
    };
    const expectListed = async (bids: Readonly<Record<number, unknown[]>>) => {
      const check = async () => {
        for (const lotId of group.lotIds)
          expect(await listed(lotId), `lot ${lotId}`).to.deep.equal(bids[lotId]);
      };
      await check();
      await room.project(group);
      await check();
    };
    await room.floorBid(second, '500.00');
    await room.bid(third, '600.00');
    const both = [
      ['600.00', 'leading', true],
      ['500.00', 'outbid', false],
    ];
    await expectListed({ [first]: both, [second]: both, [third]: both });
    expect(statusOf(await room.sold(first, '700.00', FLOOR, { choice: [2] }))).to.equal('applied');
    await expectListed({ [first]: [], [second]: [['700.00', 'won', false]], [third]: [] });
    await room.bid(third, '300.00');
    const next = [['300.00', 'leading', true]];
    await expectListed({ [first]: next, [second]: [['700.00', 'won', false]], [third]: next });
    const own = { paddle: await room.paddleOf(group) };
    expect(statusOf(await room.sold(third, '300.00', own, { choice: [1] }))).to.equal('applied');
    const won = [['300.00', 'won', true]];
    await expectListed({ [first]: won, [second]: [['700.00', 'won', false]], [third]: [] });
  });

  it('are sorted and filtered by the price that all of them are shown with', async () => {
    const group = await room.group(2);
    const [first, second] = group.lotIds as [number, number];
    const alone = await room.alone(group, 30_000);
    await room.bid(second, '600.00');
    const found = async (query: string) => {
      const { body } = await room.service.get(`/api/v1/lots?auction_id=${group.auctionId}&${query}`);
      return body.data.data.map(({ id }: { id: number }) => id);
    };
    await room.project(group);
    await followGroups(room.service.backends.knex);
    expect(await followGroups(room.service.backends.knex)).to.equal(0);
    expect(await found('sort_by=price')).to.deep.equal([alone, first, second]);
    expect(await found('sort_by=current_bid&sort_dir=desc')).to.deep.equal([first, second, alone]);
    expect(await found('min_price=600')).to.have.members([first, second]);
    expect(statusOf(await room.sold(first, '600.00', FLOOR, { choice: [2] }))).to.equal('applied');
    await room.project(group);
    await followGroups(room.service.backends.knex);
    // Another page, since lists are cached for a moment.
    expect(await found('sort_by=price&per_page=10')).to.deep.equal([first, alone]);
  });

  it('are sold as the buyer chooses, each with its own result and invoice; the others stay open', async () => {
    const group = await room.group(4);
    const [first, second, third, fourth] = group.lotIds as [number, number, number, number];
    await room.bid(first, '500.00');
    const sale = await room.sold(first, '700.00', FLOOR, { choice: [4, 2] });
    expect(statusOf(sale)).to.equal('applied');
    expect(await room.results(group)).to.deep.equal([
      ['active', null],
      ['sold', '700.00'],
      ['active', null],
      ['sold', '700.00'],
    ]);
    // What is left is offered anew, on the terms of before.
    expect((await room.bid(second, '800.00')).body.code).to.equal('lot_closed');
    expect((await room.bid(third, '200.00')).status).to.equal(201);
    expect(await priceOf(group)).to.equal(20_000);
    expect(statusOf(await room.sold(third, '200.00', FLOOR, { choice: [1] }))).to.equal('applied');
    expect(statusOf(await room.says('sold', third, { result: 'passed' }))).to.equal('applied');
    expect(await room.results(group)).to.deep.equal([
      ['sold', '200.00'],
      ['sold', '700.00'],
      ['passed', null],
      ['sold', '700.00'],
    ]);
    await room.project(group);
    expect(await room.results(group)).to.have.deep.members([
      ['sold', '200.00'],
      ['sold', '700.00'],
      ['passed', null],
      ['sold', '700.00'],
    ]);
    expect((await verifyJournal(room.service.backends, null)).difference).to.equal(undefined);
    const { body } = await room.service.get(`/api/v1/lots/${fourth}/bids`, room.tokens[0]);
    expect(
      body.data.map((row: { amount: string; status: string }) => [row.amount, row.status]),
    ).to.deep.equal([['700.00', 'won']]);
  });

  it('let an online winner choose in time', async () => {
    const group = await room.group(3);
    const [first, second, third] = group.lotIds as [number, number, number];
    expect((await room.bid(second, '500.00')).status).to.equal(201);
    const paddle = await room.paddleOf(group);
    expect(statusOf(await room.sold(first, '500.00', { paddle }))).to.equal('applied');
    expect(await room.results(group)).to.deep.equal(Array(3).fill(['active', null]));
    expect((await room.bid(second, '900.00', 1)).body.code).to.equal('choice_pending');
    expect((await room.choose(third, [third], 1)).status).to.equal(403);
    expect((await room.choose(third, [third + 1_000])).body.errors).to.have.keys('lot_ids');
    const chosen = await room.choose(first, [third, second]);
    expect(chosen.body.data.lots, JSON.stringify(chosen.body)).to.deep.equal([
      { lot_id: second, lot_number: 2, hammer_price: '500.00' },
      { lot_id: third, lot_number: 3, hammer_price: '500.00' },
    ]);
    expect(await room.results(group)).to.deep.equal([
      ['active', null],
      ['sold', '500.00'],
      ['sold', '500.00'],
    ]);
    const again = await room.choose(first, [first]);
    expect([again.status, again.body.code]).to.deep.equal([409, 'choice_over']);
    await room.project(group);
    expect(await room.invoices(group)).to.have.length(2);
    expect((await verifyJournal(room.service.backends, null)).difference).to.equal(undefined);
  });

  it('give the lowest number to an online winner who does not choose', async () => {
    const group = await room.group(2, { choice_seconds: 10 });
    const [, second] = group.lotIds as [number, number];
    await room.bid(second, '500.00');
    const paddle = await room.paddleOf(group);
    expect(statusOf(await room.sold(second, '500.00', { paddle }))).to.equal('applied');
    const taken = [
      ['sold', '500.00'],
      ['active', null],
    ];
    await eventually(async () => isDeepStrictEqual(await room.results(group), taken), 15_000);
    const late = await room.choose(second, [second]);
    expect([late.status, late.body.code]).to.deep.equal([409, 'choice_over']);
  }).timeout(30_000);
});
