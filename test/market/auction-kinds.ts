/** What sellers do to their auctions: made, published, paused, resumed, changed, cancelled, deleted. */
import type { Dice } from '../simulation/dice.ts';
import { createAuction } from './auction-making.ts';
import { type AuctionModel, cents, iso } from './market-terms.ts';
import { isLive, isOpen, type MarketWorld } from './market-world.ts';
import { cancel, moveEnd, pause, publish, resume } from './moves.ts';
import { type Expected, type Kind, type Operation, type Play, refused } from './operation.ts';
import {
  atDesk,
  byForm,
  isRefusal,
  type Seller,
  sellerIn,
  sellerOf,
  sentBy,
  someSeller,
} from './seller-context.ts';

const MINUTE_MS = 60_000;
const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const INVALID: Expected = refused(409, 'invalid_transition');
const LOCKED: Expected = refused(409, 'auction_locked');
const NOT_APPROVED: Expected = refused(403, 'seller_not_approved');
const UNPROCESSABLE: Expected = refused(422, 'validation_failed');

/** What a form of the desk does too; a sale is published there from a list of what it lacks. */
const MOVES: readonly string[] = ['active', 'paused', 'cancelled'];

/** A kind that changes an auction by PATCH: the body, and what a seller of its team is answered. */
function changing(
  name: string,
  weight: number,
  propose: (auction: AuctionModel, dice: Dice, world: MarketWorld) => Partial<Operation>,
  play: (
    auction: AuctionModel,
    operation: Operation,
    seller: Seller,
    nowUs: number,
  ) => { body: object; expected: Expected },
): Kind {
  return {
    name,
    weight,
    propose(world, dice) {
      if (world.auctions.length === 0) return null;
      const auction = dice.pick(world.auctions);
      return {
        auction: auction.name,
        ...someSeller(world, dice, auction.team),
        ...byForm(dice),
        ...propose(auction, dice, world),
      };
    },
    play(world, operation): Play | null {
      const auction = world.auction(String(operation['auction']));
      if (auction === null) return null;
      const seller = sellerOf(world, operation, auction);
      const path = `auctions/${auction.id}`;
      const { nowUs } = world;
      const touched = [auction.name, ...auction.lots.map((lot) => lot.name)];
      if (!isRefusal(seller)) {
        const { body, expected } = play(auction, operation, seller, nowUs);
        const done = { sent: sentBy(operation, 'PATCH', path, body), expected, touched };
        const status = 'status' in body ? String(body.status) : '';
        if (!MOVES.includes(status)) return done;
        return atDesk(world, operation, done, { path: `/seller/${path}/status`, fields: { status } });
      }
      // The body is judged only where the auction is the caller's: any will do.
      const body = { title: auction.title };
      return { sent: sentBy(operation, 'PATCH', path, body), expected: seller, touched };
    },
  };
}

const hasBids = ({ lots }: AuctionModel) => lots.some(({ hadBid }) => hadBid);
const done = (auction: AuctionModel): Expected => ({ status: 200, data: { status: auction.status } });

const publishAuction = changing(
  'publish auction',
  6,
  () => ({}),
  (auction, _operation, { maySell }, nowUs) => ({
    body: { status: 'scheduled' },
    expected: (() => {
      if (auction.status === 'scheduled') return done(auction);
      if (auction.status !== 'draft') return INVALID;
      if (!maySell) return NOT_APPROVED;
      if (auction.endUs <= nowUs) return UNPROCESSABLE;
      publish(auction, nowUs);
      return done(auction);
    })(),
  }),
);

const pauseAuction = changing(
  'pause auction',
  2,
  () => ({}),
  (auction, _operation, _seller, nowUs) => ({
    body: { status: 'paused' },
    expected: (() => {
      if (auction.status === 'paused') return done(auction);
      if (auction.status !== 'active') return INVALID;
      pause(auction, nowUs);
      return done(auction);
    })(),
  }),
);

/** A pause of more than an hour, or several of them in a day, is told to bidders who have bid. */
function needsReason(auction: AuctionModel, nowUs: number): boolean {
  const since = auction.pausedSinceUs ?? nowUs;
  if (!auction.lots.some((lot) => lot.hadBid && isOpen(lot))) return false;
  const times = auction.world.log.filter(({ input }) => input.kind === 'pause' || input.kind === 'resume');
  let silentUs = nowUs - since;
  for (let at = 0; at + 1 < times.length; at += 2) {
    const fromUs = times[at]!.atUs;
    if (fromUs > nowUs - DAY_US) silentUs += times[at + 1]!.atUs - fromUs;
  }
  return silentUs > HOUR_US;
}

