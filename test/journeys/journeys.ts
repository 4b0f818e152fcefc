/** What people do, step by step, by the names that they see: each works with and without JavaScript. */
import type { BrowserContext, Page } from 'playwright-core';
import { PASSWORD, type Site } from './site.ts';

/** Reloads until a text is there: what comes by itself with JavaScript comes with the next page without it. */
async function seen(page: Page, text: string | RegExp): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    if (
      await page
        .getByText(text)
        .first()
        .isVisible()
        .catch(() => false)
    )
      return;
    await page.waitForTimeout(250);
    if (tries % 4 === 3) await page.reload();
  }
  throw new Error(`“${String(text)}” is not on ${page.url()}`);
}

async function rivalBids(site: Site, lotId: number, amount: string): Promise<void> {
  const token = await site.service.tokenFor(await site.person());
  const path = `/api/v1/lots/${lotId}/bids`;
  const answer = await site.service.call('POST', path, { token, body: { amount, confirm: true } });
  if (answer.status !== 201) throw new Error(`a rival's bid: ${answer.text}`);
}

async function bid(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Your maximum').fill(amount);
  await page.getByRole('button', { name: 'Place bid' }).click();
}

/** A visitor finds a lot, signs in, bids, is outbid and notified, confirms a high bid, wins, and pays. */
export async function visitorToPaid(site: Site, context: BrowserContext): Promise<void> {
  const end = new Date(Date.now() + 45_000).toISOString();
  const soft = { soft_close_window_seconds: 0, soft_close_extension_seconds: 0 };
  const { lotId } = await site.lot({}, { end_time: end, ...soft });
  const { email } = await site.person();
  const page = await context.newPage();
  await page.goto(`${site.url}/lots/${lotId}`);
  await page.getByRole('link', { name: 'Sign in to bid' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await bid(page, '1');
  await seen(page, 'The bid must be at least $100.00.');
  await page.goto(`${site.url}/lots/${lotId}`);
  await bid(page, '100');
  await seen(page, 'You are the high bidder.');
  await rivalBids(site, lotId, '150.00');
  await seen(page, 'You have been outbid.');
  await page.goto(`${site.url}/account/notifications`);
  await seen(page, /The price is \$150\.00 now/);
  await page.goto(`${site.url}/lots/${lotId}`);
  await bid(page, '1,000');
  await page.getByRole('heading', { name: 'Confirm your bid' }).waitFor();
  await page.getByRole('button', { name: 'Confirm bid' }).click();
  await seen(page, 'You are the high bidder.');
  await page.waitForTimeout(Math.max(0, Date.parse(end) - Date.now()));
  await seen(page, 'You won');
  await seen(page, 'Pay now');
  await page.getByRole('link', { name: 'Pay now' }).click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.goto(`${site.url}/account/invoices`);
  await seen(page, 'paid');
}

export async function approval(site: Site, context: BrowserContext): Promise<void> {
  const { lotId, auctionId } = await site.lot({}, { registration_mode: 'approval' });
  const person = await site.person();
  const page = await site.signIn(context, person.email);
  await page.goto(`${site.url}/lots/${lotId}`);
  await bid(page, '100');
  await page.getByRole('link', { name: 'Register to bid' }).click();
  await page.getByRole('button', { name: 'Register to bid' }).click();
  await seen(page, 'Waiting for the seller');
  const { knex } = site.service.backends;
  const registration = await knex('registrations')
    .where({ auction_id: auctionId, user_id: person.id })
    .first('id');
  const auction = await knex('auctions').where('id', auctionId).first('team_id');
  const owner = await knex('memberships').where({ team_id: auction.team_id, role: 'owner' }).first('user_id');
  const token = await site.service.tokenFor({ id: owner.user_id } as never, ['seller']).catch(() => null);
  const seller = token ?? (await sellerToken(site, owner.user_id));
  const path = `/api/v1/seller/auctions/${auctionId}/registrations/${registration.id}`;
  const headers = { 'x-team-id': String(auction.team_id) };
  const body = { status: 'approved' };
  const decided = await site.service.call('PATCH', path, { token: seller, body, headers });
  if (decided.status !== 200) throw new Error(decided.text);
  await page.reload();
  await seen(page, 'Approved');
  await page.goto(`${site.url}/lots/${lotId}`);
  await bid(page, '100');
  await seen(page, 'You are the high bidder.');
}

async function sellerToken(site: Site, userId: number): Promise<string> {
  const user = await site.service.backends.knex('users').where('id', userId).first();
  return site.service.tokenFor(user, ['seller']);
}

export async function deposit(site: Site, context: BrowserContext): Promise<void> {
  const terms = { registration_mode: 'deposit', registration_deposit_cents: 20_000 };
  const { lotId, slug } = await site.lot({}, terms);
  const page = await site.signIn(context, (await site.person()).email);
  await page.goto(`${site.url}/auctions/${slug}`);
  await page.getByRole('button', { name: 'Register to bid' }).click();
  await seen(page, 'Deposit due');
  await page.getByRole('link', { name: 'Pay the deposit' }).first().click();
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.goto(`${site.url}/account/registrations`);
  await seen(page, 'Approved');
  await page.goto(`${site.url}/lots/${lotId}`);
  await bid(page, '100');
  await seen(page, 'You are the high bidder.');
}

export async function buyNow(site: Site, context: BrowserContext): Promise<void> {
  const { lotId } = await site.lot({ buy_now_price_cents: 40_000 });
  const page = await site.signIn(context, (await site.person()).email);
  await page.goto(`${site.url}/lots/${lotId}`);
  await page.getByRole('button', { name: 'Buy now' }).click();
  await page.getByRole('heading', { name: 'Confirm your purchase' }).waitFor();
  await page.getByRole('button', { name: 'Confirm and buy now' }).click();
  await seen(page, 'You won');
  await seen(page, 'Pay now');
}

export async function watch(site: Site, context: BrowserContext): Promise<void> {
  const { lotId } = await site.lot({ title: 'A thing to watch' });
  const page = await site.signIn(context, (await site.person()).email);
  await page.goto(`${site.url}/lots/${lotId}`);
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await page.getByRole('button', { name: 'Stop watching' }).waitFor();
  await page.goto(`${site.url}/account/board`);
  await page.getByRole('link', { name: 'A thing to watch' }).waitFor();
  await page.getByRole('button', { name: 'Stop watching A thing to watch' }).click();
  await seen(page, 'You are not watching any lots');
}

export async function savedSearch(site: Site, context: BrowserContext): Promise<void> {
  const page = await site.signIn(context, (await site.person()).email);
  await page.goto(`${site.url}/`);
  await page.getByRole('searchbox', { name: 'Search lots' }).fill('tractor');
  await page.getByRole('button', { name: 'Search lots' }).click();
  await page
    .getByRole('link', { name: /tractor/i })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Save this search' }).click();
  await page.getByRole('button', { name: /^Remove .*tractor/ }).click();
  await seen(page, 'You have no saved searches');
}
