/**
 * What the provider says, in any order and as often as it likes, what staff decide about money on the command line,
 * and the clock's part in it.
 */
import type { Dice } from '../simulation/dice.ts';
import type {
  DisputeSaid,
  Event,
  Paid,
  PaymentSaid,
  RefundSaid,
} from '../src/billing/disorder/naive-money.ts';
import { leadsIn, type MarketWorld } from './market-world.ts';
import type { InvoiceModel } from './money-terms.ts';
import type { Kind, Operation, Play } from './operation.ts';

/** Every payment that has an event in the history, in the words of the provider. */
const intentOf = (world: MarketWorld, payment: string) => `pi_${world.tag}_${payment}`;
const eventOf = (world: MarketWorld, event: string) => `evt_${world.tag}_${event}`;

/** An event as the provider sends it, signed, and as the naive ledger takes it; what becomes of it is there to see. */
export function told(
  world: MarketWorld,
  { event, payment }: Operation,
  { type, object, said, of }: { type: string; object: object; said: Said; of: InvoiceModel | null },
): Play {
  const id = eventOf(world, String(event));
  const body = { id, type, created: Math.floor(world.nowUs / 1e6), data: { object } };
  const sent = { by: 'provider', method: 'POST', path: '/webhooks/payment', body, signed: true } as const;
  // Cast: its parts are those of the one kind or the other.
  const taken = { event: id, payment: String(payment), charge: null, currency: 'usd', ...said } as Event;
  const data = world.ledger.take(taken);
  return { sent, expected: { status: 200, data }, touched: touchedBy(of) };
}

type Said =
  | Pick<PaymentSaid, 'kind' | 'cents' | 'bill'>
  | Pick<RefundSaid, 'kind' | 'cents' | 'inAll'>
  | Pick<DisputeSaid, 'kind' | 'cents' | 'dispute' | 'end'>;

/** What may look otherwise once something was paid on it, or went back. */
export const touchedBy = (invoice: InvoiceModel | null): string[] =>
  invoice === null ? [] : [invoice.name, invoice.auction.name];

/** Whose money it is, or is meant to be. */
export const invoiceOfPayment = ({ ledger }: MarketWorld, { meantFor }: Paid): InvoiceModel | null =>
  ledger.all.find(({ bill }) => bill === meantFor) ?? null;

const known = (world: MarketWorld): InvoiceModel[] => world.ledger.all.filter(({ number }) => number !== '');

function knownInvoice(world: MarketWorld, { invoice: name }: Operation): InvoiceModel | null {
  const invoice = world.ledger.invoice(String(name));
  return invoice === null || invoice.number === '' ? null : invoice;
}

/** Mostly what is owed; now and then a part of it, more, or a cent. */
function someAmount(dice: Dice, cents: number): number {
  return Math.max(1, dice.pick([cents, cents, cents, Math.floor(cents / 2), cents + 5_000, 1, cents - 1]));
}

/** Each event of a history has a name of its own, unless it is one that is sent again. */
const someEvent = ({ ledger }: MarketWorld, dice: Dice) =>
  ledger.naive.seen.size > 0 && dice.chance(0.1)
    ? (dice
        .pick([...ledger.naive.seen])
        .split('_')
        .at(-1) ?? '')
    : `e${ledger.naive.seen.size + 1}x${dice.between(0, 999)}`;

