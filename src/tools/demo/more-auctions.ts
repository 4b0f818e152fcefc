/** The demo's smaller auctions, each for one thing to try: results, approval, a deposit, buying at once. */
import type { ImportedAuction } from '../import/import.schema.ts';
import type { Dice } from './dice.ts';
import { goodsLots, HOUSE } from './goods.ts';
import {
  APPROVED_ITEMS,
  BUY_NOW_ITEMS,
  CLOCK_LOTS,
  DEPOSIT_ITEMS,
  FARM_TRACTS,
  SOLD_ITEMS,
  TENDER_LOTS,
} from './more-goods.ts';
import { SELLER_TEAM } from './people.ts';

export const SOLD_AUCTION = 'autumn-estate-sale';

const FARM = {
  city: 'Cottonwood Falls',
  county: 'Chase',
  state: 'KS',
  country: 'US',
  lat: 38.372,
  lng: -96.542,
};

/** The time that many seconds from now. */
export type At = (seconds: number) => string;

const HOUR = 3_600;
const DAY_MS = 86_400_000;

export function moreAuctions(at: At, dice: Dice): ImportedAuction[] {
  const sales = [
    estateSale,
    saleByApproval,
    depositSale,
    buyNowSale,
    fallingClock,
    tenderOfFields,
    farmInTracts,
  ];
  return sales.map((sale) => sale(at, dice));
}

const houseSale = (at: At) => ({ team: SELLER_TEAM, timezone: 'America/Chicago', start_time: at(-HOUR) });

function estateSale(at: At, dice: Dice): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'Autumn estate sale',
    slug: SOLD_AUCTION,
    category: 'antiques',
    status: 'active',
    description: 'Six lots from one house, sold to the highest bidder on the day.',
    end_time: at(75),
    soft_close: { window_seconds: 0, extension_seconds: 0 },
    buyer_premium_percentage: '12.00',
    sales_tax_percentage: '6.5',
    ...houseTerms(at, 0, 'At the house, 12 Elm Street, Emporia'),
    lots: goodsLots(SOLD_ITEMS, 'AUT', dice).map((lot) => ({
      ...lot,
      reserve_price: null,
      buy_now_price: null,
    })),
  };
}

function saleByApproval(at: At, dice: Dice): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'Important watches and coins, by approval',
    slug: 'important-watches-and-coins',
    category: 'collectibles',
    status: 'active',
    description:
      'The seller approves each bidder: ask to register, and you are told as soon as it is decided.',
    end_time: at(10 * 24 * HOUR),
    ...houseTerms(at, 10),
    stagger_seconds: 60,
    buyer_premium_percentage: '18.00',
    registration: { mode: 'approval', require_verified: true, bid_limit: '50000.00' },
    lots: goodsLots(APPROVED_ITEMS, 'IMP', dice).map((lot) => ({ ...lot, buy_now_price: null })),
  };
}

function depositSale(at: At, dice: Dice): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'Heavy equipment, with a deposit',
    slug: 'heavy-equipment',
    category: 'farm-machinery',
    status: 'active',
    description: 'Bidding takes a deposit, which goes towards what you buy or comes back after the auction.',
    end_time: at(6 * 24 * HOUR),
    ...houseTerms(at, 6),
    stagger_seconds: 120,
    buyer_premium_percentage: '5.00',
    sales_tax_percentage: '6.5',
    registration: { mode: 'deposit', deposit_amount: '500.00' },
    lots: goodsLots(DEPOSIT_ITEMS, 'HVY', dice).map((lot) => ({ ...lot, buy_now_price: null })),
  };
}

function buyNowSale(at: At, dice: Dice): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'Workshop overstock, buy it now',
    slug: 'workshop-overstock',
    category: 'shop-tools',
    status: 'active',
    description: 'Bid, or take it at the price shown before somebody else bids.',
    end_time: at(4 * 24 * HOUR),
    ...houseTerms(at, 4),
    stagger_seconds: 60,
    buyer_premium_percentage: '0.00',
    lots: goodsLots(BUY_NOW_ITEMS, 'OVR', dice).map((lot) => ({
      ...lot,
      reserve_price: null,
      buy_now_price: `${Math.ceil(Number(lot.starting_bid) * 4)}.00`,
    })),
  };
}

