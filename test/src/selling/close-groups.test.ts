/** Lots that close together: from the seller's words to the streams of all of them, with a worker's sweep. */
import { expect } from 'chai';
import { type Sweep, startSweep } from '../../../src/bidding/closing/sweep.ts';
import { verifyJournal } from '../../../src/bidding/journal/verify.ts';
import { openLog } from '../../../src/shared/log.ts';
import { readStream } from '../../support/event-stream.ts';
import { eventually } from '../../support/market.ts';
import { hours, SellingTeam } from '../../support/selling-team.ts';
import { type JsonValue, type Service, startService } from '../../support/service.ts';

describe('lots that close together', () => {
  let service: Service;
  let team: SellingTeam;
  let sweep: Sweep;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    const { redis, journal, engine, pubSub } = service.backends;
    sweep = await startSweep({ redis, journal, engine, pubSub, log: openLog('silent', 'test') });
  });

  after(async () => {
    await sweep.close();
    await service.close();
  });

  const seller = (method: string, path: string, body?: unknown) => team.call(method, `seller/${path}`, body);
  const anAuction = async (more: object = {}): Promise<number> => {
    const times = { start_time: hours(-1), end_time: hours(0.02) };
    const { body, text } = await seller('POST', 'auctions', { title: 'Spring', ...times, ...more });
    expect(body.success, text).to.equal(true);
    return body.data.id;
  };
  const make = (auctionId: number, more: object = {}) =>
    seller('POST', 'lots', { auction_id: auctionId, title: 'A chair', starting_bid: '100.00', ...more });
  const lotsOf = async (auctionId: number, count: number, more: object = {}): Promise<number[]> => {
    const ids: number[] = [];
    for (let at = 0; at < count; at += 1)
      ids.push((await make(auctionId, { close_group: 'Estate', ...more })).body.data.id);
    return ids;
  };
  const publish = (auctionId: number) => seller('PATCH', `auctions/${auctionId}`, { status: 'scheduled' });
  const lot = async (id: number): Promise<JsonValue> => (await service.get(`/api/v1/lots/${id}`)).body.data;
  const said = ({ status, body }: { status: number; body: JsonValue }) => [
    status,
    body.code,
    ...Object.keys(body.errors ?? {}),
  ];

  it('have a name of 1 to 64 characters, a hundred of them at most, in timed auctions only', async () => {
    const auctionId = await anAuction();
    expect((await make(auctionId, { close_group: ' Estate ' })).body.data.close_group).to.equal('Estate');
    expect((await make(auctionId)).body.data.close_group).to.equal(null);
    for (const close_group of ['', ' ', 'x'.repeat(65), 7])
      expect(said(await make(auctionId, { close_group })), String(close_group)).to.deep.equal([
        ...[422, 'validation_failed', 'close_group'],
      ]);
    const floor = await anAuction({ type: 'simulcast' });
    expect(said(await make(floor, { close_group: 'Estate' }))).to.deep.equal([
      ...[422, 'validation_failed', 'close_group'],
    ]);
    const retyped = await seller('PATCH', `auctions/${auctionId}`, { type: 'simulcast' });
    expect(said(retyped)).to.deep.equal([422, 'validation_failed', 'type']);
    await service.database.knex('lots').insert(
      Array.from({ length: 99 }, (_, at) => ({
        ...{ auction_id: auctionId, lot_number: 100 + at, title: 'x', slug: `group-${auctionId}-${at}` },
        ...{ starting_bid_cents: 1, status: 'draft', close_group: 'Estate' },
      })),
    );
    const full = await make(auctionId, { close_group: 'Estate' });
    expect(said(full)).to.deep.equal([422, 'validation_failed', 'close_group']);
  });

  it('may change until one of the group is active, and all ends follow', async () => {
    const auctionId = await anAuction({ start_time: hours(1), end_time: hours(2), stagger_seconds: 60 });
    const [first, second] = (await lotsOf(auctionId, 2)) as [number, number];
    const third = (await make(auctionId)).body.data.id;
    await publish(auctionId);
    const ends = async () => Promise.all([first, second, third].map(async (id) => (await lot(id)).end_time));
    const [a, b, c] = await ends();
    expect(a).to.equal(b);
    expect(Date.parse(c) - Date.parse(b)).to.equal(60_000);
    const joined = await seller('PATCH', `lots/${third}`, { close_group: 'Estate' });
    expect(joined.body.data.close_group).to.equal('Estate');
    expect(new Set(await ends())).to.deep.equal(new Set([c]));
    const left = await seller('PATCH', `lots/${first}`, { close_group: null });
    expect(left.body.data.close_group).to.equal(null);
    expect(Date.parse(c) - Date.parse((await ends())[0])).to.equal(120_000);
    const late = await make(auctionId, { close_group: 'Estate', status: 'scheduled' });
    expect(new Set((await ends()).slice(1))).to.deep.equal(
      new Set([(await lot(late.body.data.id)).end_time]),
    );
    expect((await verifyJournal(service.backends, null)).difference).to.equal(undefined);
  });

  it('are fixed once one of them is active', async () => {
    const auctionId = await anAuction();
    const [first, second] = (await lotsOf(auctionId, 2)) as [number, number];
    const alone = (await make(auctionId)).body.data.id;
    await publish(auctionId);
    const locked = [409, 'lot_locked'];
    expect(said(await seller('PATCH', `lots/${first}`, { close_group: null }))).to.deep.equal(locked);
    expect(said(await seller('PATCH', `lots/${second}`, { close_group: 'Other' }))).to.deep.equal(locked);
    expect(said(await seller('PATCH', `lots/${alone}`, { close_group: 'Estate' }))).to.deep.equal(locked);
    expect(said(await make(auctionId, { close_group: 'Estate' }))).to.deep.equal(locked);
    const draft = (await make(auctionId)).body.data.id;
    expect(said(await seller('PATCH', `lots/${draft}`, { close_group: 'Estate' }))).to.deep.equal(locked);
    expect((await lot(first)).close_group).to.equal('Estate');
  });

  it('end together: a bid on one moves the end of all, in their journals and streams', async () => {
    const auctionId = await anAuction();
    const [first, second] = (await lotsOf(auctionId, 2)) as [number, number];
    await publish(auctionId);
    let opened = () => {};
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve;
    });
    const reading = readStream(`${service.url}/api/v1/lots/${second}/stream`, {
      enough: (events) => events.some(({ event }) => event === 'lot.extended'),
      onOpen: opened,
    });
    await isOpen;
    const { body, text } = await team.bid(first, { amount: '100.00' });
    expect(body.data.lot.extended, text).to.equal(true);
    const { end_time } = body.data.lot;
    const moved = (await reading).events.find(({ event }) => event === 'lot.extended');
    expect(moved?.data).to.deep.equal({
      ...{ lot_id: second, end_time, extended_by: 'group', caused_by: first },
    });
    const why = await team.call('GET', `bids/${body.data.bid_id ?? body.data.id}/explanation`);
    const step = why.body.data.steps.find(({ rule }: JsonValue) => rule === 20);
    expect(step?.values, why.text).to.deep.equal({ close_group: 'Estate', end_time });
    const detail = await lot(second);
    expect([detail.end_time, detail.extension_count]).to.deep.equal([end_time, 1]);
    const journal = (await service.get(`/api/v1/lots/${second}/journal`)).body.data;
    const [event] = journal.at(-1).events;
    expect(event).to.include({ type: 'lot_rescheduled', reason: 'group', caused_by: first, end_time });
    expect(journal[0].events[0]).to.include({ type: 'lot_scheduled', close_group: 'Estate' });
    expect((await verifyJournal(service.backends, null)).difference).to.equal(undefined);
  });

  it('say so on their pages, in lists and on the board', async () => {
    const auctionId = await anAuction();
    const [first] = (await lotsOf(auctionId, 2)) as [number, number];
    await publish(auctionId);
    const { text } = await service.get(`/lots/${first}`);
    expect(text).to.include('Closes together with the other lots of “Estate”');
    const { data } = (await service.get(`/api/v1/lots?auction_id=${auctionId}&status=all`)).body.data;
    expect(data.map((one: JsonValue) => one.close_group)).to.deep.equal(['Estate', 'Estate']);
    const { auction } = await lot(first);
    expect((await service.get(`/auctions/${auction.slug}`)).text).to.include('closes with “Estate”');
    const token = await service.tokenFor(team.owner);
    await service.call('POST', `/api/v1/lots/${first}/watchlist`, { token });
    const board = await service.get('/api/v1/me/board', token);
    expect(board.body.data.open[0]).to.include({ lot_id: first, close_group: 'Estate' });
  });

  it('close together', async () => {
    const soft_close = { window_seconds: 1, extension_seconds: 2 };
    const end_time = new Date(Date.now() + 2_500).toISOString();
    const auctionId = await anAuction({ end_time, soft_close });
    const ids = await lotsOf(auctionId, 3);
    await publish(auctionId);
    await eventually(async () => Date.now() > Date.parse(end_time) - 700, 5_000);
    const { body, text } = await team.bid(ids[1] ?? 0, { amount: '100.00' });
    expect(body.data.lot.extended, text).to.equal(true);
    await eventually(async () => {
      const lots = await Promise.all(ids.map(lot));
      return lots.every(({ status }) => ['sold', 'unsold'].includes(status));
    }, 10_000);
    const closes = await Promise.all(
      ids.map(async (id) => (await service.get(`/api/v1/lots/${id}/journal`)).body.data.at(-1)),
    );
    for (const { events, recorded_at } of closes) {
      expect(events.at(-1)).to.include({ type: 'lot_closed', reason: 'time' });
      expect(Date.parse(recorded_at)).to.be.at.least(Date.parse(body.data.lot.end_time));
    }
    expect((await verifyJournal(service.backends, null)).difference).to.equal(undefined);
  });
});
