/**
 * The pages of the desk and of the office, all of them, as people read them: days and months are chosen, not typed;
 * nothing is asked for as JSON or by its id that can be asked for otherwise; what is shown is words.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { globSync } from 'glob';
import { PROJECT_ROOT } from '../../../src/shared/project-root.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aCategory, aLot, anAuction, aUser } from '../../support/builders.ts';
import { aSale, paymentOf, report } from '../../support/money.ts';
import { helpIds, planId } from '../../support/office-things.ts';
import { type Service, startService } from '../../support/service.ts';
import { aSellerAtDesk, PASSWORD } from './seller/seller-at-desk.ts';

const STATEMENT = 'SET-2026-90001';
const CAMPAIGN = { name: 'Spring', placement: 'search', pricing_model: 'flat', budget_cents: 5_000 };

/** What is wrong on a page: a rule's name, and what it found. */
type Rule = readonly [name: string, wrongIn: (html: string) => readonly string[]];

const all = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, found = '']) => found);
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
/** What is folded up is for the few who know what it is. */
const unfolded = (html: string) => html.replaceAll(/<details class="folded"[\s\S]*?<\/details>/g, '');
/** Fields in which a text is typed. */
const typedFields = (html: string) =>
  all(html, /<((?:input|textarea)\b[^>]*)>/g).filter((tag) => !/ type="(?!text"|search")/.test(tag));
const asked = (html: string) =>
  [
    ...all(html, /<label\b[^>]*>([\s\S]*?)<\/label>/g),
    ...all(html, /<p class="hint"[^>]*>([\s\S]*?)<\/p>/g),
  ].map(textOf);
const called = (html: string) => [
  ...all(
    html,
    /<(?:h[1-6]|th|legend|summary|dt|option)\b[^>]*>([\s\S]*?)<\/(?:h[1-6]|th|legend|summary|dt|option)>/g,
  ),
  ...all(html, /<label\b[^>]*>([\s\S]*?)<\/label>/g),
  ...all(html, / data-label="([^"]*)"/g),
  ...all(html, /<span class="pill[^"]*"[^>]*>([\s\S]*?)<\/span>/g),
];

const RULES: readonly Rule[] = [
  [
    'a day or a month that has to be typed',
    (html) => [
      ...typedFields(html).filter((tag) => /name="[^"]*(?:_date|_at|_time|\bdate|\bday|\bmonth)"/.test(tag)),
      ...asked(unfolded(html)).filter((text) => /\b[0-9]{4}-[0-9]{2}\b/.test(text)),
    ],
  ],
  ['JSON that has to be typed', (html) => asked(unfolded(html)).filter((text) => /\bJSON\b/.test(text))],
  // A provider of OpenID Connect gives out a client’s, as other services do a user name.
  [
    'an id that has to be typed',
    (html) => asked(html).filter((text) => /(?<!\bClient )\bids?\b/i.test(text)),
  ],
  [
    'a name of ours in place of words',
    (html) =>
      called(html)
        .map(textOf)
        .filter((text) => /(?<![\w.])[a-z]+_[a-z_]+\b/.test(text)),
  ],
  [
    'a value of ours in place of words',
    (html) =>
      all(html, /<td\b[^>]*>([\s\S]*?)<\/td>/g)
        .map(textOf)
        .filter((text) => /: (?:true|false|null)\b/.test(text)),
  ],
];

