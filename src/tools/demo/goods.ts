/** Lots that are not land: shop tools, farm machinery, watches, coins, antiques. One line each; the rest is random. */
import type { ImportedLot } from '../import/import.schema.ts';
import type { Dice } from './dice.ts';

/** Title, category, what it is worth in dollars, custom fields. */
export type Item = readonly [title: string, category: string, worth: number, fields: Record<string, unknown>];

export const SHOP_ITEMS: readonly Item[] = [
  ['Delta 14" band saw', 'shop-tools', 480, { make: 'Delta', model: '28-241', year: 1998, power: 'corded' }],
  ['Powermatic 66 table saw', 'shop-tools', 1_450, { make: 'Powermatic', model: '66', power: 'corded' }],
  ['South Bend 9" lathe with tooling', 'shop-tools', 1_900, { make: 'South Bend', year: 1952 }],
  ['Snap-on roller cabinet, 11 drawers', 'shop-tools', 1_250, { make: 'Snap-on', power: 'hand' }],
  ['Lie-Nielsen bench planes, set of four', 'shop-tools', 760, { make: 'Lie-Nielsen', power: 'hand' }],
  ['Miller MIG welder 211', 'shop-tools', 980, { make: 'Miller', model: '211', power: 'corded' }],
  ['Quincy two-stage air compressor', 'shop-tools', 1_100, { make: 'Quincy', power: 'corded' }],
  ['Festool track saw and rails', 'shop-tools', 620, { make: 'Festool', power: 'corded' }],
  ['Wilton bullet vise, 6"', 'shop-tools', 540, { make: 'Wilton', power: 'hand' }],
  ['DeWalt battery tools, crate of ten', 'shop-tools', 430, { make: 'DeWalt', power: 'battery' }],
  ['Starrett micrometers in case', 'shop-tools', 310, { make: 'Starrett', power: 'hand' }],
  ['Bridgeport J-head milling machine', 'shop-tools', 3_900, { make: 'Bridgeport', year: 1974 }],
  ['Oak workbench, 8 ft', 'shop-tools', 390, { power: 'hand' }],
  ['Jet dust collector', 'shop-tools', 350, { make: 'Jet', power: 'corded' }],
  ['Anvil, Hay-Budden, 168 lb', 'shop-tools', 880, { make: 'Hay-Budden', power: 'hand' }],
  ['Ingersoll impact wrenches, pair', 'shop-tools', 260, { make: 'Ingersoll Rand', power: 'air' }],
];

export const COLLECTIBLES: readonly Item[] = [
  ['Omega Seamaster 300, 1967', 'watches', 9_800, { movement: 'automatic', period: '1960s', serviced: true }],
  ['Rolex Datejust 1601, two-tone', 'watches', 5_600, { movement: 'automatic', period: '1970s' }],
  ['Hamilton 992B railroad watch', 'watches', 620, { movement: 'manual', period: '1940s', serviced: true }],
  ['Heuer Carrera 2447', 'watches', 11_500, { movement: 'manual', period: '1960s' }],
  ['Seiko 6139 “Pogue” chronograph', 'watches', 890, { movement: 'automatic', period: '1970s' }],
  ['Longines 30L in rose gold', 'watches', 2_400, { movement: 'manual', period: '1950s', serviced: false }],
  ['1893-S Morgan dollar', 'coins', 7_200, { grade: 'VF-20', metal: 'silver' }],
  ['1907 Saint-Gaudens double eagle', 'coins', 3_100, { grade: 'MS-62', metal: 'gold' }],
  ['1916-D Mercury dime', 'coins', 1_700, { grade: 'G-6', metal: 'silver' }],
  ['1909-S VDB Lincoln cent', 'coins', 1_150, { grade: 'VF-30', metal: 'copper' }],
  ['Roll of 1958 Franklin halves', 'coins', 420, { grade: 'BU', metal: 'silver' }],
  ['1856 Flying Eagle cent', 'coins', 9_900, { grade: 'PR-55', metal: 'nickel' }],
  ['Stickley settle, No. 208', 'antiques', 6_400, { material: 'quartersawn oak', period: 'c. 1905' }],
  ['Tiffany Studios desk set', 'antiques', 2_800, { material: 'bronze', period: 'c. 1910' }],
  ['Serapi carpet, 9 × 12', 'antiques', 7_500, { material: 'wool', period: 'c. 1900' }],
  ['Shaker sewing box', 'antiques', 540, { material: 'maple and pine', period: 'c. 1860' }],
  ['Hudson River view, oil on canvas', 'antiques', 4_200, { material: 'oil', period: '1870s' }],
  ['Weller Sicard vase', 'antiques', 950, { material: 'pottery', period: 'c. 1904' }],
  ['Amish quilt, diamond in square', 'antiques', 1_350, { material: 'wool', period: 'c. 1915' }],
  ['Eames 670 lounge chair', 'antiques', 5_200, { material: 'rosewood', period: '1956' }],
];

