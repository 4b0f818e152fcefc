import { expect } from 'chai';
import type { EnglishState } from '../../../../engine/formats/english/english-state.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import type { Seen } from '../../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { english } from '../../../support/english.ts';
import { readStream } from '../../../support/event-stream.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk } from './seller-at-desk.ts';

describe('the saleroom', () => {
  let service: Service;
  let seller: AtDesk;
  let stranger: AtDesk;

  before(async () => {
    service = await startService();
    [seller, stranger] = await Promise.all([aSellerAtDesk(service), aSellerAtDesk(service)]);
  });
  after(() => service.close());

  interface Room {
    readonly path: string;
    readonly lots: readonly number[];
    readonly auctionId: number;
    open(): Promise<Seen>;
    /** Presses a button: its form with what the clerk adds. */
    press(action: string, more?: Record<string, string>, lot?: number): Promise<Seen>;
    state(lot: number): Promise<NonNullable<Awaited<ReturnType<Service['backends']['journal']['load']>>>>;
  }

  async function aRoom(lotCount = 2, columns: object = {}): Promise<Room> {
    const auction = await anAuction(service.database, { team_id: seller.team.id, type: 'simulcast' });
    const lots: number[] = [];
    for (let n = 0; n < lotCount; n++)
      lots.push((await aLot(service.database, { auction_id: auction.id, ...columns })).id);
    await service.publish();
    const path = `/seller/auctions/${auction.id}/saleroom`;
    await seller.browser.get(path);
    for (const paddle of ['77', '88']) {
      const given = { paddle, name: `Holder of ${paddle}`, contact: '' };
      expect((await seller.browser.post(`${path}/paddle`, given)).status).to.equal(303);
    }
    const [first = 0] = lots;
    let calls = 0;
    return {
      ...{ path, lots, auctionId: auction.id },
      open: () => seller.browser.get(path),
      press(action, more = {}, lot = first) {
        calls += 1;
        const fields = { lot_id: String(lot), call_id: `call-${auction.id}-${calls}`, ...more };
        const wanted: Record<string, readonly string[]> = {
          bid: ['lot_id', 'paddle', 'amount', 'call_id'],
          hammer: ['lot_id', 'result', 'price', 'call_id'],
          undo: ['lot_id', 'bid_id', 'reason'],
          next: ['lot_id', 'to'],
        };
        const names = wanted[action] ?? ['lot_id'];
        const sent = Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
        return seller.browser.post(`${path}/${action}`, sent);
      },
      async state(lot) {
        const state = await service.backends.journal.load(auction.id, lot);
        if (state === null) throw new Error(`lot ${lot} is not in the journal`);
        return state;
      },
    };
  }

  const said = (page: Seen) => /data-said><p class="notice bad">([^<]*)/.exec(page.text)?.[1] ?? null;
  const keysOf = (page: Seen) =>
    [...page.text.matchAll(/<button[^>]*aria-keyshortcuts="(\w)"[^>]*>(?:<span>)?([^<]+)/g)].map((m) => [
      m[1],
      (m[2] ?? '').trim(),
    ]);

  it('names a key for each of the next increments and for each action', async () => {
    const room = await aRoom();
    const page = await room.open();
    expect(keysOf(page)).to.deep.equal([
      ['Q', '$100.00'],
      ['W', '$110.00'],
      ['E', '$120.00'],
      ['R', '$130.00'],
      ['T', '$140.00'],
      ['F', 'Fair warning'],
      ['S', 'Sold'],
      ['P', 'Pass'],
      ['N', 'Next lot'],
    ]);
    await room.press('bid', { paddle: '88', amount: '100.00' });
    expect(keysOf(await room.open()).map(([key]) => key)).to.include('U');
  });

  it('takes floor bids among the online ones, each once, and refuses what is too low', async () => {
    const room = await aRoom();
    const [lot = 0] = room.lots;
    await room.open();
    expect((await room.press('bid', { paddle: '88', amount: '100.00', call_id: 'one' })).status).to.equal(
      303,
    );
    expect((await room.press('bid', { paddle: '88', amount: '100.00', call_id: 'one' })).status).to.equal(
      303,
    );
    expect(await room.state(lot)).to.include({ currentCents: 10_000, bidCount: 1 });
    const bidder = await service.tokenFor(await aUser(service.database));
    const online = await service.call('POST', `/api/v1/lots/${lot}/bids`, {
      token: bidder,
      body: { amount: '150.00' },
    });
    expect(online.status, online.text).to.equal(201);
    const low = await room.press('bid', { paddle: '88', amount: '110.00' });
    expect(low.status).to.equal(409);
    expect(said(low)).to.equal('The bid is too low: the price has moved on.');
    await room.press('bid', { paddle: '77', amount: '160.00' });
    const bids = (await service.get(`/api/v1/lots/${lot}/bids`)).body.data.map(
      (bid: { amount: string; channel: string }) => `${bid.amount} ${bid.channel}`,
    );
    expect(bids).to.deep.equal(['160.00 floor', '150.00 online', '100.00 floor']);
    for (const [paddle, amount] of [
      ['', '170.00'],
      ['8a', '170.00'],
      ['88', 'much'],
    ] as const) {
      expect((await room.press('bid', { paddle, amount })).status, paddle + amount).to.equal(422);
    }
  });

  it('undoes the last floor bid with a reason, as a void', async () => {
    const room = await aRoom();
    const [lot = 0] = room.lots;
    await room.open();
    await room.press('bid', { paddle: '88', amount: '100.00' });
    await room.press('bid', { paddle: '77', amount: '110.00' });
    const bidId = /name="bid_id" value="([^"]+)"/.exec((await room.open()).text)?.[1] ?? '';
    expect((await room.press('undo', { bid_id: bidId, reason: ' ' })).status).to.equal(422);
    expect((await room.press('undo', { bid_id: bidId, reason: 'Wrong paddle' })).status).to.equal(303);
    expect(english(await room.state(lot)).leader).to.include({ paddle: '88' });
    expect((await room.press('undo', { bid_id: bidId, reason: 'Again' })).status).to.equal(409);
    const { data } = (await service.get(`/api/v1/lots/${lot}/journal`)).body;
    expect(JSON.stringify(data)).to.contain('Wrong paddle');
  });

  it('keeps the price that a ceiling has answered, and lets no clerk take back what has beaten one', async () => {
    const room = await aRoom();
    const [lot = 0] = room.lots;
    const token = await service.tokenFor(await aUser(service.database));
    await service.call('POST', `/api/v1/lots/${lot}/bids`, { token, body: { max_amount: '400.00' } });
    const idOf = (page: Seen) => /name="bid_id" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    await room.press('bid', { paddle: '88', amount: '200.00' });
    const undone = await room.press('undo', { bid_id: idOf(await room.open()), reason: 'Feeling' });
    expect(undone.status).to.equal(303);
    expect(await room.state(lot)).to.include({ currentCents: 21_000, bidCount: 1 });
    const history = (await service.get(`/api/v1/lots/${lot}/journal`)).text;
    expect(history).to.contain('"undone":true').and.contain('Feeling');
    await room.press('bid', { paddle: '88', amount: '500.00' });
    const kept = await room.press('undo', { bid_id: idOf(await room.open()), reason: 'Feeling' });
    expect(kept.status).to.equal(409);
    expect(said(kept)).to.match(/only staff can void it/);
    expect(await room.state(lot)).to.include({ currentCents: 50_000 });
    const staff = (await room.state(lot)) as EnglishState;
    await voidBid(service.backends, staff.leader?.bidId ?? '', 'By staff');
    expect(((await room.state(lot)) as EnglishState).leader).to.include({ ceilingCents: 40_000 });
  });

  it('hands paddles out of an auction that was published just now, and is in no journal yet', async () => {
    const columns = { team_id: seller.team.id, type: 'simulcast', status: 'scheduled' } as const;
    const auction = await anAuction(service.database, columns);
    expect(await service.backends.journal.loadRecord(auction.id)).to.equal(null);
    const token = await service.tokenFor(seller.user, ['seller']);
    const headers = { 'x-team-id': String(seller.team.id) };
    const path = `/api/v1/seller/auctions/${auction.id}/paddles`;
    const made = await service.call('POST', path, { token, headers, body: { name: 'Ann Miller' } });
    expect([made.status, made.body.data?.paddle], made.text).to.deep.equal([201, '1']);
  });

  it('calls only paddles that the auction knows: handed out by page or API, or a registered bidder’s', async () => {
    const room = await aRoom();
    const unknown = await room.press('bid', { paddle: '5', amount: '100.00' });
    expect(unknown.status).to.equal(409);
    expect(said(unknown)).to.match(/^Nobody has this paddle/);
    const token = await service.tokenFor(seller.user, ['seller']);
    const path = `/api/v1/seller/auctions/${room.auctionId}/paddles`;
    const headers = { 'x-team-id': String(seller.team.id) };
    const post = (body: object) => service.call('POST', path, { token, headers, body });
    const made = await post({ paddle: '5', name: 'Ann Miller', contact: '555' });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.data).to.include({ paddle: '5', name: 'Ann Miller', contact: '555' });
    expect((await post({ paddle: '5', name: 'Ben' })).body.code).to.equal('paddle_taken');
    expect((await post({ name: 'Ben' })).body.data.paddle).to.equal('89');
    expect((await post({ paddle: 'x', name: 'Ben' })).status).to.equal(422);
    expect((await post({})).status).to.equal(422);
    const listed = await service.call('GET', path, { token, headers });
    expect(listed.body.data.map((one: { paddle: string }) => one.paddle)).to.deep.equal([
      '89',
      '5',
      '88',
      '77',
    ]);
    expect((await room.press('bid', { paddle: '5', amount: '100.00' })).status).to.equal(303);
    const others = await service.tokenFor(stranger.user, ['seller']);
    expect((await service.call('POST', path, { token: others, body: { name: 'Eve' } })).status).to.equal(404);
    const taken = await seller.browser.post(`${room.path}/paddle`, { paddle: '5', name: 'Eve', contact: '' });
    expect(said(taken)).to.equal('Somebody else has this paddle.');
  });

  it('sells at the price that the clerk saw, passes what nobody wants, and continues', async () => {
    const room = await aRoom(3);
    const [first = 0, second = 0, third = 0] = room.lots;
    await room.open();
    const nobody = await room.press('hammer', { result: 'sold', price: '0.00' });
    expect(said(nobody)).to.equal('Nobody has bid yet.');
    await room.press('bid', { paddle: '88', amount: '100.00' });
    const stale = await room.press('hammer', { result: 'sold', price: '0.00' });
    expect(stale.status).to.equal(409);
    expect(said(stale)).to.equal('A bid has come in: the lot is now at 100.00.');
    expect((await room.press('hammer', { result: 'sold', price: '100.00' })).status).to.equal(303);
    expect(await room.state(first)).to.include({ status: 'sold', hammerCents: 10_000 });
    expect((await room.press('next')).status).to.equal(303);
    expect((await room.open()).text).to.contain(`data-lot="${second}"`);
    expect(said(await room.press('next'))).to.equal('Another lot is on the block now.');
    await room.press('hammer', { result: 'passed', price: '0.00' }, second);
    expect((await room.state(second)).status).to.equal('unsold');
    await room.press('next', {}, second);
    expect((await room.open()).text).to.contain(`data-lot="${third}"`);
    const buyer = await aUser(service.database);
    const token = await service.tokenFor(buyer);
    await service.call('POST', `/api/v1/lots/${third}/bids`, { token, body: { max_amount: '300.00' } });
    await room.press('hammer', { result: 'sold', price: '100.00' }, third);
    expect((await room.state(third)).winner).to.include({ userId: buyer.id });
  });

  it('gives fair warning to everybody, until the next bid', async () => {
    const room = await aRoom();
    const [lot = 0] = room.lots;
    await room.open();
    const { events } = await readStream(`${service.url}/api/v1/lots/${lot}/stream`, {
      enough: (received) => received.some(({ event }) => event === 'lot.fair_warning'),
      onOpen: () => void room.press('warning'),
    });
    const warned = events.find(({ event }) => event === 'lot.fair_warning');
    expect(warned?.data).to.include({ lot_id: lot, current_bid: '0.00' });
    expect(warned?.id).to.equal(null);
    const shown = /data-fair-warning role="status">/;
    expect((await seller.browser.get(`/lots/${lot}`)).text).to.match(shown);
    await room.press('bid', { paddle: '88', amount: '100.00' });
    expect((await seller.browser.get(`/lots/${lot}`)).text).not.to.match(shown);
    expect((await room.open()).text).to.match(/data-warned hidden/);
  });

  it('says to everybody who follows the auction which lot is on the block', async () => {
    const room = await aRoom();
    const [first = 0, second = 0] = room.lots;
    const { auction_id } = await service.backends.knex('lots').where('id', first).first('auction_id');
    const { slug } = await service.backends.knex('auctions').where('id', auction_id).first('slug');
    const { events } = await readStream(`${service.url}/auctions/${slug}/stream`, {
      enough: (received) => received.some(({ event }) => event === 'saleroom.block'),
      onOpen: () => void room.press('next'),
    });
    const moved = events.find(({ event }) => event === 'saleroom.block');
    expect(moved?.data).to.deep.equal({ auction_id, lot_id: second });
  });

  it('is for simulcast auctions and the team’s members alone; its lots do not count down', async () => {
    const room = await aRoom();
    const [lot = 0] = room.lots;
    expect((await stranger.browser.get(room.path)).status).to.equal(404);
    for (const action of ['bid', 'hammer', 'undo', 'warning', 'next']) {
      const fields: Record<string, Record<string, string>> = {
        bid: { paddle: '88', amount: '100.00', call_id: 'x' },
        hammer: { result: 'passed', price: '0.00', call_id: 'x' },
        undo: { bid_id: 'x', reason: 'x' },
      };
      const sent = { lot_id: String(lot), ...fields[action] };
      expect((await stranger.browser.post(`${room.path}/${action}`, sent)).status, action).to.equal(404);
    }
    expect(await room.state(lot)).to.include({ bidCount: 0, status: 'active' });
    const timed = await anAuction(service.database, { team_id: seller.team.id });
    expect((await seller.browser.get(`/seller/auctions/${timed.id}/saleroom`)).status).to.equal(404);
    expect((await seller.browser.get(`/lots/${lot}`)).text)
      .to.contain('when the hammer falls')
      .and.not.contain('data-clock');
    expect((await service.get(`/api/v1/lots/${lot}`)).body.data.auction.type).to.equal('simulcast');
  });
});
