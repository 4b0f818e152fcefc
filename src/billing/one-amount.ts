/** Sums that have to be one amount: what an invoice is over. */
import { formatTotal } from '../../engine/money.ts';
import { Refusal } from '../shared/refusal.ts';

/** The sum as an amount. Throws `invalid_transition` where a number would not hold it to the cent. */
export function oneAmount(cents: bigint): number {
  const amount = Number(cents);
  if (Number.isSafeInteger(amount)) return amount;
  const message = `${formatTotal(cents)} is more than one invoice can be over.`;
  throw new Refusal('invalid_transition', { message });
}
