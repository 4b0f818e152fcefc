/** Reading lots. Live fields are those of the journal, whatever Postgres' copy says. */
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { success } from '../../adapters/http/envelope.ts';
import { notFound } from '../../adapters/http/problem.ts';
import type { Journal } from '../../engine/journal.ts';
import { readLotDetail } from './lot-detail.ts';
import { LotParams } from './lot-params.ts';
import { LotDetailBody } from './lot-presentation.schema.ts';

export function lotEndpoints(parts: { readonly knex: Knex; readonly journal: Journal }): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/lots/{lot}',
      operationId: 'getLot',
      summary: 'One lot in full',
      tags: ['Catalog'],
      access: { kind: 'public' },
      params: LotParams,
      responses: { 200: { description: 'The lot.', schema: LotDetailBody } },
      async handle({ params, principal }) {
        const found = await readLotDetail(parts.knex, parts.journal, params.lot, principal);
        if (found === null) throw notFound('There is no such lot.');
        return success(found.detail, found.stale ? { meta: { stale: true } } : {});
      },
    }),
  ];
}
