import { worked } from './build.ts';
import { bid, close, no, noReserve, reserve } from './steps.ts';

/** Worked cases: the reserve, 300 over a starting bid of 100 (rule 6). */
const LOW = 'leading_reserve_not_met';
const terms = { reserve: 300 };
const annAt200 = bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]);

export const reserveCases = [
  worked('rule 6: a straight bid below the reserve', terms, [
    bid('ann', 150, null, 10, LOW, 150, [150, 160, 'ann', 1, false]),
  ]),
  worked('rule 6: a ceiling below the reserve opens at the starting bid', terms, [annAt200]),
  worked('rule 6: a ceiling one cent below the reserve', terms, [
    bid('ann', null, 299.99, 10, LOW, 100, [100, 110, 'ann', 1, false]),
  ]),
  worked('rule 6: a ceiling equal to the reserve meets it at once', terms, [
    bid('ann', null, 300, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
  ]),
  worked('rule 6: a ceiling above the reserve goes no further than the reserve', terms, [
    bid('ann', null, 500, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
  ]),
  worked('rule 6: a straight bid equal to the reserve', terms, [
    bid('ann', 300, null, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
  ]),
  worked('rule 6: a straight bid above the reserve', terms, [
    bid('ann', 350, null, 10, 'leading', 350, [350, 360, 'ann', 1, true]),
  ]),
  worked('rule 6: a straight amount below, its ceiling at the reserve', terms, [
    bid('ann', 150, 300, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
  ]),
  worked('rule 6: a straight amount and its ceiling both below', terms, [
    bid('ann', 150, 299.99, 10, LOW, 150, [150, 160, 'ann', 1, false]),
  ]),
  worked('rule 6: a reserve below the starting bid changes nothing', { reserve: 50 }, [
    bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rule 6: a reserve off the grid', { reserve: 277.77 }, [
    bid('ann', null, 500, 10, 'leading', 277.77, [277.77, 287.77, 'ann', 1, true]),
  ]),
  worked(
    'rules 5 and 6: a raise that reaches the reserve lifts the price, and no row changes',
    terms,
    [
      annAt200,
      bid('ann', null, 300, 20, 'max_raised', 300, [300, 310, 'ann', 1, true]),
      close(3_600, 'sold'),
    ],
    [['b1', 100, LOW, 'won']],
  ),
  worked('rules 5 and 6: a raise that stays below the reserve moves nothing', terms, [
    annAt200,
    bid('ann', null, 299.99, 20, 'max_raised', 100, [100, 110, 'ann', 1, false]),
  ]),
  worked('rules 3 and 6: beaten by a ceiling above the reserve', terms, [
    annAt200,
    bid('bob', null, 400, 20, 'leading', 300, [300, 310, 'bob', 2, true]),
  ]),
  worked('rules 3 and 6: beaten by a ceiling below the reserve', terms, [
    annAt200,
    bid('bob', null, 250, 20, LOW, 210, [210, 220, 'bob', 2, false]),
  ]),
  worked('rules 3 and 6: beaten by a straight bid below the reserve', terms, [
    annAt200,
    bid('bob', 250, null, 20, LOW, 250, [250, 260, 'bob', 2, false]),
  ]),
  worked('rules 3 and 6: beaten by a straight bid above the reserve', terms, [
    annAt200,
    bid('bob', 350, null, 20, 'leading', 350, [350, 360, 'bob', 2, true]),
  ]),
  worked('rules 3 and 6: beaten by a straight amount below, its ceiling above the reserve', terms, [
    annAt200,
    bid('bob', 250, 400, 20, 'leading', 300, [300, 310, 'bob', 2, true]),
  ]),
  worked('rules 3 and 6: beaten within the ceiling, the new ceiling above the reserve', terms, [
    annAt200,
    bid('bob', 150, 400, 20, 'leading', 300, [300, 310, 'bob', 2, true]),
  ]),
  worked('rules 3 and 6: one increment above the old ceiling passes the reserve', { reserve: 205 }, [
    annAt200,
    bid('bob', null, 400, 20, 'leading', 210, [210, 220, 'bob', 2, true]),
  ]),
  worked('rules 4 and 6: an outbid bid below the reserve, the price as usual', terms, [
    bid('ann', null, 250, 10, LOW, 100, [100, 110, 'ann', 1, false]),
    bid('bob', null, 230, 20, 'outbid', 230, [240, 250, 'ann', 2, false]),
  ]),
  worked('rules 4 and 6: an outbid bid above a met reserve', terms, [
    bid('ann', null, 500, 10, 'leading', 300, [300, 310, 'ann', 1, true]),
    no('bob', 300, null, 20, 'bid_too_low'),
    bid('bob', null, 400, 30, 'outbid', 400, [410, 420, 'ann', 2, true]),
  ]),
  worked('rules 5 and 6: a straight bid of the leader below the reserve', terms, [
    annAt200,
    bid('ann', 250, null, 20, LOW, 250, [250, 260, 'ann', 2, false]),
  ]),
  worked('rules 5 and 6: a straight bid of the leader with a ceiling above the reserve', terms, [
    annAt200,
    bid('ann', 150, 400, 20, 'leading', 300, [300, 310, 'ann', 2, true]),
  ]),
  worked('rules 5 and 6: a straight bid of the leader above the reserve', terms, [
    annAt200,
    bid('ann', 320, null, 20, 'leading', 320, [320, 330, 'ann', 2, true]),
  ]),
];

/** Worked cases: the seller changes the reserve (rule 6 and the frozen fields). */
export const reserveChangeCases = [
  worked(
    'rule 6: lowered to where the ceiling covers it, met at once, without a row',
    terms,
    [annAt200, reserve(150, 20, [150, 160, 'ann', 1, true])],
    [['b1', 100, LOW, 'leading']],
  ),
  worked('rule 6: lowered to exactly the ceiling', terms, [
    annAt200,
    reserve(200, 20, [200, 210, 'ann', 1, true]),
  ]),
  worked('rule 6: lowered, and still above the ceiling', terms, [
    annAt200,
    reserve(250, 20, [100, 110, 'ann', 1, false]),
    bid('bob', null, 260, 30, 'leading', 250, [250, 260, 'bob', 2, true]),
  ]),
  worked('rule 6: lowered below the current bid', terms, [
    bid('ann', 120, null, 10, LOW, 120, [120, 130, 'ann', 1, false]),
    reserve(110, 20, [120, 130, 'ann', 1, true]),
  ]),
  worked('rule 6: taken away', terms, [annAt200, reserve(null, 20, [100, 110, 'ann', 1, true])]),
  worked('rule 6: after the first bid a reserve goes only down', terms, [
    annAt200,
    noReserve(300.01, 20, 'lot_locked'),
  ]),
  worked('rule 6: after the first bid no reserve comes about', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    noReserve(300, 20, 'lot_locked'),
  ]),
  worked('rule 6: before the first bid a reserve may go up', terms, [
    reserve(400, 5, [0, 100, null, 0, false]),
    bid('ann', null, 350, 10, LOW, 100, [100, 110, 'ann', 1, false]),
  ]),
];
