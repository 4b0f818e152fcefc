/**
 * `/embed/sellers/{slug}`: a seller's open lots as a page for a frame on their own site. It shows what everybody may
 * see, needs no script and no cookie, and every link opens the lot here instead of the site around the frame.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { EVERYTHING_ACTIVE } from '../../catalog/lots/lot-filters.ts';
import type { LotLists } from '../../catalog/lots/lot-list.ts';
import { acceptedLanguage } from '../../shared/language.ts';
import { notFound } from '../../shared/refusal.ts';
import { lotCardOf } from '../components/lot-card.ts';
import { PAGE } from '../page.ts';
import { readSeller } from '../sellers/seller-rows.ts';
import { renderPartial } from '../view.ts';

const MAX_LOTS = 48;
const LOTS = 12;

/** Framed by anybody: there is nothing in it to click by mistake but links. */
const FRAMED = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join(';');

export function embedPages({ knex, lists }: { knex: Knex; lists: LotLists }): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      access: { kind: 'public' },
      method: 'GET',
      path: '/embed/sellers/{seller}',
      operationId: 'sellerEmbed',
      summary: 'A seller’s open lots, for a frame on another site',
      params: Type.Object({ seller: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
      query: Type.Object({
        lots: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LOTS, default: LOTS })),
      }),
      async handle({ params, query, baseUrl, headers }) {
        const language = acceptedLanguage(headers['accept-language']);
        const seller = await readSeller(knex, params.seller);
        if (seller === null) throw notFound('There is no such seller.');
        const found = await lists.read({
          filter: { ...EVERYTHING_ACTIVE, columns: [['a.team_id = ?::bigint', seller.id]] },
          order: { by: 'end_time', descending: false },
          page: 1,
          perPage: query.lots ?? LOTS,
          baseUrl,
        });
        const lots = found.rows.map((row) => lotCardOf(row, language));
        const data = { seller, baseUrl, total: found.total, lots };
        return {
          status: 200,
          raw: renderPartial('discovery/embed', data, language),
          contentType: 'text/html; charset=utf-8',
          headers: {
            'Cache-Control': 'public, max-age=60',
            'Content-Language': language,
            'Content-Security-Policy': FRAMED,
            Vary: 'Accept-Language',
          },
        };
      },
    }),
  ];
}
