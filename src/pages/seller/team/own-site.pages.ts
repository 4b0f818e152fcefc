/** `/seller/team/site`: what the team puts into its own site to show its open lots there, with a look at it. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { PAGE } from '../../page.ts';
import { readSeller } from '../../sellers/seller-rows.ts';
import type { Desk } from '../frame/desk.ts';

const COUNTS = [6, 12, 24, 48] as const;
const LOTS = 12;

export function ownSitePages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: '/seller/team/site',
      operationId: 'ownSitePage',
      summary: 'The team’s lots for its own site',
      query: Type.Object({ lots: Type.Optional(Type.Integer({ minimum: 1, maximum: 48 })) }),
      handle: (request) =>
        desk.at(request, async (visit) => {
          const seller = await readSeller(desk.knex, visit.team.slug);
          const lots = request.query.lots ?? LOTS;
          const path = seller === null ? null : `/embed/sellers/${seller.slug}?lots=${lots}`;
          return desk.html(visit, {
            title: 'Your lots on your own site',
            template: 'seller/team/own-site',
            data: {
              framed: path,
              lots,
              counts: COUNTS,
              snippet: seller === null ? null : snippetOf(`${request.baseUrl}${path}`, seller.name),
            },
          });
        }),
    }),
  ];
}

/** The frame as HTML for the team's site. */
function snippetOf(address: string, name: string): string {
  const attribute = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<iframe src="${attribute(address)}" title="${attribute(`Lots of ${name}`)}" width="100%" height="900" loading="lazy"></iframe>`;
}
