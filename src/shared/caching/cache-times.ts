/** How long public answers may be cached, in milliseconds. Live fields of lots never are. Benchmarks turn it off. */
export interface CacheTimes {
  readonly listMs: number;
  readonly totalMs: number;
}

export const CACHE_TIMES: CacheTimes = { listMs: 1_000, totalMs: 10_000 };

/** Counts below this are as quick to read as their lists, so they are cached no longer than those. */
const SMALL_TOTAL = 1_000;

/** How long a total may be cached. */
export const totalTime =
  (times: CacheTimes) =>
  (total: number): number =>
    total < SMALL_TOTAL ? times.listMs : times.totalMs;
