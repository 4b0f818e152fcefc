/** The paths of the pages of the demo, by who can open them. */
import type { DemoSite } from './demo-site.ts';

interface Visit {
  readonly who: { readonly email: string; readonly password: string };
  readonly paths: readonly string[];
}

/** Every page of the demo, with somebody who can open it. */
export async function visitsOf(site: DemoSite): Promise<Visit[]> {
  return [
    { who: site.buyer, paths: await pagesOf(site) },
    { who: site.seller, paths: await deskPagesOf(site) },
    { who: site.admin, paths: await officePagesOf(site) },
  ];
}

/** Those that anybody who is signed in can open. */
export async function pagesOf(site: DemoSite): Promise<string[]> {
  const { knex } = site.service.backends;
  const [land, coin, sold, invoice] = await Promise.all([
    knex('lots').whereRaw("custom_fields->>'terrain' is not null").orderBy('id').first('id'),
    knex('lots as l')
      .join('auctions as a', 'a.id', 'l.auction_id')
      .where('a.slug', 'watches-coins-and-antiques')
      .orderBy('l.bid_count', 'desc')
      .first('l.id'),
    knex('lots').where('status', 'sold').orderBy('id').first('id'),
    knex('invoices').orderBy('id').first('invoice_number', 'user_id'),
  ]);
  const buyer = await knex('users').where('email', site.buyer.email).first('id');
  const own = invoice?.user_id === buyer.id ? [`/account/invoices/${invoice.invoice_number}`] : [];
  return [
    '/',
    '/lots',
    '/lots?view=rows',
    '/lots?search=tractor',
    '/auctions',
    '/map',
    '/sell',
    '/help',
    '/help/reserves',
    '/verify',
    '/sellers/prairie-gate-auctions',
    ...[
      'watches-coins-and-antiques',
      'the-whitcomb-estate',
      'autumn-estate-sale',
      'heavy-equipment',
      'farm-machinery-live',
    ].map((slug) => `/auctions/${slug}`),
    ...[land, coin, sold].flatMap((lot) => (lot === undefined ? [] : [`/lots/${lot.id}`])),
    '/account',
    ...[
      'watchlist',
      'bid-groups',
      'bid-groups/new?auction=watches-coins-and-antiques',
      'invoices',
      'collections',
      'tax-numbers',
      'registrations',
      'offers',
      'saved-searches',
      'notifications',
      'profile',
      'security',
      'activity',
    ].map((name) => `/account/${name}`),
    ...own,
    '/account/security/passkeys',
    '/account/developer/tokens',
    '/account/developer/webhooks',
    '/docs',
    ...[
      'quick-start',
      'api',
      'webhooks',
      'bidding-rules',
      'formats',
      'simulcast',
      'journal',
      'fairness',
      'errors',
      'clients',
      'changelog',
    ].map((name) => `/docs/${name}`),
    '/sign-in',
    '/sign-in/team',
    '/sign-up',
    '/nowhere',
  ];
}

/** Those of the office, for its admin: each list, and one page of each kind of thing. */
async function officePagesOf(site: DemoSite): Promise<string[]> {
  const { knex } = site.service.backends;
  const firstOf = async (path: string, table: string, column = 'id') => {
    const row = await knex(table).orderBy('id').first(column);
    return row === undefined ? [] : [`/office/${path}/${row[column]}`];
  };
  const found = await Promise.all([
    firstOf('people', 'users'),
    firstOf('sellers', 'teams'),
    firstOf('lots', 'lots'),
    firstOf('money/invoices', 'invoices', 'invoice_number'),
    firstOf('money/settlements', 'settlements'),
    firstOf('money/payments', 'payments'),
    firstOf('platforms', 'simulcast_platforms', 'slug'),
    firstOf('catalog/plans', 'plans'),
    firstOf('catalog/categories', 'categories'),
    firstOf('catalog/help', 'help_articles'),
    firstOf('catalog/help/categories', 'help_categories'),
  ]);
  const lists = ['people', 'sellers', 'lots', 'money', 'platforms', 'catalog', 'activity'];
  const deeper = [
    'queue',
    'search?q=tractor',
    'figures',
    'figures?by=auction',
    'live',
    'money/invoices',
    'money/settlements',
    'money/payments',
    'catalog/categories',
    'catalog/help',
  ];
  return [...[...lists, ...deeper].map((name) => `/office/${name}`), ...found.flat()];
}

/** Those of the desk of the demo's seller: each room, its forms, and one page of each kind of thing. */
async function deskPagesOf(site: DemoSite): Promise<string[]> {
  const { knex } = site.service.backends;
  const seller = await knex('users').where('email', site.seller.email).first('current_team_id');
  const own = { team_id: seller.current_team_id };
  const [auction, saleroom, lot, settlement] = await Promise.all([
    knex('auctions').where(own).orderBy('id').first('id'),
    knex('auctions')
      .where({ ...own, type: 'simulcast' })
      .first('id'),
    knex('lots').where(own).orderBy('id').first('id'),
    knex('settlements').where(own).first('statement_number'),
  ]);
  const rooms = [
    'auctions',
    'lots',
    'registrations',
    'inventory',
    'campaigns',
    'settlements',
    'consignors',
    'questions',
    'collections',
    'team',
    'safety',
  ];
  const ofAuction = [
    ...['', '/edit', '/import', '/registrations', '/live', '/results'],
    ...['/after', '/papers', '/table', '/photos'],
  ];
  return [
    '/seller',
    ...[...rooms, 'webhooks', 'activity'].map((room) => `/seller/${room}`),
    ...['auctions', 'lots', 'inventory', 'campaigns'].map((room) => `/seller/${room}/new`),
    ...ofAuction.map((page) => `/seller/auctions/${auction.id}${page}`),
    ...['site', 'sign-in'].map((page) => `/seller/team/${page}`),
    `/seller/lots/${lot.id}`,
    ...(saleroom === undefined
      ? []
      : ['saleroom', 'left-bids'].map((page) => `/seller/auctions/${saleroom.id}/${page}`)),
    ...(settlement === undefined ? [] : [`/seller/settlements/${settlement.statement_number}`]),
  ];
}
