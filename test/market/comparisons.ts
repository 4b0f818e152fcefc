/**
 * What somebody is shown of a thing, compared with what the model says they see: read by id, lists, search, pages, the
 * list of bids, the seller's own view. Each gives sentences for what differs.
 */
import type { Dice } from '../simulation/dice.ts';
import type { JsonValue } from '../support/service.ts';
import { readEvents } from './event-views.ts';
import type { MarketService } from './market-service.ts';
import { type AuctionModel, cents, iso, type LotModel, type LotStatus, orNull } from './market-terms.ts';
import {
  isUnderHammer,
  listsAuction,
  listsLot,
  liveView,
  type MarketWorld,
  memberOf,
  readsAuction,
  rowsOf,
  seesAuction,
  seesLot,
  VISITOR,
} from './market-world.ts';
import { booksRead, invoiceRead, settlementRead } from './money-views.ts';
import { OWN_VIEWS } from './own-views.ts';

/** Where a difference was seen: what was read, by whom, and how it differs. */
export interface Seen {
  readonly where: string;
  readonly by: string;
  readonly differences: readonly string[];
}

export type Read = (world: MarketWorld, market: MarketService, by: string) => Promise<Seen>;

/** The first sentences for what `found` lacks of `wanted`, or has otherwise. */
export function differences(wanted: unknown, found: JsonValue, at = ''): string[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length)
      return [`${at}: ${JSON.stringify(wanted)} expected, not ${JSON.stringify(found)}`];
    return wanted.flatMap((one, index) => differences(one, found[index], `${at}[${index}]`));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof found !== 'object' || found === null)
      return [`${at}: ${JSON.stringify(wanted)} expected, not ${JSON.stringify(found)}`];
    return Object.entries(wanted).flatMap(([name, one]) => differences(one, found[name], `${at}.${name}`));
  }
  return wanted === found ? [] : [`${at}: ${JSON.stringify(wanted)} expected, not ${JSON.stringify(found)}`];
}

export async function readOne(
  world: MarketWorld,
  market: MarketService,
  { by, path, wanted, team }: { by: string; path: string; wanted: object | null; team?: number },
): Promise<Seen> {
  const headers: Record<string, string> = team === undefined ? {} : { 'x-team-id': String(team) };
  // Nobody of the team is there to read it.
  if (by === '') return { where: path, by, differences: [] };
  const token = world.person(by)?.token;
  const { status, body } = await market.service.call('GET', path, { token, headers });
  const where = `GET ${path}`;
  const expected = wanted === null ? 404 : 200;
  if (status !== expected) return { where, by, differences: [`status: ${expected} expected, not ${status}`] };
  return { where, by, differences: wanted === null ? [] : differences(wanted, body.data) };
}

/** Prices, counts and the end, as every view of a lot has them. */
function liveFields(lot: LotModel) {
  if (!isUnderHammer(lot)) return { current_bid: '0.00', bid_count: 0 };
  const { currentCents, bidCount, minimumNextCents, hammerCents, endsAtUs } = liveView(lot);
  return {
    ...{ current_bid: cents(currentCents), bid_count: bidCount, hammer_price: orNull(hammerCents) },
    ...(['scheduled', 'active'].includes(lot.status) ? { minimum_next_bid: cents(minimumNextCents) } : {}),
    end_time: iso(endsAtUs),
  };
}

function lotFields(lot: LotModel) {
  return {
    ...{ id: lot.id, auction_id: lot.auction.id, lot_number: lot.number, title: lot.title },
    ...{ starting_bid: cents(lot.startingCents), status: lot.status, ...liveFields(lot) },
  };
}

function detailFields(lot: LotModel) {
  const view = isUnderHammer(lot) ? liveView(lot) : null;
  return {
    ...{ ...lotFields(lot), buy_now_price: orNull(lot.buyNowCents), has_reserve: lot.reserveCents !== null },
    ...(view === null ? {} : { reserve_met: view.reserveMet }),
    amendments: lot.amendments,
    auction: { id: lot.auction.id, title: lot.auction.title, status: lot.auction.status },
  };
}