const pay: Kind = {
  name: 'payment comes',
  weight: 14,
  propose(world, dice) {
    const all = known(world);
    if (all.length === 0) return null;
    const open = all.filter(({ status }) => status === 'open');
    const invoice = dice.pick(open.length > 0 && dice.chance(0.75) ? open : all);
    const [early] = dice.chance(0.6) ? world.ledger.early : [];
    const payments = world.ledger.payments.map(({ name }) => name);
    const again = payments.length > 0 && dice.chance(0.08);
    return {
      event: someEvent(world, dice),
      payment: again ? dice.pick(payments) : (early ?? `p${payments.length + 1}x${dice.between(0, 999)}`),
      invoice: invoice.name,
      cents: someAmount(dice, invoice.dueCents),
    };
  },
  play(world, operation) {
    const invoice = knownInvoice(world, operation);
    if (invoice === null) return null;
    const amount = Number(operation['cents']);
    const metadata = { invoice_number: invoice.number };
    const object = { id: intentOf(world, String(operation['payment'])), amount, currency: 'usd', metadata };
    const said = { kind: 'paid', cents: BigInt(amount), bill: invoice.name } as const;
    return told(world, operation, { type: 'payment_intent.succeeded', object, said, of: invoice });
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
    const invoice = knownInvoice(world, operation);
    if (invoice === null || invoice.status !== 'open') return null;
    const amount = Number(operation['cents']);
    const object = {
      ...{ id: intentOf(world, String(operation['payment'])), amount },
      ...{ currency: 'usd', metadata: { invoice_number: invoice.number } },
    };
    const said = { kind: 'failed', cents: BigInt(amount), bill: invoice.name } as const;
    return told(world, operation, { type: 'payment_intent.payment_failed', object, said, of: invoice });
  },
};

const refund: Kind = {
  name: 'refund is told',
  weight: 9,
  propose(world, dice) {
    const { payments } = world.ledger;
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
    const unconfirmed = payment.backs.filter((back) => back.by === 'us' && !back.confirmed);
    const whole = Number(payment.cents);
    const cents =
      unconfirmed.length > 0 && dice.chance(0.6)
        ? Number(dice.pick(unconfirmed).cents)
        : dice.pick([whole, Math.ceil(whole / 3), 1]);
    return { event, payment: payment.name, cents, inAll: dice.chance(0.3) };
  },
  play(world, operation) {
    const name = String(operation['payment']);
    const cents = Number(operation['cents']);
    const inAll = operation['inAll'] === true;
    const payment = world.ledger.naive.payment(name);
    const object = {
      ...{ id: `ch_${world.tag}_${name}`, payment_intent: intentOf(world, name), currency: 'usd' },
      ...(inAll ? { amount: Number(payment?.cents ?? cents), amount_refunded: cents } : { amount: cents }),
    };
    const said = { kind: 'refunded', cents: BigInt(cents), inAll: inAll ? BigInt(cents) : null } as const;
    const of = payment === null ? null : invoiceOfPayment(world, payment);
    return told(world, operation, { type: 'charge.refunded', object, said, of });
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
      const invoice = knownInvoice(world, operation);
      if (invoice === null) return null;
      const done = play(world, invoice);
      return {
        sent: { by: 'staff', method: 'rostrum', path: words(invoice).join(' '), command: words(invoice) },
        expected: { status: done ? 0 : 1 },
        touched: touchedBy(invoice),
      };
    },
  };
}

const voidInvoice = command(
  'void invoice',
  2,
  ({ number }) => ['invoice', 'void', '--number', number],
  ({ ledger }, { bill }) => ledger.naive.void(bill) === 'done',
);

const refundInvoice = command(
  'refund invoice',
  3,
  ({ number }) => ['invoice', 'refund', '--number', number],
  ({ ledger }, { bill, lot, auction, buyer }) => {
    // Not under a bid that leads.
    if (lot === null && bill.status === 'paid' && leadsIn(auction, buyer)) return false;
    return ledger.naive.refund(bill) === 'done';
  },
);

/** A kind that is a command about one settlement. */
function decision(verb: 'approve' | 'pay', from: 'pending' | 'approved'): Kind {
  return {
    name: `${verb} settlement`,
    weight: 3,
    propose(world, dice) {
      const all = world.ledger.settlements.filter(({ id }) => id !== 0);
      if (all.length === 0) return null;
      const ready = all.filter(({ settled }) => settled.status === from);
      return { auction: dice.pick(ready.length > 0 ? ready : all).auction.name };
    },
    play(world, operation) {
      const auction = String(operation['auction']);
      const settlement = world.ledger.settlements.find((one) => one.auction.name === auction);
      if (settlement === undefined || settlement.id === 0) return null;
      const words = ['settlement', verb, '--id', String(settlement.id)];
      const done = world.ledger.naive.settlements[verb](settlement.settled) === 'done';
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
  ...[decision('approve', 'pending'), decision('pay', 'approved')],
];
