/**
 * Redis comes back without its disk, or with an older one: no bid is taken until the journal is rebuilt, and then all
 * is as it was, as far as it had been written into Postgres, which here is all.
 */
import type { LotModel } from './market-terms.ts';
import { isOpen, isUnderHammer, type MarketWorld } from './market-world.ts';
import type { Kind } from './operation.ts';

/** An outage that is no longer changes no end. */
const SHORT_US = 2_000_000;

/** An open lot with a bid of just now: how long the journal was away is counted from the last thing that it had. */
function livelyLot({ auctions, nowUs }: MarketWorld): LotModel | null {
  for (const auction of auctions.filter(({ status }) => status === 'active')) {
    const last = auction.world.log.findLast(({ input }) => input.kind === 'bid');
    if (last === undefined || !('lotId' in last.input) || nowUs - last.atUs > SHORT_US) continue;
    const { lotId } = last.input;
    const lot = auction.lots.find((one) => one.id === lotId && isUnderHammer(one) && isOpen(one));
    if (lot !== undefined) return lot;
  }
  return null;
}

/** Somebody who could bid at any other time. */
const BIDDER = 'bidder1';

const copy: Kind = {
  name: 'redis is copied',
  weight: 1,
  settled: true,
  propose: (world) => (world.lots.length > 0 ? {} : null),
  play(world) {
    world.redisIsCopied = true;
    return {
      sent: { by: 'staff', method: 'redis', path: 'copy', call: (market) => market.copyRedis() },
      expected: { status: 200 },
    };
  },
};

const lose: Kind = {
  name: 'redis is lost',
  weight: 6,
  settled: true,
  propose(world, dice) {
    if (livelyLot(world) === null) return null;
    return { older: world.redisIsCopied && dice.chance(0.6) };
  },
  play(world, { older }) {
    const lot = livelyLot(world);
    const bidder = world.person(BIDDER);
    if (lot === null || bidder === null || (older === true && !world.redisIsCopied)) return null;
    // A copy of an earlier life is another matter.
    world.redisIsCopied = false;
    const bid = { path: `/api/v1/lots/${lot.id}/bids`, token: bidder.token };
    return {
      sent: {
        ...{ by: 'staff', method: 'redis', path: older === true ? 'older' : 'empty' },
        call: (market) => market.loseRedis(older === true, bid),
      },
      expected: { status: 200 },
      touched: [lot.name, ...lot.auction.lots.map(({ name }) => name)],
    };
  },
};

export const LOSS_KINDS: readonly Kind[] = [copy, lose];