const lotDetail =
  (lot: LotModel): Read =>
  (world, market, by) => {
    const viewer =
      by === VISITOR || !isUnderHammer(lot)
        ? {}
        : { viewer: { is_high_bidder: lot.status !== 'withdrawn' && liveView(lot).leader === by } };
    const wanted = seesLot(lot, by) ? { ...detailFields(lot), ...viewer } : null;
    return readOne(world, market, { by, path: `/api/v1/lots/${lot.id}`, wanted });
  };

const lotBids =
  (lot: LotModel): Read =>
  (world, market, by) => {
    const shown = isUnderHammer(lot)
      ? rowsOf(lot).map(({ who, listedCents, outcome, status }) => ({
          ...{ amount: cents(listedCents), outcome, status, is_mine: who === by },
        }))
      : [];
    const path = `/api/v1/lots/${lot.id}/bids?per_page=100`;
    return readOne(world, market, { by, path, wanted: seesLot(lot, by) ? shown : null });
  };

const ownLot =
  (lot: LotModel): Read =>
  (world, market, by) => {
    const { team } = lot.auction;
    const { amendments: _, ...fields } = detailFields(lot);
    const wanted = { ...fields, reserve_price: orNull(lot.reserveCents) };
    const member = memberOf(world, team, by);
    return readOne(world, market, {
      ...{ by: member, path: `/api/v1/seller/lots/${lot.id}`, wanted, team: team.id },
    });
  };

function auctionFields(auction: AuctionModel) {
  return {
    ...{ id: auction.id, title: auction.title, status: auction.status, privacy_setting: auction.privacy },
    ...{ buyer_premium_percentage: auction.premium },
    ...{ start_time: iso(auction.startUs), end_time: iso(auction.endUs) },
  };
}

const auctionDetail =
  (auction: AuctionModel): Read =>
  (world, market, by) =>
    readOne(world, market, {
      ...{ by, path: `/api/v1/auctions/${auction.id}` },
      wanted: readsAuction(auction, by) ? auctionFields(auction) : null,
    });

const ownAuction =
  (auction: AuctionModel): Read =>
  (world, market, by) => {
    const { team } = auction;
    const member = memberOf(world, team, by);
    const wanted = { ...auctionFields(auction), lots_count: auction.lots.length };
    const path = `/api/v1/seller/auctions/${auction.id}`;
    return readOne(world, market, { by: member, path, wanted, team: team.id });
  };

/** Pages are read by a visitor, who has no session. */
const page =
  (path: string, isSeen: boolean): Read =>
  async (_world, market) => {
    const { status } = await market.service.call('GET', path);
    const expected = isSeen ? 200 : 404;
    const wrong = status === expected ? [] : [`status: ${expected} expected, not ${status}`];
    return { where: `GET ${path}`, by: VISITOR, differences: wrong };
  };

/** The ids of this seed's things in a list, in any order. */
async function readIds(
  market: MarketService,
  path: string,
  token: string | undefined,
): Promise<{ status: number; ids: number[] }> {
  const { status, body } = await market.service.call('GET', path, { token });
  const ids = status === 200 ? body.data.data.map(({ id }: { id: number }) => id) : [];
  return { status, ids };
}

const list =
  (path: string, known: readonly { readonly id: number }[], isListed: (id: number) => boolean): Read =>
  async (world, market, by) => {
    const { status, ids } = await readIds(market, path, world.person(by)?.token);
    const wrong = status === 200 ? [] : [`status: 200 expected, not ${status}`];
    for (const { id } of known) {
      if (ids.includes(id) === isListed(id)) continue;
      wrong.push(`${id} is ${isListed(id) ? 'not ' : ''}in the list`);
    }
    return { where: `GET ${path}`, by, differences: wrong };
  };

const FILTERS: readonly (LotStatus | 'all')[] = [
  ...(['all', 'active', 'scheduled', 'sold', 'passed', 'unsold', 'withdrawn'] as const),
];

function lotLists(world: MarketWorld, auction: AuctionModel, dice: Dice): Read {
  const filter = dice.pick(FILTERS);
  const within = dice.chance(0.5) ? `auction_id=${auction.id}` : `search=${world.tag}`;
  const path = `/api/v1/lots?status=${filter}&per_page=100&${within}`;
  const known = within.startsWith('search') ? world.lots : auction.lots;
  const lotOf = new Map(known.map((lot) => [lot.id, lot]));
  return list(path, known, (id) => listsLot(lotOf.get(id)!, filter));
}

