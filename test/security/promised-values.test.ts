/** What users are promised in numbers and words: how long links, codes and tokens hold, and where links lead. */
import { expect } from 'chai';
import { signUp as makeAccount } from '../../src/accounts/credentials/sign-up.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import { createUser } from '../../src/accounts/people/accounts.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { mailOutboxOf } from '../../src/app/process/mail.ts';
import { importMarketplace } from '../../src/tools/import/import-marketplace.ts';
import { BrowserLike, quickHash, signIn, signUp } from '../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../support/builders.ts';
import { mailsTo } from '../support/mailbox.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const ADDRESS = 'https://auctions.example';

describe('What is promised', () => {
  let service: Service;
  let user: User;

  before(async () => {
    service = await startService({ env: { PUBLIC_URL: ADDRESS } });
    user = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
  });
  after(() => service.close());

  const knex = () => service.backends.knex;
  const signedIn = async () => {
    const browser = new BrowserLike(service.url);
    await signIn(browser, user.email, PASSWORD);
    return browser;
  };

  it('holds for a day in a link that confirms, for half an hour in one for a new password', async () => {
    const visitor = new BrowserLike(service.url);
    await signUp(visitor, 'new@example.com', PASSWORD);
    await visitor.get('/password/forgot');
    await visitor.post('/password/forgot', { email: user.email });
    const links = await knex()('account_links')
      .orderBy('id')
      .select('purpose', knex().raw('extract(epoch FROM expires_at - created_at)::int AS seconds'));
    expect(links).to.deep.equal([
      { purpose: 'confirm', seconds: 86_400 },
      { purpose: 'reset', seconds: 1_800 },
    ]);
  });

  it('leads to the address of the service, whatever a request calls it', async () => {
    const forged = { 'x-forwarded-host': 'evil.example', host: 'evil.example' };
    const visitor = new BrowserLike(service.url, forged);
    await visitor.get('/password/forgot');
    await visitor.post('/password/forgot', { email: user.email });
    await signUp(visitor, user.email, PASSWORD);
    for (const { text, html } of await mailsTo(service, user.email)) {
      expect(text).to.contain(`${ADDRESS}/`);
      expect(`${text}${html}`).not.to.contain('evil.example').and.not.to.contain('127.0.0.1');
    }
  });

  it('requires no confirmation where no mail is sent, nor of accounts that staff have created', async () => {
    const isConfirmed = async (email: string) =>
      (await knex()('users').where({ email }).first('email_confirmed_at')).email_confirmed_at !== null;
    const secret = 'x'.repeat(16);
    const mail = mailOutboxOf(
      loadConfig({
        NODE_ENV: 'production',
        DATA_DIR: service.config.dataDir,
        PUBLIC_URL: ADDRESS,
        APP_SECRET: secret,
        PAYMENT_WEBHOOK_SECRET: secret,
        SIMULCAST_SECRETS: `floor=${secret}`,
      }),
    );
    const client = { known: true, group: 'test', caller: 'test' } as const;
    const input = { email: 'unmailed@example.com', password: PASSWORD };
    await makeAccount(
      { knex: knex(), mail },
      { input, baseUrl: ADDRESS, client, ip: '192.0.2.1', browser: 'b', language: 'en' },
    );
    await createUser(knex(), { email: 'by-hand@example.com' });
    await importMarketplace(knex(), { users: [{ email: 'imported@example.com' }] });
    for (const name of ['unmailed', 'by-hand', 'imported'])
      expect(await isConfirmed(`${name}@example.com`), name).to.equal(true);
    expect(await isConfirmed('new@example.com'), 'who has signed up').to.equal(false);
    for (const name of ['by-hand', 'imported', 'new']) {
      const user = await knex()('users')
        .where({ email: `${name}@example.com` })
        .first();
      const token = await service.tokenFor(user, ['read']);
      const [own, me, checks] = await Promise.all(
        ['/api/user', '/api/v1/me', '/api/v1/me/verification'].map((path) => service.get(path, token)),
      );
      const shown = [own!.body.data.email_verified_at, me!.body.data.email_verified_at].map(Boolean);
      const [email] = checks!.body.data.checks.filter(({ type }: { type: string }) => type === 'email');
      const isKnown = name !== 'new';
      expect([...shown, email.status === 'verified'], name).to.deep.equal([isKnown, isKnown, isKnown]);
    }
  });

  it('ends tokens of the page after 90 days, and lists each with when and from where it was used', async () => {
    const browser = await signedIn();
    await browser.get('/account/developer/tokens');
    const made = await browser.post('/account/developer/tokens', { name: 'Of the page', read: '1' });
    const row = await knex()('tokens').where('name', 'Of the page').first();
    expect(Date.parse(row.expires_at) - Date.now()).to.be.closeTo(90 * 86_400_000, 60_000);
    expect(made.text).to.match(/<option value="90" selected>/);
    await knex()('tokens')
      .where('id', row.id)
      .update({ last_used_at: new Date(), last_used_ip: '192.0.2.77' });
    const listed = await browser.get('/account/developer/tokens');
    const used = listed.text.split('<tr').find((text) => text.includes('Of the page')) ?? '';
    expect(used).to.match(/data-label="Last used"><time .*from 192\.0\.2\.77/s);
    expect(used).to.match(/data-label="Expires"><time /);
  });

  it('shows on pages what has not begun, with when it does', async () => {
    const auction = await anAuction(service.database, {
      status: 'scheduled',
      start_time: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const lot = await aLot(service.database, { auction_id: auction.id, status: 'scheduled' });
    await service.publish();
    for (const path of [`/lots/${lot.id}`, `/auctions/${auction.slug}`]) {
      const page = await new BrowserLike(service.url).get(path);
      expect([page.status, /Starts( in)?\b/.test(page.text)], path).to.deep.equal([200, true]);
    }
    expect((await service.get(`/api/v1/auctions/${auction.id}`)).status, 'the API').to.equal(404);
  });

  it('holds without settings too: connections, and no tokens where no limit is wanted', async () => {
    expect(service.config).to.include({ maxConnectionsPerAddress: 256, maxConnections: 10_000 });
    const statuses = new Set<number>();
    for (let n = 0; n < 40; n++) statuses.add((await service.get('/api/v1/me', `rst_${n}`)).status);
    expect([...statuses]).to.deep.equal([401]);
  });
});
