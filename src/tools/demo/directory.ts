/** The demo's plans, the platforms to cross-list on, and its Help Center. */
import type { ImportDocument } from '../import/import.schema.ts';

export const DEMO_PLANS: NonNullable<ImportDocument['plans']> = [
  {
    slug: 'starter',
    name: 'Starter',
    price_monthly: '0.00',
    price_yearly: '0.00',
    features: ['One auction at a time', 'Up to 50 lots', 'Standard support'],
    limits: { active_auctions: 1, lots_per_auction: 50 },
    commission_percentage: '10.00',
  },
  {
    slug: 'professional',
    name: 'Professional',
    price_monthly: '99.00',
    price_yearly: '990.00',
    features: ['Ten auctions at a time', 'Up to 1,000 lots', 'Webhooks', 'Inventory'],
    limits: { active_auctions: 10, lots_per_auction: 1_000 },
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

export const DEMO_HELP: NonNullable<ImportDocument['help']> = [
  {
    slug: 'bidding',
    name: 'Bidding',
    description: 'How bids are placed, compared and decided.',
    position: 1,
    articles: [
      {
        slug: 'straight-and-proxy-bids',
        title: 'Straight bids and proxy bids',
        body:
          'A straight bid is exactly the amount you name. A proxy bid is a ceiling: the house bids for ' +
          'you, one increment at a time, and never above it. Nobody else is told your ceiling while you ' +
          'lead.',
      },
      {
        slug: 'soft-close',
        title: 'Why did the end move?',
        body:
          'A bid in the last minutes extends the lot, so that nobody wins by being the last to press a ' +
          'button. The lot’s page always shows the end that is in force.',
      },
      {
        slug: 'reserves',
        title: 'What is a reserve?',
        body:
          'A reserve is the lowest price the seller will take. It is never shown; a lot only says whether ' +
          'it has been met. A lot that ends below its reserve is passed, not sold.',
      },
    ],
  },
  {
    slug: 'paying',
    name: 'Paying & collecting',
    description: 'What happens after the hammer.',
    position: 2,
    articles: [
      {
        slug: 'buyers-premium',
        title: 'The buyer’s premium',
        body: 'The premium is a percentage on top of the hammer price. Every auction states its own before you bid.',
      },
      {
        slug: 'land-closings',
        title: 'Closing on land',
        body:
          'Land is conveyed by warranty deed through a title company in the county. Bring your settlement ' +
          'statement and identification.',
      },
    ],
  },
  {
    slug: 'selling',
    name: 'Selling',
    description: 'Listing lots and running auctions.',
    position: 3,
    articles: [
      {
        slug: 'getting-approved',
        title: 'Getting approved',
        body:
          'A team may prepare auctions at once; publishing them needs approval by the house. It usually ' +
          'takes a working day.',
      },
      {
        slug: 'staggered-ends',
        title: 'Staggered ends',
        body:
          'With a stagger the lots of an auction end one after another, in the order of their numbers, so ' +
          'that bidders can follow more than one.',
      },
    ],
  },
];
