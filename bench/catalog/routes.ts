/** What is measured, at which paths of the baseline and of the service, and the goals. */
import type { CacheTimes } from '../../src/shared/caching/cache-times.ts';

export const KINDS = ['baseline', 'uncached', 'cached'] as const;
export type Kind = (typeof KINDS)[number];

export interface Route {
  readonly name: string;
  /** Paths of the baseline and of the service, rotated if there are several. */
  readonly baseline: readonly string[];
  readonly service: readonly string[];
  /** The share of the baseline to reach without a cache, and with one. */
  readonly uncached: number;
  readonly cached: number | null;
}

/** The service caches no answer: what its queries cost. */
export const NO_CACHE: CacheTimes = { listMs: 0, totalMs: 0 };

const BOX = 'bbox=-100,30,-98,31';
/** Lots whose details are requested in rotation. */
const SHOWN = Array.from({ length: 50 }, (_, n) => 7 + 11 * n);
export const ROUTES: readonly Route[] = [
  {
    name: 'auctions, category and search',
    baseline: ['/auctions?category_id=2&search=prairie'],
    service: ['/api/v1/auctions?category_id=2&search=prairie'],
    uncached: 0.9,
    cached: 5,
  },
  {
    name: 'lots, three filters',
    baseline: ['/lots?state=TX&min_acres=300&road_access=true'],
    service: ['/api/v1/lots?state=TX&min_acres=300&road_access=true'],
    uncached: 0.9,
    cached: 5,
  },
  {
    name: 'lot detail',
    baseline: SHOWN.map((id) => `/lot?id=${id}`),
    service: SHOWN.map((id) => `/api/v1/lots/${id}`),
    uncached: 0.55,
    cached: null,
  },
  {
    name: 'map of a box',
    baseline: [`/map?${BOX}`],
    service: [`/api/v1/lots/geojson?${BOX}`],
    uncached: 0.9,
    cached: 5,
  },
  {
    name: 'category tree',
    baseline: ['/tree'],
    service: ['/api/v1/categories?tree=true'],
    uncached: 0.55,
    cached: 5,
  },
];

export type Measured = Record<'perSecond' | 'p99Ms', number>;
