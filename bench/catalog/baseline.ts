/**
 * What the catalog is measured against: the same queries as hand-written prepared statements, raw `pg` behind bare
 * `node:http`, rows printed by `JSON.stringify`. No checks, no live fields, no headers beyond the type.
 */
import { createServer, type Server } from 'node:http';
import pg from 'pg';

interface Answer {
  readonly rows: readonly unknown[];
  readonly total?: number;
}

type Query = (name: string, text: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>;

const LISTED = "a.status = 'active' AND a.privacy_setting = 'public'";

const MEDIA = `(SELECT coalesce(json_agg(m.*), '[]') FROM media m WHERE m.lot_id = l.id) AS media`;

const ITEM = `l.id, l.auction_id, l.lot_number, l.title, l.slug, l.sku, l.starting_bid_cents, l.current_bid_cents, l.bid_count,
  l.status, l.live_end_time, l.quantity, l.acres, l.city, l.county, l.state, l.country, a.currency, c.id AS category_id,
  c.name AS category_name, ${MEDIA}`;

const THREE = `l.status = 'active' AND ${LISTED} AND lower(l.state) = lower($1) AND l.acres >= $2 AND l.road_access = $3`;

/** Each of the measured routes: path → answer. */
function answers(runQuery: Query): Record<string, (query: URLSearchParams) => Promise<Answer>> {
  return {
    '/auctions': async (query) => {
      const ids = (await runQuery(
        'below',
        `WITH RECURSIVE below AS (SELECT id FROM categories WHERE id = $1
          UNION ALL SELECT c.id FROM categories c JOIN below ON c.parent_id = below.id) SELECT id FROM below`,
        [query.get('category_id')],
      )) as { id: string }[];
      const values = [ids.map(({ id }) => id), query.get('search')];
      const where = `${LISTED} AND a.category_id = ANY($1) AND search_vector(a.title) @@ search_query($2)`;
      const [rows, count] = await Promise.all([
        runQuery(
          'auctions',
          `SELECT a.id, a.title, a.slug, a.status, a.privacy_setting, a.type, a.currency, a.buyer_premium_bps, a.start_time,
            a.end_time, c.id AS category_id, c.name AS category_name FROM auctions a
            LEFT JOIN categories c ON c.id = a.category_id
            WHERE ${where} ORDER BY search_rank(a.title_words, search_fold($2), search_query($2)), a.end_time, a.id LIMIT 15`,
          values,
        ),
        runQuery('auctions_total', `SELECT count(*) AS n FROM auctions a WHERE ${where}`, values),
      ]);
      return { rows, total: Number(count[0]?.['n']) };
    },
    '/lots': async (query) => {
      const values = [query.get('state'), query.get('min_acres'), query.get('road_access')];
      const [rows, count] = await Promise.all([
        runQuery(
          'lots',
          `SELECT ${ITEM} FROM lots l JOIN auctions a ON a.id = l.auction_id
            LEFT JOIN categories c ON c.id = coalesce(l.category_id, a.category_id)
            WHERE ${THREE} ORDER BY l.lot_number, l.id LIMIT 15`,
          values,
        ),
        runQuery(
          'lots_total',
          `SELECT count(*) AS n FROM lots l JOIN auctions a ON a.id = l.auction_id WHERE ${THREE}`,
          values,
        ),
      ]);
      return { rows, total: Number(count[0]?.['n']) };
    },
    '/lot': async (query) => ({
      rows: await runQuery(
        'lot',
        `SELECT l.*, a.title AS auction_title, a.slug AS auction_slug, a.status AS auction_status, a.currency,
          a.buyer_premium_bps, a.increments, a.start_time, a.end_time, c.id AS category_id, c.name AS category_name, ${MEDIA}
          FROM lots l JOIN auctions a ON a.id = l.auction_id
          LEFT JOIN categories c ON c.id = coalesce(l.category_id, a.category_id) WHERE l.id = $1`,
        [query.get('id')],
      ),
    }),
    '/map': async (query) => ({
      rows: await runQuery(
        'map',
        `SELECT l.id, l.lng, l.lat, l.title, l.slug, l.current_bid_cents, l.acres, l.status, l.live_end_time,
          (SELECT m.thumb_key FROM media m WHERE m.lot_id = l.id AND m.kind = 'image' ORDER BY m.position, m.id LIMIT 1) AS thumb
          FROM lots l JOIN auctions a ON a.id = l.auction_id WHERE l.status = 'active' AND ${LISTED} AND l.lat IS NOT NULL
          AND l.lng BETWEEN $1 AND $3 AND l.lat BETWEEN $2 AND $4 ORDER BY l.id LIMIT 1000`,
        (query.get('bbox') ?? '').split(','),
      ),
    }),
    '/tree': async () => {
      const [rows, counts] = await Promise.all([
        runQuery('categories', 'SELECT * FROM categories ORDER BY position, id', []),
        runQuery(
          'counts',
          `SELECT coalesce(n.category_id, a.category_id) AS id, sum(n.lots) AS lots FROM (SELECT auction_id, category_id,
            count(*) AS lots FROM lots WHERE status = 'active' GROUP BY category_id, auction_id) n
            JOIN auctions a ON a.id = n.auction_id AND ${LISTED} GROUP BY 1`,
          [],
        ),
      ]);
      return { rows: [rows, counts] };
    },
  };
}

/** Serves them; the caller listens. */
export function baselineServer(databaseUrl: string, connections: number): Server {
  // Like the service's own connections, so that the two differ only by the service.
  const options = '-c jit=off -c random_page_cost=1.1';
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, options });
  const routes = answers(async (name, text, values) => {
    return (await pool.query({ name, text, values: [...values] })).rows;
  });
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://baseline');
    const answer = routes[url.pathname];
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    answer(url.searchParams).then(
      (found) => {
        const text = JSON.stringify({ success: true, data: found });
        response.writeHead(200, {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
        });
        response.end(text);
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
}
