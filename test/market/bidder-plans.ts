/** Plans for who is let in: limits and keys that outlive a journal, deposits that come and go, and what is only theirs to see. */
import type { Dice } from '../simulation/dice.ts';
import type { AuctionModel, LotModel } from './market-terms.ts';
import type { MarketWorld } from './market-world.ts';
import type { InvoiceModel } from './money-terms.ts';
import {
  admit,
  aLot,
  aSale,
  bidOn,
  bySeller,
  decideOn,
  moment,
  newEvent,
  newName,
  type Plan,
  pays,
  type Steps,
  someBidders,
  untilOver,
} from './plan-steps.ts';

/** Somebody who may bid up to a limit, and what happens to the sale between two of their bids. */
function* limits(world: MarketWorld, dice: Dice): Steps {
  const closed = dice.chance(0.4) ? { privacy: 'private' } : { mode: 'approval' };
  const sale = yield* aSale(world, dice, closed);
  const lot = sale === null ? null : yield* aLot(world, dice, sale);
  if (sale === null || lot === null) return;
  const [bidder = '', other = ''] = yield* someBidders(world, dice, 2);
  yield* admit(world, sale, bidder);
  const limitCents = lot.startingCents + dice.between(100, 300) * 100;
  yield* decideOn(world, sale, bidder, { limitCents });
  if (dice.chance(0.3)) yield { kind: 'redis is copied' };
  yield bidOn(lot, bidder, dice);
  yield* shaken(world, dice, sale);
  if (dice.chance(0.5)) yield* admit(world, sale, other);
  yield bidOn(lot, other, dice);
  yield bidOn(lot, bidder, dice, { amountCents: limitCents + dice.between(1, 100) * 100 });
  yield bidOn(lot, bidder, dice);
}

/** Something after which the sale goes on as it was. */
function* shaken(world: MarketWorld, dice: Dice, { name: auction, team }: AuctionModel): Steps {
  if (dice.chance(0.7)) return yield { kind: 'redis is lost', older: world.redisIsCopied };
  yield* bySeller(world, team, { kind: 'pause auction', auction });
  if (dice.chance(0.3)) yield moment(dice, 120_000);
  yield* bySeller(world, team, { kind: 'resume auction', auction });
}

/** Bids under keys, which are sent again after the journal was lost or the lot is over. */
function* keys(world: MarketWorld, dice: Dice): Steps {
  const sale = yield* aSale(world, dice);
  const lot = sale === null ? null : yield* aLot(world, dice, sale);
  if (sale === null || lot === null) return;
  const bidders = yield* someBidders(world, dice, 2);
  const names: string[] = [];
  for (const by of bidders) {
    const key = newName('k', world.keyed, dice);
    names.push(key);
    yield bidOn(lot, by, dice, { key, twice: dice.chance(0.3), form: dice.chance(0.3) });
  }
  const again = () => ({
    ...{ kind: 'bid again', key: dice.pick(names), otherwise: dice.chance(0.3), twice: dice.chance(0.3) },
  });
  yield* shaken(world, dice, sale);
  yield again();
  if (!(yield* untilOver(world, lot, dice))) return;
  yield again();
  const late = newName('k', world.keyed, dice);
  names.push(late);
  yield bidOn(lot, dice.pick(bidders), dice, { key: late });
  yield { ...again(), key: late };
}

/** A deposit that is paid by somebody about whom the seller decides meanwhile, and that goes back before they bid. */
function* deposits(world: MarketWorld, dice: Dice): Steps {
  const sale = yield* aSale(world, dice, { mode: 'deposit', depositCents: dice.between(50, 400) * 100 });
  const lot = sale === null ? null : yield* aLot(world, dice, sale);
  if (sale === null || lot === null) return;
  const [bidder = '', rival = ''] = yield* someBidders(world, dice, 2);
  yield { kind: 'register', auction: sale.name, by: bidder };
  const status = dice.pick(['declined', 'suspended', 'approved', null, null, null]);
  const waive = dice.chance(0.3) ? { waive: dice.chance(0.5) } : {};
  if (status !== null) yield* decideOn(world, sale, bidder, { status, ...waive });
  const deposit = world.ledger.depositOf(sale, bidder);
  if (deposit === null) return;
  yield* pays(world, dice, deposit, dice.pick([1, 1, 2]));
  yield moment(dice);
  if (dice.chance(0.4)) yield bidOn(lot, bidder, dice);
  yield* goesBack(world, dice, deposit);
  yield moment(dice);
  yield bidOn(lot, bidder, dice);
  yield { kind: 'register', auction: sale.name, by: rival };
  if (dice.chance(0.5)) yield* untilOver(world, lot, dice);
}

/** By staff, by the provider, whole or in part, or under a dispute; or it stays. */
function* goesBack(world: MarketWorld, dice: Dice, { name: invoice, bill }: InvoiceModel): Steps {
  const paid = world.ledger.payments.find(({ meantFor }) => meantFor === bill);
  if (paid === undefined) return;
  const cents = Number(paid.cents);
  switch (dice.pick(['sent', 'sent', 'told', 'told', 'disputed', null])) {
    case 'sent':
      return yield { kind: 'refund invoice', invoice };
    case 'told': {
      const told = { cents: dice.pick([cents, Math.ceil(cents / 2)]), inAll: dice.chance(0.5) };
      return yield { kind: 'refund is told', event: newEvent(world, dice), payment: paid.name, ...told };
    }
    case 'disputed': {
      const dispute = `${paid.name}d${paid.disputes.length}`;
      yield { kind: 'dispute opens', payment: paid.name, dispute, cents };
      if (dice.chance(0.5)) yield { kind: 'refund invoice', invoice };
      yield moment(dice);
      if (dice.chance(0.7))
        yield { kind: 'dispute ends', payment: paid.name, dispute, won: dice.chance(0.5) };
    }
  }
}

/** A lot of a private sale that somebody watches and bids on, until they may not see it any more. */
function* shutOut(world: MarketWorld, dice: Dice): Steps {
  const sale = yield* aSale(world, dice, { privacy: 'private' });
  const lot = sale === null ? null : yield* aLot(world, dice, sale);
  if (sale === null || lot === null) return;
  const [bidder = ''] = yield* someBidders(world, dice, 1);
  yield* admit(world, sale, bidder);
  yield { kind: 'watch lot', lot: lot.name, by: bidder };
  if (dice.chance(0.4)) yield bidOn(lot, bidder, dice);
  yield* ends(world, dice, lot, bidder);
  yield { kind: dice.pick(['watch lot', 'unwatch lot']), lot: lot.name, by: bidder };
  if (dice.chance(0.4)) yield* admit(world, sale, bidder);
}

function* ends(world: MarketWorld, dice: Dice, { name: lot, auction }: LotModel, bidder: string): Steps {
  switch (dice.pick(['declined', 'declined', 'suspended', 'withdrawn', 'cancelled'])) {
    case 'declined':
      return yield* decideOn(world, auction, bidder, { status: 'declined' });
    case 'suspended':
      return yield* decideOn(world, auction, bidder, { status: 'suspended' });
    case 'withdrawn':
      return yield* bySeller(world, auction.team, { kind: 'withdraw lot', lot });
    default:
      yield* bySeller(world, auction.team, { kind: 'cancel auction', auction: auction.name });
  }
}

export const BIDDER_PLANS: readonly Plan[] = [limits, keys, deposits, deposits, shutOut];