describe('the pages of the desk and of the office', () => {
  let service: Service;
  const seen = new Map<string, string>();
  const knex = () => service.backends.knex;

  before(async () => {
    service = await startService();
    const seller = await aSellerAtDesk(service);
    const admin = await aUser(service.database, { password_hash: quickHash(PASSWORD), is_admin: true });
    const office = new BrowserLike(service.url);
    await signIn(office, admin.email, PASSWORD);
    const ids = await oneOfEach(seller.team.id);
    await office.get('/office/people');
    await office.post(`/office/people/${seller.user.id}/verify`, { reason: 'Seen' });
    await knex()('activity').insert({
      ...{ action: 'sign_in', via: 'page', user_id: seller.user.id, team_id: seller.team.id },
      detail: JSON.stringify({ second_factor: false, level: null }),
    });
    const pages = service.web.app.endpoints.filter(({ method }) => method === 'GET').map(({ path }) => path);
    for (const [browser, area] of [
      [seller.browser, 'seller'],
      [office, 'office'],
    ] as const) {
      for (const path of pages.filter((one) => new RegExp(`^/${area}(/|$)`).test(one))) {
        const filled = ids.reduce((text, [part, id]) => text.replace(part, String(id)), path);
        if (/\{|stream$|\.csv$|\/file$/.test(filled)) continue;
        const page = await browser.get(filled);
        if (page.status === 200) seen.set(path, page.text);
      }
    }
    seen.set('its postings', (await office.get('/office/money/books?account=owed_to_sellers')).text);
  });
  after(() => service.close());

  /** A thing of each kind, by what stands for it in addresses. */
  async function oneOfEach(team_id: number): Promise<(readonly [part: string, id: string | number])[]> {
    const auction = await anAuction(service.database, { team_id, status: 'draft' });
    const lot = await aLot(service.database, {
      auction_id: auction.id,
      status: 'draft',
      title: 'Walnut desk',
    });
    const [item] = await knex()('inventory_items')
      .insert({ team_id, sku: 'A', title: 'Lamp' })
      .returning('id');
    const days = { start_date: '2030-01-01', end_date: '2030-01-31' };
    const [ad] = await knex()('ad_campaigns')
      .insert({ team_id, ...CAMPAIGN, ...days })
      .returning('id');
    const statement = { statement_number: STATEMENT, kind: 'auction', auction_id: auction.id, team_id };
    const [settlement] = await knex()('settlements')
      .insert({ ...statement, currency: 'usd', commission_bps: 1_000 })
      .returning('id');
    const { invoice } = await aSale(service, 50_000);
    await report(service, { object: paymentOf(invoice) });
    await knex().transaction(async (trx) => {
      const [posting] = await trx('ledger_postings')
        .insert({ cause: 'of one kind', kind: 'credit_note' })
        .returning('id');
      const entries = ['owed_to_sellers', 'provider'].map((account, n) => ({
        account,
        amount: n === 0 ? -7 : 7,
      }));
      await trx('ledger_entries').insert(
        entries.map((one) => ({ ...one, posting_id: posting.id, currency: 'usd' })),
      );
    });
    const payment = await knex()('payments').orderBy('id', 'desc').first('id');
    const { categoryId, article } = await helpIds(knex());
    const properties = { engine_hours: { type: 'integer', title: 'Engine hours', minimum: 0 } };
    const category = await aCategory(service.database, { schema: { type: 'object', properties } });
    return [
      ['/inventory/{id}', `/inventory/${item.id}`],
      ['/campaigns/{id}', `/campaigns/${ad.id}`],
      ['/seller/lots/{id}', `/seller/lots/${lot.id}`],
      ['/help/categories/{category}', `/help/categories/${categoryId}`],
      ['{id}', auction.id],
      ['{number}', STATEMENT],
      ['{invoice}', invoice.invoice_number],
      ['{settlement}', settlement.id],
      ['{payment}', payment.id],
      ['{plan}', await planId(knex())],
      ['{category}', category.id],
      ['{article}', article],
      ['{lot}', lot.id],
      ['{auction}', auction.id],
      ['{seller}', team_id],
      ['{person}', (await knex()('users').orderBy('id').first('id')).id],
    ];
  }

  it('are all here', () => {
    for (const path of [
      ...['', '/auctions/{id}/edit', '/lots/{id}', '/inventory/new', '/inventory/{id}', '/campaigns/new'].map(
        (one) => `/seller${one}`,
      ),
      ...['/seller/campaigns/{id}', '/seller/settlements/{number}', '/seller/activity'],
      ...[
        '/office/money/books',
        '/office/activity',
        '/office/operator',
        '/office/catalog/categories/{category}',
      ],
    ])
      expect([...seen.keys()]).to.include(path);
    expect(seen.size).to.be.greaterThan(60);
  });

  for (const [name, wrongIn] of RULES) {
    it(`have nowhere ${name}`, () => {
      const wrong = [...seen].flatMap(([path, html]) => wrongIn(html).map((found) => `${path}: ${found}`));
      expect(wrong).to.deep.equal([]);
    });
  }

  it('show the team of an activity by its name, with a link, and what is kept of it in words', () => {
    const row =
      (seen.get('/office/activity') ?? '').split('<tr>').find((one) => one.includes('Sign in')) ?? '';
    expect(row).to.match(/<a href="\/office\/sellers\/\d+"[^>]*>[^<]*\p{L}[^<]*<\/a>/u);
    expect(row).to.contain('Second factor: no').and.not.contain('Level');
  });

  it('call the accounts of the books, their postings and months by words', () => {
    const page = seen.get('its postings') ?? '';
    expect(page)
      .to.contain('<h2>Postings: Owed to sellers, USD, the newest first</h2>')
      .and.match(/>\s*Credit note\s*</);
    expect(page).to.match(/data-label="Month">\s*\w+ \d{4}/);
    expect(page).to.contain('<input name="month" type="month"');
  });

  it('have no table of many columns that a phone has to scroll', () => {
    const templates = globSync('src/pages/{seller,office,consignor}/**/*.eta', { cwd: PROJECT_ROOT });
    const wrong = templates.flatMap((path) => {
      const source = readFileSync(join(PROJECT_ROOT, path), 'utf8');
      return [...source.matchAll(/<table\b([^>]*)>([\s\S]*?)<\/table>/g)]
        .filter(([, attributes = '', inside = '']) => {
          const [head = ''] = inside.split('</thead>');
          const isNarrow = head.split(/<th\b/).length <= 4 && !/<th\b[^>]*><%=/.test(head);
          return !isNarrow && !/class="(?:stacks|folds|sheet|preview)"/.test(attributes);
        })
        .map(() => path);
    });
    expect(wrong).to.deep.equal([]);
  });
});
