/**
 * `/robots.txt`, and `/sitemap.xml` with the parts that it lists: every address that everybody may see, read from
 * Postgres in steps by id, so that a part is the same however many lots there are.
 */
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { SitemapIndexStream, SitemapStream, streamToPromise } from 'sitemap';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { isoSql } from '../../catalog/media-presentation.ts';
import { notFound } from '../../shared/refusal.ts';
import { seesAuctionSql, seesLotSql } from '../../shared/visibility/visibility-sql.ts';

/** Rows of one part, by the range of their ids; the protocol takes 50,000 addresses. */
const IDS_A_PART = 25_000;
const HOUR = { 'Cache-Control': 'public, max-age=3600' };

const PUBLIC_SQL = "a.privacy_setting = 'public'";
const NOBODY = 'CAST(NULL AS bigint)';

interface Address {
  readonly url: string;
  /** When what it shows was last changed by its seller, or ended. */
  readonly lastmod?: string;
}

/** The pages that are always there. */
const FIXED = ['/', '/auctions', '/lots', '/map', '/help', '/sell', '/verify', '/docs'];

type Part = 'auctions' | 'lots' | 'sellers' | 'help';

/** For each part: its highest id, and its rows within a range of ids. */
const PARTS: Readonly<Record<Part, { readonly table: string; readonly sql: string }>> = {
  auctions: {
    table: 'auctions',
    // SQL: what everybody may see, as everywhere; a range of ids at a time.
    sql: `SELECT '/auctions/' || a.slug AS url, ${isoSql(`greatest(a.published_at,
        CASE WHEN a.end_time < now() THEN a.end_time END,
        (SELECT max(c.changed_at) FROM sale_changes c WHERE c.auction_id = a.id))`)} AS lastmod FROM auctions a
      WHERE a.id > ? AND a.id <= ? AND ${PUBLIC_SQL} AND ${seesAuctionSql(NOBODY)} AND a.status <> 'cancelled'
      ORDER BY a.id`,
  },
  lots: {
    table: 'lots',
    // SQL: as above, with the lots' own statuses.
    sql: `SELECT '/lots/' || l.id AS url, ${isoSql(`greatest(l.published_at, l.closed_at,
        (SELECT max(m.amended_at) FROM lot_amendments m WHERE m.lot_id = l.id))`)} AS lastmod
      FROM lots l JOIN auctions a ON a.id = l.auction_id
      WHERE l.id > ? AND l.id <= ? AND ${PUBLIC_SQL} AND ${seesLotSql(NOBODY)} AND l.status <> 'withdrawn'
      ORDER BY l.id`,
  },
  sellers: {
    table: 'teams',
    // SQL: teams with something to show to everybody.
    sql: `SELECT '/sellers/' || t.slug AS url, ${isoSql('s.lastmod')} AS lastmod FROM teams t
      CROSS JOIN LATERAL (SELECT max(a.published_at) AS lastmod, count(*) AS sales FROM auctions a
        WHERE a.team_id = t.id AND ${PUBLIC_SQL} AND ${seesAuctionSql(NOBODY)} AND a.status <> 'cancelled') s
      WHERE t.id > ? AND t.id <= ? AND s.sales > 0 ORDER BY t.id`,
  },
  help: {
    table: 'help_articles',
    // SQL: all of them; they have no state.
    sql: `SELECT '/help/' || h.slug AS url FROM help_articles h
      WHERE h.id > ? AND h.id <= ? ORDER BY h.id`,
  },
};

const TEXT = {
  method: 'GET',
  tags: ['Pages'],
  access: { kind: 'public' },
  undocumented: true,
  responses: { 200: { description: 'The text.', contentType: 'application/xml' } },
} as const;

export function sitemapPages(knex: Knex): Endpoint[] {
  return [robots(), sitemapIndex(knex), sitemapPart(knex)];
}

function robots(): Endpoint {
  return endpoint({
    ...TEXT,
    path: '/robots.txt',
    operationId: 'robotsTxt',
    summary: 'What web crawlers may read',
    handle: async ({ baseUrl }) => ({
      status: 200,
      raw: [
        'User-agent: *',
        ...['/account', '/seller/', '/office', '/api/', '/sign-in', '/sign-up', '/embed/'].map(
          (path) => `Disallow: ${path}`,
        ),
        '',
        `Sitemap: ${baseUrl}/sitemap.xml`,
        '',
      ].join('\n'),
      contentType: 'text/plain; charset=utf-8',
      headers: { 'Cache-Control': 'public, max-age=86400' },
    }),
  });
}

function sitemapIndex(knex: Knex): Endpoint {
  return endpoint({
    ...TEXT,
    path: '/sitemap.xml',
    operationId: 'sitemapIndex',
    summary: 'The parts of the sitemap',
    async handle({ baseUrl }) {
      const parts = await Promise.all(
        Object.entries(PARTS).map(async ([name, { table }]) => {
          const [last]: number[] = await knex(table).orderBy('id', 'desc').limit(1).pluck('id');
          const count = Math.ceil((last ?? 0) / IDS_A_PART);
          return Array.from({ length: count }, (_, at) => ({
            url: `${baseUrl}/sitemaps/${name}-${at + 1}.xml`,
          }));
        }),
      );
      const all = [{ url: `${baseUrl}/sitemaps/pages-1.xml` }, ...parts.flat()];
      return xml(await streamToPromise(Readable.from(all).pipe(new SitemapIndexStream())));
    },
  });
}

/** A part all of whose things are hidden: the library writes none without an address. */
const EMPTY =
  '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>';

function sitemapPart(knex: Knex): Endpoint {
  return endpoint({
    ...TEXT,
    path: '/sitemaps/{part}',
    operationId: 'sitemapPart',
    summary: 'A part of the sitemap',
    params: Type.Object({ part: Type.String({ pattern: '^[a-z]{1,20}-[1-9][0-9]{0,8}\\.xml$' }) }),
    async handle({ params, baseUrl }) {
      const [name = '', number = ''] = params.part.replace('.xml', '').split('-');
      const addresses = await addressesOf(knex, name, Number(number));
      if (addresses === null) throw notFound('There is no such sitemap.');
      if (addresses.length === 0) return xml(Buffer.from(EMPTY));
      const map = new SitemapStream({ hostname: baseUrl });
      return xml(await streamToPromise(Readable.from(addresses).pipe(map)));
    },
  });
}

/** Null where the sitemap has no such part. */
async function addressesOf(knex: Knex, name: string, number: number): Promise<readonly Address[] | null> {
  if (name === 'pages') return number === 1 ? FIXED.map((url) => ({ url })) : null;
  if (!isPart(name)) return null;
  // SQL: one of the statements above.
  const { rows }: { rows: Address[] } = await knex.raw(PARTS[name].sql, [
    (number - 1) * IDS_A_PART,
    number * IDS_A_PART,
  ]);
  if (rows.length === 0 && number > 1) return null;
  return rows;
}

const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);

function xml(raw: Buffer): Reply {
  return { status: 200, raw, contentType: 'application/xml; charset=utf-8', headers: HOUR };
}
