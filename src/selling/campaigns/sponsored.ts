/**
 * Lots that campaigns show in the lot search: those of running campaigns that the search finds, a few at most, each
 * show counted as an impression. Costs a search nothing while no campaign runs; nothing here may fail it.
 */
import type { Knex } from 'knex';
import type { Tally } from '../../../adapters/redis/redis-tally.ts';
import { entryOf } from '../../../engine/first-of.ts';
import type { LotListQuery, LotLists } from '../../catalog/lots/lot-list.ts';
import { ShortCache } from '../../shared/caching/short-cache.ts';
import { countName } from './counting.ts';

/** A lot to show alongside the results: its JSON text, and where a click on it goes. */
export interface Sponsored {
  readonly campaignId: number;
  readonly lot: string;
  readonly clickUrl: string;
}

/** Running: active, within its days, with budget left. */
export const RUNNING = `c.status = 'active' AND (now() AT TIME ZONE 'UTC')::date BETWEEN c.start_date AND c.end_date
  AND (c.pricing_model = 'flat' OR c.spent_cents < c.budget_cents)`;

const MAX_SHOWN = 3;
const MAX_CANDIDATES = 2_000;
const CANDIDATES_MS = 1_000;

export class SponsoredLots {
  readonly #knex: Knex;
  readonly #lists: Pick<LotLists, 'read'>;
  readonly #tally: Tally;
  readonly #candidates = new ShortCache<ReadonlyMap<number, number>>(CANDIDATES_MS, 1);

  constructor(parts: { readonly knex: Knex; readonly lists: Pick<LotLists, 'read'>; readonly tally: Tally }) {
    this.#knex = parts.knex;
    this.#lists = parts.lists;
    this.#tally = parts.tally;
  }

  /** What to show with this search, counted. Empty on further pages and where nothing is searched for. */
  async show({ filter, page, baseUrl }: LotListQuery): Promise<readonly Sponsored[]> {
    if (filter.search === null || page !== 1 || filter.status !== 'active') return [];
    const campaignOf = await this.#candidates.get('', () => this.#readCandidates());
    if (campaignOf.size === 0) return [];
    const found = await this.#lists.read({
      filter: {
        ...filter,
        columns: [...filter.columns, ['l.id = ANY(?::bigint[])', [...campaignOf.keys()]]],
      },
      order: { by: 'best', descending: false },
      page: 1,
      perPage: MAX_SHOWN,
      baseUrl,
    });
    const shown = found.rows.map((lot) => {
      const { id: lotId }: { id: number } = JSON.parse(lot);
      const campaignId = entryOf(campaignOf, lotId);
      return { campaignId, lot, clickUrl: `${baseUrl}/ads/${campaignId}/lots/${lotId}` };
    });
    // Nobody waits for these: an impression that Redis did not take is not billed.
    for (const { campaignId } of shown) this.#tally.add(countName('impressions', campaignId)).catch(() => {});
    return shown;
  }

  /** Lot → campaign; of several campaigns for a lot the oldest. */
  async #readCandidates(): Promise<ReadonlyMap<number, number>> {
    // SQL: a search waits for it; `DISTINCT ON` leaves one campaign for each lot.
    const { rows } = await this.#knex.raw<{ rows: { lot_id: number; campaign_id: number }[] }>(
      `SELECT DISTINCT ON (s.lot_id) s.lot_id, c.id AS campaign_id
       FROM ad_campaigns c JOIN ad_campaign_lots s ON s.campaign_id = c.id
       WHERE c.placement = 'search' AND ${RUNNING} ORDER BY s.lot_id, c.id LIMIT ${MAX_CANDIDATES}`,
    );
    return new Map(rows.map(({ lot_id, campaign_id }) => [lot_id, campaign_id]));
  }
}
