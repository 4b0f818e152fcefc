/** What the provider and payers do, and how what it says of it arrives. */
import type { Hands, Play } from './disorder-hands.ts';

export function providerSteps(hands: Hands): Record<string, () => Play | null> {
  const { amount, cents, currencyOf, deliver, happens, held, how, naive, nameOf, pick, provider } = hands;
  const { some, wording, world } = hands;
  return {
    pay: () =>
      some ? happens(() => provider.pays(amount(some), currencyOf(some), nameOf(some), wording)) : null,
    'pay once more': () => {
      const bill = pick(naive.bills.filter(({ status }) => status === 'paid'));
      return bill ? happens(() => provider.pays(bill.total, bill.currency, bill.name, wording)) : null;
    },
    fail: () =>
      some ? happens(() => provider.pays(amount(some), currencyOf(some), nameOf(some), wording, true)) : null,
    'give back all': () => (held ? happens(() => provider.givesBack(held, provider.left(held))) : null),
    'give back a part': () =>
      held
        ? happens(() => provider.givesBack(held, 1n + (BigInt(cents) % (provider.left(held) + 1n))))
        : null,
    'give back of an unknown charge': () => async () => {
      const event = provider.event();
      const names = { payment: null, charge: `ch_${world.tag}_none${world.next()}` };
      return deliver({ kind: 'refunded', event, ...names, cents: 1n, inAll: null, currency: 'usd' });
    },
    'give back in another currency': () => {
      if (held === undefined) return null;
      return () =>
        deliver({
          ...{ kind: 'refunded', event: provider.event(), payment: held, charge: null },
          ...{ cents: 5n, inAll: null, currency: 'gbp' },
        });
    },
    dispute: () =>
      held
        ? happens(() => provider.opensDispute(held, 1n + (BigInt(cents) % (provider.left(held) + 1n))))
        : null,
    'dispute all': () => (held ? happens(() => provider.opensDispute(held, provider.left(held))) : null),
    'end dispute': () => {
      const disputed = [...provider.held].filter(([, one]) => one.disputes.some(({ over }) => !over));
      const [payment] = pick(disputed) ?? [];
      return payment ? happens(() => provider.endsDispute(payment, how % 2 === 0 ? 'won' : 'lost')) : null;
    },
    deliver: () => {
      const event = pick(provider.queue);
      if (event === undefined) return null;
      return () => {
        provider.queue = provider.queue.filter((one) => one !== event);
        provider.delivered.push(event);
        return deliver(event);
      };
    },
    'deliver again': () => {
      const event = pick(provider.delivered);
      return event ? () => deliver(event) : null;
    },
    'say again': () => {
      // Another event of the same: a payment, a dispute, or a sum of refunds.
      const event = pick(provider.delivered.filter((one) => one.kind !== 'refunded' || one.inAll !== null));
      return event ? () => deliver({ ...event, event: provider.event() }) : null;
    },
  };
}
