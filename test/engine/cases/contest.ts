import { worked } from './build.ts';
import { bid, no } from './steps.ts';

/**
 * Worked cases: a second bidder against the leader (rules 3 and 4), ties apart. Ann leads with a ceiling of 500 in
 * most.
 */
const annAt500 = bid('ann', null, 500, 10, 'leading', 100, [100, 110, 'ann', 1, true]);

export const contestCases = [
  worked('rule 4: a straight bid below the ceiling pushes the price one increment above itself', {}, [
    annAt500,
    bid('bob', 200, null, 20, 'outbid', 200, [210, 220, 'ann', 2, true]),
  ]),
  worked('rule 4: so does a ceiling below the ceiling', {}, [
    annAt500,
    bid('bob', null, 300, 20, 'outbid', 300, [310, 320, 'ann', 2, true]),
  ]),
  worked('rule 4: the price never goes above the ceiling of the leader', {}, [
    annAt500,
    bid('bob', null, 495, 20, 'outbid', 495, [500, 525, 'ann', 2, true]),
  ]),
  worked('rule 4: of both fields the ceiling counts, and is the amount of the row', {}, [
    annAt500,
    bid('bob', 200, 400, 20, 'outbid', 400, [410, 420, 'ann', 2, true]),
  ]),
  worked('rule 4: the increment is that of the beaten ceiling, below the edge', { start: 100 }, [
    bid('ann', null, 1_000, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 499.99, null, 20, 'outbid', 499.99, [509.99, 534.99, 'ann', 2, true]),
  ]),
  worked('rule 4: the increment is that of the beaten ceiling, at the edge', { start: 100 }, [
    bid('ann', null, 1_000, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 500, null, 20, 'outbid', 500, [525, 550, 'ann', 2, true]),
  ]),
  worked('rules 1 and 4: an outbid bid has to reach the minimum too', {}, [
    annAt500,
    no('bob', null, 109.99, 20, 'bid_too_low'),
    no('bob', 109.99, 400, 20, 'bid_too_low'),
    bid('bob', null, 110, 30, 'outbid', 110, [120, 130, 'ann', 2, true]),
  ]),
  worked('rule 3: a higher ceiling leads one increment above the old one', {}, [
    annAt500,
    bid('bob', null, 600, 20, 'leading', 525, [525, 550, 'bob', 2, true]),
  ]),
  worked('rule 3: but never above itself', {}, [
    annAt500,
    bid('bob', null, 510, 20, 'leading', 510, [510, 535, 'bob', 2, true]),
  ]),
  worked('rule 3: a ceiling one cent higher leads at that cent', {}, [
    annAt500,
    bid('bob', null, 500.01, 20, 'leading', 500.01, [500.01, 525.01, 'bob', 2, true]),
  ]),
  worked('rule 3: a straight bid above the ceiling is the current bid', {}, [
    annAt500,
    bid('bob', 600, null, 20, 'leading', 600, [600, 625, 'bob', 2, true]),
  ]),
  worked('rule 3: a straight bid less than one increment above the ceiling', {}, [
    annAt500,
    bid('bob', 505, null, 20, 'leading', 505, [505, 530, 'bob', 2, true]),
  ]),
  worked('rule 3: a straight amount within the ceiling, its own ceiling above', {}, [
    annAt500,
    bid('bob', 200, 600, 20, 'leading', 525, [525, 550, 'bob', 2, true]),
  ]),
  worked('rule 3: a straight amount equal to the ceiling, its own ceiling above', {}, [
    annAt500,
    bid('bob', 500, 600, 20, 'leading', 525, [525, 550, 'bob', 2, true]),
  ]),
  worked('rule 3: a straight amount above the ceiling with its own ceiling: the amount counts', {}, [
    annAt500,
    bid('bob', 520, 600, 20, 'leading', 520, [520, 545, 'bob', 2, true]),
    bid('cat', 590, null, 30, 'outbid', 590, [600, 625, 'bob', 3, true]),
  ]),
  worked('rule 3: straight against straight', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('bob', 109.99, null, 20, 'bid_too_low'),
    bid('bob', 110, null, 30, 'leading', 110, [110, 120, 'bob', 2, true]),
  ]),
  worked('rule 3: a proxy against a straight bid', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 1_000, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
  ]),
  worked('rule 3: the increment over a ceiling off the grid', {}, [
    bid('ann', null, 333.33, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 900, 20, 'leading', 343.33, [343.33, 353.33, 'bob', 2, true]),
  ]),
  worked('rule 3: the increment over a ceiling at a band edge', { start: 50 }, [
    bid('ann', null, 99.99, 10, 'leading', 50, [50, 55, 'ann', 1, true]),
    bid('bob', null, 900, 20, 'leading', 104.99, [104.99, 114.99, 'bob', 2, true]),
  ]),
  worked(
    'rules 3 and 4: three bidders',
    {},
    [
      bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', null, 400, 20, 'leading', 310, [310, 320, 'bob', 2, true]),
      bid('cat', null, 350, 30, 'outbid', 350, [360, 370, 'bob', 3, true]),
      bid('ann', null, 400, 40, 'outbid', 400, [400, 410, 'bob', 4, true]),
      bid('ann', 410, null, 50, 'leading', 410, [410, 420, 'ann', 5, true]),
    ],
    [
      ['b5', 410, 'leading', 'leading'],
      ['b4', 400, 'outbid', 'outbid'],
      ['b3', 350, 'outbid', 'outbid'],
      ['b2', 310, 'leading', 'outbid'],
      ['b1', 100, 'leading', 'outbid'],
    ],
  ),
];

