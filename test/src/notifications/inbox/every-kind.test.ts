import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Knex } from 'knex';
import PostalMime, { type Email } from 'postal-mime';
import { Registry } from 'prom-client';
import type { User } from '../../../../src/accounts/models/user.model.ts';
import { suspendUser } from '../../../../src/accounts/people/accounts.ts';
import { decideApplication } from '../../../../src/accounts/teams/applications.ts';
import { type RunningJobs, startWorkerJobs } from '../../../../src/app/jobs/worker-jobs.ts';
import { withdrawLot } from '../../../../src/bidding/records/lot-changes.ts';
import { voidBid } from '../../../../src/bidding/staff/void-bid.ts';
import {
  approveSettlement,
  paySettlement,
} from '../../../../src/billing/settlements/settlement-decisions.ts';
import { addToWatchlist } from '../../../../src/catalog/watchlist/watchlist.ts';
import { Inbox } from '../../../../src/notifications/inbox/inbox.ts';
import { KIND_NAMES, type KindName, NOTIFICATION_KINDS } from '../../../../src/notifications/kinds/kinds.ts';
import { saveSearch } from '../../../../src/notifications/searches/saved-searches.ts';
import { notifyFacts } from '../../../../src/notifications/sources/news-of-facts.ts';
import { notifyRows } from '../../../../src/notifications/sources/news-of-rows.ts';
import { offerSecondChance } from '../../../../src/sales/offers/offers.ts';
import { remindBuyer } from '../../../../src/sales/results/after-sale.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { staffOf } from '../../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../../support/builders.ts';
import { eventually } from '../../../support/market.ts';
import { paymentOf, report } from '../../../support/money.ts';
import { NOTICES } from '../../../support/notices.ts';
import { application } from '../../../support/office-things.ts';
import { type JsonValue, type Service, startService } from '../../../support/service.ts';
import { SEAL_KEY, TenderSales } from '../../../support/tender-sales.ts';

