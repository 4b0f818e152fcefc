import { worked } from './build.ts';
import { bid, buy, close, hammer, no, noBuy, noVoid, pause, withdraw } from './steps.ts';

/** Worked cases: buy now (rule 13), the floor and its word (rule 14). */
const LOW = 'leading_reserve_not_met';
const floor = { channel: 'floor' } as const;

export const buyNowCases = [
  worked(
    'rule 13: before the first bid',
    { buyNow: 1_000 },
    [
      buy('ann', 10, 1_000, [1_000, 1_050, 'ann', 1, true]),
      no('bob', 2_000, null, 20, 'lot_closed'),
      noBuy('bob', 20, 'lot_closed'),
      noVoid('b1', 30, 'lot_closed'),
      close(3_600, 'lot_closed'),
    ],
    [['b1', 1_000, 'won', 'won']],
  ),
  worked('rule 13: no price set', {}, [noBuy('ann', 10, 'buy_now_unavailable')]),
  worked('rule 13: without a reserve, over with the first bid', { buyNow: 1_000 }, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    noBuy('bob', 20, 'buy_now_unavailable'),
    noBuy('ann', 30, 'buy_now_unavailable'),
  ]),
  worked(
    'rule 13: with a reserve, open until it is met',
    { buyNow: 1_000, reserve: 500 },
    [
      bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]),
      buy('bob', 20, 1_000, [1_000, 1_050, 'bob', 2, true]),
    ],
    [
      ['b2', 1_000, 'won', 'won'],
      ['b1', 100, LOW, 'outbid'],
    ],
  ),
  worked(
    'rule 13: the leader may buy too',
    { buyNow: 1_000, reserve: 500 },
    [
      bid('ann', null, 200, 10, LOW, 100, [100, 110, 'ann', 1, false]),
      buy('ann', 20, 1_000, [1_000, 1_050, 'ann', 2, true]),
    ],
    [
      ['b2', 1_000, 'won', 'won'],
      ['b1', 100, LOW, 'outbid'],
    ],
  ),
  worked('rule 13: with a reserve, over once it is met', { buyNow: 1_000, reserve: 500 }, [
    bid('ann', null, 500, 10, 'leading', 500, [500, 525, 'ann', 1, true]),
    noBuy('bob', 20, 'buy_now_unavailable'),
  ]),
  worked('rules 8 and 13: a purchase does not extend', { buyNow: 1_000 }, [
    buy('ann', 3_590, 1_000, [1_000, 1_050, 'ann', 1, true, 3_600]),
  ]),
  worked('rule 13: the refusals of a bid come first', { buyNow: 1_000, consignorUserId: 3 }, [
    noBuy('ann', -1, 'lot_not_started'),
    noBuy('sam', 10, 'seller_cannot_bid'),
    noBuy('cat', 10, 'seller_cannot_bid'),
    noBuy('ann', 20, 'currency_mismatch', 'eur'),
    pause(30),
    noBuy('ann', 40, 'auction_paused'),
  ]),
  worked('rule 13: state and currency before buy_now_unavailable', {}, [
    noBuy('ann', 10, 'currency_mismatch', 'eur'),
    noBuy('ann', 3_600, 'lot_closed'),
    withdraw(3_601),
    noBuy('ann', 3_602, 'lot_withdrawn'),
  ]),
];