function auctionList(world: MarketWorld): Read {
  const path = `/api/v1/auctions?per_page=100&search=${world.tag}`;
  const auctionOf = new Map(world.auctions.map((one) => [one.id, one]));
  return list(path, world.auctions, (id) => listsAuction(auctionOf.get(id)!));
}

/** Everything that can be compared of a thing, by name, but for what is somebody's own. */
function comparable(world: MarketWorld, name: string, dice: Dice): (readonly [string, Read])[] {
  const auction = world.auction(name);
  if (auction !== null)
    return [
      ['auction', auctionDetail(auction)],
      ['own auction', ownAuction(auction)],
      ['auction page', page(`/auctions/${auction.slug}`, seesAuction(auction, VISITOR))],
      ['auction list', auctionList(world)],
      ['lot list', lotLists(world, auction, dice)],
      ['settlement', settlementRead(auction)],
      ['books', booksRead(auction)],
    ];
  const invoice = world.ledger.invoice(name);
  if (invoice !== null) return invoice.number === '' ? [] : [['invoice', invoiceRead(invoice)]];
  const lot = world.lot(name);
  if (lot === null) return [];
  return [
    ['lot', lotDetail(lot)],
    ['lot', lotDetail(lot)],
    ['own lot', ownLot(lot)],
    ['bids', lotBids(lot)],
    ['lot page', page(`/lots/${lot.id}`, seesLot(lot, VISITOR))],
    ['lot list', lotLists(world, lot.auction, dice)],
  ];
}

/** A few views, of what was touched and of anything; gives the first that differs, and notes what was compared. */
export async function compare(
  world: MarketWorld,
  market: MarketService,
  touched: readonly string[],
  dice: Dice,
  note: (kind: string) => void,
): Promise<Seen | null> {
  const anything = [...world.auctions, ...world.lots, ...world.ledger.all].map(({ name }) => name);
  const names = [...touched, ...(anything.length > 0 ? [dice.pick(anything)] : [])];
  for (let count = 0; count < 2 && names.length > 0; count += 1) {
    const name = count === 0 ? dice.pick(names) : names.at(-1)!;
    const own = world.lot(name) === null ? [] : OWN_VIEWS;
    const kinds = [
      ...comparable(world, name, dice),
      ...own.map(({ kind, read }) => [kind, read(dice)] as const),
    ];
    if (kinds.length === 0) continue;
    const [kind, read] = dice.pick(kinds);
    const by = dice.chance(0.4) ? VISITOR : dice.pick([...world.people.keys()]);
    const seen = await read(world, market, by);
    note(kind);
    if (seen.differences.length > 0) return seen;
  }
  return null;
}

/** How many views are read at once. */
const AT_ONCE = 8;

/** Every view of everything, by a visitor and one person, and what is each person's own: at the end of a seed. */
export async function compareAll(
  world: MarketWorld,
  market: MarketService,
  dice: Dice,
  note: (kind: string) => void,
): Promise<Seen | null> {
  const one = dice.pick([...world.people.keys()]);
  const reads: { readonly kind: string; readonly read: Read; readonly by: string }[] = [];
  for (const { name } of [...world.auctions, ...world.lots, ...world.ledger.all]) {
    for (const [kind, read] of comparable(world, name, dice))
      reads.push({ kind, read, by: dice.chance(0.5) ? VISITOR : one });
  }
  for (const by of world.people.keys()) {
    for (const { kind, isTheirs, read } of OWN_VIEWS)
      if (isTheirs(world, by)) reads.push({ kind, read: read(dice), by });
  }
  for (const team of Object.values(world.teams))
    reads.push({ kind: 'events', read: () => readEvents(world, market, team), by: '' });
  while (reads.length > 0) {
    const some = reads.splice(0, AT_ONCE);
    const all = await Promise.all(some.map(({ read, by }) => read(world, market, by)));
    for (const { kind } of some) note(kind);
    const wrong = all.find((seen) => seen.differences.length > 0);
    if (wrong !== undefined) return wrong;
  }
  return null;
}
