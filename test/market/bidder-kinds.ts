/** What bidders do, and what sellers decide about them: registrations, bids with ceilings, purchases. */

import { apply } from '../support/naive-rules.ts';
import type { JsonValue } from '../support/service.ts';
import { differences } from './comparisons.ts';
import { type AuctionModel, cents, iso, type LotModel, orNull, type Person } from './market-terms.ts';
import {
  isLive,
  isOpen,
  isUnderHammer,
  liveView,
  type MarketWorld,
  seesLot,
  VISITOR,
} from './market-world.ts';
import { type Expected, HIDDEN, type Kind, refused } from './operation.ts';
import { isRefusal, sellerOf, sentBy, someSeller } from './seller-context.ts';

const STATUS_OF: Readonly<Record<string, number>> = {
  ...{ bid_too_low: 422, currency_mismatch: 422, seller_cannot_bid: 403, registration_required: 403 },
  ...{ registration_pending: 403, bidder_suspended: 403, bid_limit_exceeded: 403, lot_not_started: 409 },
  ...{ lot_closed: 409, lot_withdrawn: 409, auction_paused: 409, max_not_increased: 409 },
  ...{ bid_confirmation_required: 409, buy_now_unavailable: 409 },
};

/** In the team, or so lately that it is the same. */
const isMember = ({ world }: AuctionModel, { userId }: Person) => world.auction.ownerUserIds.includes(userId);

const register: Kind = {
  name: 'register',
  weight: 5,
  propose(world, dice) {
    if (world.auctions.length === 0) return null;
    const by = dice.chance(0.05) ? VISITOR : dice.pick([...world.people.keys()]);
    return { auction: dice.pick(world.auctions).name, by };
  },
  play(world, { auction: name, by }) {
    const auction = world.auction(String(name));
    if (auction === null) return null;
    const sent = { by: String(by), method: 'POST', path: `/api/v1/auctions/${auction.id}/registration` };
    const person = world.person(String(by));
    if (person === null) return { sent, expected: refused(401, 'unauthenticated') };
    if (world.suspended.has(person.name)) return { sent, expected: refused(403, 'account_suspended') };
    if (!isLive(auction)) return { sent, expected: HIDDEN };
    if (isMember(auction, person)) return { sent, expected: refused(403, 'seller_cannot_bid') };
    const known = auction.registrations.get(person.name);
    if (auction.privacy === 'private' && known?.status !== 'approved') return { sent, expected: HIDDEN };
    const status = known?.status ?? (auction.mode === 'open' ? 'approved' : 'pending');
    const data = { status, auction_id: auction.id, bid_limit: orNull(known?.limitCents ?? null) };
    return {
      sent,
      expected: { status: known === undefined ? 201 : 200, data },
      learn({ id }) {
        auction.registrations.set(person.name, { limitCents: null, ...known, id, status });
      },
      touched: [auction.name],
    };
  },
};

