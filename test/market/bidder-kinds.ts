/** Who is let in: what bidders request, and what sellers decide about them. */
import type { JsonValue } from '../support/service.ts';
import { differences } from './comparisons.ts';
import { type AuctionModel, orNull, type Person, UNREGISTERED } from './market-terms.ts';
import { isLetIn, isLive, type MarketWorld, VISITOR } from './market-world.ts';
import { HIDDEN, type Kind, refused, refusedPerson } from './operation.ts';
import { isRefusal, sellerOf, sentBy, someSeller } from './seller-context.ts';

/** In the team, or so lately that it is the same. */
const isMember = ({ world }: AuctionModel, { userId }: Person) => world.auction.ownerUserIds.includes(userId);

const register: Kind = {
  name: 'register',
  weight: 5,
  propose(world, dice) {
    if (world.auctions.length === 0) return null;
    const choosy = world.auctions.filter((one) => isLive(one) && one.mode !== 'open');
    const auctions = choosy.length > 0 && dice.chance(0.7) ? choosy : world.auctions;
    const anybody = dice.chance(0.05) ? VISITOR : dice.pick([...world.people.keys()]);
    const by = dice.chance(0.6) ? `bidder${dice.between(1, 10)}` : anybody;
    return { auction: dice.pick(auctions).name, by };
  },
  play(world, { auction: name, by }) {
    const auction = world.auction(String(name));
    if (auction === null) return null;
    const sent = { by: String(by), method: 'POST', path: `/api/v1/auctions/${auction.id}/registration` };
    const person = world.person(String(by));
    const early = refusedPerson(world, String(by));
    if (early !== null || person === null) return early === null ? null : { sent, expected: early };
    if (!isLive(auction)) return { sent, expected: HIDDEN };
    if (isMember(auction, person)) return { sent, expected: refused(403, 'seller_cannot_bid') };
    const known = auction.registrations.get(person.name);
    if (auction.privacy === 'private' && !isLetIn(auction, person.name)) return { sent, expected: HIDDEN };
    const status = known?.status ?? firstStatus(auction);
    const data = { status, auction_id: auction.id, bid_limit: orNull(known?.limitCents ?? null) };
    const deposit = status === 'deposit_due' ? world.ledger.openDeposit(auction, person.name) : null;
    const number =
      deposit === null || deposit.number === '' ? {} : { deposit_invoice_number: deposit.number };
    return {
      sent,
      expected: { status: known === undefined ? 201 : 200, data: { ...data, ...number } },
      learn({ id, deposit_invoice_number: found }) {
        auction.registrations.set(person.name, { ...UNREGISTERED, ...known, id, status });
        if (deposit !== null) deposit.number = found;
      },
      touched: [auction.name],
    };
  },
};

/** What somebody is who registers: a deposit is owed as long as it is not paid. */
const firstStatus = ({ mode }: AuctionModel) =>
  mode === 'open' ? 'approved' : mode === 'approval' ? 'pending' : 'deposit_due';

/** Who is let in owes the deposit first, unless it is paid, or their seller has waived it. */
function letIn(world: MarketWorld, auction: AuctionModel, name: string, waived: boolean) {
  const isPaid = world.ledger.depositOf(auction, name)?.isHeld === true;
  return auction.mode !== 'deposit' || waived || isPaid ? 'approved' : 'deposit_due';
}

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
        const isKnown = (whose: unknown) =>
          rows.some(([name]) =>
            [world.person(name)?.userId, world.person(name)?.email].includes(whose as never),
          );
        const unknown = [...found.keys()].filter((whose) => !isKnown(whose));
        if (unknown.length > 0) return [`${unknown} in the list beside ${rows.map(([name]) => name)}`];
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

/** Whether the id of their registration has been read. */
const isListed = ({ registrations }: AuctionModel, name: string) => (registrations.get(name)?.id ?? 0) !== 0;

const decide: Kind = {
  name: 'decide registration',
  weight: 5,
  propose(world, dice) {
    const auctions = world.auctions.filter((one) => isLive(one) && one.registrations.size > 0);
    if (auctions.length === 0) return null;
    // Whoever was offered a lot of a sale that still runs may be barred from it before they answer.
    const offered = world.ledger.offers.find(
      ({ status, lot, to }) => status === 'offered' && isLive(lot.auction) && isListed(lot.auction, to),
    );
    if (offered !== undefined && dice.chance(0.5)) {
      const { lot, to } = offered;
      const seller = someSeller(world, dice, lot.auction.team);
      return { auction: lot.auction.name, bidder: to, ...seller, status: 'suspended', limitCents: null };
    }
    const auction = dice.pick(auctions);
    return {
      ...{ auction: auction.name, bidder: dice.pick([...auction.registrations.keys()]) },
      ...someSeller(world, dice, auction.team),
      status: dice.pick(['approved', 'approved', 'approved', 'declined', 'suspended']),
      limitCents: dice.chance(0.3) ? dice.between(50, 2_000) * 100 : null,
      ...(auction.mode === 'deposit' && dice.chance(0.3) ? { waive: dice.chance(0.6) } : {}),
    };
  },
  play(world, operation) {
    const auction = world.auction(String(operation['auction']));
    const known = auction?.registrations.get(String(operation['bidder']));
    if (!auction || !known || known.id === 0 || !isLive(auction)) return null;
    const limitCents = operation['limitCents'] as number | null;
    const decided = operation['status'] as 'approved';
    const waive = operation['waive'] as boolean | undefined;
    const terms = { bid_limit: orNull(limitCents) };
    const body = { status: decided, ...terms, ...(waive === undefined ? {} : { waive_deposit: waive }) };
    const path = `auctions/${auction.id}/registrations/${known.id}`;
    const sent = sentBy(operation, 'PATCH', path, body);
    const seller = sellerOf(world, operation, auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    const waived = waive ?? known.waived;
    const bidder = String(operation['bidder']);
    const status = decided === 'approved' ? letIn(world, auction, bidder, waived) : decided;
    Object.assign(known, { status, limitCents, waived });
    const data = { status, ...terms, deposit_waived: waived };
    return { sent, expected: { status: 200, data }, touched: [auction.name] };
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
    const known = auction.registrations.get(bidder.name);
    const status = letIn(world, auction, bidder.name, known?.waived === true);
    return {
      sent,
      expected: { status: 201, data: { status, email: bidder.email } },
      learn({ id }) {
        auction.registrations.set(bidder.name, { ...UNREGISTERED, ...known, id, status });
      },
      touched: [auction.name],
    };
  },
};

export const BIDDER_KINDS: readonly Kind[] = [register, listRegistrations, decide, invite];
