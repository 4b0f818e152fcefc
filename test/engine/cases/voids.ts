import { worked } from './build.ts';
import { bid, close, no, noVoid, reserve, voids } from './steps.ts';

/** Worked cases: staff void a bid (rule 15). */
const LOW = 'leading_reserve_not_met';

export const voidCases = [
  worked(
    'rule 15: the only bid',
    {},
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      voids('b1', 20, [0, 100, null, 0, true]),
      close(3_600, 'unsold'),
    ],
    [['b1', 100, 'leading', 'voided']],
  ),
  worked(
    'rule 15: the leading bid, straight',
    {},
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', 110, null, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
      voids('b2', 30, [100, 110, 'ann', 1, true]),
    ],
    [
      ['b2', 110, 'leading', 'voided'],
      ['b1', 100, 'leading', 'leading'],
    ],
  ),
  worked('rule 15: one in the middle', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 110, null, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
    bid('cat', 120, null, 30, 'leading', 120, [120, 130, 'cat', 3, true]),
    voids('b2', 40, [120, 130, 'cat', 2, true]),
  ]),
  worked('rule 15: an outbid ceiling no longer pushes', {}, [
    bid('ann', null, 500, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 300, 20, 'outbid', 300, [310, 320, 'ann', 2, true]),
    voids('b2', 30, [100, 110, 'ann', 1, true]),
    bid('cat', 110, null, 40, 'outbid', 110, [120, 130, 'ann', 2, true]),
  ]),
  worked(
    'rule 15: a row becomes a raise and leaves the list',
    {},
    [
      bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', null, 300, 20, 'leading', 210, [210, 220, 'bob', 2, true]),
      bid('ann', null, 250, 30, 'outbid', 250, [260, 270, 'bob', 3, true]),
      voids('b2', 40, [100, 110, 'ann', 1, true]),
      bid('cat', 250, null, 50, 'outbid', 250, [250, 260, 'ann', 2, true]),
    ],
    [
      ['b4', 250, 'outbid', 'outbid'],
      ['b2', 210, 'leading', 'voided'],
      ['b1', 100, 'leading', 'leading'],
    ],
  ),
  worked(
    'rule 15: a raise becomes a row',
    {},
    [
      bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('ann', null, 300, 20, 'max_raised', 100, [100, 110, 'ann', 1, true]),
      voids('b1', 30, [100, 110, 'ann', 1, true]),
    ],
    [
      ['b2', 100, 'leading', 'leading'],
      ['b1', 100, 'leading', 'voided'],
    ],
  ),
  worked(
    'rule 15: a raise that becomes a row against another leader',
    {},
    [
      bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', null, 150, 20, 'outbid', 150, [160, 170, 'ann', 2, true]),
      bid('ann', null, 300, 30, 'max_raised', 160, [160, 170, 'ann', 2, true]),
      voids('b1', 40, [160, 170, 'ann', 2, true]),
    ],
    [
      ['b3', 160, 'leading', 'leading'],
      ['b2', 100, 'leading', 'outbid'],
      ['b1', 100, 'leading', 'voided'],
    ],
  ),
  worked(
    'rule 15: a voided raise has no row, and its ceiling is gone',
    {},
    [
      bid('ann', null, 200, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('ann', null, 300, 20, 'max_raised', 100, [100, 110, 'ann', 1, true]),
      voids('b2', 30, [100, 110, 'ann', 1, true]),
      bid('bob', 250, null, 40, 'leading', 250, [250, 260, 'bob', 2, true]),
    ],
    [
      ['b3', 250, 'leading', 'leading'],
      ['b1', 100, 'leading', 'outbid'],
    ],
  ),
  worked(
    'rule 15: an outbid row becomes the leading one',
    {},
    [
      bid('ann', null, 500, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', 200, null, 20, 'outbid', 200, [210, 220, 'ann', 2, true]),
      voids('b1', 30, [200, 210, 'bob', 1, true]),
    ],
    [
      ['b2', 200, 'leading', 'leading'],
      ['b1', 100, 'leading', 'voided'],
    ],
  ),
  worked(
    "rule 15: a void changes another row's amount",
    {},
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', null, 300, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
      voids('b1', 30, [100, 110, 'bob', 1, true]),
    ],
    [
      ['b2', 100, 'leading', 'leading'],
      ['b1', 100, 'leading', 'voided'],
    ],
  ),
  worked('rules 4 and 15: the earlier of two equal ceilings', {}, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', null, 300, 20, 'outbid', 300, [300, 310, 'ann', 2, true]),
    voids('b1', 30, [100, 110, 'bob', 1, true]),
    bid('cat', null, 300, 40, 'outbid', 300, [300, 310, 'bob', 2, true]),
  ]),
  worked('rules 5 and 15: one bid of the leader after the other', {}, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('ann', 150, null, 20, 'leading', 150, [150, 160, 'ann', 2, true]),
    bid('bob', null, 200, 30, 'outbid', 200, [210, 220, 'ann', 3, true]),
    voids('b1', 40, [160, 170, 'bob', 2, true]),
    voids('b2', 50, [100, 110, 'bob', 1, true]),
    voids('b3', 60, [0, 100, null, 0, true]),
  ]),
  worked('rule 15: a new bid has the lower minimum', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 500, null, 20, 'leading', 500, [500, 525, 'bob', 2, true]),
    no('cat', 110, null, 30, 'bid_too_low'),
    voids('b2', 40, [100, 110, 'ann', 1, true]),
    bid('cat', 110, null, 50, 'leading', 110, [110, 120, 'cat', 2, true]),
  ]),
  worked('rules 8, 15 and 17: the extensions stay, and a void is none', { soft: [300, 300, 1] }, [
    bid('ann', 100, null, 3_590, 'leading', 100, [100, 110, 'ann', 1, true, 3_890]),
    voids('b1', 3_600, [0, 100, null, 0, true, 3_900]),
    bid('bob', 100, null, 3_880, 'leading', 100, [100, 110, 'bob', 1, true, 3_900]),
  ]),
  worked('rules 15 and 17: a void near the end', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 110, null, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
    voids('b2', 3_590, [100, 110, 'ann', 1, true, 3_890]),
  ]),
  worked('rules 6 and 15: the reserve is no longer met', { reserve: 300 }, [
    bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]),
    bid('bob', null, 400, 20, 'leading', 300, [300, 310, 'bob', 2, true]),
    voids('b2', 30, [100, 110, 'ann', 1, false]),
  ]),
  worked('rules 6 and 15: the raise that met the reserve', { reserve: 300 }, [
    bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]),
    bid('ann', null, 400, 20, 'max_raised', 300, [300, 310, 'ann', 1, true]),
    voids('b2', 30, [100, 110, 'ann', 1, false]),
  ]),
  worked('rules 6 and 15: a lowered reserve stays lowered', { reserve: 300 }, [
    bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]),
    bid('bob', 120, null, 20, 'outbid', 120, [130, 140, 'ann', 2, false]),
    reserve(150, 30, [150, 160, 'ann', 2, true]),
    voids('b2', 40, [150, 160, 'ann', 1, true]),
  ]),
  worked('rules 6 and 15: a lowered reserve that only the voided bid had met', { reserve: 500 }, [
    bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]),
    bid('bob', 300, null, 20, LOW, 300, [300, 310, 'bob', 2, false]),
    reserve(250, 30, [300, 310, 'bob', 2, true]),
    voids('b2', 40, [100, 110, 'ann', 1, false]),
  ]),
  worked('rule 15: twice, and after the close', {}, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    bid('bob', 110, null, 20, 'leading', 110, [110, 120, 'bob', 2, true]),
    voids('b2', 30, [100, 110, 'ann', 1, true]),
    noVoid('b2', 40, 'already_voided'),
    close(3_600, 'sold'),
    noVoid('b1', 3_610, 'lot_closed'),
  ]),
  worked(
    'rule 17: a void in the last window opens it again, beyond the most extensions',
    { soft: [300, 60, 0] },
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
      bid('bob', 500, null, 3_400, 'leading', 500, [500, 525, 'bob', 2, true, 3_600]),
      no('cat', 200, null, 3_410, 'bid_too_low'),
      voids('b2', 3_590, [100, 110, 'ann', 1, true, 3_890]),
      bid('cat', 200, null, 3_700, 'leading', 200, [200, 210, 'cat', 2, true, 3_890]),
    ],
  ),
  worked('rule 17: no price falls, the end stays', { soft: [300, 300] }, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
    bid('bob', 110, null, 20, 'leading', 110, [110, 120, 'bob', 2, true, 3_600]),
    voids('b1', 3_590, [110, 120, 'bob', 1, true, 3_600]),
  ]),
  worked('rule 17: a void before the last window moves nothing', { soft: [300, 300] }, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true, 3_600]),
    bid('bob', 500, null, 20, 'leading', 500, [500, 525, 'bob', 2, true, 3_600]),
    voids('b2', 3_300, [100, 110, 'ann', 1, true, 3_600]),
  ]),
];
