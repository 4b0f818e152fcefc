/** A buyer disputes a payment: the provider withholds money, and says at the end whose it is. */
import { leftOf } from '../src/billing/disorder/naive-money.ts';
import type { MarketWorld } from './market-world.ts';
import { invoiceOfPayment, told } from './money-kinds.ts';
import type { Kind, Operation, Play } from './operation.ts';

function disputed(world: MarketWorld, operation: Operation, cents: bigint, end: 'won' | 'lost' | null): Play {
  const { payment: name, dispute } = operation;
  const payment = world.ledger.naive.payment(String(name));
  const object = {
    ...{ id: `dp_${world.tag}_${dispute}`, payment_intent: `pi_${world.tag}_${name}`, currency: 'usd' },
    ...{ amount: Number(cents), status: end ?? 'needs_response' },
  };
  const said = { kind: 'disputed', dispute: String(dispute), cents, end } as const;
  const event = `${dispute}${end === null ? 'opens' : 'ends'}`;
  const type = `charge.dispute.${end === null ? 'created' : 'closed'}`;
  const of = payment === null ? null : invoiceOfPayment(world, payment);
  return told(world, { ...operation, event }, { type, object, said, of });
}

const open: Kind = {
  name: 'dispute opens',
  weight: 2,
  propose(world, dice) {
    const payments = world.ledger.payments.filter((one) => leftOf(one) > 0n);
    if (payments.length === 0) return null;
    const payment = dice.pick(payments);
    const cents = Number(payment.cents);
    return {
      ...{ payment: payment.name, dispute: `${payment.name}d${payment.disputes.length}` },
      cents: dice.pick([cents, 1, Math.ceil(cents / 2)]),
    };
  },
  play(world, operation) {
    if (world.ledger.naive.payment(String(operation['payment'])) === null) return null;
    const cents = Number(operation['cents']);
    world.disputed.set(String(operation['dispute']), cents);
    return disputed(world, operation, BigInt(cents), null);
  },
};

const close: Kind = {
  name: 'dispute ends',
  weight: 3,
  propose(world, dice) {
    const all = world.ledger.payments.flatMap(({ name, disputes }) =>
      disputes.filter(({ over }) => !over).map(({ id }) => ({ payment: name, dispute: id })),
    );
    return all.length === 0 ? null : { ...dice.pick(all), won: dice.chance(0.5) };
  },
  play(world, operation) {
    const payment = world.ledger.naive.payment(String(operation['payment']));
    const known = payment?.disputes.find(({ id }) => id === operation['dispute']);
    if (known === undefined) return null;
    const cents = BigInt(world.disputed.get(known.id) ?? 0);
    return disputed(world, operation, cents, operation['won'] === true ? 'won' : 'lost');
  },
};

export const DISPUTE_KINDS: readonly Kind[] = [open, close];
