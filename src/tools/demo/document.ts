/**
 * The demo marketplace as one import document: the same on every machine except for its times, which lie around the
 * moment of loading. The caller supplies the passwords and the name of the tokens.
 */
import { isoFromUs } from '../../../engine/time.ts';
import type { ImportDocument, ImportedAuction, ImportedLot } from '../import/import.schema.ts';
import { DEMO_CATEGORIES } from './categories.ts';
import { Dice } from './dice.ts';
import { DEMO_PLANS, DEMO_PLATFORMS } from './directory.ts';
import { COLLECTIBLES, choiceLots, ESTATE_ITEMS, FARM_ITEMS, goodsLots, SHOP_ITEMS } from './goods.ts';
import { DEMO_HELP } from './help-center.ts';
import { landLots } from './land.ts';
import { type At, houseTerms, moreAuctions, officeHours } from './more-auctions.ts';
import { CONSIGNOR_EMAIL, DEMO_TEAMS, type DemoRole, demoUsers, LAND_TEAM, SELLER_TEAM } from './people.ts';

export const DEMO_SEED = 20_261_121;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Everything to load. `passwords` has one for each role. */
export function demoDocument(
  nowMs: number,
  passwords: ReadonlyMap<DemoRole, string>,
  tokenName: string,
): ImportDocument {
  return {
    users: demoUsers(passwords, tokenName),
    teams: DEMO_TEAMS,
    categories: DEMO_CATEGORIES,
    auctions: demoAuctions(nowMs, new Dice(DEMO_SEED)),
    plans: DEMO_PLANS,
    platforms: DEMO_PLATFORMS,
    help: [...DEMO_HELP],
  };
}

/**
 * One that ends within minutes, a long one, one of land, one on the floor, an upcoming one, and some that show one
 * feature each.
 */
function demoAuctions(nowMs: number, dice: Dice): ImportedAuction[] {
  const at = (seconds: number) => isoFromUs(Math.floor(nowMs / 1_000 + seconds) * 1_000_000);
  const sales = [shopClearance, watchesAndCoins, landSale, machineryFromTheFloor, upcomingEstate];
  return [...sales.map((sale) => sale(at, dice)), ...moreAuctions(at, dice)];
}

function shopClearance(at: At, dice: Dice): ImportedAuction {
  return {
    title: 'Shop clearance: closing now',
    slug: 'shop-clearance',
    team: SELLER_TEAM,
    category: 'shop-tools',
    status: 'active',
    description: 'Sixteen lots from a closed workshop, ending one after another, with a short soft close.',
    start_time: at(-2 * HOUR),
    end_time: at(5 * MINUTE),
    ...houseTerms(at, 0),
    stagger_seconds: 20,
    soft_close: { window_seconds: 30, extension_seconds: 30 },
    buyer_premium_percentage: '10.00',
    timezone: 'America/Chicago',
    lots: goodsLots(SHOP_ITEMS, 'SHP', dice),
  };
}

function watchesAndCoins(at: At, dice: Dice): ImportedAuction {
  return {
    title: 'Watches, coins and antiques',
    slug: 'watches-coins-and-antiques',
    team: SELLER_TEAM,
    category: 'collectibles',
    status: 'active',
    description: 'Twenty lots with long stories. Two weeks to look, one soft close to decide.',
    start_time: at(-3 * DAY),
    end_time: at(14 * DAY),
    ...houseTerms(at, 14),
    stagger_seconds: 60,
    buyer_premium_percentage: '15.00',
    timezone: 'America/New_York',
    lots: consigned(goodsLots(COLLECTIBLES, 'COL', dice)),
  };
}

function landSale(at: At, dice: Dice): ImportedAuction {
  return {
    title: 'Land across twenty counties',
    slug: 'land-across-twenty-counties',
    team: LAND_TEAM,
    category: 'land',
    status: 'active',
    description: 'Ranch, timber and desert tracts, each with its parcel number and its place on the map.',
    start_time: at(-1 * DAY),
    end_time: at(7 * DAY),
    stagger_seconds: 120,
    buyer_premium_percentage: '5.00',
    confirm_factor: 20,
    payment_methods: ['card', 'bank_transfer'],
    payment_due_days: 14,
    viewings: [
      {
        ...officeHours(at(2 * DAY), 4),
        place: 'At each tract’s gate',
        slot_minutes: 30,
      },
      {
        ...officeHours(at(4 * DAY), 4),
        place: 'At each tract’s gate',
        slot_minutes: 30,
      },
    ],
    collections: [
      {
        ...officeHours(at(21 * DAY), 8),
        place: 'Deeds at our Denver office',
      },
    ],
    delivery: 'Deeds are sent by registered mail for $25.',
    timezone: 'America/Denver',
    lots: landLots(dice),
  };
}

function machineryFromTheFloor(at: At, dice: Dice): ImportedAuction {
  return {
    title: 'Farm machinery, live from the floor',
    slug: 'farm-machinery-live',
    team: SELLER_TEAM,
    category: 'farm-machinery',
    type: 'simulcast',
    status: 'active',
    description: 'The auctioneer sells these one by one; online bids and the floor meet in one queue.',
    start_time: at(-30 * MINUTE),
    end_time: at(6 * HOUR),
    ...houseTerms(at, 0),
    buyer_premium_percentage: '8.00',
    timezone: 'America/Chicago',
    lots: [...goodsLots(FARM_ITEMS, 'FRM', dice), ...choiceLots(FARM_ITEMS.length)],
  };
}

function upcomingEstate(at: At, dice: Dice): ImportedAuction {
  return {
    title: 'The Whitcomb estate',
    slug: 'the-whitcomb-estate',
    user: CONSIGNOR_EMAIL,
    category: 'antiques',
    status: 'scheduled',
    description: 'One house, three generations. Bidding opens tomorrow.',
    start_time: at(1 * DAY),
    end_time: at(9 * DAY),
    stagger_seconds: 30,
    buyer_premium_percentage: '12.50',
    timezone: 'America/New_York',
    lots: goodsLots(ESTATE_ITEMS, 'WHI', dice),
  };
}

/** Every fourth lot belongs to a consignor. */
function consigned(lots: readonly ImportedLot[]): ImportedLot[] {
  return lots.map((lot, index) => (index % 4 === 3 ? { ...lot, consignor: CONSIGNOR_EMAIL } : lot));
}