/** Worked cases: ties (rule 4). */
export const tieCases = [
  worked('rules 1 and 4: a straight bid equal to a straight bid is too low', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('bob', 100, null, 20, 'bid_too_low'),
  ]),
  worked('rules 1 and 4: a ceiling equal to a straight bid is too low', {}, [
    bid('ann', 200, null, 10, 'leading', 200, [200, 210, 'ann', 1, true]),
    no('bob', null, 200, 20, 'bid_too_low'),
  ]),
  worked('rules 1 and 4: a ceiling equal to a ceiling at the starting bid is too low', {}, [
    bid('ann', null, 100, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('bob', null, 100, 20, 'bid_too_low'),
  ]),
  worked(
    'rule 4: a straight bid equal to a ceiling: the earlier one leads at the tied amount',
    {},
    [
      bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', 200, null, 20, 'outbid', 200, [200, 210, 'ann', 2, true]),
    ],
    [
      ['b2', 200, 'outbid', 'outbid'],
      ['b1', 100, 'leading', 'leading'],
    ],
  ),
  worked('rule 4: a ceiling equal to a ceiling, and a third is too low', {}, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 300, 20, 'outbid', 300, [300, 310, 'ann', 2, true]),
    no('cat', null, 300, 30, 'bid_too_low'),
  ]),
  worked('rule 4: both fields on both sides, equal ceilings', {}, [
    bid('ann', 150, 300, 10, 'leading', 150, [150, 160, 'ann', 1, true]),
    bid('bob', 200, 300, 20, 'outbid', 300, [300, 310, 'ann', 2, true]),
  ]),
  worked('rule 4: one cent short of a tie', {}, [
    bid('ann', null, 300.01, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 300, 20, 'outbid', 300, [300.01, 310.01, 'ann', 2, true]),
  ]),
  worked('rules 4 and 6: a tie at the reserve is too low, for the price stands there', { reserve: 300 }, [
    bid('ann', null, 300, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
    no('bob', null, 300, 20, 'bid_too_low'),
  ]),
  worked('rules 4 and 6: a tie below the reserve', { reserve: 300 }, [
    bid('ann', null, 250, 10, 'leading_reserve_not_met', 100, [100, 110, 'ann', 1, false]),
    bid('bob', null, 250, 20, 'outbid', 250, [250, 260, 'ann', 2, false]),
  ]),
];
