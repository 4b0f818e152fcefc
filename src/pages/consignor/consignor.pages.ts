/**
 * `/consignor/{link}`: what a consignor sees by their secret link. Whoever has it reads it, nobody else; pages are kept
 * by nobody, found by no search engine, and send no referrer.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { notFound } from '../../shared/refusal.ts';
import { PAGE, type Pages } from '../page.ts';

/** A lot as its consignor sees it. */
interface ShownLot {
  readonly auction_id: number;
  readonly currency: string;
  readonly hammer_cents: number | null;
}

export interface ShownStatement {
  readonly name: string;
  readonly team: string;
  readonly rows: readonly ShownLot[];
  readonly totals: readonly object[];
}

export interface ConsignorPageParts {
  readonly pages: Pages;
  /** By the link's secret; null where there is none any more. */
  readonly readStatement: (token: string) => Promise<ShownStatement | null>;
}

export function consignorPages({ pages, readStatement }: ConsignorPageParts): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/consignor/{secret}',
      operationId: 'consignorPage',
      summary: 'A consignor’s lots and statement',
      params: Type.Object({ secret: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) }),
      async handle(request) {
        const statement = await readStatement(request.params.secret);
        if (statement === null) throw notFound('This link is not valid, or no longer.');
        return pages.html(request, {
          title: 'Your lots',
          template: 'consignor/consignor',
          data: { statement, auctions: byAuction(statement.rows), sheets: ['desk.css'] },
          headers: { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'no-referrer' },
          secret: true,
        });
      },
    }),
  ];
}

function byAuction(rows: readonly ShownLot[]): ShownLot[][] {
  const auctions = new Map<number, ShownLot[]>();
  for (const row of rows) {
    const known = auctions.get(row.auction_id);
    if (known === undefined) auctions.set(row.auction_id, [row]);
    else known.push(row);
  }
  return [...auctions.values()];
}