const resumeAuction = changing(
  'resume auction',
  3,
  () => ({}),
  (auction, _operation, { role }, nowUs) => ({
    body: { status: 'active' },
    expected: (() => {
      if (auction.status === 'active') return done(auction);
      if (auction.status !== 'paused') return INVALID;
      if (needsReason(auction, nowUs)) return role === 'member' ? refused(403, 'forbidden') : UNPROCESSABLE;
      resume(auction, nowUs);
      return done(auction);
    })(),
  }),
);

const cancelAuction = changing(
  'cancel auction',
  1,
  () => ({}),
  (auction, _operation, _seller, nowUs) => ({
    body: { status: 'cancelled' },
    expected: (() => {
      if (auction.status === 'cancelled') return done(auction);
      if (auction.status !== 'draft' && !isLive(auction)) return INVALID;
      if (hasBids(auction)) return LOCKED;
      cancel(auction, nowUs);
      return done(auction);
    })(),
  }),
);

const renameAuction = changing(
  'rename auction',
  2,
  (_auction, dice) => ({ word: dice.pick(['spring', 'summer', 'autumn']) }),
  (auction, { word }, { maySell }) => {
    const title = `${auction.title.split(' ').slice(0, 3).join(' ')} ${word}`;
    if (isLive(auction) && !maySell) return { body: { title }, expected: NOT_APPROVED };
    auction.title = title;
    return { body: { title }, expected: { status: 200, data: { title, status: auction.status } } };
  },
);

const changePremium = changing(
  'change premium',
  2,
  (_auction, dice) => ({ premium: cents(dice.between(0, 2_000)) }),
  (auction, { premium }, { maySell }) => {
    const body = { buyer_premium_percentage: premium };
    const isRaised = Number(premium) > Number(auction.premium);
    if (auction.status !== 'draft') {
      if (!isLive(auction)) return { body, expected: INVALID };
      if (isRaised && !maySell) return { body, expected: NOT_APPROVED };
      if (hasBids(auction) && Number(premium) !== Number(auction.premium)) return { body, expected: LOCKED };
    }
    auction.premium = String(premium);
    return { body, expected: { status: 200, data: { buyer_premium_percentage: premium } } };
  },
);

const changeEnd = changing(
  'change end',
  2,
  (_auction, dice) => ({ byMs: dice.pick([-30, -5, 10, 60]) * MINUTE_MS }),
  (auction, { byMs }, { maySell }, nowUs) => {
    const endUs = auction.endUs + Number(byMs) * 1_000;
    const body = { end_time: iso(endUs) };
    if (auction.status !== 'draft' && !isLive(auction)) return { body, expected: INVALID };
    if (auction.status !== 'draft' && !maySell) return { body, expected: NOT_APPROVED };
    if (endUs <= auction.startUs) return { body, expected: UNPROCESSABLE };
    if (auction.status !== 'draft') {
      if (endUs <= nowUs) return { body, expected: UNPROCESSABLE };
      if (hasBids(auction) && endUs < auction.endUs) return { body, expected: LOCKED };
    }
    moveEnd(auction, endUs, nowUs);
    return { body, expected: { status: 200, data: { end_time: iso(endUs) } } };
  },
);

const deleteAuction: Kind = {
  name: 'delete auction',
  weight: 1,
  propose(world, dice) {
    if (world.auctions.length === 0) return null;
    const drafts = world.auctions.filter(({ status }) => status === 'draft');
    const auction = dice.pick(drafts.length > 0 && dice.chance(0.7) ? drafts : world.auctions);
    return { auction: auction.name, ...someSeller(world, dice, auction.team) };
  },
  play(world, operation) {
    const auction = world.auction(String(operation['auction']));
    if (auction === null) return null;
    const sent = sentBy(operation, 'DELETE', `auctions/${auction.id}`);
    const seller = sellerIn(world, operation);
    if (isRefusal(seller)) return { sent, expected: seller };
    if (seller.role === 'member') return { sent, expected: refused(403, 'forbidden') };
    const own = sellerOf(world, operation, auction);
    if (isRefusal(own)) return { sent, expected: own };
    if (auction.status !== 'draft') return { sent, expected: LOCKED };
    const gone = auction.lots.map(({ name }) => name);
    world.auctions.splice(world.auctions.indexOf(auction), 1);
    return { sent, expected: { status: 204 }, touched: gone };
  },
};

export const AUCTION_KINDS: readonly Kind[] = [
  ...[createAuction, publishAuction, pauseAuction, resumeAuction, cancelAuction],
  ...[renameAuction, changePremium, changeEnd, deleteAuction],
];
