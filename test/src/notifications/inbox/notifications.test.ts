import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { type RunningJobs, startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { addToWatchlist } from '../../../../src/catalog/watchlist/watchlist.ts';
import { saveSearch } from '../../../../src/notifications/searches/saved-searches.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { writtenMails } from '../../../support/mailbox.ts';
import { eventually } from '../../../support/market.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

const PATH = '/api/v1/me/notifications';

describe('notifications', () => {
  let service: Service;
  let jobs: RunningJobs;
  let [ann, ben, cat, sam]: User[] = [];
  const tokens = new Map<User, string>();

  before(async () => {
    service = await startService();
    const { database } = service;
    [ann, ben, cat, sam] = await Promise.all(Array.from({ length: 4 }, () => aUser(database)));
    for (const one of [ann!, ben!, cat!, sam!]) tokens.set(one, await service.tokenFor(one));
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), openLog('silent', 'test'));
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  const aLiveLot = async (columns: object = {}, auctionColumns: object = {}) => {
    const team = await aTeam(service.database, { owner: sam! });
    const auction = await anAuction(service.database, { team_id: team.id, ...auctionColumns });
    const lot = await aLot(service.database, { auction_id: auction.id, ...columns });
    await service.publish();
    return { auction, lot };
  };
  const bid = async (who: User, lotId: number, body: object) => {
    const path = `/api/v1/lots/${lotId}/bids`;
    const answer = await service.call('POST', path, { token: tokens.get(who), body });
    expect(answer.status, answer.text).to.equal(201);
  };
  const inboxOf = async (who: User, query = ''): Promise<JsonValue> =>
    (await service.get(`${PATH}${query}`, tokens.get(who))).body;
  const notices = (who: User, kind: string, lotId: number | null) =>
    eventually(
      async () =>
        (await inboxOf(who, '?per_page=100')).data.find(
          (one: JsonValue) => one.kind === kind && one.lot_id === lotId,
        ),
      25_000,
    );
  const mailsTo = (who: User) => service.backends.knex('mails').where('recipient', who.email);

  it('tell who is outbid, once for a lot until they have read it, and never who leads', async () => {
    const { lot } = await aLiveLot({ title: 'Oak table' });
    await bid(ann!, lot.id, { amount: '100.00' });
    await bid(ben!, lot.id, { amount: '150.00' });
    const first = await notices(ann!, 'outbid', lot.id);
    expect(first).to.include({ title: 'You have been outbid', body: 'The price is $150.00 now: Oak table.' });
    expect(first.url).to.equal(`${service.url}/lots/${lot.id}`);
    await bid(ann!, lot.id, { amount: '200.00' });
    await bid(ben!, lot.id, { amount: '250.00' });
    await eventually(async () => (await notices(ann!, 'outbid', lot.id)).body.includes('$250.00'));
    const own = (await inboxOf(ann!)).data.filter((one: JsonValue) => one.lot_id === lot.id);
    expect(own).to.have.length(1);
    const leader = (await inboxOf(ben!)).data.map((one: JsonValue) => one.body);
    expect(leader).not.to.include('The price is $250.00 now: Oak table.');
    // Ten minutes have not passed between the two.
    await eventually(async () => (await mailsTo(ann!)).length === 1);
  });

  it('combine outbid mails that follow closely, without lots that their recipient leads again', async () => {
    const titles = ['Ash desk', 'Birch bed', 'Cork board', 'Deal box'];
    const lots = await Promise.all(titles.map((title) => aLiveLot({ title })));
    const [first, ...others] = lots.map(({ lot }) => lot.id);
    const outbid = async (lotId: number) => {
      await bid(cat!, lotId, { amount: '100.00' });
      await bid(ben!, lotId, { amount: '150.00' });
      await notices(cat!, 'outbid', lotId);
    };
    await outbid(first!);
    await eventually(async () => (await mailsTo(cat!)).length === 1);
    for (const lotId of others) await outbid(lotId);
    await bid(cat!, others[2]!, { amount: '200.00' });
    const leads = { id: others[2]!, leader_user_id: cat!.id };
    await eventually(async () => (await service.backends.knex('lots').where(leads)).length === 1);
    const due = () => service.backends.knex('mail_recipients').where('user_id', cat!.id);
    await eventually(async () => (await due().whereNotNull('waits_since')).length === 1);
    await due().update({ due_at: service.backends.knex.fn.now() });
    const [, combined] = await eventually(async () => {
      const texts = writtenMails(service).filter((text) => text.includes(cat!.email));
      return texts.length === 2 ? texts : null;
    });
    expect(combined)
      .to.include('Subject: You have been outbid on 2 lots')
      .and.include('The price is $150.00 now: Birch bed.');
    expect(combined).to.include('Cork board').and.not.include('Ash desk').and.not.include('Deal box');
    expect(await due().first('gap_seconds')).to.deep.equal({ gap_seconds: 600 });
  });

  it('tell winner, loser and seller how a lot ended, and of the invoice', async () => {
    const { lot } = await aLiveLot({ title: 'Pine chair', buy_now_price_cents: 90_000 });
    const path = `/api/v1/lots/${lot.id}/buy-now`;
    const bought = await service.call('POST', path, { token: tokens.get(ben!), body: {} });
    expect(bought.status, bought.text).to.equal(201);
    expect(await notices(ben!, 'won', lot.id)).to.include({ body: 'Hammer price $900.00: Pine chair.' });
    expect((await notices(ben!, 'invoice', lot.id)).data.invoice_number).to.match(/^INV-/);
    expect(await notices(sam!, 'lot_sold', lot.id)).to.include({ title: 'Lot sold' });
    expect(await notices(sam!, 'auction_ended', null)).to.include({ title: 'Auction ended' });
  });

  it('tell of watched lots that end within the hour, and of new lots in a saved search', async () => {
    const soon = { end_time: new Date(Date.now() + 1_800_000).toISOString() };
    await saveSearch(service.backends.knex, ann!.id, 'cedar', 'search=cedar');
    await service.backends.knex('saved_searches').update({
      checked_at: new Date(Date.now() - 120_000).toISOString(),
      due_at: service.backends.knex.raw(`now() - interval '1 second'`),
    });
    const start_time = new Date(Date.now() - 1_000).toISOString();
    const { lot } = await aLiveLot({ title: 'Cedar chest' }, { ...soon, start_time });
    await addToWatchlist(service.backends.knex, ann!.id, lot.id);
    expect(await notices(ann!, 'ending_soon', lot.id)).to.include({ title: 'Ending soon' });
    const news = await notices(ann!, 'saved_search', null);
    expect(news).to.include({
      body: 'Your search found a new lot: cedar.',
      url: `${service.url}/lots?search=cedar`,
    });
  });

  it('are read by id or all, by their owner alone', async () => {
    const [newest] = (await inboxOf(ann!)).data;
    const read = (who: User, body: object) =>
      service.call('POST', `${PATH}/read`, { token: tokens.get(who), body });
    const before = (await inboxOf(ann!)).meta.unread;
    await read(ben!, { ids: [newest.id] });
    expect((await inboxOf(ann!)).meta.unread).to.equal(before);
    expect((await read(ann!, { ids: [newest.id] })).body.data).to.deep.equal({ unread: before - 1 });
    expect((await read(ann!, {})).status).to.equal(422);
    expect((await read(ann!, { all: true })).body.data).to.deep.equal({ unread: 0 });
    expect((await inboxOf(ann!, '?unread=true')).data).to.deep.equal([]);
    expect((await service.get(PATH)).status).to.equal(401);
  });

  it('come as their recipient chose', async () => {
    const put = (body: object) =>
      service.call('PUT', `${PATH}/preferences`, { token: tokens.get(ann!), body });
    expect((await put({ gossip: { page: true } })).status).to.equal(422);
    const chosen = await put({ outbid: { page: false, mail: false } });
    expect(chosen.body.data.outbid).to.deep.equal({ page: false, mail: false });
    expect(chosen.body.data.won).to.deep.equal({ page: true, mail: true });
    const { lot } = await aLiveLot({ title: 'Elm stool' });
    await bid(ann!, lot.id, { amount: '100.00' });
    await bid(ben!, lot.id, { amount: '150.00' });
    await bid(ann!, lot.id, { amount: '200.00' });
    await notices(ben!, 'outbid', lot.id);
    expect((await inboxOf(ann!)).data.some((one: JsonValue) => one.lot_id === lot.id)).to.equal(false);
  });
});
