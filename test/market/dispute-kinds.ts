/** A buyer disputes a payment: the provider withholds money, and says at the end whose it is. */
import type { MarketWorld } from './market-world.ts';
import { told } from './money-kinds.ts';
import { leftOf, type PaymentModel } from './money-terms.ts';
import type { Kind, Play } from './operation.ts';

const disputeEvent = (
  world: MarketWorld,
  event: string,
  type: string,
  { name }: PaymentModel,
  object: object,
  became: () => { status: string },
): Play => {
  const names = { id: `dp_${world.tag}_${name}`, payment_intent: `pi_${world.tag}_${name}`, currency: 'usd' };
  return told(world, { kind: type, event }, type, { ...names, ...object }, became);
};

const touchedBy = ({ meantFor }: PaymentModel) => [meantFor.name, meantFor.lot.auction.name];

const open: Kind = {
  name: 'dispute opens',
  weight: 2,
  propose(world, dice) {
    const payments = [...world.ledger.payments.values()].filter((one) => one.on !== null && leftOf(one) > 0);
    if (payments.length === 0) return null;
    const payment = dice.pick(payments);
    return { payment: payment.name, cents: dice.pick([payment.cents, 1, Math.ceil(payment.cents / 2)]) };
  },
  play(world, { payment: name, cents }) {
    const payment = world.ledger.payments.get(String(name));
    if (payment === undefined || payment.on === null || payment.disputed !== null || leftOf(payment) <= 0)
      return null;
    const object = { amount: Number(cents), status: 'needs_response' };
    const play = disputeEvent(world, `${name}opens`, 'charge.dispute.created', payment, object, () => {
      world.ledger.dispute(payment, Number(cents));
      return { status: 'applied' };
    });
    return { ...play, touched: touchedBy(payment) };
  },
};

const close: Kind = {
  name: 'dispute ends',
  weight: 3,
  propose(world, dice) {
    const payments = [...world.ledger.payments.values()].filter(({ disputed }) => disputed === 'open');
    if (payments.length === 0) return null;
    return { payment: dice.pick(payments).name, won: dice.chance(0.5) };
  },
  play(world, { payment: name, won }) {
    const payment = world.ledger.payments.get(String(name));
    if (payment === undefined || payment.disputed !== 'open') return null;
    const object = { amount: payment.disputedCents, status: won === true ? 'won' : 'lost' };
    const play = disputeEvent(world, `${name}ends`, 'charge.dispute.closed', payment, object, () => {
      world.ledger.endDispute(payment, won === true);
      return { status: 'applied' };
    });
    return { ...play, touched: touchedBy(payment) };
  },
};

export const DISPUTE_KINDS: readonly Kind[] = [open, close];
