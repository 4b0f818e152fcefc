import { worked } from './build.ts';
import { bid, no } from './steps.ts';

/** Worked cases: the leader bids again (rule 5). Ann leads at 100 with a ceiling of 300 in most. */
const annAt300 = bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]);

export const raiseCases = [
  worked(
    'rule 5: a higher ceiling is a raise: no row, no count, the price stays',
    {},
    [annAt300, bid('ann', null, 400, 20, 'max_raised', 100, [100, 110, 'ann', 1, true])],
    [['b1', 100, 'leading', 'leading']],
  ),
  worked('rule 5: the raised ceiling defends', {}, [
    annAt300,
    bid('ann', null, 400, 20, 'max_raised', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 350, 30, 'outbid', 350, [360, 370, 'ann', 2, true]),
  ]),
  worked('rule 5: the same ceiling is not increased', {}, [
    annAt300,
    no('ann', null, 300, 20, 'max_not_increased'),
  ]),
  worked('rule 5: a lower ceiling is not increased', {}, [
    annAt300,
    no('ann', null, 250, 20, 'max_not_increased'),
  ]),
  worked('rule 5: not increased is asked before too low', {}, [
    annAt300,
    no('ann', null, 50, 20, 'max_not_increased'),
  ]),
  worked('rules 1 and 5: a raise need not reach the minimum next bid', {}, [
    bid('ann', 200, null, 10, 'leading', 200, [200, 210, 'ann', 1, true]),
    bid('ann', null, 200.01, 20, 'max_raised', 200, [200, 210, 'ann', 1, true]),
  ]),
  worked(
    'rule 5: a straight bid within the own ceiling: the price follows, the ceiling stays',
    {},
    [
      annAt300,
      bid('ann', 150, null, 20, 'leading', 150, [150, 160, 'ann', 2, true]),
      bid('bob', 300, null, 30, 'outbid', 300, [300, 310, 'ann', 3, true]),
    ],
    [
      ['b3', 300, 'outbid', 'outbid'],
      ['b2', 150, 'leading', 'leading'],
      ['b1', 100, 'leading', 'outbid'],
    ],
  ),
  worked('rule 5: a straight bid above the own ceiling is the new ceiling', {}, [
    annAt300,
    bid('ann', 350, null, 20, 'leading', 350, [350, 360, 'ann', 2, true]),
    no('bob', null, 350, 30, 'bid_too_low'),
    bid('bob', 360, null, 40, 'leading', 360, [360, 370, 'bob', 3, true]),
  ]),
  worked('rule 5: a straight bid equal to the own ceiling', {}, [
    annAt300,
    bid('ann', 300, null, 20, 'leading', 300, [300, 310, 'ann', 2, true]),
  ]),
  worked('rules 1 and 5: a straight bid of the leader has to reach the minimum', {}, [
    annAt300,
    no('ann', 109.99, null, 20, 'bid_too_low'),
    bid('ann', 110, null, 30, 'leading', 110, [110, 120, 'ann', 2, true]),
  ]),
  worked('rules 1 and 5: the same straight bid again is too low', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('ann', 100, null, 20, 'bid_too_low'),
  ]),
  worked('rule 5: both fields with the amount too low is no raise either', {}, [
    annAt300,
    no('ann', 105, 900, 20, 'bid_too_low'),
    bid('bob', 300, null, 30, 'outbid', 300, [300, 310, 'ann', 2, true]),
    bid('bob', 310, null, 40, 'leading', 310, [310, 320, 'bob', 3, true]),
  ]),
  worked('rule 5: both fields, the new ceiling above the old one', {}, [
    annAt300,
    bid('ann', 150, 600, 20, 'leading', 150, [150, 160, 'ann', 2, true]),
    bid('bob', null, 500, 30, 'outbid', 500, [525, 550, 'ann', 3, true]),
  ]),
  worked('rule 5: both fields, the new ceiling below the old one, which stays', {}, [
    annAt300,
    bid('ann', 150, 200, 20, 'leading', 150, [150, 160, 'ann', 2, true]),
    bid('bob', null, 250, 30, 'outbid', 250, [260, 270, 'ann', 3, true]),
  ]),
  worked('rule 5: whoever was beaten does not raise, but bids', {}, [
    bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 300, 20, 'leading', 210, [210, 220, 'bob', 2, true]),
    no('ann', null, 215, 30, 'bid_too_low'),
    bid('ann', null, 250, 40, 'outbid', 250, [260, 270, 'bob', 3, true]),
  ]),
  worked('rule 5: two raises, then beaten above the second', {}, [
    annAt300,
    bid('ann', null, 301, 20, 'max_raised', 100, [100, 110, 'ann', 1, true]),
    bid('ann', null, 450, 30, 'max_raised', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 1_000, 40, 'leading', 460, [460, 470, 'bob', 2, true]),
  ]),
];
