import { worked } from './build.ts';
import { bid, buy, close, no, outage, pause, resume, voids } from './steps.ts';

/**
 * Worked cases: lots that close together (rule 20). By the stagger lot 1 ends at second 3600, lot 2 a minute and lot 3
 * two minutes later; window and extension are 300.
 */
const three = { lots: 3, stagger: 60, isGrouped: true } as const;
const second = { lot: 2 } as const;
const third = { lot: 3 } as const;
const annEarly = bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true, 3_720]);

export const groupCases = [
  worked('rules 9 and 20: all end with the last of them', three, [
    annEarly,
    no('bob', 105, null, 3_600, 'bid_too_low'),
    close(3_719, 'not_due'),
    close(3_720, 'sold'),
    close(3_720, 'unsold', 2),
    close(3_720, 'unsold', 3),
  ]),
  worked('rules 8 and 20: a late bid on one moves the end of all', three, [
    bid('ann', 100, null, 3_600, 'leading', 100, [100, 110, 'ann', 1, true, 3_900]),
    bid('bob', 100, null, 3_750, 'leading', 100, [100, 110, 'bob', 1, true, 4_050], second),
    close(3_900, 'not_due'),
    bid('cat', 110, null, 4_000, 'leading', 110, [110, 120, 'cat', 2, true, 4_300]),
    close(4_200, 'not_due', 3),
    close(4_300, 'unsold', 3),
    no('dan', 500, null, 4_300, 'lot_closed', second),
    close(4_300, 'sold'),
  ]),
  worked('rules 8 and 20: one limit of extensions for all', { ...three, soft: [300, 300, 2] }, [
    bid('ann', 100, null, 3_600, 'leading', 100, [100, 110, 'ann', 1, true, 3_900]),
    bid('ann', 100, null, 3_700, 'leading', 100, [100, 110, 'ann', 1, true, 4_000], second),
    bid('ann', 100, null, 3_900, 'leading', 100, [100, 110, 'ann', 1, true, 4_000], third),
    bid('bob', 110, null, 3_950, 'leading', 110, [110, 120, 'bob', 2, true, 4_000]),
  ]),
  worked('rules 13 and 20: one that is bought leaves the others open', { ...three, buyNow: 900 }, [
    buy('ann', 20, 900, [900, 925, 'ann', 1, true, 3_720]),
    bid('bob', 100, null, 3_700, 'leading', 100, [100, 110, 'bob', 1, true, 4_000], second),
    close(3_720, 'not_due', 3),
    close(4_000, 'unsold', 3),
  ]),
  worked('rules 16 and 20: an outage gives all of them the window', three, [
    annEarly,
    outage(3_715, 3_730, [100, 110, 'ann', 1, true, 4_030]),
    bid('bob', 100, null, 3_740, 'leading', 100, [100, 110, 'bob', 1, true, 4_040], second),
    close(4_030, 'not_due'),
    close(4_040, 'sold'),
  ]),
  worked('rules 16 and 20: an outage after the close of one keeps none open', three, [
    close(3_720, 'unsold'),
    outage(3_725, 3_800),
    no('bob', 100, null, 3_810, 'lot_closed', second),
    close(3_810, 'unsold', 2),
  ]),
  worked('rules 17 and 20: so does a void near the end', { ...three, soft: [300, 60, 0] }, [
    annEarly,
    bid('bob', 500, null, 3_500, 'leading', 500, [500, 525, 'bob', 2, true, 3_720]),
    voids('b2', 3_710, [100, 110, 'ann', 1, true, 4_010]),
    bid('cat', 100, null, 3_900, 'leading', 100, [100, 110, 'cat', 1, true, 4_010], second),
    close(4_010, 'unsold', 3),
  ]),
  worked('rules 7 and 20: a pause moves the end that a bid on another has moved', three, [
    bid('ann', 100, null, 3_700, 'leading', 100, [100, 110, 'ann', 1, true, 4_000], third),
    pause(3_800),
    no('bob', 100, null, 3_850, 'auction_paused', second),
    resume(3_900, [0, 100, null, 0, true, 4_100]),
    bid('bob', 100, null, 3_950, 'leading', 100, [100, 110, 'bob', 1, true, 4_250], second),
    close(4_249, 'not_due'),
    close(4_250, 'unsold'),
  ]),
  worked('rules 7 and 20: a pause after the close of one keeps none open', three, [
    annEarly,
    close(3_720, 'sold'),
    pause(3_725),
    no('bob', 100, null, 3_730, 'lot_closed', second),
    close(3_730, 'unsold', 2),
  ]),
];
