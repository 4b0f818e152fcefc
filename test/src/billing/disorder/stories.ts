/**
 * Histories of money that once went wrong, each in the fewest steps. A step's `how` says how: odd in Stripe's shape,
 * of three delayed; see `stepsOf`.
 */
import type { Played } from './disorder-play.ts';
import type { Beginning, SoldLot } from './disorder-world.ts';

export interface Story {
  readonly name: string;
  readonly begin: Beginning;
  readonly steps: readonly Played[];
}

const lot = (hammer: number, more: Partial<SoldLot> = {}): SoldLot => ({
  ...{ auction: 0, buyer: 0, hammer, premium: 1_000, tax: 500 },
  ...more,
});
const begin = (lots: readonly SoldLot[], more: Partial<Beginning> = {}): Beginning => ({
  ...{ currencies: ['usd', 'usd'], lots, deposit: 0, disputesBorneBy: 'platform' },
  ...more,
});
const NOW = { how: 1 };
const LATER = { how: 9 };
/** A deposit of 5,000 that covers a part of the sale. */
const COVERED: readonly Played[] = [
  ['pay', { who: 1, ...NOW }],
  ['end the sale', {}],
  ['settle'],
  ['return deposits'],
];

export const STORIES: readonly Story[] = [
  {
    name: 'a cent of an unknown charge',
    begin: begin([lot(20_000)]),
    steps: [
      ['pay', NOW],
      ['end the sale'],
      ['settle'],
      ['give back of an unknown charge'],
      ['pay once more', NOW],
    ],
  },
  {
    name: 'a refund before its payment, sums of refunds in the wrong order',
    begin: begin([lot(20_000)]),
    steps: [
      ['pay', LATER],
      ...[1, 2].map((n): Played => ['give back a part', { cents: 3_000 * n, ...LATER }]),
      ['deliver', { who: 2 }],
      ['deliver', { who: 1 }],
      ['deliver'],
      ['deliver again', { who: 1 }],
      ['say again', { who: 0 }],
    ],
  },
  {
    name: 'a double payment, given back by us and seen again',
    begin: begin([lot(20_000)]),
    steps: [
      ...[['pay', NOW] as const, ['pay once more', NOW] as const, ['return surplus'] as const],
      ...[['deliver'] as const, ['deliver again', { who: 2 }] as const, ['say again', { who: 2 }] as const],
      ['return surplus'],
    ],
  },
  {
    name: 'a double payment in our shape, given back by us and seen again',
    begin: begin([lot(20_000)]),
    steps: [
      ...[['pay', { how: 2 }] as const, ['pay once more', { how: 2 }] as const, ['return surplus'] as const],
      ['deliver'],
    ],
  },
  {
    name: 'a dispute over a deposit that is credited',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [...COVERED, ['pay', NOW], ['dispute all', NOW], ['end dispute', NOW], ['pay', NOW]],
  },
  {
    name: 'a part refund of a deposit that is credited',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [...COVERED, ['pay', NOW], ['give back a part', { cents: 1_999, ...NOW }], ['return deposits']],
  },
  {
    name: 'a deposit that is free again',
    begin: begin([lot(20_000), lot(4_000)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 2, ...NOW }],
      ['end the sale'],
      ['return deposits'],
      ['void', { how: 9 }],
      ['return deposits'],
      ['return deposits'],
    ],
  },
  {
    name: 'a deposit of which a part went back, completed',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 1, ...NOW }],
      ['give back a part', { cents: 1_999, ...NOW }],
      ['pay', { who: 1, ...NOW }],
      ['refund', { how: 1 }],
    ],
  },
  {
    name: 'a sale that a deposit covers whole, paid once more',
    begin: begin([lot(3_000)], { deposit: 5_000 }),
    steps: [...COVERED, ['pay once more', NOW], ['return surplus'], ['refund', NOW]],
  },
  {
    name: 'a dispute, its end and a refund before the deposit that they are about',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 1, ...LATER }],
      ['dispute', { cents: 2_000, ...LATER }],
      ['end dispute', { how: 18 }],
      ['give back a part', { cents: 1_000, ...LATER }],
      ['deliver', { who: 3 }],
      ['deliver', { who: 2 }],
      ['deliver', { who: 1 }],
      ['deliver'],
    ],
  },
  {
    name: 'a deposit that covers something, voided',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 1, cents: 999, how: 11 }],
      ['end the sale'],
      ['return deposits'],
      ['void', { who: 1, how: 9 }],
    ],
  },
  {
    name: 'a lost dispute over a part of a sale that is voided',
    begin: begin([lot(20_000)]),
    steps: [
      ['pay', { cents: 7_000, how: 11 }],
      ['end the sale'],
      ['settle'],
      ['dispute all', NOW],
      ['end dispute', NOW],
      ['void', { how: 9 }],
    ],
  },
  {
    name: 'a lost dispute over a part of a sale that is refunded',
    begin: begin([lot(20_000)]),
    steps: [
      ...[['pay', NOW] as const, ['dispute', { cents: 7_000, ...NOW }] as const, ['refund', NOW] as const],
      ...[['end dispute', NOW] as const, ['refund', NOW] as const],
    ],
  },
  {
    name: 'a lost dispute that the seller bears, after the pay-out',
    begin: begin([lot(20_000)], { disputesBorneBy: 'seller' }),
    steps: [
      ...[['pay', NOW] as const, ['end the sale'] as const, ['settle'] as const, ['approve'] as const],
      ...[['payout'] as const, ['dispute all', NOW] as const, ['end dispute', NOW] as const],
      ['approve', { who: 1 }],
      ['payout', { who: 1 }],
    ],
  },
  {
    name: 'a deposit that was paid with more than it wants, and credited',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 1, cents: 600, how: 4 }],
      ['end the sale'],
      ['return deposits'],
      ['return surplus'],
      ['return deposits'],
    ],
  },
  {
    name: 'a deposit that covers more than it wants, and of which the rest does not go back at once',
    begin: begin([lot(3_800)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 1, cents: 600, how: 4 }],
      ['end the sale'],
      ['return deposits', { how: 4 }],
      ['return surplus'],
    ],
  },
  {
    name: 'more than a figure holds',
    begin: begin([lot(20_000)]),
    steps: [['pay', { how: 14 }], ['pay once more', NOW], ['return surplus'], ['return surplus']],
  },
  {
    name: 'yen and dinars, by card and by transfer',
    begin: begin([lot(22_000), lot(1_234, { auction: 1, buyer: 1 })], { currencies: ['jpy', 'kwd'] }),
    steps: [
      ['transfer', NOW],
      ['pay', NOW],
      ['refund', { who: 0, ...NOW }],
      ['transfer sent'],
      ['refund', NOW],
    ],
  },
  {
    name: 'money of another currency',
    begin: begin([lot(20_000)]),
    steps: [['pay', { how: 5 }], ['allocate', { how: 5 }], ['pay', NOW], ['return surplus'], ['settle']],
  },
  {
    name: 'staff who put disputed money of no invoice on one',
    begin: begin([lot(20_000)]),
    steps: [
      ['pay', { how: 7 }],
      ['dispute', { cents: 9_000, ...NOW }],
      ['allocate', NOW],
      ['end dispute', NOW],
    ],
  },
  {
    name: 'a second dispute that comes before the end of the first',
    begin: begin([lot(20_000)]),
    steps: [
      ['pay', NOW],
      ['dispute all', NOW],
      ['end dispute', { how: 18 }],
      ['dispute all', NOW],
      ['deliver'],
      ['end dispute', NOW],
    ],
  },
  {
    name: 'a refund after the pay-out',
    begin: begin([lot(20_000), lot(4_000)]),
    steps: [
      ...[['pay', NOW] as const, ['pay', NOW] as const, ['end the sale'] as const, ['settle'] as const],
      ...[['approve'] as const, ['payout'] as const, ['give back a part', { cents: 7_777, ...NOW }] as const],
      ['refund', { who: 1, ...NOW }],
      ['approve', { who: 1 }],
      ['payout', { who: 1 }],
    ],
  },
  ...[0, 1].map((who) => ({
    name: `a double payment of which ${who === 0 ? 'the first' : 'the second'} is disputed and lost`,
    begin: begin([lot(20_000)]),
    steps: [
      ...[['pay', NOW] as const, ['pay once more', NOW] as const, ['dispute all', { who, ...NOW }] as const],
      ...[['return surplus'] as const, ['end dispute', NOW] as const, ['return surplus'] as const],
    ],
  })),
  {
    name: 'a lost dispute over more than was paid beyond what was due',
    begin: begin([lot(20_000)]),
    steps: [
      ['pay', { cents: 600, how: 4 }],
      ['dispute', { cents: 900, ...NOW }],
      ['end dispute', NOW],
      ['return surplus'],
    ],
  },
  {
    name: 'a refund under a name of its payment that comes later',
    begin: begin([lot(20_000), lot(4_000)]),
    steps: [
      ['pay', NOW],
      ['pay', NOW],
      ['give back a part', { who: 1, cents: 2_999, ...NOW }],
    ],
  },
  {
    name: 'a provider that does not answer',
    begin: begin([lot(20_000)], { deposit: 5_000 }),
    steps: [
      ['pay', { who: 2, ...NOW }],
      ['end the sale'],
      ['return deposits', { how: 4 }],
      ['return deposits', { how: 4 }],
      ['return deposits'],
    ],
  },
];
