import { worked } from './build.ts';
import { bid, buy, close, hammer, no } from './steps.ts';

/** Worked cases: lots that are sold by the unit (rule 19). Amounts in the tables are for one unit. */
const floor = { channel: 'floor' } as const;

export const unitCases = [
  worked('rule 19: sold at the price of a unit times the units', { units: 38.5, hammer: 4_235 }, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 110, null, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
    close(3_600, 'sold'),
  ]),
  worked('rule 19: rounded half up to the cent, once', { start: 0.01, units: 0.5, hammer: 0.01 }, [
    bid('ann', 0.01, null, 10, 'leading', 0.01, [0.01, 5.01, 'ann', 1, true]),
    close(3_600, 'sold'),
  ]),
  worked('rule 19: rounded down below half a cent', { start: 0.01, units: 1.4999, hammer: 0.01 }, [
    bid('ann', 0.01, null, 10, 'leading', 0.01, [0.01, 5.01, 'ann', 1, true]),
    close(3_600, 'sold'),
  ]),
  worked('rules 6 and 19: the reserve is the price of a unit', { units: 10, reserve: 500, hammer: 5_000 }, [
    bid('ann', null, 600, 10, 'leading', 500, [500, 525, 'ann', 1, true]),
    close(3_600, 'sold'),
  ]),
  worked('rules 12 and 19: a limit counts what ceilings come to', { units: 2.5, limit: 500 }, [
    no('ann', 200.01, null, 10, 'bid_limit_exceeded'),
    bid('ann', null, 200, 20, 'leading', 100, [100, 110, 'ann', 1, true]),
  ]),
  worked('rules 12 and 19: it counts the other lots too', { units: 2, limit: 500, lots: 2 }, [
    bid('ann', null, 150, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('ann', 100.01, null, 20, 'bid_limit_exceeded', { lot: 2 }),
    bid('ann', 100, null, 30, 'leading', 100, [100, 110, 'ann', 1, true], { lot: 2 }),
  ]),
  worked('rules 13 and 19: bought at the price of a unit', { buyNow: 1_000, units: 3.25, hammer: 3_250 }, [
    buy('ann', 10, 1_000, [1_000, 1_050, 'ann', 1, true]),
  ]),
  worked(
    'rules 14 and 19: the floor calls the price of a unit',
    { type: 'simulcast', units: 40, hammer: 4_800 },
    [
      bid('floor:88', 110, null, 10, 'leading', 110, [110, 120, 'floor:88', 1, true], floor),
      hammer(20, 'sold', 120, 'floor:88', [], null, [120, 130, 'floor:88', 2, true]),
      hammer(30, 'sold', 120, 'floor:88', [], 'duplicate'),
      hammer(40, 'sold', 4_800, 'floor:88', [], 'lot_already_sold'),
    ],
  ),
];
