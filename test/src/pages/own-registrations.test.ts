/** `/account/registrations`: of each sale what its bidder can do next, until when and where. */
import { expect } from 'chai';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { publishAuction } from '../../../src/bidding/records/publishing.ts';
import { openDepositInvoice } from '../../../src/billing/deposits/deposits.ts';
import { staffOf } from '../../support/billing.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { anAuction, aTeam, aUser } from '../../support/builders.ts';
import { paymentOf, report } from '../../support/money.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const PAST = { start_time: inDays(-9), end_time: inDays(-1) };

describe('the page of somebody’s registrations', () => {
  let service: Service;
  let user: User;
  let browser: BrowserLike;
  let seller: { readonly id: number; readonly slug: string };

  before(async () => {
    service = await startService();
    user = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    seller = await aTeam(service.database, { name: 'Prairie Gate' });
  });
  after(() => service.close());
  afterEach(() => service.backends.knex('registrations').delete());

  async function register(columns: object, registration: object): Promise<{ id: number; slug: string }> {
    const auction = await anAuction(service.database, { team_id: seller.id, ...columns });
    const row = { auction_id: auction.id, user_id: user.id, status: 'approved', ...registration };
    await service.backends.knex('registrations').insert(row);
    return auction;
  }

  const items = async () => {
    const { text } = await browser.get('/account/registrations');
    return text.split('<li class="item plain">').slice(1);
  };

  it('says what one can do, with the link to do it', async () => {
    const lots = '/auctions/SLUG';
    for (const [columns, registration, sentence, href] of [
      [{}, {}, 'You can bid now.', lots],
      [
        { status: 'scheduled', start_time: inDays(1), end_time: inDays(2) },
        {},
        'as soon as the sale starts',
        lots,
      ],
      [{ status: 'paused' }, {}, 'nothing ends while it is paused', lots],
      [{}, { status: 'pending' }, 'The seller decides who may bid. We notify you', lots],
      [{}, { status: 'declined' }, 'has declined your registration', `/sellers/${seller.slug}`],
      [{}, { status: 'suspended', reason: 'Unpaid' }, 'has suspended you', `/sellers/${seller.slug}`],
      [{}, { status: 'deposit_due' }, 'Pay the deposit to complete', '/auctions/SLUG#registration'],
      [
        { registration_require_verified: true },
        {},
        'Verify your account before bidding.',
        '/account/profile#verification',
      ],
      [{ conditions: 'Sold as seen.' }, {}, 'accept them.', '/auctions/SLUG#registration'],
      [{ ...PAST, status: 'ended' }, {}, 'The sale is over.', lots],
    ] as const) {
      const { slug } = await register(columns, registration);
      const [item = ''] = await items();
      expect(item, sentence)
        .to.contain(sentence)
        .and.contain(`href="${href.replace('SLUG', slug)}">`);
      expect(item, sentence).to.match(/(Starts|Ends|Ended) <time datetime/);
      await service.backends.knex('registrations').delete();
    }
  });

  it('leads to the payment of a deposit that is due, and says when one is paid', async () => {
    const { backends } = service;
    const terms = { registration_mode: 'deposit', registration_deposit_cents: 20_000 };
    const { id } = await register(terms, { status: 'deposit_due' });
    await publishAuction(backends, id);
    const open = async () => {
      const made = await backends.knex.transaction((trx) => openDepositInvoice(trx, id, user.id));
      return made ?? expect.fail('there is no deposit');
    };
    await staffOf(service).voidInvoice((await open()).invoice_number);
    const deposit = await open();
    const { invoice_number: number } = deposit;
    const [item = '', ...others] = await items();
    expect(others).to.deep.equal([]);
    expect(item)
      .to.contain('<strong>Pay the deposit to complete your registration.</strong>')
      .and.contain(`href="/account/invoices/${number}/pay">Pay the deposit`)
      .and.contain('Deposit $200.00')
      .and.contain('Deposit due');
    await report(service, { object: paymentOf(deposit) });
    await backends.knex('registrations').update({ status: 'approved' });
    expect((await items())[0])
      .to.contain('You can bid now.')
      .and.contain(`${number}</a>, paid`);
  });

  it('has first what waits for the bidder, then what ends next, and last what is over; and no draft', async () => {
    for (const [title, columns, status] of [
      ['Over before', { ...PAST, status: 'ended', end_time: inDays(-2) }, 'approved'],
      ['Just over', { ...PAST, status: 'settled' }, 'approved'],
      ['Ends later', { end_time: inDays(3) }, 'approved'],
      ['Refused', { end_time: inDays(1) }, 'declined'],
      ['Ends soon', { end_time: inDays(2) }, 'pending'],
      ['To pay', { end_time: inDays(9) }, 'deposit_due'],
      ['Secret draft', { status: 'draft' }, 'approved'],
    ] as const)
      await register({ title, ...columns }, { status });
    const { text } = await browser.get('/account/registrations');
    const positions = [
      'To pay',
      'Ends soon',
      'Ends later',
      'Refused',
      '<h2>Over</h2>',
      'Just over',
      'Over before',
    ].map((title) => text.indexOf(title));
    expect(positions).to.deep.equal([...positions].sort((one, other) => one - other));
    expect(Math.min(...positions)).to.be.above(0);
    expect(text).not.to.contain('Secret draft');
  });
});