function fallingClock(at: At): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'Nursery stock, on a falling clock',
    slug: 'nursery-stock',
    category: 'farm-machinery',
    status: 'active',
    format: 'falling',
    description: 'The price comes down step by step. Whoever bids first buys, as many pieces as they want.',
    end_time: at(3 * 24 * HOUR),
    buyer_premium_percentage: '0.00',
    lots: CLOCK_LOTS.map(([title, quantity, start, step, floor, seconds], index) => ({
      lot_number: index + 1,
      title,
      sku: `NUR-00${index + 1}`,
      description: `${title}, from a nursery that moves. Priced by the piece; collection from the field.`,
      quantity,
      start_price: `${start}.00`,
      step: `${step}.00`,
      floor_price: `${floor}.00`,
      step_seconds: seconds,
      floor_seconds: 12 * HOUR,
      location: HOUSE,
    })),
  };
}

function tenderOfFields(at: At): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'Three fields, by tender',
    slug: 'fields-by-tender',
    category: 'land',
    status: 'active',
    format: 'tender',
    description:
      'Sealed bids by the acre, opened at the end. Register first; the three highest may bid once more.',
    end_time: at(4 * 24 * HOUR),
    buyer_premium_percentage: '0.00',
    tender_may_withdraw: true,
    tender_final_round: 3,
    lots: TENDER_LOTS.map(([title, acres, start, reserve], index) => ({
      lot_number: index + 1,
      title,
      sku: `FLD-00${index + 1}`,
      description: `${title}: ${acres} acres. Bids are prices of one acre.`,
      starting_bid: `${start}.00`,
      reserve_price: `${reserve}.00`,
      units: String(acres),
      unit_name: 'acre',
      bid_per: 'unit',
      land: { acres },
      location: HOUSE,
    })),
  };
}

function farmInTracts(at: At): ImportedAuction {
  return {
    ...houseSale(at),
    title: 'The Miller farm, in nine tracts',
    slug: 'miller-farm',
    category: 'land',
    status: 'active',
    format: 'parcels',
    description:
      'Bid on one tract, on several, or on the whole farm. What comes to the most leads; all end at once.',
    end_time: at(2 * 24 * HOUR),
    buyer_premium_percentage: '0.00',
    whole_reserve: '2900000.00',
    sell_parts: true,
    lots: FARM_TRACTS.map(([title, acres, start, north, east], index) => ({
      lot_number: index + 1,
      title,
      sku: `MIL-00${index + 1}`,
      description: `${title}: ${acres} acres of the Miller farm. Sold alone or with other tracts.`,
      starting_bid: `${start}.00`,
      units: String(acres),
      unit_name: 'acre',
      land: { acres },
      location: { ...FARM, lat: FARM.lat + north / 1_000, lng: FARM.lng + east / 1_000 },
    })),
  };
}

/** How one pays the house, and where one looks at and collects what is in a sale that ends in so many days. */
export function houseTerms(
  at: At,
  endsInDays: number,
  place = '400 Commercial Street, Emporia',
): Pick<ImportedAuction, 'payment_methods' | 'payment_due_days' | 'viewings' | 'collections'> {
  const open = (days: number) => ({
    ...officeHours(at(days * 86_400), 6),
    place,
    slot_minutes: 30,
  });
  return {
    payment_methods: ['card', 'bank_transfer'],
    payment_due_days: 7,
    viewings: endsInDays > 2 ? [open(2)] : [],
    collections: [open(endsInDays + 2)],
  };
}

/** So many hours of the day after that time, from nine in the morning on the plains. */
export function officeHours(time: string, hours: number): { readonly from: string; readonly to: string } {
  const fromMs = Math.ceil(Date.parse(time) / DAY_MS) * DAY_MS + 15 * 3_600_000;
  return { from: new Date(fromMs).toISOString(), to: new Date(fromMs + hours * 3_600_000).toISOString() };
}
