/**
 * The staff's morning, counted: ten questions that people ask, each answered from the office's first page in three
 * clicks at the most. A click is a link that is followed or a button that is pressed; typing is none.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { User } from '../../src/accounts/models/user.model.ts';
import type { Projection } from '../../src/bidding/projection/projection.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { anAuction, aUser } from '../support/builders.ts';
import { collectProblems, openChromium } from '../support/chromium.ts';
import { eventually } from '../support/market.ts';
import { aSale, paymentOf, report, reportDispute } from '../support/money.ts';
import { application } from '../support/office-things.ts';
import { projectionOf } from '../support/projection.ts';
import { SellingTeam } from '../support/selling-team.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const MOST_CLICKS = 3;
const DAY_MS = 86_400_000;

describe('the staff’s morning, in a real browser', () => {
  let service: Service;
  let projection: Projection;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  let clicks = 0;

  const knex = () => service.database.knex;

  before(async () => {
    [service, browser] = await Promise.all([
      startService({ env: { TRUST_PROXY: '127.0.0.1' } }),
      openChromium(),
    ]);
    const admin = await aUser(service.database, {
      ...{
        name: 'Stella Staff',
        email: 'staff@example.com',
        password_hash: quickHash(PASSWORD),
        is_admin: true,
      },
    });
    await prepare(admin);
    page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    problems = collectProblems(page);
    await page.goto(`${service.url}/sign-in?next=/office`);
    await page.getByLabel('Email address').fill(admin.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Queue' }).waitFor();
  });
  after(async () => {
    await browser?.close();
    await projection?.close();
    await service?.close();
  });

  let refunded: Invoice;

  /** What happened before the morning. */
  async function prepare(admin: User): Promise<void> {
    const db = service.database;
    const office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    const decide = async (path: string, fields: Record<string, string>) => {
      await office.get(path.slice(0, path.lastIndexOf('/')));
      const { status, text } = await office.post(path, fields);
      expect(status, text).to.equal(303);
    };

    const sold = await aSale(service, 120_000, { title: 'Estate of the Hollow' });
    await knex()('lots').where('id', sold.lot.id).update({ lot_number: 12, title: 'Walnut sideboard' });
    await knex()('users').where('id', sold.buyer.id).update({ name: 'Wanda Winner' });
    await report(service, { object: paymentOf(sold.invoice) });

    const disputed = await aSale(service, 80_000, { title: 'Barn clearance' });
    const payment = paymentOf(disputed.invoice);
    await report(service, { object: payment });
    await reportDispute(service, payment, 'created', { id: 'dp_morning', amount: 80_000 });

    const back = await aSale(service, 40_000);
    refunded = back.invoice;
    await report(service, { object: paymentOf(refunded) });
    await decide(`/office/money/invoices/${refunded.invoice_number}/refund`, {
      reason: 'The lot was broken',
    });

    const applied = await application(knex(), (await aUser(db, { name: 'Abe Applicant' })).id);
    const yesterday = new Date(Date.now() - DAY_MS - 3_600_000).toISOString();
    await knex()('seller_applications').where('id', applied).update({ created_at: yesterday });

    const troubled = await aUser(db, { name: 'Sid Suspended', email: 'sid@example.com' });
    await decide(`/office/people/${troubled.id}/suspend`, { reason: 'Three unpaid lots', leading_bids: '' });
    await knex()('mails').insert({
      ...{ event_key: 'late', recipient: 'mia@example.com', kind: 'security', about: 'reset' },
      ...{ failed_at: knex().fn.now(), error: 'The mailbox is full.' },
    });
    await anAuction(db, { title: 'The hidden barn sale', status: 'draft' });

    projection = await projectionOf(service.backends);
    const team = await SellingTeam.of(service);
    const { lotId } = await team.liveLot({ title: 'Brass ship’s bell', reserve_price: '900.00' });
    const lowered = await team.call('PATCH', `seller/lots/${lotId}`, { reserve_price: '500.00' });
    expect(lowered.status, lowered.text).to.equal(200);
    await knex()('users').where('id', team.owner.id).update({ email: 'rose@example.com' });
    const [bea, bo] = [
      await aUser(db, { name: 'Bea Bidder' }),
      await aUser(db, { name: 'Bo Bidder', email: 'bo@example.com' }),
    ];
    const bid = async (user: User, amount: string, browserName: string) =>
      service.call('POST', `/api/v1/lots/${lotId}/bids`, {
        token: await service.tokenFor(user),
        body: { amount },
        headers: { 'user-agent': browserName, 'x-forwarded-for': '203.0.113.7' },
      });
    expect((await bid(bea, '200.00', 'one')).status).to.equal(201);
    expect((await bid(bo, '100.00', 'another')).status).to.equal(422);
    expect((await bid(bo, '300.00', 'another')).status).to.equal(201);
    await service.web.flush();
    await eventually(async () => (await knex()('bids').where('lot_id', lotId)).length === 2);
    await eventually(async () => (await knex()('refused_bids').where('lot_id', lotId)).length === 1);
    await eventually(async () => (await knex()('bids_from').where('lot_id', lotId)).length === 2);
  }

  const main = () => page.getByRole('main');

  async function find(words: string): Promise<void> {
    await page.getByRole('searchbox', { name: /^Find people/ }).fill(words);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    clicks += 1;
    await page.getByRole('heading', { name: 'Search', exact: true }).waitFor();
  }

  async function follow(name: string | RegExp): Promise<void> {
    await main().getByRole('link', { name }).first().click();
    clicks += 1;
    await page.waitForLoadState();
  }

  /** A row of the table under a heading, by what is in it. */
  const rowWith = async (heading: string, words: string | RegExp) =>
    (
      await main()
        .getByRole('group', { name: heading, exact: true })
        .getByRole('row')
        .filter({ hasText: words })
        .first()
        .innerText()
    ).replaceAll(/\s+/g, ' ');

  const facts = async () => (await main().locator('dl.facts').innerText()).replaceAll(/\s+/g, ' ');

  const QUESTIONS: readonly (readonly [question: string, answer: () => Promise<void>])[] = [
    [
      'Why was my bid refused?',
      async () => {
        await find('bo@example.com');
        await follow('Bo Bidder');
        expect(await rowWith('Why was my bid refused?', 'ship’s bell')).to.match(/\$100\.00.*minimum/i);
      },
    ],
    [
      'Who won lot 12, and has he paid?',
      async () => {
        await find('lot 12');
        await follow(/Walnut sideboard/);
        expect(await facts()).to.include('Winner Wanda Winner');
        expect(await rowWith('Invoices', 'Wanda Winner')).to.match(/paid.*\$1,200\.00/);
      },
    ],
    [
      'Which applicants have waited since yesterday?',
      async () => {
        expect(await rowWith('Applications', 'Prairie Gate')).to.match(/yesterday|day ago/);
      },
    ],
    [
      'Is this buyer the same as that one?',
      async () => {
        await find('bo@example.com');
        await follow('Bo Bidder');
        expect(await rowWith('Could be the same person', 'Bea Bidder')).to.match(/^Bea Bidder Same – –/);
      },
    ],
    [
      'Why is my account suspended, and who did it?',
      async () => {
        await find('sid@example.com');
        await follow('Sid Suspended');
        expect(await facts())
          .to.include('Suspended by staff@example.com')
          .and.include('Why Three unpaid lots');
      },
    ],
    [
      'Where is the refund of this invoice?',
      async () => {
        await find(refunded.invoice_number);
        await follow(refunded.invoice_number);
        expect(await rowWith('Refunds', '$400.00')).to.match(/To be sent by us|On its way/);
      },
    ],
    [
      'Which sales are disputed?',
      async () => {
        expect(await rowWith('Disputes', '$800.00')).to.include('Barn clearance');
      },
    ],
    [
      'Who changed the reserve?',
      async () => {
        await find('ship’s bell');
        await follow(/ship’s bell/);
        expect(await rowWith('Who changed it', 'Change lot prices'))
          .to.include('rose@example.com')
          .and.include('Reserve price: 900.00 → 500.00');
      },
    ],
    [
      'Was this mail sent?',
      async () => {
        await find('mia@example.com');
        expect(await rowWith('Mails', 'mia@example.com')).to.include('failed: The mailbox is full.');
      },
    ],
    [
      'Why does nobody see my sale?',
      async () => {
        await find('hidden barn');
        expect(await rowWith('Auctions', 'hidden barn')).to.include(
          'it is a draft that nobody has published',
        );
      },
    ],
  ];

  for (const [question, answer] of QUESTIONS)
    it(`“${question}”`, async () => {
      await page.goto(`${service.url}/office`);
      clicks = 0;
      await answer();
      expect(clicks, 'clicks').to.be.at.most(MOST_CLICKS);
      expect(problems).to.deep.equal([]);
    }).timeout(60_000);
});
