/** What a saved search finds: on its page and in its notifications, as the list of the same search has it. */
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { User } from '../../../src/accounts/models/user.model.ts';
import { CategoryTree } from '../../../src/catalog/categories/category-tree.ts';
import { Inbox } from '../../../src/notifications/inbox/inbox.ts';
import { notifySearches, saveSearch } from '../../../src/notifications/searches/saved-searches.ts';
import {
  countNewLots,
  countSearches,
  MOST_COUNTED,
} from '../../../src/notifications/searches/search-counts.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('a saved search', () => {
  let service: Service;
  let knex: Knex;
  let ann: User;
  let browser: BrowserLike;

  before(async () => {
    service = await startService();
    ({ knex } = service.backends);
    ann = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
    browser = new BrowserLike(service.url);
    await signIn(browser, ann.email, PASSWORD);
    const auction = await anAuction(service.database, { start_time: daysAgo(30) });
    for (const [title, cents, made] of [
      ['Cedar post', 20_000, daysAgo(20)],
      ['Oak beam', 150_000, daysAgo(20)],
      ['Oak table', 200_000, daysAgo(1)],
      ['Redcedar box', 5_000, daysAgo(1)],
    ] as const) {
      const { id } = await aLot(service.database, {
        ...{ auction_id: auction.id, title, starting_bid_cents: cents },
      });
      await knex('lots').where('id', id).update({ created_at: made });
    }
  });
  after(() => service.close());

  const counts = (...queries: string[]) => countSearches(knex, new CategoryTree(knex), queries, daysAgo(7));

  it('counts what its list has, and of this what was listed lately', async () => {
    const queries = ['', 'search=oak', 'search=cedar', 'search=dcedar', 'search=nothing', 'min_price=1000'];
    const found = await counts(...queries);
    expect(found).to.deep.equal([
      ...[
        { total: 4, fresh: 2 },
        { total: 2, fresh: 1 },
      ],
      // A box that only contains the word is not in the list, for a post begins with it.
      { total: 1, fresh: 0 },
      ...[
        { total: 2, fresh: 1 },
        { total: 0, fresh: 0 },
        { total: 2, fresh: 1 },
      ],
    ]);
    for (const [index, query] of queries.entries()) {
      const { text } = await browser.get(`/lots?${query}`);
      const [, listed = ''] = /<p role="status"><strong>([\d,]+) lots?</.exec(text) ?? [];
      expect(Number(listed), query).to.equal(found[index]?.total);
    }
    expect(await counts('min_acres=many', 'search=oak')).to.deep.equal([null, { total: 2, fresh: 1 }]);
    expect(await counts()).to.deep.equal([]);
  });

  it('notifies of new lots above a price, and of none that its list does not have', async () => {
    const countNew = countNewLots(knex, new CategoryTree(knex));
    for (const query of ['min_price=1000', 'search=cedar']) await saveSearch(knex, ann.id, query, query);
    await knex('saved_searches').update({ checked_at: daysAgo(7), due_at: daysAgo(7) });
    const failed: unknown[] = [];
    await notifySearches(knex, new Inbox(null, () => ''), countNew, (_, error) => failed.push(error));
    expect(failed).to.deep.equal([]);
    const news = await knex('notifications').where({ user_id: ann.id, kind: 'saved_search' }).select('data');
    expect(news.map(({ data }) => data)).to.deep.equal([
      { name: 'min_price=1000', query: 'min_price=1000', count: 1 },
    ]);
  });

  it('says on its page how many lots match, and leads to them', async () => {
    await knex('saved_searches').delete();
    const typed = (await browser.get('/lots?min_price=%241%2C000')).text;
    const [, query = ''] = /name="query" value="([^"]*)"/.exec(typed) ?? [];
    expect(query).to.equal('min_price=1000');
    await browser.post('/account/saved-searches', { query, name: 'From $1,000' });
    await browser.post('/account/saved-searches', { query: 'search=nothing', name: 'Nothing' });
    await browser.post('/account/saved-searches', { query: 'min_acres=many', name: 'Wrong' });
    const page = (await browser.get('/account/saved-searches')).text;
    const [wrong = '', nothing = '', dear = ''] = page.split('<li class="item plain">').slice(1);
    expect(wrong).to.contain('no longer valid').and.contain('Open the search');
    expect(nothing)
      .to.contain('No lots match now.')
      .and.contain('Open the search')
      .and.not.contain('Show lots');
    expect(dear)
      .to.contain('<strong>2 lots match now</strong>')
      .and.contain('href="/lots?min_price=1000&amp;sort=-id">1 new in the last 7 days</a>')
      .and.contain('href="/lots?min_price=1000">Show lots<span class="unseen">: From $1,000</span></a>');
  });

  it('counts no further than a hundred', async () => {
    await knex('saved_searches').delete();
    const auction = await anAuction(service.database, { start_time: daysAgo(30) });
    await knex.raw(
      `INSERT INTO lots (auction_id, lot_number, title, slug, starting_bid_cents, status)
       SELECT ?, n, 'Kestrel ' || n, 'kestrel-' || n, 10000, 'active' FROM generate_series(1, ?::int) n`,
      [auction.id, MOST_COUNTED + 5],
    );
    const most = { total: MOST_COUNTED + 1, fresh: MOST_COUNTED + 1 };
    expect(await counts('search=kestrel', 'search=estre', 'search=oak')).to.deep.equal([
      ...[most, most],
      { total: 2, fresh: 1 },
    ]);
    await saveSearch(knex, ann.id, 'Kestrels', 'search=kestrel');
    expect((await browser.get('/account/saved-searches')).text)
      .to.contain('<strong>More than 100 lots match now</strong>')
      .and.contain('>more than 100 new in the last 7 days</a>');
  });

  it('stands on a page of twenty', async () => {
    await knex('saved_searches').delete();
    for (let n = 0; n < 21; n += 1) await saveSearch(knex, ann.id, `Search ${n}`, `search=word${n}`);
    const first = (await browser.get('/account/saved-searches')).text;
    expect(first)
      .to.contain('<h2>Search 20</h2>')
      .and.contain('?page=2')
      .and.not.contain('<h2>Search 0</h2>');
    expect((await browser.get('/account/saved-searches?page=2')).text).to.contain('<h2>Search 0</h2>');
  });
});
