/** The caller's watchlist: adding a lot, taking it off, and reading it with the state of each lot now. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { done, listOf, success } from '../../../adapters/http/envelope.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { Time } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { notFound } from '../../shared/refusal.ts';
import { readLotVisibility } from '../../shared/visibility/read-visibility.ts';
import { LotItem } from '../lots/lot-presentation.schema.ts';
import { addToWatchlist, readWatchlist, removeFromWatchlist } from './watchlist.ts';

const entry = {
  id: Type.Integer(),
  lot_id: Type.Integer(),
  created_at: Time,
};
const WatchlistEntry = Type.Object(entry, { $id: 'WatchlistEntry' });
const WatchedLot = Type.Object({ ...entry, lot: LotItem }, { $id: 'WatchedLot' });

const tags = ['Watchlist'];
const PATH = '/api/v1/lots/{lot}/watchlist';

interface WatchlistParts {
  readonly knex: Knex;
  readonly journal: Journal;
}

export function watchlistEndpoints(parts: WatchlistParts): Endpoint[] {
  return [...changeEndpoints(parts), ...readEndpoints(parts)];
}

function changeEndpoints({ knex }: WatchlistParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      unconfirmedToo: true,
      path: PATH,
      operationId: 'watchLot',
      summary: 'Add a lot to the watchlist',
      description: 'A watchlist holds at most 2,000 lots; beyond that the answer is 422.',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: LotParams,
      responses: {
        201: { description: 'The lot was added.', schema: bodyOf(WatchlistEntry) },
        200: { description: 'The lot was already on the list.', schema: bodyOf(WatchlistEntry) },
      },
      async handle({ params, principal }) {
        const visibility = await readLotVisibility(knex, params.lot, principal);
        if (visibility !== 'visible') throw notFound('There is no such lot.');
        const { row, added } = await addToWatchlist(knex, principal.userId, params.lot);
        const message = added ? 'The lot is on your watchlist.' : 'The lot was already on your watchlist.';
        return success(row, { status: added ? 201 : 200, message });
      },
    }),
    endpoint({
      method: 'DELETE',
      unconfirmedToo: true,
      path: PATH,
      operationId: 'unwatchLot',
      summary: 'Take a lot off the watchlist',
      tags,
      access: { kind: 'ability', ability: 'write' },
      params: LotParams,
      responses: {
        200: {
          description: 'The lot is not on the list, whether or not it was before.',
          schema: Type.Object({ success: Type.Literal(true), message: Type.String() }),
        },
      },
      async handle({ params, principal }) {
        const removed = await removeFromWatchlist(knex, principal.userId, params.lot);
        if (!removed && (await readLotVisibility(knex, params.lot, principal)) !== 'visible') {
          throw notFound('There is no such lot.');
        }
        return done('The lot is not on your watchlist.');
      },
    }),
  ];
}

function readEndpoints({ knex, journal }: WatchlistParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/me/watchlist',
      operationId: 'listWatchlist',
      summary: 'The caller’s watchlist, the newest first',
      tags,
      access: { kind: 'ability', ability: 'read' },
      query: Type.Object(pagingQuery),
      responses: { 200: { description: 'A page of entries.', schema: listBody(WatchedLot) } },
      async handle({ query, principal, baseUrl }) {
        const { entries, total, stale } = await readWatchlist(
          knex,
          journal,
          principal.userId,
          query,
          baseUrl,
        );
        const rows = entries.map(({ id, lotId, createdAt, lotText }) => ({
          id,
          lot_id: lotId,
          created_at: createdAt,
          lot: JSON.parse(lotText),
        }));
        const paging = { page: query.page, perPage: query.per_page, total };
        return listOf(rows, paging, stale ? { meta: { stale } } : {});
      },
    }),
  ];
}
