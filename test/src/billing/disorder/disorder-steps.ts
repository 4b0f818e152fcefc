/** Every kind of step, by its name; null: there is nothing that it could be done to. What the clock does is here. */
import { returnDeposits } from '../../../../src/billing/deposits/return-deposits.ts';
import { returnSurplus } from '../../../../src/billing/payments/return-surplus.ts';
import { RefundRefused } from '../../../../src/billing/providers/provider.ts';
import { type Hands, handsOf, type Parts, type Play, planned, type Step } from './disorder-hands.ts';
import type { DisorderWorld } from './disorder-world.ts';
import { providerSteps } from './provider-steps.ts';
import { staffSteps } from './staff-steps.ts';

export function stepsOf(world: DisorderWorld, parts: Parts, step: Step): Record<string, () => Play | null> {
  const hands = handsOf(world, parts, step);
  return { ...providerSteps(hands), ...staffSteps(hands), ...clockSteps(hands) };
}

function clockSteps({ how, knex, naive, provider, staff, world }: Hands): Record<string, () => Play | null> {
  return {
    'return deposits': () => async () => {
      const due = naive.bills.filter((bill) => naive.isDue(bill));
      if (how % 9 === 4) provider.refuses = new Set(['all']);
      for (const deposit of due) {
        naive.creditDeposit(deposit);
        const { name } = deposit;
        const refusing = planned(world, (ledger) => ledger.returnRest(ledger.bill(name)!));
        provider.refuses = new Set([...provider.refuses, ...refusing]);
        if (refusing.length === 0) naive.returnRest(deposit);
      }
      return round(() => returnDeposits({ ...staff, onError: onlyTheProvider }));
    },
    'return surplus': () => async () => {
      if (how % 9 === 4) provider.refuses = new Set(['all']);
      for (const { name } of naive.bills.filter(({ status }) => status === 'paid')) {
        const refusing = planned(world, (ledger) => ledger.returnSurplus(ledger.bill(name)!));
        provider.refuses = new Set([...provider.refuses, ...refusing]);
        if (refusing.length === 0) naive.returnSurplus(naive.bill(name)!);
        else naive.putDoubles(naive.bill(name)!);
      }
      return round(() => returnSurplus({ ...staff, onError: onlyTheProvider }));
    },
  };

  async function round(work: () => Promise<unknown>): Promise<string> {
    failures = [];
    await knex('money_tries')
      .whereIn('invoice_id', knex('invoices').select('id').where('team_id', world.teamId))
      .delete();
    await work();
    provider.refuses = new Set();
    if (failures.length > 0) throw failures[0];
    return 'done';
  }
}

let failures: Error[] = [];

/** In a round of the clock everything succeeds but what the provider refuses. */
function onlyTheProvider(error: unknown): void {
  if (!(error instanceof RefundRefused)) failures.push(error as Error);
}
