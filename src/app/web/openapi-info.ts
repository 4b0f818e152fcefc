/** What the API's description says of the service as a whole. */
import type { OpenApiInfo } from '../../../adapters/http/openapi.ts';

export const API_INFO: OpenApiInfo = {
  title: 'Rostrum',
  version: '1.0.0',
  description: [
    'An online auction marketplace for land, equipment and similar goods: a public catalog, bidding in ' +
      'real time, invoices,',
    'seller tools, media and webhooks. Money on auctions, lots and bids is a decimal string with two ' +
      'places; times are ISO 8601',
    'UTC with microseconds. A breaking change raises the version in the path; new endpoints and new ' +
      'optional fields do not.',
  ].join(' '),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  tags: [
    { name: 'Bidding', description: 'Placing bids, buying now, and reading bids.' },
    { name: 'Fairness', description: 'Verifying a sale independently: checkpoints, proofs, openings.' },
    { name: 'Catalog', description: 'Auctions, lots and categories, for everybody.' },
    { name: 'Registration', description: 'Who may bid in an auction.' },
    { name: 'Questions', description: 'What people ask sellers about lots, and reports of lots.' },
    { name: 'Viewings', description: 'When a sale’s lots can be seen.' },
    { name: 'Collections', description: 'When buyers come for what they have paid, and the seller’s gate.' },
    { name: 'Watchlist', description: 'Lots that the caller watches.' },
    { name: 'Account', description: 'The caller’s own account.' },
    { name: 'Notifications', description: 'Notifications to the caller, on the page and by email.' },
    {
      name: 'Offers',
      description: 'Second chances: what an underbidder is offered when a sale falls through.',
    },
    { name: 'Invoices', description: 'What the caller owes and has paid.' },
    { name: 'Media', description: 'Images and documents of lots and auctions.' },
    { name: 'Seller', description: 'A team’s auctions and lots.' },
    { name: 'Papers', description: 'Catalogs, labels, lists and invoices of an auction, as files.' },
    { name: 'Inventory', description: 'Items in a team’s warehouse, before they become lots.' },
    { name: 'Teams', description: 'Teams and their members.' },
    { name: 'Consignments', description: 'Invitations to be the consignor of a lot, and accepting them.' },
    { name: 'Cross-listing', description: 'Listing lots on other platforms as well.' },
    { name: 'Settlements', description: 'What a seller is paid for an auction.' },
    { name: 'Ad campaigns', description: 'Advertising a team’s lots.' },
    { name: 'Subscriptions', description: 'Plans, and the one that a team is on.' },
    { name: 'Webhooks', description: 'Subscriptions that send events to a URL of the caller’s.' },
    { name: 'Directory', description: 'Available plans and platforms.' },
    { name: 'Help Center', description: 'Articles, by category and by search.' },
    { name: 'Inbound webhooks', description: 'Events that other systems send to the service.' },
    { name: 'Service', description: 'Health, readiness, metrics and this description.' },
  ],
};
