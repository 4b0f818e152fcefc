/**
 * A run of the whole service with every kind of secret in it: its logs, Postgres and Redis, the output of commands,
 * mails and public answers contain none of them, in any form, with the intended exceptions: one-time links in the mails
 * themselves, and ceilings and reserves in the journal and its rows.
 */
import { expect } from 'chai';
import { generateSync } from 'otplib';
import type { Database } from '../../adapters/postgres/database.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { newClient } from '../../adapters/redis/clients.ts';
import { signSimulcast } from '../../adapters/webhooks/simulcast-signature.ts';
import { User } from '../../src/accounts/models/user.model.ts';
import { addPlatform } from '../../src/bidding/simulcast/platform-registry.ts';
import { unseal } from '../../src/shared/sealed.ts';
import { BrowserLike, signIn, signUp } from '../support/browser-like.ts';
import { aTeam, aToken, aUser } from '../support/builders.ts';
import { postgresDump, queued, redisDump } from './dumps.ts';
import { formsOf, secretsIn } from './hidden-forms.ts';
import { SET, type SecretRun, startSecretRun } from './secret-run.ts';

/** In a form that no row of ours holds by chance. */
const CEILING = '7654321.09';
const RESERVE = '8765432.19';
const AMOUNTS = /7654321\.?09|7,654,321|8765432\.?19|8,765,432/;
const IBAN = 'DE89370400440532013000';
const KEEPER = 'keeper@example.com';
const KEYS = SET.APP_SECRET.split(',');

type Secrets = Map<string, string>;

