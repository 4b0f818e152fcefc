/** A marketplace to import: one of everything that a document can hold. */
const LAND_SCHEMA = {
  type: 'object',
  properties: { soil: { type: 'string' }, wells: { type: 'integer', minimum: 0 } },
  required: ['soil'],
};

export function marketplace() {
  return {
    users: [
      {
        email: 'Ann@Example.com',
        name: 'Ann',
        password: 'correct horse',
        verified: true,
        tokens: [{ name: 'main', abilities: ['read', 'write'] }],
      },
      { email: 'sam@example.com' },
      { email: 'joe@example.com', admin: true, tokens: [{ name: 'staff', abilities: ['admin'] }] },
    ],
    teams: [
      {
        name: 'Acres',
        owner: 'sam@example.com',
        members: [{ email: 'joe@example.com', role: 'member' }],
        approved: true,
      },
    ],
    categories: [
      { slug: 'ranches', name: 'Ranches', parent: 'land', schema: {} },
      {
        slug: 'land',
        name: 'Land',
        parent: null,
        position: 1,
        schema: LAND_SCHEMA,
        ui_schema: { soil: 'text' },
      },
    ],
    auctions: [
      {
        title: 'Spring land',
        team: 'Acres',
        category: 'land',
        status: 'active',
        start_time: '2026-01-01T00:00:00Z',
        end_time: '2027-01-01T01:00:00.5+01:00',
        buyer_premium_percentage: '12.50',
        increments: [
          { from: '0.00', increment: '1.00' },
          { from: 50, increment: 2.5 },
        ],
        conditions: 'Sold as it is.',
        viewings: [
          { from: '2026-12-01T09:00:00-06:00', to: '2026-12-01T12:00:00-06:00', place: 'At the gate' },
        ],
        premium_bands: [{ from: 0, percentage: '12.5' }],
        soft_close: { window_seconds: 60, extension_seconds: 30 },
        registration: { mode: 'deposit', deposit_amount: '100.00', bid_limit: '5000' },
        lots: [
          {
            lot_number: 7,
            title: '40 acres',
            starting_bid: '100.00',
            reserve_price: '500.00',
            estimate_low: '400.00',
            location: { state: 'TX', country: 'US', lat: 31.5, lng: -97.25 },
            land: { acres: 40.1234, utilities: ['power'], water_access: true },
            custom_fields: { soil: 'loam', wells: 2 },
          },
          {
            title: 'The next',
            starting_bid: 10,
            custom_fields: { soil: 'clay' },
            category: 'ranches',
            consignor: 'ann@example.com',
          },
        ],
      },
      {
        title: 'Spring land',
        user: 'ann@example.com',
        start_time: '2026-05-01T00:00:00Z',
        end_time: '2026-05-02T00:00:00Z',
        soft_close: null,
        lots: [{ title: 'A chair', starting_bid: '0.01' }],
      },
    ],
    plans: [
      {
        slug: 'pro',
        name: 'Pro',
        price_monthly: 49,
        price_yearly: '490.00',
        features: ['a'],
        limits: { auctions: 5 },
        commission_percentage: '2.5',
      },
    ],
    platforms: [
      { slug: 'lands-of', name: 'Lands of', supports: ['lots'], website_url: 'https://lands.example' },
    ],
    help: [
      {
        slug: 'bidding',
        name: 'Bidding',
        position: 1,
        articles: [{ slug: 'first', title: 'First bid', body: 'Do this.' }],
      },
    ],
  };
}
