import { expect } from 'chai';
import { aLot, anAuction, aUser } from '../../../support/builders.ts';
import { english } from '../../../support/english.ts';
import { type Service, startService } from '../../../support/service.ts';
import { type AtDesk, aSellerAtDesk, formOf } from './seller-at-desk.ts';

describe('bids that were left with the house', () => {
  let service: Service;
  let seller: AtDesk;
  let stranger: AtDesk;
  let token: string;

  before(async () => {
    service = await startService();
    [seller, stranger] = await Promise.all([aSellerAtDesk(service), aSellerAtDesk(service)]);
    token = await service.tokenFor(seller.user, ['seller']);
  });
  after(() => service.close());

  const teamHeaders = () => ({ 'x-team-id': String(seller.team.id) });
  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { token, headers: teamHeaders(), ...(body && { body }) });

  async function aRoom(lotCount = 5) {
    const auction = await anAuction(service.database, { team_id: seller.team.id, type: 'simulcast' });
    const lots: number[] = [];
    for (let n = 0; n < lotCount; n++)
      lots.push((await aLot(service.database, { auction_id: auction.id })).id);
    await service.publish();
    const api = `/api/v1/seller/auctions/${auction.id}`;
    for (const paddle of ['7', '77', '88'])
      expect((await call('POST', `${api}/paddles`, { paddle, name: `Holder of ${paddle}` })).status).to.equal(
        201,
      );
    const desk = `/seller/auctions/${auction.id}`;
    const enter = (absentee: string, phones = '') =>
      seller.browser.post(`${desk}/left-bids`, { absentee, phones });
    await seller.browser.get(`${desk}/left-bids`);
    const key = async () => {
      const path = `${desk}/saleroom/left-bid`;
      return seller.browser.post(path, formOf(await seller.browser.get(`${desk}/saleroom`), path));
    };
    const state = async (lot: number) => {
      const found = await service.backends.journal.load(auction.id, lot);
      if (found === null) throw new Error(`lot ${lot} is not in the journal`);
      return found;
    };
    return { auctionId: auction.id, lots, api, desk, enter, key, state };
  }

  it('are entered by API all or none, listed by lot, and removed', async () => {
    const { api, lots, auctionId } = await aRoom();
    const [first = 0, second = 0] = lots;
    const path = `${api}/left-bids`;
    const absentee = { lot_id: first, paddle: '88', channel: 'absentee', max_amount: '1250.00' };
    const phone = {
      lot_id: second,
      paddle: '7',
      channel: 'phone',
      phone: '+1 555 0100',
      language: 'Spanish',
    };
    const refused = await call('POST', path, {
      bids: [
        absentee,
        { ...absentee, paddle: '5' },
        { ...phone, phone: null },
        { ...absentee, paddle: '77', max_amount: '0' },
        { ...absentee, lot_id: 999_999 },
        absentee,
      ],
    });
    expect(refused.status, refused.text).to.equal(422);
    expect(Object.keys(refused.body.errors)).to.deep.equal([
      'bids.1.paddle',
      'bids.2.phone',
      'bids.3.max_amount',
      'bids.4.lot_id',
    ]);
    const twice = await call('POST', path, { bids: [absentee, absentee] });
    expect(twice.body.errors).to.have.property('bids.1.paddle');
    expect((await call('GET', path)).body.data).to.deep.equal([]);
    const entered = await call('POST', path, { bids: [phone, absentee] });
    expect(entered.status, entered.text).to.equal(201);
    const listed = (await call('GET', path)).body.data;
    expect(listed.map((one: { channel: string }) => one.channel)).to.deep.equal(['absentee', 'phone']);
    expect(listed[0]).to.include({ lot_id: first, paddle: '88', max_amount: '1250.00', phone: null });
    expect(listed[1]).to.include({ language: 'Spanish', clerk: null, max_amount: null });
    expect((await call('GET', `${path}?lot_id=${second}`)).body.data).to.have.length(1);
    expect((await call('DELETE', `${path}/${listed[0].id}`)).status).to.equal(204);
    expect((await call('DELETE', `${path}/${listed[0].id}`)).status).to.equal(404);
    const others = await service.tokenFor(stranger.user, ['seller']);
    for (const method of ['GET', 'POST'])
      expect(
        (
          await service.call(method, path, {
            token: others,
            ...(method === 'POST' && { body: { bids: [absentee] } }),
          })
        ).status,
      ).to.equal(404);
    await service.backends.knex('auctions').where('id', auctionId).update({ status: 'ended' });
    expect((await call('POST', path, { bids: [absentee] })).body.code).to.equal('invalid_transition');
  });

  it('are refused for the paddle of a bidder who has not agreed to the floor, and in a timed auction', async () => {
    const { api, lots, auctionId } = await aRoom(1);
    const [lot = 0] = lots;
    const bidder = await aUser(service.database);
    const bidderToken = await service.tokenFor(bidder);
    const bid = { token: bidderToken, body: { amount: '100.00' } };
    expect((await service.call('POST', `/api/v1/lots/${lot}/bids`, bid)).status).to.equal(201);
    const paddle =
      english((await await service.backends.journal.load(auctionId, lot)) as never).leader?.paddle ?? '';
    const body = { bids: [{ lot_id: lot, paddle, channel: 'absentee', max_amount: '900.00' }] };
    const refused = await call('POST', `${api}/left-bids`, body);
    expect(refused.body.errors['bids.0.paddle'][0]).to.match(/has not agreed/);
    const agreed = { token: bidderToken, body: { floor_paddle: true } };
    const registration = await service.call('POST', `/api/v1/auctions/${auctionId}/registration`, agreed);
    expect(registration.body.data, registration.text).to.include({
      paddle_number: paddle,
      floor_paddle: true,
    });
    expect((await call('POST', `${api}/left-bids`, body)).status).to.equal(201);
    const timed = await anAuction(service.database, { team_id: seller.team.id });
    const path = `/api/v1/seller/auctions/${timed.id}/left-bids`;
    expect((await call('POST', path, body)).body.code).to.equal('not_simulcast');
    expect((await seller.browser.get(`/seller/auctions/${timed.id}/left-bids`)).status).to.equal(404);
  });

  it('are pasted as lines, each refused by its line, and nothing typed is lost', async () => {
    const { enter, api, desk } = await aRoom();
    const wrong = await enter('88\t1\t500\n\n5; 2; 100\n7, 99, 1,250', '77, 3, +1 555 0100');
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.contain('Absentee bids, line 4').and.contain('The auction has no such lot');
    expect(formOf(wrong, `${desk}/left-bids`)['absentee']).to.equal('88\t1\t500\n\n5; 2; 100\n7, 99, 1,250');
    const unknown = await enter('88\t1\t500\n\n5; 2; 100', '77, 3, +1 555 0100');
    expect(unknown.text).to.contain('Absentee bids, line 3').and.contain('Nobody has this paddle');
    expect((await enter('')).text).to.contain('Enter a line for each bid.');
    expect(
      (await enter('88\t1\t$1,250.00\n77, 1, 1,100', '7, 3, +1 555 0100, Spanish, Ana')).status,
    ).to.equal(303);
    const { data } = (await call('GET', `${api}/left-bids`)).body;
    expect(
      data.map((one: Record<string, string>) => `${one['paddle']} ${one['max_amount'] ?? one['phone']}`),
    ).to.deep.equal(['88 1250.00', '77 1100.00', '7 +1 555 0100']);
    // However many paddles were handed out since.
    for (let more = 0; more < 20; more += 1) await call('POST', `${api}/paddles`, { name: 'Somebody else' });
    const page = await seller.browser.get(`${desk}/left-bids`);
    expect(page.text).to.contain('$1,250.00').and.contain('Ana').and.contain('Holder of 88');
    const path = `${desk}/left-bids/${data[0].id}/remove`;
    expect((await seller.browser.post(path, {})).status).to.equal(303);
    expect((await call('GET', `${api}/left-bids`)).body.data).to.have.length(2);
  });

  it('are refused line by line, all that is wrong with them at once', async () => {
    const { enter, api } = await aRoom();
    const page = await enter('88, 1, 200\n77, 999, 200\n5, 2, 100', '7\n7, 3');
    expect(page.status).to.equal(422);
    const [, said = ''] = /class="notice bad problems"[^>]*>([\s\S]*?)<\/ul>/.exec(page.text) ?? [];
    const wrong = [...said.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, one = '']) =>
      one.replaceAll(/<[^>]*>/g, ''),
    );
    expect(wrong).to.deep.equal([
      'Absentee bids, line 2: The auction has no such lot that is still open.',
      'Absentee bids, line 3: Nobody has this paddle: hand it out first, with a name.',
      'Telephone bids, line 1: A line is a paddle, a lot and a number, with commas between them.',
      'Telephone bids, line 2: A telephone bid must have a number to phone.',
    ]);
    const unreadable = await enter('eighty-eight, 1, 200\n77, 999, 200');
    expect(unreadable.text, 'what the schema refuses')
      .to.contain('line 1</a>: <span>')
      .and.contain('line 2</a>: <span>The auction has no such lot that is still open.</span>');
    expect((await call('GET', `${api}/left-bids`)).body.data).to.deep.equal([]);
  });

  it('are played by one key of the clerk, as bids of the floor, up to the maximum of each', async () => {
    const { enter, key, state, lots, desk } = await aRoom();
    const [lot = 0] = lots;
    await enter('88, 1, 200\n77, 1, 200\n7, 1, 150', '77, 4, +1 555 0100, Spanish, Ana\n7, 5, +1 555 0199');
    const before = await seller.browser.get(`${desk}/saleroom`);
    expect(before.text).to.contain('at most').and.contain('3 lots away').and.contain('+1 555 0100');
    expect(before.text).not.to.contain('+1 555 0199');
    expect((await key()).status).to.equal(303);
    expect(english(await state(lot)).leader).to.include({ paddle: '88' });
    expect(await state(lot)).to.include({ currentCents: 20_000, bidCount: 1 });
    const bids = (await service.get(`/api/v1/lots/${lot}/bids`)).body.data;
    expect(bids[0]).to.include({ amount: '200.00', channel: 'floor' });
    expect((await seller.browser.get(`${desk}/saleroom`)).text).not.to.contain('saleroom/left-bid"');
  });

  it('are called no further than the room has gone, and not where the price has moved on', async () => {
    const { enter, key, state, lots, desk } = await aRoom();
    const [lot = 0] = lots;
    await enter('88, 1, 300');
    const bidder = await service.tokenFor(await aUser(service.database));
    const online = (amount: string) =>
      service.call('POST', `/api/v1/lots/${lot}/bids`, { token: bidder, body: { amount } });
    expect((await online('120.00')).status).to.equal(201);
    const path = `${desk}/saleroom/left-bid`;
    const seen = formOf(await seller.browser.get(`${desk}/saleroom`), path);
    expect(seen).to.include({ paddle: '88', amount: '130.00' });
    expect((await online('150.00')).status).to.equal(201);
    const late = await seller.browser.post(path, seen);
    expect(late.status).to.equal(409);
    expect(late.text).to.contain('The price has moved on');
    expect((await seller.browser.post(path, { ...seen, amount: '900.00' })).status).to.equal(409);
    expect((await key()).status).to.equal(303);
    expect(await state(lot)).to.include({ currentCents: 16_000 });
    expect((await seller.browser.get(`/lots/${lot}`)).text).not.to.contain('300.00');
    expect((await service.get(`/api/v1/lots/${lot}`)).text).not.to.contain('300.00');
  });
});
