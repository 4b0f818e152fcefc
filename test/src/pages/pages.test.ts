import { expect } from 'chai';
import { docsPages } from '../../../src/pages/developers/docs.pages.ts';
import { Pages } from '../../../src/pages/page.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';
import { bidFormSuite } from './bid-form-suite.ts';

const PASSWORD = 'a long enough password';
const VISITOR = { id: 'v', csrfToken: 't', principal: null };
const NOTHING_SENT = {
  params: {},
  query: {},
  body: undefined,
  principal: null,
  session: null,
  headers: {},
  requestId: 'r',
  ip: '127.0.0.1',
  signal: new AbortController().signal,
  method: 'GET',
  rawQuery: '',
  ownUrl: 'http://127.0.0.1',
  secure: false,
};

describe('pages', () => {
  let service: Service;
  let lotId: number;
  let slug: string;
  let sellerEmail: string;
  before(async () => {
    service = await startService();
    const { database } = service;
    const seller = await aUser(database, { password_hash: quickHash(PASSWORD) });
    sellerEmail = seller.email;
    const team = await aTeam(database, { owner: seller, name: 'Acres & Sons' });
    const auction = await anAuction(database, { team_id: team.id, title: 'Spring <b>land</b>' });
    slug = auction.slug;
    const title = 'Forty <script>acres';
    lotId = (await aLot(database, { auction_id: auction.id, title, starting_bid_cents: 50_000 })).id;
    await service.publish();
  });
  after(() => service.close());

  const someone = async (): Promise<BrowserLike> => {
    const { email } = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    const browser = new BrowserLike(service.url);
    await signIn(browser, email, PASSWORD);
    return browser;
  };

  it('are whole documents with a CSRF token, in which nothing is unescaped, inline or from elsewhere', async () => {
    const browser = await someone();
    const paths = [
      '/',
      `/auctions/${slug}`,
      `/lots/${lotId}`,
      '/sign-in',
      '/sign-up',
      '/sign-out',
      '/docs/api',
    ];
    for (const path of [...paths, '/account/developer/tokens']) {
      const page = await browser.get(path);
      expect(page.status, path).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).to.match(/private|no-store/);
      expect(page.text).to.match(/<meta name="csrf-token" content="[\w-]{43}">/);
      // JSON-LD is data: browsers run none of it. Its own addresses and the page's canonical one are whole.
      const visible = page.text.replaceAll(/<script type="application\/ld\+json">[^<]*<\/script>/g, '');
      expect(visible).not.to.match(/<script(?![^>]*\bsrc=)|\son\w+=|<b>land|<script>acres/);
      const body = visible.replaceAll(/<link rel="(?:canonical|alternate)"[^>]*>/g, '');
      for (const [, address] of body.matchAll(/(?:src|href|action)="([^"]*)"/g)) {
        expect(address, path).to.match(/^[/?#]/);
      }
    }
    expect((await browser.get('/')).text)
      .to.contain('Spring &lt;b&gt;land')
      .and.to.contain('Acres &amp; Sons');
  });

  it('have assets that may be kept for good', async () => {
    const browser = new BrowserLike(service.url);
    const { text } = await browser.get(`/lots/${lotId}`);
    const assets = [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(assets.length).to.be.greaterThan(3);
    for (const path of assets) {
      const asset = await browser.get(path);
      expect(asset.status, path).to.equal(200);
      expect(asset.headers.get('cache-control')).to.contain('immutable');
    }
    expect((await browser.get('/assets/rostrum.000000000000.css')).status).to.equal(404);
  });

  it('fail with pages for browsers and envelopes for programs', async () => {
    const browser = new BrowserLike(service.url);
    for (const path of ['/nowhere', '/lots/999999', '/lots/x', '/auctions/none', '/auctions/UPPER']) {
      const page = await browser.get(path);
      expect(page.status, path).to.equal(404);
      expect(page.text, path).to.contain('<h1>Not found</h1>');
    }
    expect((await browser.get('/lots?page=0')).status).to.equal(422);
    expect((await browser.get('/lots?page=0')).text)
      .to.contain('<h1>')
      .and.to.contain('page');
    const wrongMethod = await browser.send('DELETE', '/');
    expect(wrongMethod.status).to.equal(405);
    expect(wrongMethod.headers.get('allow')).to.contain('GET');
    const program = await browser.get('/nowhere', { accept: '*/*' });
    expect(JSON.parse(program.text)).to.deep.equal({ success: false, message: 'Not found.' });
    expect((await browser.get('/api/v1/nowhere')).text).to.match(/^\{/);
  });

  it('name how far the lot’s journal was, for the stream that continues there', async () => {
    const { text } = await new BrowserLike(service.url).get(`/lots/${lotId}`);
    const [, sequence = ''] = /data-sequence="([0-9]+)"/.exec(text) ?? [];
    const stream = await fetch(`${service.url}/api/v1/lots/${lotId}/stream`);
    const { value } = await stream.body!.getReader().read();
    expect(new TextDecoder().decode(value)).to.contain(`id: ${sequence}\nevent: lot.snapshot`);
  });

  it('search lots as text and not as a pattern', async () => {
    const browser = new BrowserLike(service.url);
    const address = `href="/lots/${lotId}"`;
    expect((await browser.get('/lots?search=FORTY')).text).to.contain(address);
    for (const search of ['%25', '_', '%5C', "'", 'x'.repeat(200)]) {
      const page = await browser.get(`/lots?search=${search}`);
      expect(page.status).to.equal(200);
      expect(page.text, search).not.to.contain(address);
    }
  });

  it('take links with tracking parameters and forms with empty fields, where the API refuses them', async () => {
    const browser = new BrowserLike(service.url);
    const tracked = 'fbclid=IwAR0&utm_source=a&utm_source=b&gclid=%E0%A4%A';
    for (const path of ['/', '/lots', `/lots/${lotId}`, `/auctions/${slug}`, '/sign-in', '/map']) {
      expect((await browser.get(`${path}?${tracked}`)).status, path).to.equal(200);
    }
    expect((await browser.get('/lots?search=&min_price=&state=')).status).to.equal(200);
    expect((await service.get('/api/v1/lots?fbclid=1')).status).to.equal(422);
  });

  it('extend their session only to API routes that pages read, media and the printable invoice', async () => {
    const taking = service.web.app.endpoints.filter(
      ({ path, access }) =>
        path.startsWith('/api/') && access.session !== undefined && access.session !== false,
    );
    expect(taking.map(({ method, path }) => `${method} ${path}`).sort()).to.deep.equal([
      'DELETE /api/media/{media}',
      'GET /api/v1/bids/{id}/explanation',
      'GET /api/v1/credit-notes/{number}/document',
      'GET /api/v1/invoices/{id}/document',
      'GET /api/v1/lots/{lot}/bids',
      'GET /api/v1/lots/{lot}/stream',
      'POST /api/media/reorder',
      'POST /api/v1/media',
    ]);
    const browser = await someone();
    for (const path of ['/me', '/me/bids', '/invoices', '/seller/lots', '/me/notifications']) {
      expect((await browser.get(`/api/v1${path}`, { accept: 'application/json' })).status, path).to.equal(
        401,
      );
    }
  });

  it('allow no inline and no foreign script or style', async () => {
    const { headers } = await new BrowserLike(service.url).get('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.contain("default-src 'self'")
      .and.not.to.match(/unsafe|script-src|style-src|https?:/);
  });

  it('show drafts and private auctions to their team alone', async () => {
    const team = await aTeam(service.database);
    for (const columns of [{ status: 'draft' }, { privacy_setting: 'private' }] as const) {
      const hidden = await anAuction(service.database, { team_id: team.id, ...columns });
      expect((await (await someone()).get(`/auctions/${hidden.slug}`)).status).to.equal(404);
      expect((await new BrowserLike(service.url).get('/')).text).not.to.contain(hidden.slug);
    }
    for (const status of ['scheduled', 'paused', 'ended', 'cancelled'] as const) {
      const known = { team_id: team.id, status };
      const shown = await anAuction(service.database, known);
      expect((await new BrowserLike(service.url).get(`/auctions/${shown.slug}`)).status).to.equal(200);
    }
    const seller = new BrowserLike(service.url);
    await signIn(seller, sellerEmail, PASSWORD);
    const own = await aTeam(service.database, {
      members: [
        { user: (await service.database.knex('users').where('email', sellerEmail).first()) as never },
      ],
    });
    const draft = await anAuction(service.database, { team_id: own.id, status: 'draft' });
    await new Promise((done) => setTimeout(done, 600));
    expect((await seller.get(`/auctions/${draft.slug}`)).status).to.equal(200);
  });

  bidFormSuite({
    get lotId() {
      return lotId;
    },
    get service() {
      return service;
    },
    someone,
    get sellerEmail() {
      return sellerEmail;
    },
  });

  describe('tokens', () => {
    const PATH = '/account/developer/tokens';
    const made = (text: string): string => /data-token>([^<]+)</.exec(text)?.[1] ?? '';

    it('are for people who are signed in', async () => {
      const visitor = new BrowserLike(service.url);
      expect((await visitor.get(PATH)).location).to.equal(`/sign-in?next=${encodeURIComponent(PATH)}`);
    });

    it('are shown once, work at once, and stop working when revoked', async () => {
      const browser = await someone();
      await browser.get(PATH);
      const page = await browser.post(PATH, { name: 'Robot', read: '1', write: '1' });
      expect(page.status).to.equal(201);
      expect(page.headers.get('cache-control')).to.equal('no-store');
      const token = made(page.text);
      const me = await service.get('/api/v1/me', token);
      expect(me.body.data.abilities).to.have.members(['read', 'write']);
      const list = await browser.get(PATH);
      expect(list.text).to.contain('Robot').and.not.to.contain(token);
      const revoke = /action="([^"]+\/revoke)"/.exec(list.text)?.[1] ?? '';
      const stranger = await someone();
      await stranger.get(PATH);
      expect((await stranger.post(revoke, {})).status).to.equal(404);
      expect((await browser.post(revoke, {})).status).to.equal(303);
      await new Promise((done) => setTimeout(done, 900));
      expect((await service.get('/api/v1/me', token)).status).to.equal(401);
    });

    it('cannot be made by a token, nor without the CSRF token, nor with abilities one does not have', async () => {
      const user = await aUser(service.database);
      const bearer = { authorization: `Bearer ${await service.tokenFor(user, ['read'])}` };
      const program = new BrowserLike(service.url, bearer);
      const form = new URLSearchParams({ name: 'More', write: '1' });
      expect((await program.send('POST', PATH, {}, form)).status).to.equal(303);
      expect(await service.database.knex('tokens').where('user_id', user.id)).to.have.length(1);
      const browser = await someone();
      await browser.get(PATH);
      expect((await browser.post(PATH, { name: 'x', _csrf: 'no' })).status).to.equal(403);
      expect((await browser.post(PATH, { name: 'x', admin: '1' })).status).to.equal(422);
      expect((await browser.post(PATH, { name: ' ' })).status).to.equal(422);
    });
  });

  it('include security.txt, a favicon and robots.txt', async () => {
    const browser = new BrowserLike(service.url);
    const security = await browser.get('/.well-known/security.txt');
    expect(security.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const expires = Date.parse(/^Expires: (.+)$/m.exec(security.text)?.[1] ?? '');
    expect(security.text).to.match(/^Contact: mailto:/m);
    expect(expires).to.be.within(Date.now() + 86_400_000, Date.now() + 366 * 86_400_000);
    expect((await browser.get('/favicon.ico')).status).to.equal(302);
    expect((await browser.get('/robots.txt')).status).to.equal(200);
  });

  it('list every operation of the document in the reference', async () => {
    const { text } = await new BrowserLike(service.url).get('/docs/api');
    const { paths } = service.web.app.document as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
      expect(text).to.contain(`id="${operation.operationId}"`);
    }
  });

  it('ignore tracking parameters', async () => {
    const browser = new BrowserLike(service.url);
    const { text } = await browser.get(`/lots/${lotId}?utm_source=a&utm_source=b&gclid=%ff`);
    expect(text).to.contain('Forty');
    expect((await service.call('GET', `/api/v1/lots/${lotId}?utm_source=a`)).status).to.equal(422);
  });

  it('render the reference once in a process', async () => {
    const pages = new Pages({
      visit: () => ({ session: VISITOR, cookies: ['a=1'] }),
      hasProof: () => true,
      renew: async () => {},
    });
    const [reference] = docsPages(pages, () => service.web.app.document);
    const request = { ...NOTHING_SENT, query: { q: '' }, path: '/docs/api', baseUrl: service.url };
    const timed = async (times: number) => {
      const startMs = performance.now();
      for (let at = 0; at < times; at += 1) await reference?.handle(request);
      return performance.now() - startMs;
    };
    const firstMs = await timed(1);
    expect(Math.min(await timed(10), await timed(10), await timed(10))).to.be.lessThan(firstMs);
  });
});