describe('Secrets', () => {
  let run: SecretRun;
  let db: Database;
  /** Nowhere at all. */
  const never: Secrets = new Map();
  /** In the mail about it, and nowhere else. */
  const onlyInMails: Secrets = new Map();
  let shown = '';

  before(async () => {
    run = await startSecretRun();
    for (const [name, secret] of run.secrets) never.set(name, secret);
    db = openDatabase(run.databaseUrl, { max: 1 });
  });
  after(async () => {
    await db?.close();
    await run?.close();
  });

  /** An account with every kind of secret; the headers of its token. */
  async function keepAccount(browser: BrowserLike): Promise<Record<string, string>> {
    const [first, second, wrong] = [
      'first quiet & secret',
      'second quiet & secret',
      'a wrong quiet & secret',
    ];
    const email = KEEPER;
    await signUp(browser, email, first);
    const confirm = await run.link('/confirm/');
    expect((await browser.get(confirm)).status).to.equal(200);
    await signIn(browser, email, wrong);
    expect((await signIn(browser, email, first)).status).to.equal(303);
    const [session = '', signature = ''] = (browser.cookies.get('rostrum.sid') ?? '').split('.');
    await browser.get('/account/developer/tokens');
    const abilities = { read: '1', write: '1', seller: '1' };
    const made = await browser.post('/account/developer/tokens', { name: 'all', ...abilities });
    const token = /data-token>([^<]+)</.exec(made.text)?.[1] ?? '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await browser.get('/seller/safety');
    const payout = { holder: 'Quiet Holder of Accounts', account: IBAN, bank_code: '' };
    expect((await browser.post('/seller/safety/payout-account', payout)).status).to.equal(303);
    const csrf = browser.csrfToken;
    const totp = await enableSecondFactor(browser);
    await browser.get('/password/forgot');
    await browser.post('/password/forgot', { email });
    const reset = await run.link('/password/reset/');
    for (const link of [confirm, reset]) onlyInMails.set(link, link.split('/').at(-1) ?? '');
    const all = { first, second, wrong, session, signature, csrf, token, totp, IBAN };
    for (const [name, secret] of Object.entries(all)) never.set(name, secret);
    return headers;
  }

  async function enableSecondFactor(browser: BrowserLike): Promise<string> {
    const setUp = await browser.get('/account/security/two-factor');
    const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(setUp.text)?.[1] ?? '').replaceAll(' ', '');
    const on = await browser.post('/account/security/two-factor', { code: generateSync({ secret }) });
    const codes = [...on.text.matchAll(/data-recovery-code>([^<]+)</g)].map(([, code = '']) => code);
    expect(codes).to.have.length(10);
    for (const code of codes) {
      never.set(`recovery code ${code}`, code);
      never.set(`recovery code ${code} as it is hashed`, code.replaceAll('-', ''));
    }
    return secret;
  }

  async function send(method: string, path: string, body: object, headers: Record<string, string>) {
    const answer = await fetch(`${run.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    expect(answer.status, `${path}: ${text}`).to.be.below(300);
    return JSON.parse(text).data;
  }

  /** A lot with a reserve and a ceiling, with everybody who is notified of it. */
  async function sell(headers: Record<string, string>): Promise<string[]> {
    await db.knex('teams').update({ approved_at: db.knex.fn.now() });
    const hook = { url: 'https://example.com/hook', events: ['*'] };
    never.set('webhook', (await send('POST', '/webhook-subscriptions', hook, headers)).secret);
    const owner = await User.query(db.knex).findOne({ email: KEEPER }).throwIfNotFound();
    const { id: team } = await aTeam(db, { owner });
    const invited = await send('POST', `/teams/${team}/invitations`, { email: 'guest@example.com' }, headers);
    onlyInMails.set('invitation', invited.token);
    const times = {
      start_time: new Date(Date.now() + 1_500).toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const auction = (await send('POST', '/seller/auctions', { title: 'Open', ...times }, headers)).id;
    const wanted = { auction_id: auction, title: 'A', starting_bid: '1.00' };
    const lot = (await send('POST', '/seller/lots', wanted, headers)).id;
    // On a lot of its own: once a reserve is met, the price reveals it.
    const reserved = (await send('POST', '/seller/lots', { ...wanted, reserve_price: RESERVE }, headers)).id;
    await send('PATCH', `/seller/auctions/${auction}`, { status: 'scheduled' }, headers);
    const { token } = await aToken(db, { user: await aUser(db), abilities: ['read', 'write'] });
    never.set('bidder’s token', token);
    const read = async (path: string) => (await fetch(run.url + path)).text();
    await run.until('the lot is live', async () => (await read(`/api/v1/lots/${lot}`)).includes('"active"'));
    const as = { ...headers, authorization: `Bearer ${token}` };
    await send('POST', `/lots/${lot}/bids`, { max_amount: CEILING }, as);
    const api = [
      `/lots/${lot}`,
      `/lots/${lot}/bids`,
      `/lots/${lot}/journal`,
      `/lots/${reserved}`,
      `/lots/${reserved}/journal`,
      '/lots',
      `/auctions/${auction}/lots`,
    ];
    return Promise.all(
      [
        ...api.map((path) => `/api/v1${path}`),
        `/lots/${lot}`,
        `/lots/${reserved}`,
        `/auctions/${auction}`,
      ].map(read),
    );
  }

  /** A saleroom's platform, and one that signs with a key of its own. */
  async function hall(): Promise<void> {
    const { secret } = await addPlatform(db.knex, KEYS, 'hall');
    never.set('platform', secret);
    const body = '[]';
    const timestamp = Math.floor(Date.now() / 1_000);
    const signature = signSimulcast(secret, timestamp, body);
    const headers = { 'x-timestamp': String(timestamp), 'x-signature': signature };
    await fetch(`${run.url}/webhooks/bid/hall`, { method: 'POST', headers, body });
    const sealed: string[] = await db.knex('checkpoint_keys').pluck('private_key_sealed');
    for (const [n, text] of sealed.entries()) never.set(`checkpoint key ${n}`, unseal(text, KEYS));
  }

  /** What was sent and let nobody in: in a header, a cookie, a path, a query, a body that cannot be read. */
  async function beRefused(): Promise<void> {
    const refused = (what: string) => {
      const secret = `${what}-refused-`.padEnd(43, 'x');
      never.set(`refused ${what}`, secret);
      return secret;
    };
    const json = { 'content-type': 'application/json' };
    const signature = refused('signature');
    const tries: [string, RequestInit][] = [
      ['/api/v1/me', { headers: { authorization: `Bearer ${refused('bearer')}` } }],
      ['/metrics', { headers: { authorization: `Basic ${refused('basic')}` } }],
      ['/metrics', { headers: { authorization: `Bearer ${SET.METRICS_TOKEN}` } }],
      ['/account', { headers: { cookie: `rostrum.sid=${refused('cookie')}` }, redirect: 'manual' }],
      [`/api/v1/lots?token=${refused('query')}`, {}],
      [`/nowhere?token=${refused('unknown-query')}`, {}],
      [`/password/reset/${refused('path')}`, {}],
      [`/confirm/${refused('other-path')}`, {}],
      [`/invitations/${refused('third-path')}`, {}],
      ['/api/v1/bids', { method: 'POST', headers: json, body: `{"password":"${refused('body')}"` }],
      ['/webhooks/bid/floor', { method: 'POST', headers: { ...json, 'x-signature': signature }, body: '{}' }],
      ['/webhooks/payment', { method: 'POST', headers: { 'payment-signature': signature }, body: '{}' }],
    ];
    for (const [where, request] of tries) await (await fetch(run.url + where, request)).text();
  }

  it('are in no log, row, key, command line or mail', async () => {
    const browser = new BrowserLike(run.url);
    const headers = await keepAccount(browser);
    const answers = await sell(headers);
    await hall();
    await beRefused();
    const reset = [...onlyInMails.keys()].find((link) => link.startsWith('/password/reset/')) ?? '';
    await browser.get(reset);
    expect((await browser.post(reset, { password: never.get('second') ?? '' })).status).to.equal(200);
    shown = await run.commands();
    expect(shown).to.contain('127.0.0.1:');
    for (const [name, secret] of [...never, ...onlyInMails]) expect(secret.length, name).to.be.above(14);
    await run.until('the guest is written to', async () =>
      (await run.mails()).some((mail) => /invit/i.test(mail)),
    );

    const [postgres, redis] = [await postgresDump(run.databaseUrl), await redisDump(run.redisUrl)];
    const mails = await run.mails();
    // The dumps are dumps: what is no secret is in them.
    expect(postgres).to.contain(KEEPER).and.to.contain('create_token');
    expect(redis).to.contain('browser-session:');
    expect(postgres + redis).to.match(AMOUNTS);
    const everything = new Map([...never, ...onlyInMails]);
    const stored = { postgres, redis, log: run.said(), commands: shown };
    const found = Object.entries(stored).flatMap(([where, text]) =>
      secretsIn(text, everything).map((what) => `${where}: ${what}`),
    );
    found.push(...secretsIn(mails.join('\n'), never).map((what) => `mails: ${what}`));
    expect(found).to.deep.equal([]);
    for (const [name, secret] of onlyInMails)
      expect(
        mails.filter((mail) => mail.includes(secret)),
        name,
      ).to.have.length(1);
    for (const outside of [run.said(), shown, mails.join('\n'), queued(redis), ...answers])
      expect(outside).not.to.match(AMOUNTS);
    // No mail's text is in the log: a link would be.
    const lines = mails.flatMap((mail) => mail.split('\n').filter((line) => line.length > 60));
    expect(lines.filter((line) => run.said().includes(line))).to.deep.equal([]);
  });

  it('would be found, each of them in each form, wherever it lay', async () => {
    const everything = new Map([...never, ...onlyInMails]);
    const planted = [...everything.values()].flatMap((secret) => [...formsOf(secret).values()]).join(' ');
    const raw = [...everything.values()].map((secret) => Buffer.from(`..${secret}`));
    await db.knex.schema.createTable('planted', (table) => {
      table.jsonb('plain');
      table.specificType('hidden', 'bytea');
    });
    await db.knex('planted').insert({ plain: JSON.stringify({ planted }), hidden: Buffer.concat(raw) });
    const client = newClient({ url: run.redisUrl });
    await client.connect();
    await client.sendCommand(['HSET', 'planted', 'plain', planted]);
    client.destroy();
    const expected = [...everything].flatMap(([name, secret]) =>
      [...formsOf(secret).keys()].map((form) => `${name} ${form}`),
    );
    for (const dump of [await postgresDump(run.databaseUrl), await redisDump(run.redisUrl)]) {
      const found = new Set(secretsIn(dump, everything));
      expect(expected.filter((one) => !found.has(one))).to.deep.equal([]);
    }
    for (const [name, secret] of everything) {
      const line = JSON.stringify({ level: 20, detail: Buffer.from(`x${secret}y`).toString('base64') });
      expect(secretsIn(line, new Map([[name, secret]]))).not.to.deep.equal([]);
    }
  });
});
