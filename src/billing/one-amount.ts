/** Sums that are one amount: what an invoice is over. */

/** The sum as an amount. What is summed up is bounded so that a number holds it to the cent. */
export function oneAmount(cents: bigint): number {
  const amount = Number(cents);
  if (Number.isSafeInteger(amount)) return amount;
  throw new RangeError(`${cents} of the smallest unit is more than one invoice can charge`);
}
