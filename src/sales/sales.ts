/** The front door of what follows a sale: second chances, what is left to do for its seller, and collecting. */
import type { Endpoint } from '../../adapters/http/endpoint.ts';
import type { Log } from '../shared/log.ts';
import { collectionEndpoints } from './collections/collections.endpoints.ts';
import { expireOffers } from './offers/answer-offer.ts';
import { offerEndpoints } from './offers/offers.endpoints.ts';
import { type ResaleParts, recordResales } from './offers/record-resales.ts';
import { afterSaleEndpoints } from './results/after-sale.endpoints.ts';

export type { ResaleParts };

export const sales = {
  endpoints(parts: ResaleParts, log: Log): Endpoint[] {
    const { knex } = parts;
    return [
      ...collectionEndpoints(knex),
      ...afterSaleEndpoints(knex),
      ...offerEndpoints({ knex, afterAccept: sales.afterAccept(parts, log) }),
    ];
  },
  /** Has the journal say what accepted offers have changed; what it cannot say now the clock says later. */
  afterAccept(parts: ResaleParts, log: Log): () => Promise<unknown> {
    return () =>
      recordResales(parts).catch((err: unknown) =>
        log.warn({ err }, 'a second chance waits for the journal'),
      );
  },
  /** What the clock does. */
  jobs: {
    'expire-offers': { everyMs: 5_000, work: ({ knex }: ResaleParts) => expireOffers(knex) },
    'record-resales': { everyMs: 2_000, work: (parts: ResaleParts) => recordResales(parts) },
  },
};
