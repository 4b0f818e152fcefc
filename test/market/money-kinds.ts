/**
 * What the provider says, in any order and as often as it likes, what staff decide about money on the command line,
 * and the clock's part in it.
 */
import type { Dice } from '../simulation/dice.ts';
import type { MarketWorld } from './market-world.ts';
import type { InvoiceModel, PaymentModel } from './money-terms.ts';
import type { Kind, Operation, Play } from './operation.ts';

/** Every payment that has an event in the history, in the words of the provider. */
const intentOf = (world: MarketWorld, payment: string) => `pi_${world.tag}_${payment}`;
const eventOf = (world: MarketWorld, event: string) => `evt_${world.tag}_${event}`;

/** An event, sent as the provider signs it, and what becomes of it. */
export function told(
  world: MarketWorld,
  { event }: Operation,
  type: string,
  object: object,
  became: () => { status: string; code?: string },
): Play {
  const id = eventOf(world, String(event));
  const body = { id, type, created: Math.floor(world.nowUs / 1e6), data: { object } };
  const sent = { by: 'provider', method: 'POST', path: '/webhooks/payment', body, signed: true } as const;
  if (world.ledger.events.has(id)) return { sent, expected: { status: 200, data: { status: 'duplicate' } } };
  world.ledger.events.add(id);
  return { sent, expected: { status: 200, data: became() } };
}

const known = (world: MarketWorld): InvoiceModel[] =>
  world.ledger.invoices.filter(({ number }) => number !== '');

/** Mostly what is owed; now and then a part of it, more, or a cent. */
function someAmount(dice: Dice, cents: number): number {
  return Math.max(1, dice.pick([cents, cents, cents, Math.floor(cents / 2), cents + 5_000, 1, cents - 1]));
}

/** Each event of a history has a name of its own, unless it is one that is sent again. */
const someEvent = (world: MarketWorld, dice: Dice) =>
  world.ledger.events.size > 0 && dice.chance(0.1)
    ? (dice
        .pick([...world.ledger.events])
        .split('_')
        .at(-1) ?? '')
    : `e${world.ledger.events.size + 1}x${dice.between(0, 999)}`;

const pay: Kind = {
  name: 'payment comes',
  weight: 14,
  propose(world, dice) {
    const all = known(world);
    if (all.length === 0) return null;
    const open = all.filter(({ status }) => status === 'open');
    const invoice = dice.pick(open.length > 0 && dice.chance(0.75) ? open : all);
    const early = dice.chance(0.6) ? world.ledger.early.map((one) => one.payment) : [];
    const payments = [...world.ledger.payments.keys()];
    const again = payments.length > 0 && dice.chance(0.08);
    return {
      event: someEvent(world, dice),
      payment: again ? dice.pick(payments) : (early[0] ?? `p${payments.length + 1}x${dice.between(0, 999)}`),
      invoice: invoice.name,
      cents: someAmount(dice, invoice.dueCents),
    };
  },
  play(world, operation) {
    const { ledger } = world;
    const invoice = ledger.invoice(String(operation['invoice']));
    if (invoice === null || invoice.number === '') return null;
    const name = String(operation['payment']);
    const amount = Number(operation['cents']);
    const metadata = { invoice_number: invoice.number };
    const object = { id: intentOf(world, name), amount, currency: 'usd', metadata };
    const play = told(world, operation, 'payment_intent.succeeded', object, () => {
      if (ledger.payments.has(name)) return { status: 'duplicate' };
      const payment: PaymentModel = {
        ...{
          name,
          cents: amount,
          meantFor: invoice,
          on: null,
          backs: [],
          disputedCents: 0,
          disputed: null,
          lostCents: 0,
        },
      };
      const status = ledger.pay(payment);
      ledger.settle([]);
      return { status };
    });
    return { ...play, touched: [invoice.name, invoice.lot.auction.name] };
  },
};

const fail: Kind = {
  name: 'payment fails',
  weight: 2,
  propose(world, dice) {
    const open = known(world).filter(({ status }) => status === 'open');
    if (open.length === 0) return null;
    const invoice = dice.pick(open);
    return {
      event: someEvent(world, dice),
      payment: `f${dice.between(0, 99_999)}`,
      ...{ invoice: invoice.name, cents: invoice.dueCents },
    };
  },
  play(world, operation) {
    const invoice = world.ledger.invoice(String(operation['invoice']));
    if (invoice === null || invoice.number === '' || invoice.status !== 'open') return null;
    const object = {
      ...{ id: intentOf(world, String(operation['payment'])), amount: Number(operation['cents']) },
      ...{ currency: 'usd', metadata: { invoice_number: invoice.number } },
    };
    const play = told(world, operation, 'payment_intent.payment_failed', object, () => ({
      status: 'applied',
    }));
    return { ...play, touched: [invoice.name] };
  },
};

