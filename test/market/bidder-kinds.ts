/** Who is let in: what bidders request, and what sellers decide about them. */
import type { JsonValue } from '../support/service.ts';
import { differences } from './comparisons.ts';
import { type AuctionModel, orNull, type Person } from './market-terms.ts';
import { isLive, VISITOR } from './market-world.ts';
import { HIDDEN, type Kind, refused } from './operation.ts';
import { isRefusal, sellerOf, sentBy, someSeller } from './seller-context.ts';

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

export const BIDDER_KINDS: readonly Kind[] = [register, listRegistrations, decide, invite];
