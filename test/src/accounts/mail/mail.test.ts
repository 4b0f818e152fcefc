import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { letter } from '../../../../src/accounts/mail/letter.ts';
import type { Mail } from '../../../../src/accounts/mail/mail-outbox.ts';
import { type Config, loadConfig } from '../../../../src/app/config/config.ts';
import { type MailJobs, startMail } from '../../../../src/app/jobs/start-mail.ts';
import { mailOutboxOf } from '../../../../src/app/process/mail.ts';
import { openLog } from '../../../../src/shared/log.ts';
import { BrowserLike, signUp } from '../../../support/browser-like.ts';
import {
  type MailServer,
  type SilentServer,
  startMailServer,
  startSilentServer,
} from '../../../support/mail-server.ts';
import { type Service, startService } from '../../../support/service.ts';
import { slowness } from '../../../support/slowness.ts';

const MAIL_FROM = 'Rostrum <mail@auctions.example>';

describe('mail', () => {
  let service: Service;
  let server: MailServer;
  let silent: SilentServer;
  let jobs: MailJobs | null = null;

  before(async () => {
    silent = await startSilentServer();
    const env = { SMTP_URL: silent.url, MAIL_FROM };
    [service, server] = await Promise.all([startService({ env }), startMailServer()]);
  });

  after(async () => {
    await server.close();
    await service.close();
    await silent.close();
  });

  afterEach(async () => {
    await jobs?.close();
    jobs = null;
    server.mails.length = 0;
  });

  const work = (config: Config) => {
    jobs = startMail(config, service.backends, () => undefined, openLog('silent', 'test'));
  };
  const intoFiles = () => loadConfig({ NODE_ENV: 'test', DATA_DIR: service.config.dataDir });
  const overSmtp = () =>
    loadConfig({
      NODE_ENV: 'test',
      DATA_DIR: service.config.dataDir,
      SMTP_URL: server.url,
      MAIL_FROM,
    });
  const knex = () => service.backends.knex;
  const outbox = () => mailOutboxOf(service.config);
  const mail = (eventKey: string, more: Partial<Mail> = {}): Mail => ({
    eventKey,
    to: 'ann@example.com',
    kind: 'notification',
    about: 'news',
    ...letter({
      subject: `About ${eventKey}`,
      paragraphs: ['Hello <Ann> &\n\nyou.'],
      link: { label: 'Look', url: 'https://auctions.example/?a=1&b=2' },
    }),
    ...more,
  });

  const until = async (what: string, isSo: () => boolean | Promise<boolean>) => {
    const end = Date.now() + 60_000;
    while (!(await isSo())) {
      if (Date.now() > end) throw new Error(`never: ${what}`);
      await sleep(20);
    }
  };
  const files = () => {
    try {
      return readdirSync(join(service.config.dataDir, 'mail'))
        .filter((name) => name.endsWith('.eml'))
        .sort();
    } catch {
      return [];
    }
  };

  it('writes files where there is no server, newest last, for their owner alone', async () => {
    work(intoFiles());
    await outbox().put(knex(), mail('files-1'));
    await until('the first file', () => files().length === 1);
    await outbox().put(knex(), mail('files-2', { kind: 'security' }), mail('files-1'));
    await until('the second file', () => files().length === 2);
    const folder = join(service.config.dataDir, 'mail');
    const [first, second] = files().map((name) => join(folder, name)) as [string, string];
    expect(statSync(first).mode & 0o777).to.equal(0o600);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    const [notification, security] = await Promise.all(
      [first, second].map((path) => PostalMime.parse(readFileSync(path))),
    );
    expect(notification).to.deep.include({ subject: 'About files-1' });
    expect(notification?.to?.[0]?.address).to.equal('ann@example.com');
    expect(notification?.text).to.include('Hello <Ann> & you.').and.include('?a=1&b=2');
    expect(notification?.html).to.include('Hello &lt;Ann&gt; &amp; you.').and.include('?a=1&amp;b=2"');
    expect(security?.subject).to.equal('About files-2');
    const header = (email: typeof notification, name: string) =>
      email?.headers.find(({ key }) => key === name)?.value;
    expect(header(notification, 'list-unsubscribe')).to.match(/^<http.*\/mail\/unsubscribe\/.+>$/);
    expect(header(notification, 'list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    expect(header(security, 'list-unsubscribe')).to.equal(undefined);
    expect(notification?.messageId).not.to.equal(security?.messageId);
  });

  it('is from whoever runs the site: as the office says, else as the configuration does', async () => {
    const operator = { ...service.config.operator, name: 'Hill & <Dale>' };
    work(intoFiles());
    const sent = async (eventKey: string) => {
      const known = files().length;
      await mailOutboxOf({ ...service.config, operator }).put(knex(), mail(eventKey));
      await until('the file', () => files().length === known + 1);
      const newest = files().at(-1) ?? '';
      const { text, html } = await PostalMime.parse(
        readFileSync(join(service.config.dataDir, 'mail', newest)),
      );
      return [/-- \n(.*)\n/.exec(text ?? '')?.[1], /14px">([^<]*)<\/p>\n<\/div>/.exec(html ?? '')?.[1]];
    };
    expect(await sent('named-1')).to.deep.equal(['Hill & <Dale>', 'Hill &amp; &lt;Dale&gt;']);
    await knex()('operator_settings').update({ name: 'New Hands' });
    expect(await sent('named-2')).to.deep.equal(['New Hands', 'New Hands']);
    await knex()('operator_settings').update({ name: null });
  });

  it('sends an event once, again after a refusal that may pass, and as the same mail after a lost reply', async () => {
    server.faults.push(451, 'cut');
    work(overSmtp());
    const before = Date.now();
    await outbox().put(knex(), mail('smtp-1'));
    await outbox().put(knex(), mail('smtp-1', { subject: 'Again' }));
    await until('two copies', () => server.mails.length === 2);
    expect(Date.now() - before).to.be.below(30_000);
    expect(server.mails.map(({ subject }) => subject)).to.deep.equal(['About smtp-1', 'About smtp-1']);
    expect(server.mails[0]?.messageId).to.equal(server.mails[1]?.messageId);
    expect(server.mails[0]?.messageId).to.match(/^<.+@auctions\.example>$/);
    expect(server.mails[0]?.from?.address).to.equal('mail@auctions.example');
    await until('it counts as sent', async () => {
      const row = await knex()('mails').where('event_key', 'smtp-1').first();
      return row.sent_at !== null && row.sealed === null;
    });
  });

  it('gives up a mail that the server permanently refuses, and continues with the others', async () => {
    server.faults.push(550);
    work(overSmtp());
    await outbox().put(knex(), mail('refused-1'));
    await until('it is given up', async () => {
      const row = await knex()('mails').where('event_key', 'refused-1').first();
      return row.failed_at !== null && /550/.test(row.error) && row.sealed === null;
    });
    await outbox().put(knex(), mail('refused-2'));
    await until('the next one', () => server.mails.length === 1);
  });

  it('holds up no request while the server says nothing, nor the end of the worker', async () => {
    await outbox().put(knex(), mail('held-up-1'));
    work(service.config);
    await until('it is under way', () => silent.connections.size > 0);
    const startMs = performance.now();
    const browser = new BrowserLike(service.url);
    expect((await signUp(browser, 'new@example.com', 'a long enough password')).status).to.equal(200);
    await browser.get('/password/forgot');
    const asked = await browser.post('/password/forgot', { email: 'new@example.com' });
    expect(asked.status).to.equal(200);
    expect(await knex()('mails').where('recipient', 'new@example.com')).to.have.length(2);
    const answeredMs = performance.now();
    await jobs?.close();
    const [requestsMs, endMs] = [answeredMs - startMs, performance.now() - answeredMs];
    // Whoever waited for that server would wait fifteen seconds.
    const mostMs = 12_000 * slowness();
    expect(requestsMs).to.be.below(mostMs);
    expect(endMs).to.be.below(mostMs);
    const row = await knex()('mails').where('event_key', 'held-up-1').first();
    expect([row.sent_at, row.failed_at], 'it is sent later').to.deep.equal([null, null]);
    await knex()('mails').delete();
  });

  it('sends nothing whose cause was rolled back, and stores no mail in plain text', async () => {
    const words = 'a-secret-in-a-mail';
    await outbox().put(knex(), mail('kept-1', { text: words, html: words, subject: words }));
    await knex()
      .transaction(async (trx) => {
        await outbox().put(trx, mail('rolled-back'));
        throw new Error('no');
      })
      .catch(() => undefined);
    const rows = await knex()('mails').whereIn('event_key', ['kept-1', 'rolled-back']);
    expect(rows).to.have.length(1);
    expect(JSON.stringify(rows)).not.to.include(words);
    work(overSmtp());
    await until('the mail', () => server.mails.length === 1);
    expect(server.mails[0]?.text).to.include(words);
  });

  it('lets an address unsubscribe with one click and without an account', async () => {
    work(overSmtp());
    await outbox().put(knex(), mail('leaving-1', { to: 'bob@example.com' }));
    // The previous test's mail may be sent again: its worker was closed before it could record the sending.
    const theirs = () => server.mails.find(({ subject }) => subject === 'About leaving-1');
    await until('the mail', () => theirs() !== undefined);
    const link = theirs()?.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const path = new URL(link.slice(1, -1)).pathname;
    const browser = new BrowserLike(service.url);
    expect((await browser.get(path)).text)
      .to.include('bob@example.com')
      .and.include('Unsubscribe');
    const click = () =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      });
    expect([(await click()).status, (await click()).status]).to.deep.equal([200, 200]);
    expect(await outbox().put(knex(), mail('leaving-2', { to: 'bob@example.com' }))).to.equal(0);
    expect(
      await outbox().put(knex(), mail('leaving-3', { to: 'bob@example.com', kind: 'security' })),
    ).to.equal(1);
    expect((await browser.get(path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).status).to.equal(
      404,
    );
    await browser.post(path, { again: '1' });
    expect(await outbox().put(knex(), mail('leaving-4', { to: 'bob@example.com' }))).to.equal(1);
  });

  it('is off in production without a server, and readiness says so', async () => {
    const secret = 'x'.repeat(16);
    const config = loadConfig({
      NODE_ENV: 'production',
      DATA_DIR: service.config.dataDir,
      PUBLIC_URL: 'https://auctions.example',
      APP_SECRET: secret,
      PAYMENT_WEBHOOK_SECRET: secret,
      SIMULCAST_SECRETS: `floor=${secret}`,
    });
    expect(config.mail).to.deep.equal({ kind: 'off' });
    expect(await mailOutboxOf(config).put(knex(), mail('off-1'))).to.equal(0);
    const { readinessOf } = await import('../../../../src/app/process/readiness.ts');
    const parts = await readinessOf(service.backends, config);
    expect(parts.find(({ name }) => name === 'mail')).to.deep.equal({
      name: 'mail',
      ok: true,
      detail: 'mail: off',
    });
    const here = await service.get('/readyz');
    expect(here.body.data.parts.find(({ name }: { name: string }) => name === 'mail')).to.deep.equal({
      name: 'mail',
      ok: true,
    });
  });
});
