import { worked } from './build.ts';
import { bid, close, no } from './steps.ts';

/** Worked cases: the first bid on a lot, and the default and own increments at every edge (rules 1, 2, 10 and 11). */
export const openingCases = [
  worked('rule 2: a first straight bid of the starting bid makes it the current bid', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rule 2: a first straight bid above the starting bid counts in full', {}, [
    bid('ann', 250, null, 10, 'leading', 250, [250, 260, 'ann', 1, true]),
  ]),
  worked('rule 2: a first straight bid need not lie on the grid', {}, [
    bid('ann', 123.45, null, 10, 'leading', 123.45, [123.45, 133.45, 'ann', 1, true]),
  ]),
  worked('rule 2: a first proxy bid opens at the starting bid', {}, [
    bid('ann', null, 500, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rule 2: a first ceiling equal to the starting bid opens there', {}, [
    bid('ann', null, 100, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rules 1 and 2: both fields first, the straight amount is the current bid', {}, [
    bid('ann', 150, 400, 10, 'leading', 150, [150, 160, 'ann', 1, true]),
    bid('bob', 400, null, 20, 'outbid', 400, [400, 410, 'ann', 2, true]),
  ]),
  worked('rule 1: a first straight bid below the starting bid is too low', {}, [
    no('ann', 99.99, null, 10, 'bid_too_low'),
  ]),
  worked('rule 1: a first ceiling below the starting bid is too low', {}, [
    no('ann', null, 99.99, 10, 'bid_too_low'),
  ]),
  worked('rule 1: a straight amount below the starting bid is too low, whatever its ceiling', {}, [
    no('ann', 99, 500, 10, 'bid_too_low'),
  ]),
  worked('rule 2: a starting bid of one cent', { start: 0.01 }, [
    bid('ann', null, 3, 10, 'leading', 0.01, [0.01, 5.01, 'ann', 1, true]),
    no('bob', 5, null, 20, 'bid_too_low'),
    bid('bob', 5.01, null, 30, 'leading', 5.01, [5.01, 10.01, 'bob', 2, true]),
  ]),
  worked('rule 10: no bids, unsold', {}, [close(3_599.999999, 'not_due'), close(3_600, 'unsold')], []),
  worked(
    'rule 10: a leader and no reserve, sold',
    {},
    [bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]), close(3_600, 'sold')],
    [['b1', 100, 'leading', 'won']],
  ),
  worked(
    'rule 10: the reserve not met, passed; the row stays leading',
    { reserve: 300 },
    [
      bid('ann', 100, null, 10, 'leading_reserve_not_met', 100, [100, 110, 'ann', 1, false]),
      close(3_600, 'passed'),
    ],
    [['b1', 100, 'leading_reserve_not_met', 'leading']],
  ),
  worked('rule 10: the lot closes once, and takes no bid after', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    close(3_600, 'sold'),
    close(3_601, 'lot_closed'),
    no('bob', 500, null, 3_601, 'lot_closed'),
  ]),
];

/** [current, minimum next, and the one after that], all in dollars: every edge of rule 11. */
const EDGES: [number, number, number][] = [
  [95, 100, 110],
  [99.99, 104.99, 114.99],
  [100, 110, 120],
  [499.99, 509.99, 534.99],
  [500, 525, 550],
  [999.99, 1_024.99, 1_074.99],
  [1_000, 1_050, 1_100],
  [4_999.99, 5_049.99, 5_149.99],
  [5_000, 5_100, 5_200],
  [9_999.99, 10_099.99, 10_349.99],
  [10_000, 10_250, 10_500],
  [49_999.99, 50_249.99, 50_749.99],
  [50_000, 50_500, 51_000],
  [99_999.99, 100_499.99, 101_499.99],
  [100_000, 101_000, 102_000],
  [499_999.99, 500_999.99, 503_499.99],
  [500_000, 502_500, 505_000],
];

export const incrementCases = [
  ...EDGES.map(([current, next, afterNext]) =>
    worked(`rule 11: at ${current.toFixed(2)} the next bid is ${next.toFixed(2)}`, { start: 1 }, [
      bid('ann', current, null, 10, 'leading', current, [current, next, 'ann', 1, true]),
      no('bob', next - 0.01, null, 20, 'bid_too_low'),
      no('bob', null, next - 0.01, 20, 'bid_too_low'),
      bid('bob', next, null, 30, 'leading', next, [next, afterNext, 'bob', 2, true]),
    ]),
  ),
  worked('rule 11: the largest amount there is', { start: 1 }, [
    bid('ann', 999_999_999_999.99, null, 10, 'leading', 999_999_999_999.99, [
      999_999_999_999.99,
      1_000_000_002_499.99,
      'ann',
      1,
      true,
    ]),
  ]),
  worked('rule 11: the band is that of the current bid, not of the ceiling', { start: 95 }, [
    bid('ann', null, 1_000, 10, 'leading', 95, [95, 100, 'ann', 1, true]),
  ]),
  worked(
    'rule 11: a table on the auction overrides the default',
    {
      start: 10,
      increments: [
        [0, 1],
        [50, 2.5],
      ],
    },
    [
      bid('ann', 49.99, null, 10, 'leading', 49.99, [49.99, 50.99, 'ann', 1, true]),
      no('bob', 50.98, null, 20, 'bid_too_low'),
      bid('bob', 50.99, null, 30, 'leading', 50.99, [50.99, 53.49, 'bob', 2, true]),
    ],
  ),
  worked(
    'rules 3 and 11: with increments that fall, the minimum next bid bounds the price from below',
    {
      start: 90,
      increments: [
        [0, 50],
        [100, 10],
      ],
    },
    [
      bid('ann', null, 100, 10, 'leading', 90, [90, 140, 'ann', 1, true]),
      no('bob', null, 139.99, 20, 'bid_too_low'),
      bid('bob', null, 145, 30, 'leading', 140, [140, 150, 'bob', 2, true]),
    ],
  ),
];