/** The seller's list says which registration is whose: those that a bid has made have no other answer. */
const listRegistrations: Kind = {
  name: 'list registrations',
  weight: 4,
  settled: true,
  propose(world, dice) {
    const auctions = world.auctions.filter(({ registrations }) => registrations.size > 0);
    if (auctions.length === 0) return null;
    const auction = dice.pick(auctions);
    return { auction: auction.name, ...someSeller(world, dice, auction.team) };
  },
  play(world, operation) {
    const auction = world.auction(String(operation['auction']));
    if (auction === null) return null;
    const sent = sentBy(operation, 'GET', `auctions/${auction.id}/registrations?per_page=100`);
    const seller = sellerOf(world, operation, auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    const rows = [...auction.registrations];
    return {
      sent,
      expected: { status: 200 },
      // The list is the newest first, of a moment each: compared by whose it is.
      check(data: readonly JsonValue[]) {
        const found = new Map(data.map((row) => [row.user?.id ?? row.email, row]));
        if (found.size !== rows.length) return [`${rows.length} registrations expected, not ${found.size}`];
        return rows.flatMap(([name, known]) => {
          const person = world.person(name);
          const row = found.get(person?.userId) ?? found.get(person?.email);
          if (row === undefined) return [`${name} is not in the list`];
          known.id = row.id;
          return differences({ status: known.status, bid_limit: orNull(known.limitCents) }, row, name);
        });
      },
    };
  },
};

const decide: Kind = {
  name: 'decide registration',
  weight: 5,
  propose(world, dice) {
    const auctions = world.auctions.filter((one) => isLive(one) && one.registrations.size > 0);
    if (auctions.length === 0) return null;
    const auction = dice.pick(auctions);
    return {
      ...{ auction: auction.name, bidder: dice.pick([...auction.registrations.keys()]) },
      ...someSeller(world, dice, auction.team),
      status: dice.pick(['approved', 'approved', 'approved', 'declined', 'suspended']),
      limitCents: dice.chance(0.3) ? dice.between(50, 2_000) * 100 : null,
    };
  },
  play(world, operation) {
    const auction = world.auction(String(operation['auction']));
    const known = auction?.registrations.get(String(operation['bidder']));
    if (!auction || !known || known.id === 0 || !isLive(auction)) return null;
    const limitCents = operation['limitCents'] as number | null;
    const status = operation['status'] as 'approved';
    const body = { status, bid_limit: orNull(limitCents) };
    const path = `auctions/${auction.id}/registrations/${known.id}`;
    const sent = sentBy(operation, 'PATCH', path, body);
    const seller = sellerOf(world, operation, auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    Object.assign(known, { status, limitCents });
    return { sent, expected: { status: 200, data: body }, touched: [auction.name] };
  },
};

const invite: Kind = {
  name: 'invite bidder',
  weight: 4,
  propose(world, dice) {
    const auctions = world.auctions.filter((one) => isLive(one) && one.privacy === 'private');
    if (auctions.length === 0) return null;
    const auction = dice.pick(auctions);
    const bidder = `bidder${dice.between(1, 10)}`;
    return { auction: auction.name, bidder, ...someSeller(world, dice, auction.team) };
  },
  play(world, operation) {
    const auction = world.auction(String(operation['auction']));
    const bidder = world.person(String(operation['bidder']));
    if (auction === null || bidder === null || !isLive(auction)) return null;
    const path = `auctions/${auction.id}/registrations`;
    const sent = sentBy(operation, 'POST', path, { email: bidder.email });
    const seller = sellerOf(world, operation, auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    return {
      sent,
      expected: { status: 201, data: { status: 'approved', email: bidder.email } },
      learn({ id }) {
        const known = auction.registrations.get(bidder.name);
        auction.registrations.set(bidder.name, { limitCents: null, ...known, id, status: 'approved' });
      },
      touched: [auction.name],
    };
  },
};

/** Brings what the rules know of a bidder up to date. */
function enter({ suspended }: MarketWorld, auction: AuctionModel, { name, userId }: Person): void {
  const known = auction.registrations.get(name);
  auction.world.bidders[name] = {
    ...{ userId, verified: false, suspended: suspended.has(name) },
    registration:
      known === undefined
        ? null
        : { status: known.status, depositPaid: false, bidLimitCents: known.limitCents },
  };
}

/** The refusal that comes before the rules of bidding, or null. */
function before(world: MarketWorld, lot: LotModel, by: string): Expected | null {
  if (world.person(by) === null) return refused(401, 'unauthenticated');
  // One that was never put up takes no bids, not even from those who see it.
  if (!seesLot(lot, by) || !lot.published) return HIDDEN;
  return null;
}

/** Whoever bids in an open auction is registered by that. */
function admit(auction: AuctionModel, { name }: Person): void {
  if (!auction.registrations.has(name))
    auction.registrations.set(name, { id: 0, status: 'approved', limitCents: null });
}

let bids = 0;

const bid: Kind = {
  name: 'bid',
  weight: 45,
  propose(world, dice) {
    const running = world.lots.filter(
      (lot) => isUnderHammer(lot) && lot.auction.status === 'active' && isOpen(lot),
    );
    const open = running.filter(({ auction }) => auction.privacy !== 'private' && auction.mode === 'open');
    const lots =
      dice.chance(0.7) && open.length > 0
        ? open
        : dice.chance(0.8) && running.length > 0
          ? running
          : world.lots;
    if (lots.length === 0) return null;
    // A few of them, so that they are contested.
    const lot = lots[Math.min(dice.between(0, lots.length - 1), dice.between(0, lots.length - 1))]!;
    const by = dice.chance(0.93)
      ? `bidder${dice.between(1, 10)}`
      : dice.pick([VISITOR, ...world.people.keys()]);
    const minimum = isUnderHammer(lot) ? liveView(lot).minimumNextCents : lot.startingCents;
    const amount = Math.max(1, minimum + dice.pick([-100, 0, 0, 0, 500, 2_500, 10_000]));
    const shape = dice.between(0, 3);
    const ceiling = amount + dice.pick([0, 500, 5_000, 40_000]);
    return {
      ...{ lot: lot.name, by },
      amountCents: shape === 3 ? null : amount,
      maxCents: shape < 2 ? null : ceiling,
      confirm: dice.chance(0.8),
    };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const by = String(operation['by']);
    const straightCents = operation['amountCents'] as number | null;
    const ceilingCents = operation['maxCents'] as number | null;
    const confirm = operation['confirm'] === true;
    const body = {
      ...(straightCents === null ? {} : { amount: cents(straightCents) }),
      ...(ceilingCents === null ? {} : { max_amount: cents(ceilingCents) }),
      ...(confirm ? { confirm } : {}),
    };
    const sent = { by, method: 'POST', path: `/api/v1/lots/${lot.id}/bids`, body };
    const touched = [lot.name];
    const earlier = before(world, lot, by);
    const person = world.person(by);
    if (earlier !== null || person === null) return { sent, expected: earlier ?? HIDDEN, touched };
    const { auction } = lot;
    enter(world, auction, person);
    const answer = apply(auction.world, {
      ...{ kind: 'bid', lotId: lot.id, atUs: world.nowUs, bidId: `bid ${++bids}`, who: by, straightCents },
      ...{ ceilingCents, currency: null, confirm, channel: 'online' },
    });
    if (answer.refused !== null)
      return { sent, expected: refused(STATUS_OF[answer.refused] ?? 0, answer.refused), touched };
    lot.hadBid = true;
    if (answer.outcome !== 'max_raised') lot.bidsMade += 1;
    admit(auction, person);
    return { sent, expected: { status: 201, data: accepted(lot, by, answer, world.nowUs) }, touched };
  },
};

type Accepted = Extract<ReturnType<typeof apply>, { refused: null }>;

/** The answer to a bid that is recorded. */
function accepted(lot: LotModel, by: string, answer: Accepted, nowUs: number) {
  const view = liveView(lot);
  return {
    ...{ lot_id: lot.id, auction_id: lot.auction.id, outcome: answer.outcome, channel: 'online' },
    ...{ amount: cents(answer.listedCents ?? 0), max_amount: cents(answer.bidderCeilingCents ?? 0) },
    placed_at: iso(nowUs),
    lot: {
      ...{ current_bid: cents(view.currentCents), minimum_next_bid: cents(view.minimumNextCents) },
      ...{ bid_count: view.bidCount, reserve_met: view.reserveMet, is_high_bidder: view.leader === by },
      ...{ end_time: iso(view.endsAtUs), extended: answer.extended },
    },
  };
}

const buyNow: Kind = {
  name: 'buy now',
  weight: 3,
  propose(world, dice) {
    const offered = world.lots.filter(({ buyNowCents }) => buyNowCents !== null);
    if (offered.length === 0) return null;
    const free = offered.filter((lot) => lot.auction.status === 'active' && !lot.hadBid && isOpen(lot));
    return { lot: dice.pick(free.length > 0 ? free : offered).name, by: `bidder${dice.between(1, 10)}` };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const by = String(operation['by']);
    const sent = { by, method: 'POST', path: `/api/v1/lots/${lot.id}/buy-now`, body: { currency: 'usd' } };
    const touched = [lot.name, lot.auction.name];
    const earlier = before(world, lot, by);
    const person = world.person(by);
    if (earlier !== null || person === null) return { sent, expected: earlier ?? HIDDEN, touched };
    const { auction } = lot;
    enter(world, auction, person);
    const order = { kind: 'buyNow', lotId: lot.id, atUs: world.nowUs, bidId: `bid ${++bids}` } as const;
    const answer = apply(auction.world, { ...order, who: by, currency: 'usd' });
    if (answer.refused !== null)
      return { sent, expected: refused(STATUS_OF[answer.refused] ?? 0, answer.refused), touched };
    lot.hadBid = true;
    lot.bidsMade += 1;
    lot.status = 'sold';
    admit(auction, person);
    const price = cents(answer.listedCents ?? 0);
    const data = { outcome: 'won', amount: price, lot_id: lot.id, placed_at: iso(world.nowUs) };
    return { sent, expected: { status: 201, data }, touched };
  },
};

export const BIDDER_KINDS: readonly Kind[] = [register, listRegistrations, decide, invite, bid, buyNow];
