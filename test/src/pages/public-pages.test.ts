import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type RunningJobs, startWorkerJobs } from '../../../src/app/jobs/worker-jobs.ts';
import { openLog } from '../../../src/shared/log.ts';
import { BrowserLike, quickHash, signIn } from '../../support/browser-like.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { eventually } from '../../support/market.ts';
import { type Service, startService } from '../../support/service.ts';

const PASSWORD = 'a long enough password';

describe('pages of results, sellers and help', () => {
  let service: Service;
  let jobs: RunningJobs;
  const visitor = () => new BrowserLike(service.url);

  before(async () => {
    service = await startService();
    const log = openLog('silent', 'test');
    jobs = await startWorkerJobs(service.config, service.backends, new Registry(), log);
  });
  after(async () => {
    await jobs.close();
    await service.close();
  });

  const someone = async () => {
    const user = await aUser(service.database, { password_hash: quickHash(PASSWORD), verified: true });
    const browser = visitor();
    await signIn(browser, user.email, PASSWORD);
    return { user, browser, token: await service.tokenFor(user) };
  };
  const seen = (browser: BrowserLike, path: string, text: string) =>
    eventually(async () => {
      const page = await browser.get(path);
      return page.text.includes(text) ? page.text : null;
    });

  it('say how a lot ended to visitors, winners and losers, and nothing about a next bid', async () => {
    const team = await aTeam(service.database, { name: 'Hill Farm' });
    const auction = await anAuction(service.database, { team_id: team.id, buyer_premium_bps: 1_000 });
    const columns = { reserve_price_cents: 30_000, buy_now_price_cents: 40_000, title: 'Hay rake' };
    const { id } = await aLot(service.database, { auction_id: auction.id, ...columns });
    const unsold = await aLot(service.database, { auction_id: auction.id, status: 'unsold' });
    await service.publish();
    const [loser, winner] = [await someone(), await someone()];
    const post = async (who: typeof loser, path: string, body: object) => {
      const answer = await service.call('POST', `/api/v1/lots/${id}/${path}`, { token: who.token, body });
      expect(answer.status, answer.text).to.equal(201);
    };
    await post(loser, 'bids', { amount: '100.00' });
    await post(winner, 'buy-now', {});
    const path = `/lots/${id}`;
    const pages = {
      winner: await seen(winner.browser, path, 'Pay now'),
      loser: await seen(loser.browser, path, 'You did not win'),
      visitor: await seen(visitor(), path, 'Sold for'),
      unsold: (await visitor().get(`/lots/${unsold.id}`)).text,
    };
    for (const [who, text] of Object.entries(pages)) {
      expect(text, who).not.to.match(/next bid|You lead|Place bid|Maximum bid|Buy now/i);
    }
    expect(pages.winner).to.contain('You won').and.contain('$440.00').and.contain('$40.00');
    expect(pages.loser).to.contain('Sold for').and.contain('$400.00').and.not.contain('You won');
    expect(pages.visitor).not.to.match(/You won|You did not win/);
    expect(pages.unsold).to.contain('Not sold');
    const ended = /Ended<\/dt>.*?<time datetime="([^"]+)"/s.exec(pages.visitor)?.[1] ?? '';
    const [, placed] = /<tr data-sequence.*?<time datetime="([^"]+)"/s.exec(pages.visitor) ?? [];
    expect(ended, 'bought before its end').to.equal(placed);
  });

  it('state an auction’s terms, including a soft close that is off', async () => {
    const of = async (columns: object) => {
      const { slug } = await anAuction(service.database, columns);
      return (await visitor().get(`/auctions/${slug}`)).text;
    };
    expect(await of({})).to.contain('last 5 minutes extends it by 5 minutes');
    const own = {
      soft_close_window_seconds: 90,
      soft_close_extension_seconds: 60,
      soft_close_max_extensions: 3,
    };
    expect(await of(own)).to.contain('last 90 seconds extends it by 1 minute, at most 3 times');
    const off = { soft_close_window_seconds: null, soft_close_extension_seconds: null };
    for (const columns of [off, { soft_close_window_seconds: 0, soft_close_extension_seconds: 0 }]) {
      expect(await of(columns)).to.contain('Lots end at their time; late bids do not extend them.');
    }
  });

  it('of an auction have its lots above its terms, and one green button where nobody need register', async () => {
    const auction = await anAuction(service.database);
    const { id } = await aLot(service.database, { auction_id: auction.id });
    const strict = await anAuction(service.database, { registration_require_verified: true });
    await aLot(service.database, { auction_id: strict.id });
    await service.publish();
    const { browser } = await someone();
    const page = (await browser.get(`/auctions/${auction.slug}`)).text;
    const places = ['id="registration"', 'aria-label="Lots"', 'aria-label="Terms"'].map((at) =>
      page.indexOf(at),
    );
    expect(places)
      .to.deep.equal(places.toSorted((a, b) => a - b))
      .and.not.include(-1);
    for (const text of [page, (await browser.get(`/lots/${id}`)).text])
      expect(text)
        .to.include('<button class="button quiet">Register to bid</button>')
        .and.to.include('Your first bid registers you as well.');
    expect((await browser.get(`/auctions/${strict.slug}`)).text)
      .to.include('<button class="button wide">Register to bid</button>')
      .and.not.to.include('Your first bid registers you as well.');
  });

  it('show a seller’s description, current auctions and past sales, and nothing of others', async () => {
    const { database } = service;
    const team = await aTeam(database, { name: 'Ridge & Vale' });
    await database.knex('teams').where('id', team.id).update({ about: 'Two brothers.\n\nSince <1990>.' });
    const slug: string = team.slug;
    await anAuction(database, { team_id: team.id, title: 'Orchard tools' });
    await anAuction(database, { team_id: team.id, title: 'To come', status: 'scheduled' });
    await anAuction(database, { team_id: team.id, title: 'Not for all', privacy_setting: 'private' });
    await anAuction(database, { team_id: team.id, title: 'Not yet', status: 'draft' });
    const past = await anAuction(database, { team_id: team.id, title: 'Last year', status: 'ended' });
    const sold = { status: 'sold', hammer_price_cents: 123_400, current_bid_cents: 123_400 } as const;
    await aLot(database, { auction_id: past.id, title: 'Cider press', ...sold });
    await anAuction(database, { title: 'Somebody else’s' });
    const { status, text } = await visitor().get(`/sellers/${slug}`);
    expect(status).to.equal(200);
    for (const one of [
      'Two brothers.',
      'Since &lt;1990&gt;',
      'Orchard tools',
      'To come',
      'Last year',
      'Cider press',
    ]) {
      expect(text).to.contain(one);
    }
    expect(text).to.contain('Ridge &amp; Vale').and.contain('$1,234.00').and.contain('Past results');
    expect(text).not.to.match(/Not for all|Not yet|Somebody else/);
    const hidden = await aTeam(database, { name: 'Never sold', approved: false });
    for (const path of [
      `/sellers/${hidden.slug}`,
      '/sellers/nobody',
      '/sellers/UPPER',
      `/sellers/${team.id}`,
    ]) {
      expect((await visitor().get(path)).status, path).to.equal(404);
    }
  });

  it('give help by topic, by search and as articles', async () => {
    const { knex } = service.database;
    const [topic] = await knex('help_categories')
      .insert({ slug: 'bids', name: 'Bids & more', position: 1 })
      .returning('id');
    const article = { help_category_id: topic.id };
    await knex('help_articles').insert([
      { ...article, slug: 'tie', title: 'What of a tie?', body: 'The earlier one.\n\nAlways <so>.' },
      { ...article, slug: 'limit', title: 'Limits', body: 'A limit bounds ceilings.' },
    ]);
    const all = await visitor().get('/help');
    expect(all.text)
      .to.contain('Bids &amp; more')
      .and.contain('href="/help/tie"')
      .and.contain('href="/help/limit"');
    const found = await visitor().get('/help?q=ceilings');
    expect(found.text)
      .to.contain('1 article for')
      .and.contain('href="/help/limit"')
      .and.not.contain('/help/tie');
    expect((await visitor().get('/help?q=%3Cb%3Enothing')).text)
      .to.contain('0 articles')
      .and.not.contain('<b>');
    const one = await visitor().get('/help/tie');
    expect(one.text).to.contain('<p>Always &lt;so&gt;.</p>').and.contain('href="/help/limit"');
    expect((await visitor().get('/help/none')).status).to.equal(404);
  });
});
