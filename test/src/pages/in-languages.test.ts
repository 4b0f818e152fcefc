/**
 * The service in other languages than English: answers by `Accept-Language`, pages by browser and by account, mails by
 * account. On no page is anything left that the language has a text for.
 */
import { expect } from 'chai';
import { LANGUAGE_CODES, type Language } from '../../../src/shared/language.ts';
import { textsOf } from '../../../src/shared/languages/phrasebook.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { ENGLISH, englishLeft } from '../../support/english-left.ts';
import { mailsTo } from '../../support/mailbox.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const OTHERS = LANGUAGE_CODES.filter((code) => code !== 'en');

describe('the service in a language', () => {
  let service: Service;
  let slug: string;
  let lotId: number;
  let buyerMail: string;
  let sellerMail: string;

  before(async () => {
    service = await startService();
    const { database } = service;
    const hash = { password_hash: quickHash(PASSWORD) };
    const seller = await aUser(database, { ...hash, name: 'Üna' });
    sellerMail = seller.email;
    buyerMail = (await aUser(database, { ...hash, name: 'Ülo' })).email;
    const team = await aTeam(database, { owner: seller, name: 'Ümlaut' });
    const auction = await anAuction(database, {
      ...{ team_id: team.id, title: 'Üppig', sales_tax_ppm: 82_500, payment_due_days: 7 },
      payment_methods: ['card', 'bank_transfer', 'cash'],
      premium_bands: [0, 100_000, 500_000].map((from) => ({ from_cents: from, percentage_bps: 900 })),
      online_surcharge_bps: 300,
    });
    slug = auction.slug;
    lotId = (await aLot(database, { auction_id: auction.id, title: 'Über', starting_bid_cents: 50_000 })).id;
    await service.publish();
  });
  after(() => service.close());

  const browserIn = async (language: Language, email?: string) => {
    const browser = new BrowserLike(service.url, { 'accept-language': `${language}, en;q=0.5` });
    if (email !== undefined) await signIn(browser, email, PASSWORD);
    return browser;
  };

  for (const language of OTHERS) {
    it(`leaves no English on its pages: ${language}`, async () => {
      const rooms: [BrowserLike, string[]][] = [
        [
          await browserIn(language),
          [
            '/',
            '/lots',
            '/map',
            '/auctions',
            `/auctions/${slug}`,
            `/lots/${lotId}`,
            '/sign-in',
            '/sign-up',
            '/sell',
            '/none',
          ],
        ],
        [
          await browserIn(language, buyerMail),
          [
            `/lots/${lotId}`,
            '/account/board',
            '/account/invoices',
            '/account/notifications',
            '/account/security',
            '/account/registrations',
            '/account/profile',
            `/account/bid-groups/new?auction=${slug}`,
            `/auctions/${slug}`,
          ],
        ],
        [
          await browserIn(language, sellerMail),
          [
            '/seller',
            '/seller/auctions',
            '/seller/auctions/new',
            '/seller/lots',
            '/seller/lots/new',
            `/seller/lots/${lotId}`,
          ],
        ],
      ];
      for (const [browser, paths] of rooms) {
        for (const path of paths) {
          const page = await browser.get(path);
          expect(page.headers.get('content-language'), path).to.equal(language);
          expect(page.headers.get('vary')).to.match(/Accept-Language/);
          expect(page.text).to.contain(`<html lang="${language}"`);
          expect(englishLeft(language, page.text), path).to.deep.equal([]);
        }
      }
    });
  }

  it('answers programs in it by `Accept-Language`, with the same code', async () => {
    const token = await service.tokenFor(await aUser(service.database));
    const bid = (language: string, body: object) =>
      service.call('POST', `/api/v1/lots/${lotId}/bids`, {
        token,
        body,
        headers: { 'accept-language': language },
      });
    const english = await bid('en', { amount: '1.00' });
    expect(english.body.message).to.equal('The bid must be at least 500.00.');
    expect(english.headers.get('content-language')).to.equal(null);
    expect(english.headers.get('vary')).to.match(/Accept-Language/);
    const german = await bid('de-DE', { amount: '1.00' });
    expect(german.body).to.deep.include({ code: 'bid_too_low', data: english.body.data, success: false });
    expect(german.body.message).to.match(/Gebot/).and.to.match(/500/);
    expect(german.headers.get('content-language')).to.equal('de');
    expect(german.headers.get('vary')).to.match(/Accept-Language/);
    const taken = await bid('pt', { amount: '500.00' });
    expect(taken.status).to.equal(201);
    expect(taken.body.message).to.equal(textsOf('pt')['You are the high bidder.']);
    // Lists are in no language, whatever people have written into them.
    const list = await service.call('GET', `/api/v1/lots/${lotId}/bids`, {
      headers: { 'accept-language': 'de' },
    });
    expect([list.status, list.headers.get('content-language')]).to.deep.equal([200, null]);
    const malformed = await bid('fr', { amount: 'x' });
    expect(malformed.body.code).to.equal('validation_failed');
    expect(malformed.body.errors.amount[0]).not.to.match(ENGLISH);
    expect(
      (await service.call('GET', '/api/v1/nowhere', { headers: { 'accept-language': 'es' } })).body.message,
    ).not.to.equal('Not found.');
  });

  it('takes a bid as it is written there, and says what became of it', async () => {
    const browser = await browserIn('de', buyerMail);
    await browser.get(`/lots/${lotId}`);
    const odd = await browser.post(`/lots/${lotId}/bid`, { key: 'typed-amount-1', max_amount: '25,500.00' });
    expect(odd.status).to.equal(422);
    const confirm = await browser.post(`/lots/${lotId}/bid`, {
      key: 'typed-amount-2',
      max_amount: '25.500,00',
    });
    expect(confirm.text).to.contain('25.500,00');
    const fields = { key: 'typed-amount-2', max_amount: '25.500,00', confirmed: 'yes' };
    expect((await browser.post(`/lots/${lotId}/bid`, fields)).status).to.equal(303);
    const page = await browser.get(`/lots/${lotId}`);
    expect(page.text).to.match(/25\.500,00/);
    // What a page puts into its own fields is read again as what it was.
    const [, raise = ''] = /id="raise"[\s\S]*?name="max_amount" value="([^"]*)"/.exec(page.text) ?? [];
    expect(raise).to.equal('550,00');
  });

  it('is chosen in a browser, and for an account, whatever the browser likes then', async () => {
    const visitor = await browserIn('en');
    await visitor.get('/lots');
    const chosen = await visitor.post('/language', { language: 'pt', next: '/lots' });
    expect([chosen.status, chosen.location]).to.deep.equal([303, '/lots']);
    expect((await visitor.get('/lots')).text).to.contain('<html lang="pt"');
    expect((await visitor.post('/language', { language: 'xx', next: '/lots' })).status).to.equal(422);
    const { email } = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const signedIn = await browserIn('en', email);
    await signedIn.get('/lots');
    await signedIn.post('/language', { language: 'fr' });
    expect((await signedIn.get('/lots')).text).to.contain('<html lang="fr"');
    expect((await (await browserIn('de', email)).get('/lots')).text).to.contain('<html lang="fr"');
  });

  it('mails people in the language that they signed up in', async () => {
    const mailing = await startService({
      env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'sales@example.com' },
      database: { db: service.database, databaseUrl: service.databaseUrl },
    });
    const browser = new BrowserLike(mailing.url, { 'accept-language': 'es' });
    await browser.get('/sign-up');
    const email = `nueva-${Date.now()}@example.com`;
    await browser.post('/sign-up', { email, password: PASSWORD, name: 'Üxmal' });
    const [mail] = await mailsTo(mailing, email);
    expect(mail?.subject).not.to.match(ENGLISH);
    expect(mail?.html).to.contain('<html lang="es"');
    expect(mail?.text).not.to.match(ENGLISH);
    await mailing.close();
  });
});
