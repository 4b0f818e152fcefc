/** The demo's plans, and the platforms to cross-list on. */
import type { ImportDocument } from '../import/import.schema.ts';

export const DEMO_PLANS: NonNullable<ImportDocument['plans']> = [
  {
    slug: 'starter',
    name: 'Starter',
    price_monthly: '0.00',
    price_yearly: '0.00',
    features: ['One auction at a time', 'Up to 50 lots', 'Standard support'],
    limits: { auctions: 1, lots: 50 },
    commission_percentage: '10.00',
  },
  {
    slug: 'professional',
    name: 'Professional',
    price_monthly: '99.00',
    price_yearly: '990.00',
    features: ['Ten auctions at a time', 'Up to 1,000 lots', 'Webhooks', 'Inventory'],
    limits: { auctions: 10, lots: 1_000 },
    commission_percentage: '6.50',
  },
  {
    slug: 'house',
    name: 'Auction house',
    price_monthly: '349.00',
    price_yearly: '3490.00',
    features: ['Any number of auctions and lots', 'Simulcast', 'Ad campaigns', 'A person to call'],
    limits: {},
    commission_percentage: '4.00',
  },
];

export const DEMO_PLATFORMS: NonNullable<ImportDocument['platforms']> = [
  {
    slug: 'acre-exchange',
    name: 'Acre Exchange',
    description: 'Land listings by county and acreage.',
    website_url: 'https://acre-exchange.example',
    supports: ['listings', 'leads'],
    status: 'active',
  },
  {
    slug: 'floorcast',
    name: 'Floorcast',
    description: 'Carries the auctioneer’s floor to online bidders and back.',
    website_url: 'https://floorcast.example',
    supports: ['simulcast', 'sold-events'],
    status: 'active',
  },
  {
    slug: 'iron-listings',
    name: 'Iron Listings',
    description: 'Farm and construction machinery.',
    website_url: 'https://iron-listings.example',
    supports: ['listings'],
    status: 'beta',
  },
];
