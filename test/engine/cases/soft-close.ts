import { worked } from './build.ts';
import { bid, close, no, outage, pause, reserve, resume } from './steps.ts';

/**
 * Worked cases: the end of a lot (rules 7 and 8) and pauses. A lot ends at second 3600; window and extension are 300.
 */
const annEarly = bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]);

export const softCloseCases = [
  worked('rule 8: exactly the window left, no extension', {}, [
    bid('ann', 100, null, 3_300, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
  ]),
  worked('rule 8: a microsecond less than the window left', {}, [
    bid('ann', 100, null, 3_300.000001, 'leading', 100, [100, 110, 'ann', 1, true, 3_600.000001]),
  ]),
  worked('rule 8: the edge of the window shows where the extension is longer', { soft: [300, 600] }, [
    bid('ann', 100, null, 3_300, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
    bid('bob', 110, null, 3_300.000001, 'leading', 110, [110, 120, 'bob', 2, true, 3_900.000001]),
  ]),
  worked('rules 7 and 8: a microsecond before the end', {}, [
    bid('ann', 100, null, 3_599.999999, 'leading', 100, [100, 110, 'ann', 1, true, 3_899.999999]),
    close(3_600, 'not_due'),
    close(3_899.999999, 'sold'),
  ]),
  worked('rule 7: at the end it is closed, whether the close stands or not', {}, [
    annEarly,
    no('bob', 500, null, 3_600, 'lot_closed'),
    no('bob', 500, null, 3_600.5, 'lot_closed'),
    close(3_601, 'sold'),
    no('bob', 500, null, 3_602, 'lot_closed'),
  ]),
  worked('rule 8: extended twice', {}, [
    bid('ann', 100, null, 3_500, 'leading', 100, [100, 110, 'ann', 1, true, 3_800]),
    bid('bob', 110, null, 3_600, 'leading', 110, [110, 120, 'bob', 2, true, 3_900]),
    no('ann', 120, null, 3_900, 'lot_closed'),
  ]),
  worked('rule 8: at most max_extensions times', { soft: [300, 300, 1] }, [
    bid('ann', 100, null, 3_500, 'leading', 100, [100, 110, 'ann', 1, true, 3_800]),
    bid('bob', 110, null, 3_700, 'leading', 110, [110, 120, 'bob', 2, true, 3_800]),
  ]),
  worked('rule 8: max_extensions of 0 never extends', { soft: [300, 300, 0] }, [
    bid('ann', 100, null, 3_590, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
  ]),
  worked(
    'rule 8: an extension shorter than what is left moves nothing and does not count',
    { soft: [300, 60, 1] },
    [
      bid('ann', 100, null, 3_400, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
      bid('bob', 110, null, 3_590, 'leading', 110, [110, 120, 'bob', 2, true, 3_650]),
      bid('ann', 120, null, 3_640, 'leading', 120, [120, 130, 'ann', 3, true, 3_650]),
    ],
  ),
  worked(
    'rule 8: an extension equal to what is left moves nothing and does not count',
    { soft: [300, 60, 1] },
    [
      bid('ann', 100, null, 3_540, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
      bid('bob', 110, null, 3_550, 'leading', 110, [110, 120, 'bob', 2, true, 3_610]),
    ],
  ),
  worked('rule 8: an extension longer than the window', { soft: [60, 600] }, [
    bid('ann', 100, null, 3_550, 'leading', 100, [100, 110, 'ann', 1, true, 4_150]),
    bid('bob', 110, null, 3_700, 'leading', 110, [110, 120, 'bob', 2, true, 4_150]),
  ]),
  worked('rule 8: an extension of 0 moves nothing', { soft: [300, 0] }, [
    bid('ann', 100, null, 3_590, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
  ]),
  worked('rule 8: a window of 0 turns it off', { soft: [0, 300] }, [
    bid('ann', 100, null, 3_599.999999, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
  ]),
  worked('rule 8: no soft close at all', { soft: null }, [
    bid('ann', 100, null, 3_599.999999, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
  ]),
  worked('rules 5 and 8: a raise never extends', {}, [
    annEarly,
    bid('ann', null, 300, 3_590, 'max_raised', 100, [100, 110, 'ann', 1, true, 3_600]),
  ]),
  worked('rules 6 and 8: not even where it lifts the price to the reserve', { reserve: 300 }, [
    bid('ann', null, 200, 10, 'leading_reserve_not_met', 100, [100, 110, 'ann', 1, false]),
    bid('ann', null, 400, 3_590, 'max_raised', 300, [300, 310, 'ann', 1, true, 3_600]),
  ]),
  worked('rules 6 and 8: a lowered reserve does not extend', { reserve: 300 }, [
    bid('ann', null, 200, 10, 'leading_reserve_not_met', 100, [100, 110, 'ann', 1, false]),
    reserve(150, 3_590, [150, 160, 'ann', 1, true, 3_600]),
  ]),
  worked('rules 4 and 8: an outbid bid moves the price, so it extends', {}, [
    annEarly,
    bid('bob', 150, null, 3_590, 'outbid', 150, [160, 170, 'ann', 2, true, 3_890]),
  ]),
  worked('rules 4 and 8: a tie moves the price, so it extends', {}, [
    annEarly,
    bid('bob', 200, null, 3_590, 'outbid', 200, [200, 210, 'ann', 2, true, 3_890]),
  ]),
  worked('rules 5 and 8: a straight bid of the leader extends', {}, [
    annEarly,
    bid('ann', 150, null, 3_590, 'leading', 150, [150, 160, 'ann', 2, true, 3_890]),
  ]),
  worked('rules 1 and 8: refused bids never extend', {}, [
    annEarly,
    no('bob', 105, null, 3_590, 'bid_too_low'),
    no('ann', null, 150, 3_591, 'max_not_increased'),
    close(3_600, 'sold'),
  ]),
];

export const pauseCases = [
  worked('rule 7: from the start time on, not before', {}, [
    no('ann', 100, null, -0.000001, 'lot_not_started'),
    bid('ann', 100, null, 0, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rule 7: the end moves by the length of the pause', {}, [
    annEarly,
    pause(20),
    no('bob', 300, null, 30, 'auction_paused'),
    resume(70.25, [100, 110, 'ann', 1, true, 3_650.25]),
    bid('bob', 300, null, 80, 'leading', 300, [300, 310, 'bob', 2, true]),
  ]),
  worked('rule 7: two pauses add up', {}, [
    annEarly,
    pause(100),
    resume(110, [100, 110, 'ann', 1, true, 3_610]),
    pause(200),
    resume(220, [100, 110, 'ann', 1, true, 3_630]),
    close(3_629.999999, 'not_due'),
    close(3_630, 'sold'),
  ]),
  worked('rules 7 and 8: while paused nothing closes, and the soft close goes by the moved end', {}, [
    annEarly,
    pause(3_599),
    no('bob', 300, null, 3_700, 'auction_paused'),
    close(3_700, 'not_due'),
    resume(3_800, [100, 110, 'ann', 1, true, 3_801]),
    bid('bob', 300, null, 3_800.5, 'leading', 300, [300, 310, 'bob', 2, true, 4_100.5]),
  ]),
  worked('rules 7 and 8: a pause is no extension', { soft: [300, 300, 1] }, [
    annEarly,
    pause(100),
    resume(200, [100, 110, 'ann', 1, true, 3_700]),
    bid('bob', 300, null, 3_690, 'leading', 300, [300, 310, 'bob', 2, true, 3_990]),
  ]),
  worked('rule 7: the end of a closed lot does not move', {}, [
    annEarly,
    close(3_600, 'sold'),
    pause(3_700),
    no('bob', 300, null, 3_710, 'auction_paused'),
    resume(3_800),
    no('bob', 300, null, 3_810, 'lot_closed'),
  ]),
];

export const outageCases = [
  worked('rule 16: an outage over the end keeps the lot open for the window after it', {}, [
    annEarly,
    outage(3_590, 3_650, [100, 110, 'ann', 1, true, 3_950]),
    bid('bob', 300, null, 3_651, 'leading', 300, [300, 310, 'bob', 2, true, 3_951]),
    close(3_950.999999, 'not_due'),
    close(3_951, 'sold'),
  ]),
  worked('rule 16: an outage within the window gives the window anew', {}, [
    annEarly,
    outage(3_310, 3_320, [100, 110, 'ann', 1, true, 3_620]),
    close(3_600, 'not_due'),
    close(3_620, 'sold'),
  ]),
  worked('rule 16: an outage that reaches into the window counts from its first microsecond on', {}, [
    annEarly,
    outage(3_290, 3_300, [100, 110, 'ann', 1, true, 3_600]),
    outage(3_300, 3_300.000001, [100, 110, 'ann', 1, true, 3_600.000001]),
  ]),
  worked('rule 16: a lot that was over when the journal went away is closed as it stood', {}, [
    annEarly,
    outage(3_600, 3_700, [100, 110, 'ann', 1, true, 3_600]),
    no('bob', 300, null, 3_701, 'lot_closed'),
    close(3_702, 'sold'),
  ]),
  worked('rule 16: without a window nothing stays open', { soft: null }, [
    annEarly,
    outage(3_500, 3_700, [100, 110, 'ann', 1, true, 3_600]),
    close(3_700, 'sold'),
  ]),
  worked(
    'rule 16: an outage is no extension that is counted, and moves an end that was extended',
    { soft: [300, 300, 1] },
    [
      bid('ann', 100, null, 3_500, 'leading', 100, [100, 110, 'ann', 1, true, 3_800]),
      outage(3_790, 3_810, [100, 110, 'ann', 1, true, 4_110]),
      bid('bob', 110, null, 4_100, 'leading', 110, [110, 120, 'bob', 2, true, 4_110]),
    ],
  ),
  worked(
    'rule 16: the first bid after an outage is in time, before anybody has looked at the lot',
    { soft: [300, 60] },
    [
      annEarly,
      outage(3_595, 3_900, [100, 110, 'ann', 1, true, 4_200]),
      bid('bob', 300, null, 3_901, 'leading', 300, [300, 310, 'bob', 2, true, 4_200]),
    ],
  ),
  worked('rule 16: what nobody missed in a pause is not made up for', {}, [
    annEarly,
    pause(3_550),
    outage(3_560, 3_570),
    resume(3_580, [100, 110, 'ann', 1, true, 3_630]),
    outage(3_620, 3_640, [100, 110, 'ann', 1, true, 3_940]),
    pause(3_700),
    resume(3_710, [100, 110, 'ann', 1, true, 3_950]),
  ]),
  worked('rule 16: two outages, one after the other', {}, [
    annEarly,
    outage(3_550, 3_560, [100, 110, 'ann', 1, true, 3_860]),
    outage(3_800, 3_870, [100, 110, 'ann', 1, true, 4_170]),
    close(4_170, 'sold'),
  ]),
];
