/** Plans for sales that fall through, for consigned lots, and for what becomes of money after the end. */
import type { Dice } from '../simulation/dice.ts';
import type { LotModel } from './market-terms.ts';
import { isLive, type MarketWorld } from './market-world.ts';
import type { InvoiceModel, OfferModel } from './money-terms.ts';
import { bestLeft } from './offer-kinds.ts';
import type { Operation } from './operation.ts';
import {
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

/** More than anybody bids. */
const DEAR_CENTS = 9_000_000;

/** They may no longer buy it: the seller bars them from the sale, as long as that goes on, or staff hold them back. */
function* holdBack(world: MarketWorld, dice: Dice, { auction }: LotModel, name: string): Steps {
  if (isLive(auction) && dice.chance(0.6)) yield* decideOn(world, auction, name, { status: 'suspended' });
  else yield { kind: 'suspend user', user: name };
}

/** A lot that was sold or has passed, its winner who does not pay, and what happens before and after it is offered. */
function* secondChance(world: MarketWorld, dice: Dice): Steps {
  const passes = dice.chance(0.4);
  // Only where the sale goes on may its seller still bar somebody.
  const goesOn = !passes && dice.chance(0.6);
  const sale = yield* aSale(world, dice, goesOn ? { staggerSeconds: 3_600 } : {});
  if (sale === null) return;
  const lot = yield* aLot(world, dice, sale, passes ? { reserveCents: DEAR_CENTS } : {});
  if (lot === null) return;
  if (goesOn) yield* aLot(world, dice, sale);
  for (const by of yield* someBidders(world, dice, 3)) yield bidOn(lot, by, dice);
  if (!(yield* untilOver(world, lot, dice))) return;
  if (lot.status === 'sold') yield { kind: 'default lot', lot: lot.name };
  const best = bestLeft(world, lot);
  if (best !== null && dice.chance(0.4)) yield* holdBack(world, dice, lot, best.to);
  const offer = yield* offered(world, dice, lot);
  if (offer === null) return;
  yield* whileOffered(world, dice, offer);
  yield { kind: dice.chance(0.75) ? 'accept offer' : 'decline offer', offer: offer.name, by: offer.to };
  const invoice = world.ledger.invoiceOf(lot);
  if (offer.status === 'accepted' && invoice !== null) yield* pays(world, dice, invoice, 1);
}

function* offered(world: MarketWorld, dice: Dice, lot: LotModel): Steps<OfferModel | null> {
  const name = newName('o', world.ledger.offers, dice);
  const terms = { belowReserve: dice.chance(0.8), hours: dice.pick([1, 48]) };
  yield* bySeller(world, lot.auction.team, {
    ...{ kind: 'offer second chance', name, lot: lot.name, ...terms },
  });
  return world.ledger.offers.find((one) => one.name === name) ?? null;
}

/** Something that comes between an offer and its answer. */
function* whileOffered(world: MarketWorld, dice: Dice, { lot, to, untilUs }: OfferModel): Steps {
  const { team } = lot.auction;
  switch (dice.pick(['held back', 'held back', 'listed again', 'listed again', 'offered', 'late', null])) {
    case 'held back':
      return yield* holdBack(world, dice, lot, to);
    case 'listed again': {
      const next = yield* aSale(world, dice, { status: 'draft' }, team);
      const name = `${newName('t', world.lots, dice)}-r`;
      const again = { kind: 'relist lot', name, lot: lot.name, into: next?.name ?? '' };
      return yield* bySeller(world, team, again);
    }
    case 'offered':
      return void (yield* offered(world, dice, lot));
    case 'late':
      yield moment(dice, Math.max(0, (untilUs - world.nowUs) / 1_000) + 1_000);
  }
}

/** A lot that somebody consigns: named and accepted in time or too late, bid on by them, and listed again. */
function* consigned(world: MarketWorld, dice: Dice): Steps {
  const sale = yield* aSale(world, dice);
  if (sale === null) return;
  const lot = yield* aLot(world, dice, sale, dice.chance(0.4) ? { reserveCents: DEAR_CENTS } : {});
  if (lot === null) return;
  const { team } = sale;
  const [owner = '', ...others] = yield* someBidders(world, dice, 3);
  const named = { kind: 'name consignor', lot: lot.name, bidder: owner };
  const accepted = { kind: 'accept consignment', lot: lot.name, by: owner };
  const isEarly = dice.chance(0.7);
  if (isEarly) yield* bySeller(world, team, named);
  if (isEarly && dice.chance(0.7)) yield accepted;
  yield bidOn(lot, owner, dice);
  for (const by of others) yield bidOn(lot, by, dice);
  if (!isEarly) yield* bySeller(world, team, named);
  yield accepted;
  if (!(yield* untilOver(world, lot, dice))) return;
  if (lot.status === 'sold' && dice.chance(0.6)) yield { kind: 'default lot', lot: lot.name };
  if (dice.chance(0.5)) yield* offered(world, dice, lot);
  const next = yield* aSale(world, dice, {}, team);
  if (next === null) return;
  const name = `${newName('t', world.lots, dice)}-r`;
  yield* bySeller(world, team, { kind: 'relist lot', name, lot: lot.name, into: next.name });
  if (dice.chance(0.5)) yield* bySeller(world, team, { kind: 'schedule lot', lot: name });
}

/** A sold lot that is paid in parts; then what its payer, staff and the provider do with the money, in any order. */
function* instalments(world: MarketWorld, dice: Dice): Steps {
  const sale = yield* aSale(world, dice);
  const lot = sale === null ? null : yield* aLot(world, dice, sale, { startingCents: 30_000 });
  if (sale === null || lot === null) return;
  for (const by of yield* someBidders(world, dice, 2)) yield bidOn(lot, by, dice);
  if (!(yield* untilOver(world, lot, dice))) return;
  const invoice = world.ledger.invoiceOf(lot);
  if (invoice === null) return;
  yield* pays(world, dice, invoice, dice.pick([1, 2, 3]));
  for (let rounds = 5; rounds > 0; rounds -= 1) {
    const next = someMove(world, dice, invoice);
    if (next !== null) yield next;
    if (dice.chance(0.3)) yield moment(dice);
  }
  const settled = { auction: sale.name };
  for (const kind of ['approve settlement', 'pay settlement']) yield { kind, ...settled };
}

/** What somebody may do with the money of an invoice; null: there is nothing to do it with. */
function someMove(world: MarketWorld, dice: Dice, { name: invoice, bill }: InvoiceModel): Operation | null {
  const own = world.ledger.payments.filter(({ meantFor }) => meantFor === bill);
  if (own.length === 0) return null;
  const paid = dice.pick(own);
  const cents = Number(paid.cents);
  const open = paid.disputes.filter(({ over }) => !over);
  switch (dice.pick(['dispute', 'dispute', 'end', 'end', 'sent back', 'told', 'void'])) {
    case 'dispute':
      return {
        ...{ kind: 'dispute opens', payment: paid.name, dispute: `${paid.name}d${paid.disputes.length}` },
        cents: dice.pick([cents, Math.ceil(cents / 2)]),
      };
    case 'end': {
      const [dispute] = open;
      if (dispute === undefined) return null;
      return { kind: 'dispute ends', payment: paid.name, dispute: dispute.id, won: dice.chance(0.5) };
    }
    case 'sent back':
      return { kind: 'refund invoice', invoice };
    case 'told': {
      const told = { cents: dice.pick([cents, Math.ceil(cents / 3)]), inAll: dice.chance(0.5) };
      return { kind: 'refund is told', event: newEvent(world, dice), payment: paid.name, ...told };
    }
    default:
      return { kind: 'void invoice', invoice };
  }
}

export const SALE_PLANS: readonly Plan[] = [secondChance, secondChance, consigned, instalments];