const PASSWORD = 'a long enough password';
describe('each kind of notification', () => {
  let service: Service;
  let jobs: RunningJobs;
  let knex: Knex;
  const people = {} as Record<
    'ann' | 'ben' | 'sam' | 'sue' | 'gus',
    { user: User; token: string; browser: BrowserLike }
  >;

  let ageing: NodeJS.Timeout;
  let followedTeamId: number;

  before(async () => {
    service = await startService({ env: { SEAL_KEY } });
    knex = service.backends.knex;
    for (const name of ['ann', 'ben', 'sam', 'sue', 'gus'] as const) {
      const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
      const browser = new BrowserLike(service.url);
      await signIn(browser, user.email, PASSWORD);
      people[name] = { user, browser, token: await service.tokenFor(user, ['read', 'write', 'seller']) };
    }
    followedTeamId = (await aTeam(service.database, { owner: people.sam.user })).id;
    const log = openLog('silent', 'test');
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), log);
  });
  after(async () => {
    clearInterval(ageing);
    await jobs.close();
    await service.close();
  });

  const post = async (who: keyof typeof people, path: string, body: object = {}) => {
    const answer = await service.call('POST', `/api/v1${path}`, { token: people[who].token, body });
    expect(answer.status, answer.text).to.be.within(200, 201);
    return answer.body;
  };
  const open = async (title: string, columns: object = {}, auctionColumns: object = {}) => {
    const team = await aTeam(service.database, { owner: people.sam.user });
    const auction = await anAuction(service.database, { team_id: team.id, ...auctionColumns });
    const lot = await aLot(service.database, { auction_id: auction.id, title, ...columns });
    await service.publish();
    return { auction, lot, team };
  };
  const invoiceOf = (lotId: number) =>
    eventually(() => knex('invoices').where({ lot_id: lotId, kind: 'winner' }).first());

  /** A lot that `ann` bids on and `ben` buys. */
  async function sell(title: string, auctionColumns: object = {}) {
    const prices = { reserve_price_cents: 30_000, buy_now_price_cents: 40_000 };
    const made = await open(title, prices, { ...auctionColumns, buyer_premium_bps: 0 });
    await post('ann', `/lots/${made.lot.id}/bids`, { amount: '100.00' });
    await post('ben', `/lots/${made.lot.id}/buy-now`);
    return { ...made, invoice: await invoiceOf(made.lot.id) };
  }

  async function causeSales(): Promise<void> {
    const paid = await sell('Pine chair', { title: 'Paid sale' });
    await report(service, { object: paymentOf(paid.invoice) });
    const settlement = await eventually(() =>
      knex('settlements').where({ auction_id: paid.auction.id, status: 'pending' }).first(),
    );
    await approveSettlement(knex, settlement.id);
    await eventually(() => knex('notifications').where('kind', 'settlement').first());
    await paySettlement(knex, settlement.id);
    await staffOf(service).refund(paid.invoice.invoice_number);
    const unpaid = await sell('Elm stool');
    await remindBuyer(knex, unpaid.team.id, unpaid.invoice.invoice_number);
    await eventually(() => knex('notifications').where('kind', 'payment_reminder').first());
    await staffOf(service).defaultLot(unpaid.lot.id);
    await offerSecondChance(knex, unpaid.lot.id, { belowReserve: true });
  }

  async function causeBids(): Promise<void> {
    const { lot } = await open('Oak table');
    await post('ann', `/lots/${lot.id}/bids`, { amount: '100.00' });
    await post('ben', `/lots/${lot.id}/bids`, { amount: '150.00' });
    await open('Tin box', {}, { end_time: new Date(Date.now() + 1_500).toISOString() });
    const terms = { title: 'By approval', slug: 'by-approval', registration_mode: 'approval' } as const;
    const { auction, team } = await open('Ash bench', {}, terms);
    const { data } = await post('ann', `/auctions/${auction.id}/registration`);
    // A bidder who has been decided on has no open request.
    await eventually(() => knex('notifications').where('kind', 'registration_asked').first());
    const decided = await service.call(
      'PATCH',
      `/api/v1/seller/auctions/${auction.id}/registrations/${data.id}`,
      {
        token: people.sam.token,
        headers: { 'x-team-id': String(team.id) },
        body: { status: 'approved', reason: 'you are known' },
      },
    );
    expect(decided.status, decided.text).to.equal(200);
  }

  async function causeWatching(): Promise<void> {
    const id = followedTeamId;
    await post('ann', `/teams/${id}/follow`);
    const followed = await anAuction(service.database, { team_id: id, title: 'Followed', status: 'draft' });
    const published = {
      token: people.sam.token,
      headers: { 'x-team-id': String(id) },
      body: { status: 'scheduled' },
    };
    const moved = await service.call('PATCH', `/api/v1/seller/auctions/${followed.id}`, published);
    expect(moved.status, moved.text).to.equal(200);
    await saveSearch(knex, people.ann.user.id, 'cedar', 'search=cedar');
    const before = new Date(Date.now() - 120_000).toISOString();
    await knex('saved_searches').update({ checked_at: before, due_at: before });
    const end_time = new Date(Date.now() + 1_800_000).toISOString();
    const start_time = new Date(Date.now() - 1_000).toISOString();
    const { lot } = await open('Cedar chest', {}, { end_time, start_time, questions_close_hours: 0 });
    await addToWatchlist(knex, people.ann.user.id, lot.id);
    const { data } = await post('ann', `/lots/${lot.id}/questions`, { text: 'Is it dry?' });
    await post('ann', `/lots/${lot.id}/enquiries`, { text: 'May I see it?' });
    await eventually(() => knex('notifications').where('kind', 'new_question').first());
    await knex('lot_questions')
      .where('id', data.id)
      .update({ answer: 'Yes, it is.', answered_at: knex.fn.now() });
    const hall = await open('Called first', {}, { type: 'simulcast' });
    const desk = await aLot(service.database, { auction_id: hall.auction.id, title: 'Walnut desk' });
    await service.publish();
    await addToWatchlist(knex, people.ann.user.id, desk.id);
    await knex('salerooms').insert({
      auction_id: hall.auction.id,
      lot_id: hall.lot.id,
      changed_at: knex.fn.now(),
    });
  }

  async function causeStaff(): Promise<void> {
    const { lot, auction } = await open('Ash chest', {}, { title: 'Chests' });
    await post('ann', `/lots/${lot.id}/bids`, { amount: '100.00' });
    const { data } = await post('ben', `/lots/${lot.id}/bids`, { amount: '150.00' });
    await eventually(() => knex('bids').where('bid_id', data.id).first());
    await voidBid(service.backends, data.id, 'a slip');
    const changed = { amended_at: knex.fn.now(), reason: 'a typo', amendment: '{}', sha256: '' };
    await knex('lot_amendments').insert({ lot_id: lot.id, sequence: 1, ...changed });
    const terms = { reason: 'the hall is closed', sentence: 'The end is later.', changes: '{}' };
    await knex('sale_changes').insert({ auction_id: auction.id, ...terms });
    const elder = await open('Box elder');
    await post('ann', `/lots/${elder.lot.id}/bids`, { amount: '100.00' });
    await withdrawLot(service.backends, elder.lot.id, { reason: 'a dispute', byAdmin: true });
    const sales = await TenderSales.of(service);
    const tender = await sales.open([{ tender_final_round: 2, tender_final_seconds: 3_600 }]);
    await sales.register(people.ann, tender);
    await post('ann', `/lots/${tender.lots[0]}/bids`, { amount: '300.00' });
    await sales.end(tender);
    await decideApplication(knex, await application(knex, people.sam.user.id), 'declined', 'no licence');
    await suspendUser(knex, people.sue.user.email, { reason: 'unpaid lots', leads: null });
  }

  /** A group's first lead is beaten and comes back, once it has bid on the next lot; before `sue` is suspended. */
  async function causeGroup(): Promise<void> {
    const { lot, auction } = await open('Fir bench');
    const next = await aLot(service.database, { auction_id: auction.id, title: 'Fir stool' });
    await service.publish();
    const lots = [lot, next].map(({ id }) => ({ lot_id: id, max_amount: '120.00' }));
    await post('gus', '/me/bid-groups', { auction_id: auction.id, wanted: 1, lots });
    const { data } = await post('sue', `/lots/${lot.id}/bids`, { amount: '150.00' });
    await eventually(() => knex('bids').where('lot_id', next.id).first());
    await voidBid(service.backends, data.id, 'a slip');
  }

  /** The mail to somebody whose subject begins so and that says this, out of the folder that development mails into. */
  async function mailed(to: string, subject: string, body: string): Promise<Email | undefined> {
    const folder = join(service.config.dataDir, 'mail');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
    const mails = await Promise.all(
      names.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))),
    );
    return mails.find(
      (mail) =>
        mail.to?.[0]?.address === to && mail.subject?.startsWith(subject) && mail.text?.includes(body),
    );
  }

  const noticeOf = (kind: KindName): Promise<JsonValue> => {
    const [who, body] = NOTICES[kind];
    return eventually(async () => {
      const inbox = await service.get('/api/v1/me/notifications?per_page=100', people[who].token);
      return inbox.body.data.find((one: JsonValue) => one.kind === kind && body.test(one.body));
    }, 30_000);
  };

  /** As if each mail had been put out hours ago, so that nobody has had too many and every kind has one of its own. */
  async function agesMails(): Promise<void> {
    await knex.raw(
      `UPDATE mails SET created_at = created_at - interval '2 hours' WHERE created_at > now() - interval '1 hour'`,
    );
    await knex('mail_recipients').where('wakes_at', '>', knex.fn.now()).update('wakes_at', knex.fn.now());
  }

  it('reaches those whom it concerns: by API, on the page, and by mail where that is the default', async () => {
    ageing = setInterval(() => void agesMails().catch(() => undefined), 50);
    await causeGroup();
    await causeBids();
    await Promise.all([causeSales(), causeWatching()]);
    // Not all at once: what is more than four mails comes as one.
    await noticeOf('ending_soon');
    await causeStaff();
    expect(Object.keys(NOTICES).sort()).to.deep.equal([...KIND_NAMES].sort());
    for (const kind of KIND_NAMES) {
      const [who, , url] = NOTICES[kind];
      const { user, browser } = people[who];
      const one = await noticeOf(kind).catch((error: unknown) => {
        throw new Error(`${kind}: ${String(error)}`);
      });
      expect(one.url, kind).to.match(url);
      expect((await browser.get('/account/notifications')).text, kind).to.contain(`>${one.title}</a>`);
      const led = await browser.get(`/account/notifications/${one.id}`);
      expect(`${service.url}${led.location}`, kind).to.equal(one.url);
      // What somebody wins in a sale is one mail, with its invoices and the way to pay them.
      const isOfSale = kind === 'won' || kind === 'invoice';
      // The elm stool's invoice was voided before it could be mailed.
      const said = kind === 'invoice' ? ': $400.00.' : one.body;
      const mail = () => mailed(user.email, isOfSale ? 'You won ' : one.title, said);
      if (NOTIFICATION_KINDS[kind].byMail) {
        const { text, headers } = await eventually(mail);
        expect(text, kind)
          .to.contain(said)
          .and.contain(isOfSale ? '/account/invoices' : one.url.slice(service.url.length))
          .and.contain('/account/notifications');
        const headerOf = (name: string) => headers.find(({ key }) => key === name)?.value;
        expect(headerOf('list-unsubscribe'), kind).to.be.a('string');
        expect(headerOf('x-rostrum-kind'), kind).to.equal(isOfSale ? 'won' : kind);
      } else expect(await mail(), kind).to.equal(undefined);
    }
  });

  it('is not reported again by a second look', async () => {
    const count = async () => Number((await knex('notifications').count('* as n').first())?.['n']);
    const before = await count();
    const inbox = new Inbox(null, () => '');
    await notifyRows(knex, inbox);
    await notifyFacts(knex, inbox);
    expect(await count()).to.equal(before);
  });

  it('reaches nobody who does not want it, neither on the page nor by mail', async () => {
    const body = Object.fromEntries(KIND_NAMES.map((kind) => [kind, { page: false, mail: false }]));
    await service.call('PUT', '/api/v1/me/notifications/preferences', { token: people.ben.token, body });
    const count = async () => (await knex('notifications').where('user_id', people.ben.user.id)).length;
    const before = await count();
    const { lot } = await sell('Birch desk');
    await eventually(() => knex('notifications').where({ kind: 'lost', lot_id: lot.id }).first());
    expect(await count()).to.equal(before);
  });
});
