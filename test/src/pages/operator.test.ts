/** Who runs the marketplace: from the environment, from files, and from the office, which counts before them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { deliverMail } from '../../../src/accounts/mail/mail-delivery.ts';
import { mailOutboxOf } from '../../../src/app/process/mail.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';
import { sendFields } from './office-lists-suite.ts';
import { formOf } from './seller/seller-at-desk.ts';

const PASSWORD = 'a long enough password';
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

describe('the operator of a marketplace', () => {
  let service: Service;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'operator-'));
    await writeFile(join(folder, 'logo.svg'), LOGO);
    await writeFile(
      join(folder, 'terms.md'),
      '# Who\n\nWe & you.\n\n- **One**\n- [Two](https://example.com/a?b=1)\n',
    );
    await writeFile(join(folder, 'imprint.md'), '<script>alert(1)</script> [x](javascript:alert(1))');
    service = await startService({
      env: {
        OPERATOR_NAME: 'Hill & Dale',
        OPERATOR_LOGO: join(folder, 'logo.svg'),
        OPERATOR_COLOR: '#AA3300',
        OPERATOR_DIR: folder,
      },
    });
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const page = async (path: string) => (await new BrowserLike(service.url).get(path)).text;

  it('is on every page with name, logo, colour and the three texts in the foot, and no other name is', async () => {
    const lot = await aLot(service.database);
    await service.publish();
    for (const path of [
      '/',
      '/lots',
      `/lots/${lot.id}`,
      '/help',
      '/sign-in',
      '/terms',
      '/nothing-here',
      '/docs',
    ]) {
      const text = await page(path);
      expect(text, path).to.contain('<span>Hill &amp; Dale</span>').and.contain('· Hill &amp; Dale</title>');
      expect(text.replaceAll('ROSTRUM_', ''), path).to.not.match(/rostrum(?!\.)/i);
      for (const name of ['terms', 'privacy', 'imprint'])
        expect(text, path).to.contain(`<a href="/${name}">`);
      expect(text, path).to.contain('content="#aa3300"');
    }
    const start = await page('/');
    const [, logo = ''] = /<img src="(\/operator\/logo\?v=[0-9a-f]+)"/.exec(start) ?? [];
    expect((await service.get(logo)).text).to.equal(LOGO);
    const [, sheet = ''] = /href="(\/operator\/colors\.css\?v=[0-9a-f]+)"/.exec(start) ?? [];
    expect((await service.get(sheet)).text)
      .to.contain('--accent: #aa3300')
      .and.contain('--on-accent: #ffffff');
    expect(JSON.parse(await page('/manifest.webmanifest'))).to.include({
      name: 'Hill & Dale',
      theme_color: '#aa3300',
    });
  });

  it('writes its texts in Markdown, of which nothing else comes through', async () => {
    const terms = await page('/terms');
    expect(terms)
      .to.contain('<h2>Who</h2>')
      .and.contain('<p>We &amp; you.</p>')
      .and.contain('<li><strong>One</strong></li><li><a href="https://example.com/a?b=1">Two</a></li>');
    const imprint = await page('/imprint');
    expect(imprint).to.contain('&lt;script&gt;').and.contain('[x](javascript:alert(1))');
    expect(imprint).to.not.contain('<script>alert');
    expect(await page('/privacy')).to.contain('Nothing has been published here yet.');
  });

  it('is from the office where that says something', async () => {
    const admin = await aUser(service.database, {
      password_hash: quickHash(PASSWORD),
      verified: true,
      is_admin: true,
    });
    const browser = new BrowserLike(service.url);
    await signIn(browser, admin.email, PASSWORD);
    const change = async (filled: Record<string, string>) => {
      const action = '/office/operator/change';
      const form = formOf(await browser.get('/office/operator'), action);
      return browser.post(action, { ...form, reason: 'new owners', ...filled });
    };
    const wrong = await change({ color: 'red' });
    expect([wrong.status, wrong.text.includes('It must be such as #1d5a41.')]).to.deep.equal([422, true]);
    expect((await change({ mail_from: 'New Hands' })).status).to.equal(422);
    const logoOf = async (bytes: Buffer | null) => {
      const files: Record<string, File> =
        bytes === null ? {} : { file: new File([new Uint8Array(bytes)], 'logo.png') };
      return sendFields(browser, '/office/operator/logo', { reason: 'new owners' }, files);
    };
    for (const text of ['a picture', '<html><svg></svg></html>', 'data:image/png;base64,AAAA'])
      expect((await logoOf(Buffer.from(text))).status, text).to.equal(422);
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('a picture')]);
    expect((await logoOf(png)).status).to.equal(303);
    expect((await change({ mail_from: 'New Hands <hands@example.org>' })).status).to.equal(303);
    const [, path = ''] = /<img src="(\/operator\/logo\?v=[0-9a-f]+)"/.exec(await page('/')) ?? [];
    const logo = await service.get(path);
    expect(logo.headers.get('content-type')).to.equal('image/png');
    expect(logo.text).to.contain('PNG').and.contain('a picture');
    expect(await sentFrom(service, admin.email)).to.equal('New Hands <hands@example.org>');
    const drawn = LOGO.replace('0 0 1 1', '0 0 2 2');
    expect((await logoOf(Buffer.from(`\uFEFF${drawn}\n`))).status).to.equal(303);
    expect((await service.get('/operator/logo')).text).to.equal(drawn);
    expect((await logoOf(null)).status).to.equal(303);
    expect((await change({ mail_from: '' })).status).to.equal(303);
    expect((await service.get('/operator/logo')).text).to.equal(LOGO);
    expect(await sentFrom(service, admin.email)).to.match(/@localhost>$/);
    const saved = await change({ name: 'New Hands', privacy: 'Nothing is kept.', terms: 'Others.' });
    expect(saved.status, saved.text).to.equal(303);
    expect(await page('/privacy'))
      .to.contain('<p>Nothing is kept.</p>')
      .and.contain('<span>New Hands</span>');
    expect(await page('/terms'))
      .to.contain('Others.')
      .and.not.contain('We &amp; you.');
    expect(await page('/')).to.contain('content="#aa3300"');
    expect((await change({ name: '', terms: '' })).status).to.equal(303);
    expect(await page('/terms'))
      .to.contain('We &amp; you.')
      .and.contain('<span>Hill &amp; Dale</span>');
  });
});

let mails = 0;

/** Whom a mail to this address is from. */
async function sentFrom({ backends, config }: Service, to: string): Promise<string> {
  const { knex } = backends;
  mails += 1;
  const eventKey = `from-${mails}`;
  const letter = { subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };
  await mailOutboxOf(config).put(knex, { ...letter, eventKey, to, kind: 'security', about: 'confirm' });
  const { id } = await knex('mails').where('event_key', eventKey).first();
  const sent: string[] = [];
  await deliverMail(
    {
      knex,
      from: config.mail.kind === 'off' ? '' : config.mail.from,
      secrets: config.appSecrets,
      tracing: null,
      onSent: () => undefined,
      transport: {
        async send({ from }) {
          sent.push(from);
        },
        async close() {},
      },
    },
    id,
  );
  return sent[0] ?? '';
}
