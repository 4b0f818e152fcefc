/** Sales that fall through, and second chances: offered to the best bidder who is left, answered, or accepted below the reserve. */
import { entriesOf } from '../support/naive-lead.ts';
import type { LotModel } from './market-terms.ts';
import { cents } from './market-terms.ts';
import { isUnderHammer, liveView, type MarketWorld, VISITOR } from './market-world.ts';
import type { OfferModel } from './money-terms.ts';
import { HIDDEN, type Kind, refused, refusedPerson } from './operation.ts';
import { isRefusal, sellerOf, sentBy, someSeller } from './seller-context.ts';

const INVALID = refused(409, 'invalid_transition');
const NOBODY = refused(409, 'no_bidder_left');
const HOUR_US = 3_600_000_000;
/** So long the best bid on a lot that has passed binds. */
const STANDS_US = 48 * HOUR_US;

const closed = (world: MarketWorld) =>
  world.lots.filter(({ status }) => status === 'sold' || status === 'passed');

const defaultLot: Kind = {
  name: 'default lot',
  weight: 3,
  settled: true,
  propose(world, dice) {
    const billed = world.ledger.invoices.map(({ lot }) => lot).filter((lot) => world.lots.includes(lot));
    return billed.length === 0 ? null : { lot: dice.pick(billed).name };
  },
  play(world, { lot: name }) {
    const lot = world.lot(String(name));
    if (lot === null) return null;
    const { ledger } = world;
    const invoice = ledger.invoiceOf(lot);
    const isDone = invoice !== null && invoice.status !== 'paid' && !invoice.defaulted;
    if (isDone) {
      invoice.defaulted = true;
      if (invoice.status === 'open') ledger.naive.void(invoice.bill);
    }
    const command = ['lot', 'default', '--lot', String(lot.id)];
    return {
      sent: { by: 'staff', method: 'rostrum', path: command.join(' '), command },
      expected: { status: isDone ? 0 : 1 },
      touched: [lot.name, lot.auction.name, invoice?.name ?? ''],
    };
  },
};

/** Up again, as another lot that could be sold. */
const isListedAgain = (world: MarketWorld, lot: LotModel): boolean =>
  world.lots.some(
    (other) => other.relistedFrom === lot && !['passed', 'unsold', 'withdrawn'].includes(other.status),
  );

/** Whether somebody may not buy it by now: of its team, its consignor though they have not accepted, or suspended. */
function mayNotBuy(world: MarketWorld, { auction, named }: LotModel, name: string): string | null {
  const person = world.person(name);
  if (person === null || person === named || auction.world.auction.ownerUserIds.includes(person.userId))
    return 'seller_cannot_bid';
  const isBarred = auction.registrations.get(name)?.status === 'suspended';
  return world.suspended.has(name) || isBarred ? 'bidder_suspended' : null;
}

/** The highest amount or ceiling of whoever has neither bought it nor had an offer; of two equal ones the earlier. */
export function bestLeft(world: MarketWorld, lot: LotModel): { to: string; cents: number } | null {
  const { ledger } = world;
  const hasHad = (name: string) =>
    ledger.offersFor(lot).some(({ to }) => to === name) ||
    ledger.invoices.some((one) => one.lot === lot && one.buyer === name && one.defaulted);
  let best: { to: string; cents: number } | null = null;
  for (const { input } of entriesOf(lot.auction.world.log, lot.id)) {
    if (input.kind !== 'bid' || hasHad(input.who) || mayNotBuy(world, lot, input.who) !== null) continue;
    const amount = Math.max(input.straightCents ?? 0, input.ceilingCents ?? 0);
    if (best === null || amount > best.cents) best = { to: input.who, cents: amount };
  }
  return best;
}

const isOver = ({ auction }: LotModel) => auction.status === 'ended' || auction.status === 'settled';

