/**
 * Every page of the service, opened by every kind of visitor: a table generated from the list of endpoints. A page that
 * no rule here covers fails, so that a new page has to state who may see it; and what only a team may know is shown to
 * nobody else on any page.
 */
import { expect } from 'chai';
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import { suspendUser } from '../../src/accounts/people/accounts.ts';
import { settleAuctions } from '../../src/billing/settlements/settlements.ts';
import { BrowserLike, quickHash, signIn } from '../support/browser-like.ts';
import { aCategory, aLot, anAuction, aTeam, aUser } from '../support/builders.ts';
import { aSale, paymentOf, report } from '../support/money.ts';
import { aFailure, failedJob } from '../support/office-things.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'a long enough password';
const SECRET = 'Known to its team alone';

const ROLES = ['visitor', 'bidder', 'member', 'stranger', 'admin', 'suspended', 'suspended admin'] as const;
type Role = (typeof ROLES)[number];

/** `shown`: a page; `sign-in`: the way there; `refused`: 403; `hidden`: 404; `led`: to another page of ours. */
type Access = 'shown' | 'sign-in' | 'refused' | 'hidden' | 'led';

const signedIn = (role: Role) => role !== 'visitor';

/** What a role may be answered by the pages under a path. The first that fits counts. */
const RULES: readonly [under: RegExp, allowed: (role: Role) => readonly Access[]][] = [
  [/^\/office$/, (role) => (role === 'admin' ? ['led'] : staffOnly(role))],
  [/^\/office\//, (role) => (role === 'admin' ? ['shown'] : staffOnly(role))],
  // These address the team's own things: others get 404.
  [/^\/seller(\/|$)/, (role) => (signedIn(role) ? ['shown', 'led', 'hidden', 'refused'] : ['sign-in'])],
  [/^\/account\/stream$/, (role) => (signedIn(role) ? ['shown'] : ['hidden'])],
  [/^\/account(\/|$)/, (role) => (signedIn(role) ? ['shown', 'led', 'hidden'] : ['sign-in'])],
  [
    /^\/(sign-in\/code|sign-out|confirm|email\/(confirm|stop)|invitations|mail\/unsubscribe|password\/reset)/,
    () => EVERYTHING,
  ],
  [/^\/sandbox\//, () => ['shown', 'hidden', 'sign-in', 'led']],
  [/^\/(sign-in|sign-up|password\/forgot)$/, () => ['shown', 'led']],
  // Which team has a sign-in of its own is everybody's to know; nobody comes back from one here.
  [/^\/sign-in\/team/, () => ['shown', 'hidden', 'refused']],
  [/^\/lots\/\{lot\}\/standing$/, () => ['shown', 'sign-in', 'hidden', 'led']],
  // Nobody has a link that was never made.
  [/^\/consignor\//, () => ['hidden']],
  // A bid that does not exist is 404 for everybody.
  [/^\/bids\/\{id\}$/, () => ['hidden']],
  [/^\/auctions\/\{auction\}\/viewings\/\{viewing\}/, (role) => (signedIn(role) ? ['hidden'] : ['sign-in'])],
  [/^\/(auctions|lots|sellers|help)\/\{/, () => ['shown', 'led']],
  [
    /^\/($|lots$|lots\.rss$|auctions$|map|help$|offline$|sell$|terms$|privacy$|imprint$|docs|changelog\.xml$|verify|embed\/sellers\/|sitemap)/,
    () => ['shown', 'led'],
  ],
];
const EVERYTHING: readonly Access[] = ['shown', 'sign-in', 'refused', 'hidden', 'led'];

function staffOnly(role: Role): readonly Access[] {
  return signedIn(role) ? ['refused'] : ['sign-in'];
}

describe('Every page, for everybody', () => {
  let service: Service;
  let pages: Endpoint[];
  const browsers = new Map<Role, BrowserLike>();
  /** Values of parameters on the pages under a path. */
  const values: [under: RegExp, name: string, value: string][] = [];
  const secrets: string[] = [];

  before(async () => {
    service = await startService();
    const { database: db } = service;
    const person = (columns: object = {}) => aUser(db, { password_hash: quickHash(PASSWORD), ...columns });
    const people = {
      bidder: await person(),
      member: await person(),
      stranger: await person(),
      admin: await person({ is_admin: true }),
      suspended: await person(),
      'suspended admin': await person({ is_admin: true }),
    };
    const team = await aTeam(db, { members: [{ user: people.member }] });
    await aTeam(db, { owner: people.stranger });
    for (const [role, { email }] of Object.entries(people)) {
      if (role.startsWith('suspended')) await suspendUser(db.knex, email);
      const browser = new BrowserLike(service.url);
      await signIn(browser, email, PASSWORD);
      browsers.set(role as Role, browser);
    }
    browsers.set('visitor', new BrowserLike(service.url));
    await nameThings(team.id, people.member.id);
    pages = service.web.app.endpoints.filter(({ method, page }) => method === 'GET' && page === true);
  });
  after(() => service.close());

  async function nameThings(teamId: number, memberId: number): Promise<void> {
    const { database: db } = service;
    const { knex } = db;
    const draft = await anAuction(db, { team_id: teamId, title: SECRET, status: 'draft' });
    const draftLot = await aLot(db, { auction_id: draft.id, title: SECRET, status: 'draft' });
    secrets.push(SECRET);
    const open = await anAuction(db, { team_id: teamId });
    const lot = await aLot(db, { auction_id: open.id });
    await service.publish();
    const { auction, invoice } = await aSale(service, 50_000);
    await report(service, { object: paymentOf(invoice) });
    await knex('auctions').where('id', auction.id).update({ status: 'ended' });
    await settleAuctions(knex);
    const settlement = await knex('settlements').first('id', 'statement_number');
    const payment = await knex('payments').first('id');
    const about = { legal_name: 'A', address: 'B', sells: 'C', phone: '1', sales_per_year: '1_to_4' };
    const [application] = await knex('seller_applications')
      .insert({ ...about, team_id: teamId, user_id: memberId })
      .returning('id');
    const [plan] = await knex('plans').insert({ slug: 'small', name: 'Small' }).returning('id');
    const [help] = await knex('help_categories').insert({ slug: 'bidding', name: 'Bidding' }).returning('id');
    const [article] = await knex('help_articles')
      .insert({ slug: 'how', title: 'How', body: 'So.', help_category_id: help.id })
      .returning('id');
    await knex('simulcast_platforms').insert({ slug: 'hall', sealed_secret: 'none' });
    const category = await aCategory(db);
    const [failure, job] = [await aFailure(service), await failedJob(service)];
    values.push(
      [/^\/office\/catalog\/help\/categories/, 'category', String(help.id)],
      [/^\/office\//, 'person', String(memberId)],
      [/^\/office\//, 'seller', String(teamId)],
      [/^\/office\//, 'lot', String(lot.id)],
      [/^\/office\//, 'invoice', invoice.invoice_number],
      [/^\/office\//, 'settlement', String(settlement.id)],
      [/^\/office\//, 'payment', String(payment.id)],
      [/^\/office\//, 'application', String(application.id)],
      [/^\/office\//, 'platform', 'hall'],
      [/^\/office\//, 'failure', String(failure)],
      [/^\/office\//, 'job', job],
      [/^\/office\//, 'plan', String(plan.id)],
      [/^\/office\//, 'category', String(category.id)],
      [/^\/office\//, 'article', String(article.id)],
      [/^\/help\//, 'article', 'how'],
      [/^\/seller\//, 'auction', String(draft.id)],
      [/^\/seller\//, 'lot', String(draftLot.id)],
      [/^\/seller\/.*auction/, 'id', String(draft.id)],
      [/^\/seller\/.*lot/, 'id', String(draftLot.id)],
      [/^\/(embed\/)?sellers\//, 'seller', (await knex('teams').where('id', teamId).first('slug')).slug],
      [/^\/auctions\//, 'auction', open.slug],
      [/^\/lots\//, 'lot', String(lot.id)],
      [/^\/seller\/settlements/, 'number', settlement.statement_number],
      [/seller\/collections/, 'code', 'K7QM3XPD'],
      [/credit-notes/, 'number', 'CN-2026-90001'],
      [/./, 'number', invoice.invoice_number],
      [/./, 'token', 'x'.repeat(43)],
    );
  }

  const pathOf = ({ path }: Endpoint) =>
    path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
      const found = values.find(([under, one]) => one === name && under.test(path));
      return found?.[2] ?? '1';
    });

  async function opened(page: Endpoint, role: Role): Promise<{ access: Access | string; text: string }> {
    const cookie = [...(browsers.get(role)?.cookies ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const ending = new AbortController();
    const answer = await fetch(`${service.url}${pathOf(page)}`, {
      headers: { accept: 'text/html', cookie },
      redirect: 'manual',
      signal: ending.signal,
    });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? '' : await answer.text();
    if (isStream) ending.abort();
    if (!isStream && !page.path.endsWith('.json'))
      expect(answer.headers.get('content-type') ?? '', page.path).not.to.contain('json');
    return { access: accessOf(answer), text };
  }

  it('is answered as its rule requires', async () => {
    const wrong: string[] = [];
    for (const page of pages) {
      const rule = RULES.find(([under]) => under.test(page.path));
      if (rule === undefined) {
        wrong.push(`${page.path}: no rule says who may see it`);
        continue;
      }
      for (const role of ROLES) {
        const { access, text } = await opened(page, role);
        if (!rule[1](role).some((one) => one === access)) wrong.push(`${page.path} as ${role}: ${access}`);
        const mayKnow = role === 'member' || (role === 'admin' && page.path.startsWith('/office'));
        if (!mayKnow && secrets.some((secret) => text.includes(secret)))
          wrong.push(`${page.path} tells ${role} what only the team may know`);
      }
    }
    expect(wrong).to.deep.equal([]);
    expect(pages.length).to.be.above(60);
  });

  it('is returned to with its whole query after signing in', async () => {
    const wrong: string[] = [];
    let led = 0;
    for (const page of pages) {
      const path = `${pathOf(page)}?team=7&status=open%20ones`;
      const answer = await fetch(`${service.url}${path}`, {
        headers: { accept: 'text/html' },
        redirect: 'manual',
      });
      await answer.body?.cancel();
      const way = new URL(answer.headers.get('location') ?? '/', service.url);
      // The step after the password keeps where it was to lead, and not itself.
      if (way.pathname !== '/sign-in' || page.path === '/sign-in/code') continue;
      led += 1;
      if (way.searchParams.get('next') !== path) wrong.push(`${path}: ${way.search}`);
    }
    // Where it redirects to: back, unchanged.
    const visitor = new BrowserLike(service.url);
    await visitor.get('/sign-in');
    const next = '/seller/activity?team=7&before=3';
    const { email } = await aUser(service.database, { password_hash: quickHash(PASSWORD) });
    expect((await visitor.post('/sign-in', { email, password: PASSWORD, next })).location).to.equal(next);
    expect(wrong).to.deep.equal([]);
    expect(led).to.be.above(40);
  });

  it('links to the office for people who may enter it', async () => {
    const link = 'href="/office"';
    for (const role of ROLES) {
      const { text } = await opened({ path: '/help' } as Endpoint, role);
      expect(text.includes(link), role).to.equal(role === 'admin');
    }
  });
});

function accessOf({ status, headers }: Response): Access | string {
  const location = headers.get('location') ?? '';
  if (status === 200 || status === 204) return 'shown';
  if (status >= 300 && status < 400) return /^\/sign-in\b/.test(location) ? 'sign-in' : 'led';
  return { 403: 'refused', 404: 'hidden', 401: 'sign-in' }[status] ?? String(status);
}
