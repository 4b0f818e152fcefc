/** Changes of terms that touch bidders while an open lot has bids: who makes them, why, and who is told. */
import { expect } from 'chai';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { notifyRows } from '../../../src/notifications/sources/news-of-rows.ts';
import { BrowserLike } from '../../support/browser-like.ts';
import { aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { projectionOf } from '../../support/projection.ts';
import { codeOf, hours, SellingTeam } from '../../support/selling-team.ts';
import { type Service, startService } from '../../support/service.ts';

describe('terms that touch bidders', () => {
  let service: Service;
  let team: SellingTeam;
  let member: string;

  before(async () => {
    service = await startService();
    team = await SellingTeam.of(service);
    const person = await aUser(service.database);
    await service.database
      .knex('memberships')
      .insert({ team_id: team.id, user_id: person.id, role: 'member' });
    member = await service.tokenFor(person, ['seller']);
  });
  after(() => service.close());

  const change = (auctionId: number, body: object, token?: string) =>
    team.call('PATCH', `seller/auctions/${auctionId}`, body, token === undefined ? {} : { token });
  const contested = async (auctionMore: object = {}) => {
    const made = await team.liveLot({}, auctionMore);
    expect((await team.bid(made.lotId, { max_amount: '900.00' })).status).to.equal(201);
    return made;
  };
  const historyOf = async (auctionId: number) =>
    (await service.get(`/api/v1/auctions/${auctionId}`)).body.data?.history;
  const reason = 'The law asks for it.';

  const PAYING = { payment_due_days: 14, payment_methods: ['card', 'cash'] };
  const TOUCHING: readonly (readonly [string, object])[] = [
    ['a later end', { end_time: hours(49) }],
    ['a bid limit', { registration: { bid_limit: '5000.00' } }],
    ['approval', { registration: { mode: 'approval' } }],
    ['a deposit', { registration: { mode: 'deposit', deposit_amount: '50.00' } }],
    ['verified bidders', { registration: { require_verified: true } }],
    ['privacy', { privacy_setting: 'unlisted' }],
    ['an earlier payment', { payment_due_days: 3 }],
    ['a way to pay less', { payment_methods: ['cash'] }],
    ['a last day to collect', { collect_by: hours(200) }],
  ];
  for (const [name, body] of TOUCHING) {
    it(`are for owners and admins, with a reason: ${name}`, async () => {
      const quiet = await team.liveLot({}, PAYING);
      expect((await change(quiet.auctionId, body, member)).status, 'without bids').to.equal(200);
      const { auctionId } = await contested(PAYING);
      expect(codeOf(await change(auctionId, { ...body, reason }, member))).to.deep.equal([403, 'forbidden']);
      const bare = await change(auctionId, body);
      expect(codeOf(bare)).to.deep.equal([422, 'validation_failed']);
      expect(Object.keys(bare.body.errors)).to.deep.equal(['reason']);
      expect(await historyOf(auctionId)).to.deep.equal([]);
      expect((await change(auctionId, { ...body, reason })).status).to.equal(200);
      const [row] = await service.database.knex('sale_changes').where('auction_id', auctionId);
      expect(row).to.include({ reason, user_id: team.owner.id });
    });
  }

  it('are told to the bidders, and shown in the history of the sale', async () => {
    const { auctionId, lotId } = await contested();
    await change(auctionId, { registration: { require_verified: true, bid_limit: '5000.00' }, reason });
    const [told] = await historyOf(auctionId);
    expect(told).to.deep.include({
      reason,
      sentence: 'Bidders have to be verified now. The bid limit is $5,000.00 now, it was none.',
      before: { require_verified: false, bid_limit: null },
      after: { require_verified: true, bid_limit: '5000.00' },
    });
    const { text } = await new BrowserLike(service.url).get(`/auctions/${auctionId}`);
    expect(text)
      .to.contain('id="history"')
      .and.to.contain('Bidders have to be verified now.')
      .and.to.contain(reason);
    const projection = await projectionOf(service.backends);
    await eventually(() => service.database.knex('bids').where('lot_id', lotId).first());
    await projection.close();
    await notifyRows(service.backends.knex, new Inbox(null, () => ''));
    const row = await service.database
      .knex('notifications')
      .where('kind', 'sale_changed')
      .orderBy('id', 'desc')
      .first();
    expect(row.data).to.include({ reason });
  });

  it('say how one pays and collects, and need no reason where bidders are given more', async () => {
    const { auctionId } = await contested(PAYING);
    const worse = {
      payment_due_days: 1,
      payment_methods: ['card'],
      collect_by: '2031-05-01T10:00:00Z',
      reason,
    };
    expect((await change(auctionId, worse)).status).to.equal(200);
    const [told] = await historyOf(auctionId);
    expect(told.sentence).to.equal(
      'Payment is due after 1 day now, it was 14 days. One can no longer pay by cash. ' +
        'Lots are collected by May 1, 2031, 10:00 AM UTC now, it was no set date.',
    );
    expect(told.before).to.deep.equal({ ...PAYING, collect_by: null });
    const german = new BrowserLike(service.url, { 'accept-language': 'de' });
    expect((await german.get(`/auctions/${auctionId}`)).text)
      .to.contain(
        'Die Zahlungsfrist ist jetzt 1 Tag, vorher 14 Tage. Diese Zahlungsart gibt es nicht mehr: Bargeld.',
      )
      .and.contain('kein fester Termin');
    const better = { payment_due_days: 30, payment_methods: ['bank_transfer', 'card'], collect_by: null };
    expect((await change(auctionId, better, member)).status).to.equal(200);
    expect(await historyOf(auctionId)).to.have.length(1);
  });

  it('count the usual time to pay where a sale says none', async () => {
    const { auctionId } = await contested();
    expect((await change(auctionId, { payment_due_days: 14 }, member)).status, 'more').to.equal(200);
    expect(await historyOf(auctionId)).to.deep.equal([]);
    expect(codeOf(await change(auctionId, { payment_due_days: null }, member))).to.deep.equal([
      403,
      'forbidden',
    ]);
    expect((await change(auctionId, { payment_due_days: null, reason })).status).to.equal(200);
    expect(codeOf(await change(auctionId, { payment_due_days: 3 }))).to.deep.equal([
      422,
      'validation_failed',
    ]);
    expect((await change(auctionId, { payment_due_days: 3, reason })).status).to.equal(200);
    expect((await change(auctionId, { payment_due_days: null }, member)).status, 'more').to.equal(200);
    expect((await change(auctionId, { payment_due_days: 7 }, member)).status, 'the same').to.equal(200);
    const sentences = (await historyOf(auctionId)).map((one: { sentence: string }) => one.sentence);
    expect(sentences).to.deep.equal([
      'Payment is due after 3 days now, it was 7 days.',
      'Payment is due after 7 days now, it was 14 days.',
    ]);
  });

  it('leave a standing leader what they have', async () => {
    const { auctionId, lotId } = await contested();
    const strict = { mode: 'deposit', deposit_amount: '50.00', require_verified: true, bid_limit: '200.00' };
    expect(
      (await change(auctionId, { registration: strict, privacy_setting: 'private', reason })).status,
    ).to.equal(200);
    const other = await aUser(service.database, { verified: true });
    await team.call('POST', `seller/auctions/${auctionId}/registrations`, { email: other.email });
    await team.call('PATCH', `seller/auctions/${auctionId}`, {});
    const token = await service.tokenFor(other);
    const answer = await service.call('POST', `/api/v1/lots/${lotId}/bids`, {
      token,
      body: { amount: '150.00' },
    });
    expect([answer.status, answer.body.data?.outcome], answer.text).to.deep.equal([201, 'outbid']);
    const lot = await team.call('GET', `seller/lots/${lotId}`);
    expect(lot.body.data.current_bid).to.equal('160.00');
  });

  it('take a later end by up to a day, and a pause of up to an hour, from members too, many as one', async () => {
    const { auctionId } = await contested();
    expect((await change(auctionId, { end_time: hours(40) }, member)).status).to.equal(200);
    expect(codeOf(await change(auctionId, { end_time: hours(56) }, member))).to.deep.equal([
      403,
      'forbidden',
    ]);
    expect((await change(auctionId, { end_time: hours(56), reason })).status).to.equal(200);
    expect((await change(auctionId, { end_time: hours(70) }, member)).status).to.equal(200);
    expect((await historyOf(auctionId)).map((one: { reason: string | null }) => one.reason)).to.deep.equal([
      ...[null, reason, null],
    ]);
    const pausedFor = async (n: number, ...say: readonly [string?]) => {
      const [said] = say;
      const pause = { status: 'paused', ...(said === undefined ? {} : { reason: said }) };
      expect((await change(auctionId, pause)).status).to.equal(200);
      const { journal } = service.backends;
      const record = (await journal.loadRecord(auctionId))!;
      const fromUs = journal.nowUs() - n * 60_000_000;
      const pauses = [...record.pauses.slice(0, -1), { fromUs, toUs: null }];
      expect(await journal.saveRecord({ ...record, pauses, version: record.version + 1 })).to.equal(true);
    };
    await pausedFor(40);
    expect((await change(auctionId, { status: 'active' }, member)).status).to.equal(200);
    await pausedFor(30);
    expect(codeOf(await change(auctionId, { status: 'active' }, member))).to.deep.equal([403, 'forbidden']);
    expect(codeOf(await change(auctionId, { status: 'active' }))).to.deep.equal([422, 'validation_failed']);
    expect((await change(auctionId, { status: 'active', reason })).status).to.equal(200);
    const [last] = await historyOf(auctionId);
    expect(last.sentence).to.equal('The sale was paused for 30 minutes; its lots end that much later.');
  });
});