export const FARM_ITEMS: readonly Item[] = [
  ['John Deere 4440 tractor', 'farm-machinery', 24_500, { make: 'John Deere', model: '4440', year: 1981 }],
  ['Kubota M7060 with loader', 'farm-machinery', 31_000, { make: 'Kubota', model: 'M7060', year: 2017 }],
  ['Case IH 1660 combine', 'farm-machinery', 14_000, { make: 'Case IH', model: '1660', year: 1991 }],
  ['New Holland 570 square baler', 'farm-machinery', 6_800, { make: 'New Holland', model: '570' }],
  ['Great Plains 1500 no-till drill', 'farm-machinery', 18_500, { make: 'Great Plains', model: '1500' }],
  ['Kinze 3600 planter, 16 row', 'farm-machinery', 42_000, { make: 'Kinze', model: '3600', year: 2009 }],
  ['Wilson grain trailer, 41 ft', 'farm-machinery', 22_000, { make: 'Wilson', year: 2012 }],
  ['Vermeer 605N round baler', 'farm-machinery', 21_500, { make: 'Vermeer', model: '605N', year: 2016 }],
  [
    'Bobcat S185 skid steer',
    'farm-machinery',
    16_500,
    { make: 'Bobcat', model: 'S185', engine_hours: 3_120 },
  ],
  ['Land Pride 15 ft batwing mower', 'farm-machinery', 9_400, { make: 'Land Pride', year: 2014 }],
];

export const ESTATE_ITEMS: readonly Item[] = [
  ['Walnut secretary with bookcase', 'antiques', 1_800, { material: 'walnut', period: 'c. 1850' }],
  ['Sterling flatware, service for twelve', 'antiques', 2_300, { material: 'sterling silver' }],
  ['Upright piano, Baldwin', 'antiques', 600, { material: 'mahogany', period: '1948' }],
  ['Regulator wall clock', 'antiques', 720, { material: 'oak', period: 'c. 1890' }],
  ['Stamp albums, four volumes', 'collectibles', 480, { period: '1870–1955' }],
  ['Map of the Oregon Trail, framed', 'collectibles', 350, { period: '1851' }],
  ['Elgin pocket watches, tray of six', 'watches', 900, { movement: 'manual' }],
  ['Silver dollars, bag of fifty', 'coins', 1_750, { metal: 'silver', grade: 'mixed' }],
  ['Navajo rug, Ganado red', 'antiques', 2_600, { material: 'wool', period: 'c. 1930' }],
  ['Cast-iron toy bank collection', 'collectibles', 680, { period: '1880s' }],
];

/** Lots numbered from 1, in the order of the items. */
export function goodsLots(items: readonly Item[], skuPrefix: string, dice: Dice): ImportedLot[] {
  return items.map(([title, category, worth, fields], index) => {
    const number = index + 1;
    const starting = Math.max(5, Math.round((worth * dice.int(10, 30)) / 100 / 5) * 5);
    const reserve = dice.chance(0.35) ? Math.round((worth * 0.6) / 5) * 5 : null;
    const buyNow = reserve === null && dice.chance(0.2) ? Math.round((worth * 1.4) / 5) * 5 : null;
    return {
      lot_number: number,
      title,
      sku: `${skuPrefix}-${String(number).padStart(3, '0')}`,
      category,
      description: `${title}. ${dice.pick(REMARKS)} Sold as seen; inspection by appointment.`,
      condition: dice.pick(['excellent', 'very good', 'good', 'fair']),
      starting_bid: `${starting}.00`,
      reserve_price: reserve === null ? null : `${Math.max(reserve, starting)}.00`,
      buy_now_price: buyNow === null ? null : `${buyNow}.00`,
      location: HOUSE,
      custom_fields: fields,
    };
  });
}

/** Similar machines that are offered together in the saleroom, numbered behind the others: the buyer chooses. */
export function choiceLots(after: number): ImportedLot[] {
  return ['2,140 hours', '2,860 hours', '3,320 hours', '3,905 hours'].map((hours, index) => {
    const number = after + index + 1;
    return {
      lot_number: number,
      title: `Kubota M7060 utility tractor, ${hours}`,
      sku: `FRM-${String(number).padStart(3, '0')}`,
      category: 'farm-machinery',
      description: 'One of four alike, from one dairy. Offered by choice: the buyer takes one, or more.',
      condition: 'good',
      starting_bid: '9000.00',
      choice_group: 'Utility tractors, by choice',
      location: HOUSE,
    };
  });
}

const REMARKS = [
  'From a single owner.',
  'Kept indoors, used with care.',
  'Papers and receipts come with it.',
  'Some wear where hands have been.',
  'Freshly consigned.',
] as const;

/** Where the house keeps its goods. */
export const HOUSE = {
  address: '400 Commercial Street',
  city: 'Emporia',
  county: 'Lyon',
  state: 'KS',
  postal_code: '66801',
  country: 'US',
  lat: 38.4039,
  lng: -96.1817,
} as const;