const offer: Kind = {
  name: 'offer second chance',
  weight: 5,
  settled: true,
  propose(world, dice) {
    const { ledger } = world;
    const fallen = closed(world).filter((lot) => lot.status === 'passed' || ledger.invoiceOf(lot)?.defaulted);
    const lots = fallen.length > 0 && dice.chance(0.85) ? fallen : closed(world);
    if (lots.length === 0) return null;
    const lot = dice.pick(lots);
    return {
      ...{ name: `o${ledger.offers.length + 1}x${dice.between(0, 999)}`, lot: lot.name },
      ...someSeller(world, dice, lot.auction.team),
      ...{ belowReserve: dice.chance(0.8), hours: dice.pick([1, 48]) },
    };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const { belowReserve, hours } = operation;
    const body = { below_reserve: belowReserve, hours };
    const sent = sentBy(operation, 'POST', `lots/${lot.id}/second-chance`, body);
    const seller = sellerOf(world, operation, lot.auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    const { ledger } = world;
    const touched = [lot.name, lot.auction.name];
    const sale = ledger.invoiceOf(lot);
    if (sale === null && lot.status !== 'passed') return { sent, expected: HIDDEN };
    if (sale === null && !isOver(lot)) return { sent, expected: INVALID };
    if (sale !== null && !sale.defaulted) return { sent, expected: INVALID };
    const isOpen = ledger.offersFor(lot).some(({ status }) => status === 'offered');
    if (isOpen || isListedAgain(world, lot)) return { sent, expected: INVALID };
    const best = bestLeft(world, lot);
    if (best === null) return { sent, expected: NOBODY };
    if (lot.reserveCents !== null && best.cents < lot.reserveCents && belowReserve !== true)
      return { sent, expected: refused(409, 'reserve_not_reached') };
    const untilUs = world.nowUs + Number(hours) * HOUR_US;
    const made: OfferModel = {
      ...{ name: String(operation['name']), id: 0, lot, ...best, untilUs, wasMade: true, status: 'offered' },
    };
    ledger.offers.push(made);
    const data = { lot_id: lot.id, amount: cents(best.cents), status: 'offered' };
    return {
      ...{ sent, touched },
      expected: { status: 201, data },
      learn: ({ id }) => {
        made.id = id;
      },
    };
  },
};

const answer = (verb: 'accept' | 'decline', weight: number): Kind => ({
  name: `${verb} offer`,
  weight,
  propose(world, dice) {
    const { offers } = world.ledger;
    if (offers.length === 0) return null;
    const open = offers.filter(({ status }) => status === 'offered');
    const one = dice.pick(open.length > 0 && dice.chance(0.85) ? open : offers);
    const by = dice.chance(0.85) ? one.to : dice.pick([VISITOR, ...world.people.keys()]);
    return { offer: one.name, by };
  },
  play(world, operation) {
    const { ledger } = world;
    const one = ledger.offers.find(({ name }) => name === operation['offer']);
    if (one === undefined || one.id === 0) return null;
    const by = String(operation['by']);
    const sent = { by, method: 'POST', path: `/api/v1/offers/${one.id}/${verb}` };
    const touched = [one.lot.name, one.lot.auction.name];
    const early = refusedPerson(world, by);
    if (early !== null) return { sent, expected: early };
    if (one.to !== by) return { sent, expected: HIDDEN };
    if (one.status !== 'offered' || one.untilUs <= world.nowUs) return { sent, expected: INVALID };
    if (verb === 'decline') {
      one.status = 'declined';
      return { sent, touched, expected: { status: 200, data: { status: 'declined' } } };
    }
    const code = mayNotBuy(world, one.lot, by);
    if (code !== null) return { sent, expected: refused(403, code) };
    const invoice = ledger.resell(one);
    return {
      ...{ sent, touched },
      expected: { status: 200, data: { status: 'accepted' } },
      learn({ invoice_number: number }) {
        invoice.number = number;
      },
    };
  },
});

/** The bid at which a lot has passed, below its reserve, accepted all the same. */
const acceptBid: Kind = {
  name: 'accept bid',
  weight: 3,
  settled: true,
  propose(world, dice) {
    const passed = world.lots.filter(({ status }) => status === 'passed');
    const lots = passed.length > 0 ? passed : closed(world);
    if (lots.length === 0) return null;
    const lot = dice.pick(lots);
    const name = `o${world.ledger.offers.length + 1}x${dice.between(0, 999)}`;
    return { name, lot: lot.name, ...someSeller(world, dice, lot.auction.team) };
  },
  play(world, operation) {
    const lot = world.lot(String(operation['lot']));
    if (lot === null) return null;
    const { ledger, nowUs } = world;
    // Close to the end of that time it counts when a worker has closed the lot.
    const sinceUs = isUnderHammer(lot) ? nowUs - liveView(lot).endsAtUs : 0;
    if (sinceUs > STANDS_US - 2 * HOUR_US) return null;
    const sent = sentBy(operation, 'POST', `lots/${lot.id}/accept-bid`);
    const seller = sellerOf(world, operation, lot.auction);
    if (isRefusal(seller)) return { sent, expected: seller };
    const wasOffered = ledger.offersFor(lot).length > 0;
    if (lot.status !== 'passed' || !isOver(lot) || wasOffered || isListedAgain(world, lot))
      return { sent, expected: INVALID };
    const { leader, currentCents } = liveView(lot);
    if (leader === null) return { sent, expected: NOBODY };
    const code = mayNotBuy(world, lot, leader);
    if (code !== null) return { sent, expected: refused(403, code) };
    const made: OfferModel = {
      ...{ name: String(operation['name']), id: 0, lot, to: leader, cents: currentCents, untilUs: nowUs },
      ...{ wasMade: false, status: 'offered' },
    };
    ledger.offers.push(made);
    const invoice = ledger.resell(made);
    return {
      sent,
      expected: { status: 201, data: { status: 'accepted', amount: cents(currentCents) } },
      learn({ id, invoice_number: number }) {
        made.id = id;
        invoice.number = number;
      },
      touched: [lot.name, lot.auction.name],
    };
  },
};

export const OFFER_KINDS: readonly Kind[] = [
  ...[defaultLot, offer, answer('accept', 5), answer('decline', 3), acceptBid],
];
