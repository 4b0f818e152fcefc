/**
 * The goods of the demo's smaller auctions: one that is over, one by approval, one with a deposit, one to buy from at
 * once.
 */
import type { Item } from './goods.ts';

/** Sold within the first minute, so that there are results to see. */
export const SOLD_ITEMS: readonly Item[] = [
  ['Walnut blanket chest', 'antiques', 640, { material: 'walnut', period: 'c. 1870' }],
  ['Regulator wall clock, oak', 'antiques', 720, { material: 'oak', period: 'c. 1890' }],
  ['Windsor chairs, set of six', 'antiques', 980, { material: 'maple', period: 'c. 1910' }],
  ['Navajo rug, Two Grey Hills', 'antiques', 2_100, { material: 'wool', period: 'c. 1940' }],
  ['Harbour view, oil on canvas', 'antiques', 1_450, { material: 'oil', period: '1890s' }],
  ['Rookwood vase, 9"', 'antiques', 560, { material: 'pottery', period: '1921' }],
];

export const APPROVED_ITEMS: readonly Item[] = [
  [
    'Patek Philippe Calatrava watch',
    'watches',
    18_500,
    { movement: 'manual', period: '1950s', serviced: true },
  ],
  ['Rolex Submariner 5513 watch', 'watches', 14_200, { movement: 'automatic', period: '1970s' }],
  ['1795 Draped Bust silver dollar', 'coins', 9_800, { grade: 'VF-25', metal: 'silver' }],
  ['1927 Saint-Gaudens double eagle', 'coins', 2_900, { grade: 'MS-65', metal: 'gold' }],
];

export const DEPOSIT_ITEMS: readonly Item[] = [
  ['Caterpillar 320 excavator', 'farm-machinery', 58_000, { make: 'Caterpillar', model: '320', year: 2014 }],
  ['John Deere 8320R tractor', 'farm-machinery', 96_000, { make: 'John Deere', model: '8320R', year: 2013 }],
  ['Case IH 8240 combine', 'farm-machinery', 128_000, { make: 'Case IH', model: '8240', year: 2015 }],
];

export const BUY_NOW_ITEMS: readonly Item[] = [
  ['Stanley bench planes, pair', 'shop-tools', 180, { make: 'Stanley', power: 'hand' }],
  ['Makita table saw', 'shop-tools', 420, { make: 'Makita', power: 'corded' }],
  ['Record No. 52 vise', 'shop-tools', 140, { make: 'Record', power: 'hand' }],
  ['Tool cabinet, oak, 12 drawers', 'shop-tools', 380, { power: 'hand' }],
];

/** What they are, how many, and how their price falls: from, by, down to, and every how many seconds. */
export const CLOCK_LOTS: readonly (readonly [
  title: string,
  quantity: number,
  start: number,
  step: number,
  floor: number,
  stepSeconds: number,
])[] = [
  ['Red oak, 2 inch caliper', 40, 220, 2, 60, 600],
  ['Bur oak, 3 inch caliper', 12, 380, 5, 120, 900],
  ['Potting bench with soil bin', 1, 640, 10, 200, 1_200],
];

/** Fields that are sold by tender: their acres, and the price of one that bids start from. */
export const TENDER_LOTS: readonly (readonly [
  title: string,
  acres: number,
  start: number,
  reserve: number,
])[] = [
  ['North bottom, tillable', 78, 6_200, 8_000],
  ['Creek pasture with a well', 41.5, 3_100, 3_900],
  ['Home quarter with buildings', 156.25, 5_400, 7_250],
];

/** One farm, by its tracts: how far north and east of its yard each lies, in thousandths of a degree. */
export const FARM_TRACTS: readonly (readonly [
  title: string,
  acres: number,
  start: number,
  north: number,
  east: number,
])[] = [
  ['Home place with the yard', 12.5, 95_000, 0, 0],
  ['North eighty', 80, 380_000, 9, 0],
  ['Northwest timber', 61.25, 150_000, 9, -11],
  ['Creek pasture', 74.8, 205_000, 0, -11],
  ['East field, tiled', 118, 640_000, 0, 12],
  ['Northeast field', 77.4, 390_000, 9, 12],
  ['South bottom', 96, 430_000, -9, 0],
  ['Southwest pasture', 55.1, 140_000, -9, -11],
  ['Southeast corner by the road', 38.6, 210_000, -9, 12],
];
