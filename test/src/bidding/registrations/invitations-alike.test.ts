/** Invitations tell nothing of who has an account, write little, and say it in our own words first. */
import { expect } from 'chai';
import { mailOutboxOf } from '../../../../src/app/process/mail.ts';
import { bindInvitations } from '../../../../src/bidding/registrations/bidder-invitations.ts';
import { mailInvitations } from '../../../../src/bidding/registrations/invitation-letters.ts';
import { DEPOSITS } from '../../../../src/billing/deposits/deposits.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { mailsTo } from '../../../support/mailbox.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';

describe('invitations to bid', () => {
  let service: Service;
  let teamId: number;
  let token: string;
  let browser: BrowserLike;
  const PASSWORD = 'a long enough password';

  before(async () => {
    service = await startService();
    const owner = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    teamId = (await aTeam(service.database, { owner, name: 'Prize!!! claim now' })).id;
    await service.database.knex('users').where('id', owner.id).update({ current_team_id: teamId });
    token = await service.tokenFor(owner, ['seller']);
    browser = new BrowserLike(service.url);
    await signIn(browser, owner.email, PASSWORD);
  });
  after(() => service.close());
  beforeEach(() => service.database.knex('invites').delete());

  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/api/v1/${path}`, { token, headers: { 'x-team-id': String(teamId) }, body });
  const registrations = (auctionId: number) => `seller/auctions/${auctionId}/registrations`;
  const inviteTo = (auctionId: number, email: string, more: object = {}) =>
    call('POST', registrations(auctionId), { email, ...more });
  const anOpenAuction = async (columns: object = {}) => {
    const auction = await anAuction(service.database, { team_id: teamId, ...columns });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await service.publish();
    return { auction, lot };
  };
  /** An answer without what differs between any two. */
  const shape = ({ id: _, email: _1, created_at: _2, decided_at: _3, ...rest }: JsonValue) => rest;
  const sendMails = () =>
    mailInvitations({
      knex: service.database.knex,
      mail: mailOutboxOf(service.config),
      siteUrl: () => 'https://rostrum.test',
    });
  const bindAll = () => bindInvitations({ ...service.backends, deposits: DEPOSITS });

  for (const columns of [
    {},
    { status: 'draft' },
    { registration_mode: 'deposit', registration_deposit_cents: 5_000 },
  ]) {
    it(`answer and list alike, with an account or without: ${JSON.stringify(columns)}`, async () => {
      const { auction } = await anOpenAuction(columns);
      const known = await aUser(service.database, { name: 'Ann Marsh' });
      const answers = [];
      for (const email of [known.email, 'nobody-here@example.com']) {
        const made = await inviteTo(auction.id, email, { bid_limit: '700.00' });
        const listed = (await call('GET', registrations(auction.id))).body.data.at(-1);
        const decided = await call('PATCH', `${registrations(auction.id)}/${made.body.data.id}`, {
          status: 'suspended',
        });
        const paddle = await call('PATCH', `${registrations(auction.id)}/${made.body.data.id}`, {
          paddle_number: '7',
        });
        expect(made.body.data).to.include({ email, user: null });
        expect(listed.id).to.equal(made.body.data.id);
        answers.push([
          made.status,
          shape(made.body.data),
          shape(listed),
          shape(decided.body.data),
          paddle.status,
        ]);
      }
      expect(answers[0]).to.deep.equal(answers[1]);
      const page = await browser.get(`/seller/auctions/${auction.id}/registrations`);
      expect(page.text)
        .to.contain('nobody-here@example.com')
        .and.to.contain(known.email)
        .and.not.to.contain('Ann Marsh');
      const found = await browser.get(`/seller/auctions/${auction.id}/registrations?search=marsh`);
      expect(found.text).to.contain('No registrations match.');
    });
  }

  it('show a name once that person has registered or bid', async () => {
    const { auction, lot } = await anOpenAuction({ privacy_setting: 'private' });
    const [ann, ben] = [await aUser(service.database, { name: 'Ann Marsh' }), await aUser(service.database)];
    for (const { email } of [ann, ben]) await inviteTo(auction.id, email);
    const names = async () =>
      (await call('GET', registrations(auction.id))).body.data.map(
        (row: JsonValue) => row.user?.name ?? null,
      );
    expect(await names()).to.deep.equal([null, null]);
    const registered = await service.call('POST', `/api/v1/auctions/${auction.id}/registration`, {
      token: await service.tokenFor(ann),
    });
    expect([registered.status, registered.body.data.status]).to.deep.equal([200, 'approved']);
    expect(await names()).to.deep.equal(['Ann Marsh', null]);
    const bid = { token: await service.tokenFor(ben), body: { amount: '100.00' } };
    expect((await service.call('POST', `/api/v1/lots/${lot.id}/bids`, bid)).status).to.equal(201);
  });

  it('hold for an address whose account is made later, once it is confirmed', async () => {
    const { auction, lot } = await anOpenAuction({ privacy_setting: 'private' });
    await inviteTo(auction.id, 'Late@Example.com', { bid_limit: '500.00' });
    const late = await aUser(service.database, { email: 'late@example.com' });
    await service.database.knex('users').where('id', late.id).update({ email_confirmed_at: null });
    expect(await bindAll()).to.equal(0);
    await service.database.knex('users').where('id', late.id).update({ email_confirmed_at: new Date() });
    expect(await bindAll()).to.equal(1);
    expect(await bindAll()).to.equal(0);
    const bid = (amount: string, as: string) =>
      service.call('POST', `/api/v1/lots/${lot.id}/bids`, { token: as, body: { amount } });
    const as = await service.tokenFor(late);
    expect((await bid('600.00', as)).body.code).to.equal('bid_limit_exceeded');
    expect((await bid('100.00', as)).status).to.equal(201);
  });

  it('are mailed once the auction is published, one a day, in our own words first', async () => {
    const title = 'You have won, see example.com';
    const { auction } = await anOpenAuction({ status: 'draft', title });
    const other = (await anOpenAuction()).auction;
    const email = 'invited@example.com';
    await inviteTo(auction.id, email);
    expect(await sendMails()).to.equal(0);
    await service.database
      .knex('auctions')
      .where('id', auction.id)
      .update({ status: 'active', published_at: new Date() });
    await service.database.knex('teams').where('id', teamId).update({ approved_at: null });
    expect(await sendMails()).to.equal(0);
    await service.database.knex('teams').where('id', teamId).update({ approved_at: new Date() });
    expect(await sendMails()).to.equal(1);
    await inviteTo(other.id, email);
    expect(await sendMails()).to.equal(0);
    const mails = await mailsTo(service, email);
    expect(mails).to.have.length(1);
    const [mail] = mails;
    expect(mail!.subject).to.equal('You are invited to bid in an auction');
    expect(mail!.text.indexOf('A seller has invited')).to.equal(0);
    expect(mail!.text).to.contain(title).and.to.contain('Prize!!! claim now');
  });

  it('are at most fifty a day from a team, into it and into its auctions together', async () => {
    const { auction } = await anOpenAuction();
    await service.database
      .knex('invites')
      .insert(Array.from({ length: 48 }, (_, n) => ({ team_id: teamId, email: `n${n}@example.com` })));
    expect((await inviteTo(auction.id, 'a@example.com')).status).to.equal(201);
    const path = `teams/${teamId}/invitations`;
    const intoTeam = await call('POST', path, { email: 'b@example.com' });
    expect(intoTeam.status).to.equal(201);
    const [mail] = await mailsTo(service, 'b@example.com');
    expect(mail!.subject).to.equal('You are invited to join a team');
    expect(mail!.text.indexOf('Somebody who sells here')).to.equal(0);
    for (const over of [
      await inviteTo(auction.id, 'c@example.com'),
      await call('POST', path, { email: 'c@example.com' }),
    ])
      expect([over.status, over.body.code]).to.deep.equal([422, 'too_many_invitations']);
  });
});