const refund: Kind = {
  name: 'refund is told',
  weight: 9,
  propose(world, dice) {
    const payments = [...world.ledger.payments.values()];
    const event = someEvent(world, dice);
    if (payments.length === 0 || dice.chance(0.2)) {
      if (known(world).length === 0) return null;
      // One that we have not heard of, and may yet.
      const cents = someAmount(dice, dice.pick(known(world)).dueCents);
      return {
        event,
        payment: `p${payments.length + 1}y${dice.between(0, 999)}`,
        cents,
        inAll: dice.chance(0.3),
      };
    }
    const payment = dice.pick(payments);
    const unconfirmed = payment.backs.filter((back) => back.ours && !back.confirmed);
    const cents =
      unconfirmed.length > 0 && dice.chance(0.6)
        ? dice.pick(unconfirmed).cents
        : dice.pick([payment.cents, Math.ceil(payment.cents / 3), 1]);
    return { event, payment: payment.name, cents, inAll: dice.chance(0.3) };
  },
  play(world, operation) {
    const { ledger } = world;
    const name = String(operation['payment']);
    const cents = Number(operation['cents']);
    const inAll = operation['inAll'] === true;
    const payment = ledger.payments.get(name);
    const object = {
      ...{ id: `ch_${world.tag}_${name}`, payment_intent: intentOf(world, name), currency: 'usd' },
      ...(inAll ? { amount: payment?.cents ?? cents, amount_refunded: cents } : { amount: cents }),
    };
    const play = told(world, operation, 'charge.refunded', object, () => {
      if (payment === undefined) {
        ledger.early.push({ payment: name, cents, inAll });
        return { status: 'pending' };
      }
      return { status: ledger.refund(payment, cents, inAll) };
    });
    return { ...play, touched: [payment?.meantFor.name ?? '', payment?.meantFor.lot.auction.name ?? ''] };
  },
};

/** A kind that is a command about one invoice. */
function command(
  name: string,
  weight: number,
  words: (invoice: InvoiceModel) => readonly string[],
  play: (world: MarketWorld, invoice: InvoiceModel) => boolean,
): Kind {
  return {
    name,
    weight,
    propose(world, dice) {
      const all = known(world);
      return all.length === 0 ? null : { invoice: dice.pick(all).name };
    },
    play(world, operation) {
      const invoice = world.ledger.invoice(String(operation['invoice']));
      if (invoice === null || invoice.number === '') return null;
      const done = play(world, invoice);
      return {
        sent: { by: 'staff', method: 'rostrum', path: words(invoice).join(' '), command: words(invoice) },
        expected: { status: done ? 0 : 1 },
        touched: [invoice.name, invoice.lot.auction.name],
      };
    },
  };
}

const voidInvoice = command(
  'void invoice',
  2,
  ({ number }) => ['invoice', 'void', '--number', number],
  ({ ledger }, invoice) => {
    if (invoice.status !== 'open') return false;
    ledger.void(invoice);
    return true;
  },
);

const refundInvoice = command(
  'refund invoice',
  3,
  ({ number }) => ['invoice', 'refund', '--number', number],
  ({ ledger }, invoice) => {
    if (invoice.status !== 'paid') return false;
    // What its payer disputes, or has won back by that, cannot be sent as well.
    if (ledger.paymentsOn(invoice).some((one) => one.disputedCents + one.lostCents > 0)) return false;
    ledger.refundAll(invoice);
    return true;
  },
);

/** A kind that is a command about one settlement. */
function decision(verb: 'approve' | 'pay', from: 'pending' | 'approved', to: 'approved' | 'paid'): Kind {
  return {
    name: `${verb} settlement`,
    weight: 3,
    propose(world, dice) {
      const { settlements } = world.ledger;
      const ready = settlements.filter(({ status }) => status === from);
      const all = settlements.filter(({ id }) => id !== 0);
      if (all.length === 0) return null;
      return { auction: dice.pick(ready.length > 0 ? ready : all).auction.name };
    },
    play(world, operation) {
      const auction = String(operation['auction']);
      const settlement = world.ledger.settlements.find((one) => one.auction.name === auction);
      if (settlement === undefined || settlement.id === 0) return null;
      const words = ['settlement', verb, '--id', String(settlement.id)];
      const done = settlement.status === from;
      if (done) settlement.status = to;
      if (done && to === 'paid') settlement.auction.status = 'settled';
      return {
        sent: { by: 'staff', method: 'rostrum', path: words.join(' '), command: words },
        expected: { status: done ? 0 : 1 },
        touched: [auction],
      };
    },
  };
}

export const MONEY_KINDS: readonly Kind[] = [
  ...[pay, fail, refund, voidInvoice, refundInvoice],
  ...[decision('approve', 'pending', 'approved'), decision('pay', 'approved', 'paid')],
];
