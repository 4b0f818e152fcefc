import { Readable } from 'node:stream';
import { expect } from 'chai';
import ICAL from 'ical.js';
import RssParser from 'rss-parser';
import { parseSitemap, parseSitemapIndex } from 'sitemap';
import { present } from '../../../engine/first-of.ts';
import { objectIn } from '../../../engine/objects.ts';
import { aLot, anAuction, aTeam, aUser } from '../../support/builders.ts';
import { type Service, startService } from '../../support/service.ts';

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
  });

  it('puts a sale into calendars', async () => {
    const calendar = new ICAL.Component(ICAL.parse(await textAt(`/auctions/${slug}/calendar.ics`)));
    const event = new ICAL.Event(present(calendar.getFirstSubcomponent('vevent')));
    expect(event.summary).to.equal('Spring land </script>');
    const { start_time: start } = await service.database.knex('auctions').where({ slug }).first('start_time');
    expect(event.startDate.toJSDate().getTime()).to.equal(Math.floor(Date.parse(start) / 1000) * 1000);
    expect((await fetch(`${service.url}/auctions/${hidden[0]}/calendar.ics`)).status).to.equal(404);
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

  it('lists all sales, by what they are at', async () => {
    expect(await textAt('/auctions'))
      .to.include('Spring land')
      .and.not.include('Sale private');
    expect(await textAt('/auctions?show=ended')).to.include('There are none');
    expect((await fetch(`${service.url}/auctions?show=all`)).status).to.equal(422);
  });
});