export const floorCases = [
  worked('rule 14: the floor bids by the same rules', {}, [
    bid('ann', null, 300, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    no('floor:88', 105, null, 20, 'bid_too_low', floor),
    bid('floor:88', 200, null, 30, 'outbid', 200, [210, 220, 'ann', 2, true], floor),
    bid('floor:88', 310, null, 40, 'leading', 310, [310, 320, 'floor:88', 3, true], floor),
  ]),
  worked('rule 14: an absentee ceiling waits like a proxy', {}, [
    bid('floor:9', null, 500, 10, 'leading', 100, [100, 110, 'floor:9', 1, true], { channel: 'absentee' }),
    bid('ann', 200, null, 20, 'outbid', 200, [210, 220, 'floor:9', 2, true]),
    bid('floor:7', null, 500, 30, 'outbid', 500, [500, 525, 'floor:9', 3, true], { channel: 'phone' }),
  ]),
  worked("rules 7 and 14: the floor takes the journal's clock, and extends", {}, [
    no('floor:88', 100, null, -1, 'lot_not_started', floor),
    bid('floor:88', 100, null, 3_590, 'leading', 100, [100, 110, 'floor:88', 1, true, 3_890], floor),
    no('floor:88', 300, null, 3_890, 'lot_closed', floor),
  ]),
  worked('rule 14: a simulcast auction takes bids past the end', { type: 'simulcast', soft: null }, [
    bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
    close(3_600, 'not_due'),
    bid('bob', 110, null, 4_000, 'leading', 110, [110, 120, 'bob', 2, true]),
    bid('floor:88', 120, null, 4_010, 'leading', 120, [120, 130, 'floor:88', 3, true], floor),
    no('ann', 125, null, 4_020, 'bid_too_low'),
    hammer(4_030, 'sold', 120, 'floor:88'),
    no('ann', 200, null, 4_040, 'lot_closed'),
  ]),
  worked(
    'rule 14: a sold event closes a timed lot before its end',
    {},
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      hammer(20, 'sold', 100, 'ann'),
      no('bob', 200, null, 30, 'lot_closed'),
      close(3_600, 'lot_closed'),
    ],
    [['b1', 100, 'leading', 'won']],
  ),
  worked("rule 14: the auctioneer's word stands, with flags", { reserve: 300 }, [
    bid('ann', 200, null, 10, LOW, 200, [200, 210, 'ann', 1, false]),
    hammer(20, 'sold', 150, 'floor:88', ['not_the_leader', 'hammer_below_current', 'reserve_not_met'], null, [
      150,
      160,
      'floor:88',
      2,
      false,
    ]),
  ]),
  worked('rule 14: a reserve not met alone', { reserve: 300 }, [
    bid('ann', 200, null, 10, LOW, 200, [200, 210, 'ann', 1, false]),
    hammer(20, 'sold', 200, 'ann', ['reserve_not_met']),
  ]),
  worked(
    'rule 14: the same facts again, and different ones (reading: any later word but the same is refused)',
    {},
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      hammer(20, 'sold', 100, 'ann'),
      hammer(30, 'sold', 100, 'ann', [], 'duplicate'),
      hammer(40, 'sold', 110, 'ann', [], 'lot_already_sold'),
      hammer(50, 'sold', 100, 'bob', [], 'lot_already_sold'),
      hammer(60, 'passed', null, null, [], 'lot_already_sold'),
    ],
  ),
  worked(
    'rule 14: a sale at another price than the buyer’s row says adds a row',
    { type: 'simulcast' },
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      hammer(20, 'sold', 120, 'ann', [], null, [120, 130, 'ann', 2, true]),
    ],
    [
      ['b2', 120, 'won', 'won'],
      ['b1', 100, 'leading', 'outbid'],
    ],
  ),
  worked(
    'rule 14: so does a sale at a price that the buyer’s ceiling was pushed to',
    { type: 'simulcast' },
    [
      bid('ann', null, 500, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      bid('bob', 200, null, 20, 'outbid', 200, [210, 220, 'ann', 2, true]),
      hammer(30, 'sold', 210, 'ann', [], null, [210, 220, 'ann', 3, true]),
    ],
    [
      ['b3', 210, 'won', 'won'],
      ['b2', 200, 'outbid', 'outbid'],
      ['b1', 100, 'leading', 'outbid'],
    ],
  ),
  worked(
    'rule 14: a sale to nobody that is known, without any bid',
    { type: 'simulcast' },
    [hammer(20, 'sold', 70, null, ['not_the_leader'], null, [70, 75, '', 1, true])],
    [['b1', 70, 'won', 'won']],
  ),
  worked(
    'rule 14: a lot that had passed is sold after all, and stays so',
    { type: 'simulcast', reserve: 300 },
    [
      bid('ann', 200, null, 10, LOW, 200, [200, 210, 'ann', 1, false]),
      hammer(20, 'passed', null, null),
      hammer(30, 'sold', 250, 'bob', ['not_the_leader', 'reserve_not_met'], null, [
        250,
        260,
        'bob',
        2,
        false,
      ]),
      hammer(40, 'sold', 250, 'bob', [], 'duplicate'),
      hammer(50, 'sold', 260, 'bob', [], 'lot_already_sold'),
    ],
    [
      ['b3', 250, 'won', 'won'],
      ['b1', 200, 'leading_reserve_not_met', 'outbid'],
    ],
  ),
  worked(
    'rule 14: a lot that the floor sells to its leader after it had passed needs no other row',
    { type: 'simulcast' },
    [
      bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]),
      hammer(20, 'passed', null, null),
      hammer(30, 'sold', 100, 'ann'),
    ],
    [['b1', 100, 'leading', 'won']],
  ),
  worked('rule 14: a timed auction’s lot that is over stays as it is', { reserve: 300 }, [
    bid('ann', 200, null, 10, LOW, 200, [200, 210, 'ann', 1, false]),
    close(3_600, 'passed'),
    hammer(3_700, 'sold', 200, 'ann', [], 'lot_already_sold'),
  ]),
  worked(
    'rule 14: passed on the floor',
    { type: 'simulcast' },
    [bid('ann', 100, null, 10, 'leading', 100, [100, 110, 'ann', 1, true]), hammer(20, 'passed', null, null)],
    [['b1', 100, 'leading', 'leading']],
  ),
  worked('rule 14: unsold on the floor', { type: 'simulcast' }, [hammer(20, 'unsold', null, null)], []),
  worked(
    'rules 13 and 14: a simulcast lot can be bought past its end',
    { type: 'simulcast', buyNow: 1_000, soft: null },
    [buy('ann', 4_000, 1_000, [1_000, 1_050, 'ann', 1, true])],
  ),
];
