/** What is told of a lot that is sold by the unit beside its amounts: what they come to for the whole lot (rule 19). */
import { type Decimals, formatCents } from '../money.ts';
import type { AcceptedBid } from './answers.ts';
import type { LotView } from './sight.ts';
import type { LotState } from './state.ts';
import { isPerUnit, type LotUnits, totalOf } from './units.ts';

/** An amount's total, as text; null where amounts are for the lot. */
export function totalText(units: LotUnits | null, cents: number, decimals: Decimals): string | null {
  return isPerUnit(units) ? formatCents(totalOf(units, cents), decimals) : null;
}

/** As lots have them. */
export interface LotTotals {
  readonly current_total: string | null;
  readonly minimum_next_total: string | null;
  /** The price of a unit, once the lot is sold. */
  readonly hammer_per_unit: string | null;
}

export const NO_TOTALS: LotTotals = { current_total: null, minimum_next_total: null, hammer_per_unit: null };

/** A lot's totals. What is told to nobody now has none. */
export function lotTotals(
  view: { readonly status: string } & Pick<LotView, 'currentCents' | 'minimumNextCents' | 'hammerCents'>,
  { units, decimals }: Pick<LotState, 'units' | 'decimals'>,
): LotTotals {
  if (!isPerUnit(units)) return NO_TOTALS;
  const { status, currentCents, minimumNextCents, hammerCents } = view;
  const isSold = status === 'sold' && hammerCents !== null;
  const current = currentCents === null ? null : totalText(units, currentCents, decimals);
  return {
    current_total: isSold ? formatCents(hammerCents, decimals) : current,
    minimum_next_total: totalText(units, minimumNextCents, decimals),
    hammer_per_unit: isSold && currentCents !== null ? formatCents(currentCents, decimals) : null,
  };
}

/** What the answer to a bid says beside its amounts; nothing where they are for the lot. */
export function bidTotals(
  { units, decimals }: Pick<LotState, 'units' | 'decimals'>,
  bid: { readonly listedCents: number; readonly currentCents: number; readonly minimumNextCents: number },
): Pick<AcceptedBid, 'fields' | 'lotFields'> {
  if (!isPerUnit(units)) return {};
  return {
    fields: { total: totalText(units, bid.listedCents, decimals) },
    lotFields: {
      current_total: totalText(units, bid.currentCents, decimals),
      minimum_next_total: totalText(units, bid.minimumNextCents, decimals),
    },
  };
}
