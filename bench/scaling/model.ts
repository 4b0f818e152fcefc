/**
 * How many bids a second some web processes take, from what one bid asks of each part. The bounds are those of
 * operational analysis (P. Denning and J. Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing
 * Surveys 10, 1978): no part works more than all of the time, and no connection has more than one bid on its way.
 */

/** What one bid asks of each part, in µs of processor time, and what it waits for when it is alone. */
export interface Demand {
  readonly webUs: number;
  readonly redisUs: number;
  /** Of whoever puts the load on, where it shares the machine. */
  readonly loadUs: number;
  /** From the request to the answer of a bid that nobody disturbs. */
  readonly aloneMs: number;
}

export interface Site {
  readonly cores: number;
  /** Each takes its share of the lots, as a balancer that hashes on the lot gives them out. */
  readonly webProcesses: number;
  /** That have one bid each on its way. */
  readonly connections: number;
}

export type Bound = 'web processes' | 'Redis' | 'cores' | 'connections';

export interface Forecast {
  readonly perSecond: number;
  /** What gives first. */
  readonly bound: Bound;
}

const SECOND_US = 1_000_000;

/** The most that a site can take, and what keeps it from more. A web process and Redis use one core each at most. */
export function forecast(demand: Demand, { cores, webProcesses, connections }: Site): Forecast {
  const bounds: readonly Forecast[] = [
    { bound: 'web processes', perSecond: (webProcesses * SECOND_US) / demand.webUs },
    { bound: 'Redis', perSecond: SECOND_US / demand.redisUs },
    {
      bound: 'cores',
      perSecond: (cores * SECOND_US) / (demand.webUs + demand.redisUs + demand.loadUs),
    },
    { bound: 'connections', perSecond: (connections * 1_000) / demand.aloneMs },
  ];
  return bounds.reduce((min, one) => (one.perSecond < min.perSecond ? one : min));
}
