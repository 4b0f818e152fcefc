import { Readable } from 'node:stream';
import { expect } from 'chai';
import ICAL from 'ical.js';
import RssParser from 'rss-parser';
import { parseSitemap, parseSitemapIndex } from 'sitemap';
import { present } from '../../../engine/first-of.ts';
import { objectIn } from '../../../engine/objects.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';
import { aSellerAtDesk } from './seller/seller-at-desk.ts';

describe('what others find of the marketplace', () => {
  let service: Service;
  let lotId: number;
  let slug: string;
  let teamSlug: string;
  let hidden: string[];
  before(async () => {
    service = await startService();
    const { database } = service;
    const owner = await aUser(database);
    const team = await aTeam(database, { owner, name: 'Acres & Sons' });
    teamSlug = team.slug;
    const auction = await anAuction(database, { team_id: team.id, title: 'Spring land </script>' });
    slug = auction.slug;
    lotId = (await aLot(database, { auction_id: auction.id, title: 'Forty <b>acres</b>' })).id;
    const columns = { lot_id: lotId, kind: 'image', mime_type: 'image/png', size: 9, width: 9, height: 9 };
    await database.knex('media').insert({ ...columns, file_key: 'forty.png', file_name: 'forty.png' });
    const draft = await anAuction(database, { team_id: team.id, title: 'Secret draft', status: 'draft' });
    const draftLot = await aLot(database, { auction_id: draft.id, title: 'Secret lot', status: 'draft' });
    const others = await Promise.all(
      (['private', 'unlisted'] as const).map((privacy_setting) =>
        anAuction(database, { team_id: team.id, title: `Sale ${privacy_setting}`, privacy_setting }),
      ),
    );
    hidden = [draft.slug, `/lots/${draftLot.id}<`, ...others.map((one) => one.slug)];
    await service.publish();
  });
  after(() => service.close());

  const textAt = async (path: string): Promise<string> => {
    const answer = await fetch(path.startsWith('http') ? path : `${service.url}${path}`);
    expect(answer.status, path).to.equal(200);
    return answer.text();
  };

  const mapped = async (): Promise<string[]> => {
    const parts = await parseSitemapIndex(Readable.from([await textAt('/sitemap.xml')]));
    const pages = await Promise.all(
      parts.map(async ({ url }) => parseSitemap(Readable.from([await textAt(url)]))),
    );
    return pages.flat().map(({ url }) => url);
  };

  it('is named by robots.txt and listed in the sitemap, and nothing that is not public', async () => {
    expect(await textAt('/robots.txt')).to.include(`Sitemap: ${service.url}/sitemap.xml`);
    const urls = await mapped();
    for (const path of ['/', '/auctions', `/auctions/${slug}`, `/lots/${lotId}`, `/sellers/${teamSlug}`])
      expect(urls).to.include(`${service.url}${path}`);
    for (const one of hidden) expect(urls.map((url) => `${url}<`).join(' ')).not.to.include(one);
    expect((await fetch(`${service.url}/sitemaps/lots-99.xml`)).status).to.equal(404);
    expect((await fetch(`${service.url}/sitemaps/users-1.xml`)).status).to.equal(404);
    const { knex } = service.backends;
    const [shown] = await knex('lots').where('id', lotId).update('status', 'draft').returning('id');
    expect(shown).to.include({ id: lotId });
    const parts = await textAt('/sitemaps/lots-1.xml');
    expect(await parseSitemap(Readable.from([parts]))).to.deep.equal([]);
    await knex('lots').where('id', lotId).update('status', 'active');
  });

  it('shows each address of the sitemap as its own canonical one', async () => {
    for (const url of await mapped()) {
      const page = await textAt(url);
      if (!url.includes('/docs') && !url.includes('/help') && !/\/(map|verify)$/.test(url))
        expect(page, url).to.include(`<link rel="canonical" href="${url}">`).and.not.include('noindex');
    }
  });

  it('says when each thing was last changed by its seller', async () => {
    const { knex } = service.backends;
    const lastmodOf = async (part: string, path: string) =>
      (await parseSitemap(Readable.from([await textAt(`/sitemaps/${part}-1.xml`)]))).find(
        ({ url }) => url === `${service.url}${path}`,
      )?.lastmod;
    const { published_at: published } = await knex('lots').where('id', lotId).first('published_at');
    expect(await lastmodOf('lots', `/lots/${lotId}`)).to.equal(new Date(published).toISOString());
    expect(await lastmodOf('auctions', `/auctions/${slug}`)).to.match(/^20\d\d-/);
    expect(await lastmodOf('sellers', `/sellers/${teamSlug}`)).to.match(/^20\d\d-/);
    await knex('lots').where('id', lotId).update({ closed_at: '2030-01-02T03:04:05Z' });
    expect(await lastmodOf('lots', `/lots/${lotId}`)).to.equal('2030-01-02T03:04:05.000Z');
    await knex('lots').where('id', lotId).update({ closed_at: null });
  });

  it('says on each page what it is, with its picture and the way to it', async () => {
    const dataOf = async (path: string) =>
      [...(await textAt(path)).matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)].map(
        (match) => objectIn(JSON.parse(match[1] ?? ''))['@type'],
      );
    expect(await dataOf('/')).to.deep.equal(['WebSite', 'Organization']);
    expect(await dataOf('/lots')).to.deep.equal(['BreadcrumbList']);
    expect(await dataOf(`/auctions/${slug}`)).to.deep.equal(['SaleEvent', 'BreadcrumbList']);
    expect(await dataOf(`/sellers/${teamSlug}`)).to.deep.equal(['Organization', 'BreadcrumbList']);
    for (const path of ['/', '/lots', `/auctions/${slug}`, `/lots/${lotId}`, `/sellers/${teamSlug}`])
      expect(await textAt(path), path).to.match(/property="og:image" content="http[^"]+\/forty\.png"/);
    expect(await textAt('/auctions')).to.include(`content="${service.url}/icon-512.png"`);
  });

  it('is not found once it is withdrawn or cancelled', async () => {
    const { knex } = service.backends;
    const team = await aTeam(service.database);
    const auction = await anAuction(service.database, { team_id: team.id });
    const lot = await aLot(service.database, { auction_id: auction.id });
    await knex('lots').where('id', lot.id).update({ status: 'withdrawn' });
    expect(await textAt(`/lots/${lot.id}`)).to.include('content="noindex"');
    await knex('auctions').where('id', auction.id).update({ status: 'cancelled' });
    expect(await textAt(`/auctions/${auction.slug}`)).to.include('content="noindex"');
    const urls = await mapped();
    expect(urls).not.to.include(`${service.url}/auctions/${auction.slug}`);
    expect(urls).not.to.include(`${service.url}/sellers/${team.slug}`);
  });

  it('describes a lot as a product with an offer, in JSON that no title breaks out of', async () => {
    const page = await textAt(`/lots/${lotId}`);
    const [product, crumbs] = [...page.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)].map(
      (match) => objectIn(JSON.parse(match[1] ?? '')),
    );
    expect(product).to.include({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: 'Forty <b>acres</b>',
    });
    expect(objectIn(product?.['offers'])).to.include({
      '@type': 'Offer',
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
      url: `${service.url}/lots/${lotId}`,
    });
    expect(objectIn(objectIn(product?.['offers'])['seller'])).to.include({
      name: 'Acres & Sons',
      url: `${service.url}/sellers/${teamSlug}`,
    });
    const steps = objectIn(crumbs)['itemListElement'];
    expect(steps).to.have.length(3);
    for (const name of ['og:title', 'og:description', 'og:url'])
      expect(page).to.include(`property="${name}"`);
  });

  it('leaves what is unlisted, or for one person, out of search engines', async () => {
    expect(await textAt(`/auctions/${hidden.at(-1)}`)).to.include('<meta name="robots" content="noindex">');
    expect(await textAt('/sign-in')).to.include('<meta name="robots" content="noindex">');
    expect(await textAt('/lots?search=acres')).to.include('<meta name="robots" content="noindex">');
  });

  it('has a feed for each search, which readers understand', async () => {
    const feed = await new RssParser().parseString(await textAt('/lots.rss?search=acres'));
    expect(feed.items.map(({ link }) => link)).to.deep.equal([`${service.url}/lots/${lotId}`]);
    expect((await new RssParser().parseString(await textAt('/lots.rss?search=nothing'))).items).to.deep.equal(
      [],
    );
    expect((await fetch(`${service.url}/lots.rss?min_price=x`)).status).to.equal(422);
    const [item] = feed.items;
    const { published_at: published } = await service.database
      .knex('lots')
      .where('id', lotId)
      .first('published_at');
    expect(Date.parse(item?.pubDate ?? '')).to.equal(Math.floor(Date.parse(published) / 1000) * 1000);
    const page = await textAt('/lots?search=acres&sort=-price');
    expect(page)
      .to.include(`type="application/rss+xml" title="The newest lots of this search"`)
      .and.include('href="/lots.rss?search=acres"');
  });

  it('puts a sale into calendars', async () => {
    const calendar = new ICAL.Component(ICAL.parse(await textAt(`/auctions/${slug}/calendar.ics`)));
    const event = new ICAL.Event(present(calendar.getFirstSubcomponent('vevent')));
    expect(event.summary).to.equal('Spring land </script>');
    const { start_time: start } = await service.database.knex('auctions').where({ slug }).first('start_time');
    expect(event.startDate.toJSDate().getTime()).to.equal(Math.floor(Date.parse(start) / 1000) * 1000);
    expect((await fetch(`${service.url}/auctions/${hidden[0]}/calendar.ics`)).status).to.equal(404);
    const page = await textAt(`/auctions/${slug}`);
    expect(page)
      .to.include(`href="${service.url}/auctions/${slug}/calendar.ics"`)
      .and.include('Add to calendar');
    expect(await textAt(`/lots.rss?auction_id=${hidden.length}&status=all`)).not.to.include('Secret');
  });

  it('may be framed elsewhere, a seller’s lots alone', async () => {
    const answer = await fetch(`${service.url}/embed/sellers/${teamSlug}?lots=5`);
    expect(answer.headers.get('content-security-policy'))
      .to.include('frame-ancestors *')
      .and.include("default-src 'none'");
    const page = await answer.text();
    expect(page).to.include(`/lots/${lotId}`).and.not.include('<script').and.not.include('Secret');
    const other = await fetch(`${service.url}/lots/${lotId}`);
    expect(other.headers.get('content-security-policy')).to.include("frame-ancestors 'self'");
  });

  it('gives sellers the frame for their own site', async () => {
    const { browser, team } = await aSellerAtDesk(service);
    const page = await browser.get('/seller/team/site?lots=24');
    const address = `${service.url}/embed/sellers/${team.slug}?lots=24`;
    expect(page.text).to.include(`&lt;iframe src=&quot;${address}&quot; title=&quot;Lots of `);
    expect(page.text).to.include(`<iframe class="preview" src="/embed/sellers/${team.slug}?lots=24"`);
    const unapproved = await aSellerAtDesk(service, { approved: false });
    expect((await unapproved.browser.get('/seller/team/site')).text)
      .to.include('not approved')
      .and.not.include('iframe');
  });

  it('lists all sales, by what they are at', async () => {
    expect(await textAt('/auctions'))
      .to.include('Spring land')
      .and.not.include('Sale private');
    expect(await textAt('/auctions?show=ended')).to.include('There are none');
    expect((await fetch(`${service.url}/auctions?show=all`)).status).to.equal(422);
  });
});
