/** A seller's estimate of a lot as its page says it. */
import { objectIn } from '../../../engine/objects.ts';
import { moneyText } from '../../shared/money-text.ts';
import type { LotDetail } from './lot-view.ts';

/** `$1,000.00 – $1,500.00`; null where the seller gives none. */
export function estimateText(lot: LotDetail): string | null {
  const { estimate_low: low, estimate_high: high } = objectIn(lot);
  const money = (amount: unknown) => (typeof amount === 'string' ? moneyText(amount, lot.currency) : null);
  const [from, to] = [money(low), money(high)];
  if (from === null) return to === null ? null : `up to ${to}`;
  return to === null ? `from ${from}` : from === to ? from : `${from} – ${to}`;
}
