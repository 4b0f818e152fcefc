/** Following a seller from its page or a lot, and `/account/following`: whom one follows. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import {
  type FollowedSeller,
  followedSellers,
  followSeller,
  unfollowSeller,
} from '../../catalog/following/following.ts';
import { readPage } from '../../shared/paging/read-page.ts';
import { notFound } from '../../shared/refusal.ts';
import { PageNumber } from '../lists.ts';
import { PAGE, type Pages, signedIn } from '../page.ts';
import { readSeller } from './seller-rows.ts';

const PER_PAGE = 30;
const LIST = '/account/following';

export function followingPages(parts: { readonly knex: Knex; readonly pages: Pages }): Endpoint[] {
  const { knex, pages } = parts;
  return [
    endpoint({
      ...PAGE,
      method: 'POST',
      path: '/sellers/{seller}/follow',
      operationId: 'followOnPage',
      summary: 'Follows a seller, or stops following it',
      unconfirmedToo: true,
      params: Type.Object({ seller: Type.String({ pattern: '^[a-z0-9-]{1,400}$' }) }),
      body: {
        form: Type.Object({
          follow: Type.Union([Type.Literal('yes'), Type.Literal('no')]),
          next: Type.Optional(Type.String({ maxLength: 400 })),
        }),
      },
      async handle(request) {
        const { seller: slug } = request.params;
        const { follow, next = '' } = request.body;
        const back = next === LIST || /^\/lots\/[1-9][0-9]*$/.test(next) ? next : `/sellers/${slug}`;
        const who = signedIn(request);
        if (who === null) return pages.go(`/sign-in?next=${encodeURIComponent(back)}`);
        const seller = await readSeller(knex, slug);
        if (seller === null) throw notFound('There is no such seller.');
        if (follow === 'no') await unfollowSeller(knex, who.userId, seller.id);
        else await followSeller(knex, who.userId, seller.id);
        return pages.go(back);
      },
    }),
    endpoint({
      ...PAGE,
      method: 'GET',
      path: LIST,
      operationId: 'followingPage',
      summary: 'The sellers that the session’s user follows',
      query: Type.Object({ page: PageNumber }),
      handle: (request) =>
        pages.forSignedIn(request, async (who) => {
          const { rows, paging } = await readPage<FollowedSeller>(
            followedSellers(knex, who.userId),
            [{ column: 'w.created_at', order: 'desc' }, 'w.team_id'],
            { page: request.query.page, per_page: PER_PAGE },
          );
          const data = { sellers: rows, page: paging.page, lastPage: lastPageOf(paging) };
          return pages.html(request, { title: 'Sellers you follow', template: 'sellers/following', data });
        }),
    }),
  ];
}
