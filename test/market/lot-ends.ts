/** New drafts, and how lots go that are no longer wanted: deleted as drafts, or listed again once they are over. */
import type { AuctionModel, LotModel } from './market-terms.ts';
import { isLive, OVER } from './market-world.ts';
import { HIDDEN, type Kind, refused } from './operation.ts';
import { isRefusal, sellerIn, sellerOf, sentBy, someSeller } from './seller-context.ts';

const INVALID = refused(409, 'invalid_transition');
const LOCKED = refused(409, 'lot_locked');

export const takesLots = (auction: AuctionModel) => auction.status === 'draft' || isLive(auction);

/** The shape of a new draft; its number is the next of the auction. */
export function draftLot(auction: AuctionModel, parts: Partial<LotModel> & Pick<LotModel, 'name'>): LotModel {
  return {
    ...{ id: 0, auction, title: '', status: 'draft', published: false, startingCents: 10_000 },
    ...{
      reserveCents: null,
      buyNowCents: null,
      amendments: [],
      hadBid: false,
      bidsMade: 0,
      relistedFrom: null,
      named: null,
      consigned: false,
      closedAs: null,
      resold: [],
    },
    number: Math.max(0, ...auction.lots.map(({ number }) => number)) + 1,
    ...parts,
  };
}

const deleteLot: Kind = {
  name: 'delete lot',
  weight: 2,
  propose(world, dice) {
    if (world.lots.length === 0) return null;
    const lot = dice.pick(world.lots);
    return { lot: lot.name, ...someSeller(world, dice, lot.auction.team) };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const sent = sentBy(operation, 'DELETE', `lots/${lot.id}`);
    const seller = sellerIn(world, operation);
    if (isRefusal(seller)) return { sent, expected: seller };
    if (seller.role === 'member') return { sent, expected: refused(403, 'forbidden') };
    if (seller.team !== lot.auction.team) return { sent, expected: HIDDEN };
    if (lot.status !== 'draft') return { sent, expected: LOCKED };
    lot.auction.lots.splice(lot.auction.lots.indexOf(lot), 1);
    return { sent, expected: { status: 204 }, touched: [lot.auction.name] };
  },
};

const relist: Kind = {
  name: 'relist lot',
  weight: 3,
  propose(world, dice) {
    const over = world.lots.filter(({ status }) => OVER.includes(status));
    if (world.lots.length === 0) return null;
    const promised = over.filter((one) => world.ledger.isPromised(one));
    const some = promised.length > 0 && dice.chance(0.3) ? promised : over;
    const lot = dice.pick(some.length > 0 && dice.chance(0.8) ? some : world.lots);
    const own = world.auctions.filter(({ team }) => team === lot.auction.team);
    return {
      ...{ name: `l${world.lots.length + 1}-r`, lot: lot.name },
      into: dice.pick(dice.chance(0.9) ? own : world.auctions).name,
      ...someSeller(world, dice, lot.auction.team),
    };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    const into = world.auction(String(operation['into']));
    if (lot === null || into === null) return null;
    const sent = sentBy(operation, 'POST', `lots/${lot.id}/relist`, { auction_id: into.id });
    const seller = sellerOf(world, operation, lot.auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    // One that is up again, and could be sold, is not put up twice.
    const isAgain = world.lots.some(
      (other) => other.relistedFrom === lot && !['passed', 'unsold', 'withdrawn'].includes(other.status),
    );
    const isKept = lot.status === 'sold' && !world.ledger.isFreeAgain(lot);
    if (isKept || !OVER.includes(lot.status) || isAgain || world.ledger.isPromised(lot))
      return { sent, expected: INVALID };
    if (into.team !== seller.team) return { sent, expected: HIDDEN };
    if (!takesLots(into)) return { sent, expected: INVALID };
    const made = draftLot(into, {
      ...{ name: String(operation['name']), title: lot.title, relistedFrom: lot },
      // What is not given is copied.
      named: lot.consigned ? lot.named : null,
      ...{ startingCents: lot.startingCents, reserveCents: lot.reserveCents, buyNowCents: lot.buyNowCents },
    });
    return {
      sent,
      expected: {
        status: 201,
        data: { title: made.title, status: 'draft', relisted_from: lot.id, auction_id: into.id },
      },
      learn({ id }) {
        made.id = id;
        into.lots.push(made);
      },
      touched: [made.name],
    };
  },
};

export const LOT_ENDS: readonly Kind[] = [deleteLot, relist];
