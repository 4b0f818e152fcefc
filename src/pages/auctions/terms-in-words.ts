/** What a buyer pays beyond the hammer price, part by part, for pages of auctions and lots to say. */
import { moneyText } from '../../shared/money-text.ts';
import type { ShownSaleTerms } from '../../shared/sale-terms.ts';

export interface PremiumInParts {
  /** None: there is no premium. Of the whole hammer price where a part has no bounds. */
  readonly parts: readonly {
    readonly percentage: string;
    readonly from: string | null;
    readonly to: string | null;
  }[];
  /** What more is charged where the winning bid came online; null: nothing. */
  readonly surcharge: string | null;
}

/** The premium by its bands, or by one percentage. */
export function premiumInParts(terms: ShownSaleTerms, percentage: string, currency: string): PremiumInParts {
  const { premium_bands: bands } = terms;
  const money = (amount: string | undefined) => (amount === undefined ? null : moneyText(amount, currency));
  const parts = bands.map((band, index) => ({
    percentage: trimmed(band.percentage),
    from: index === 0 ? null : money(band.from),
    to: money(bands[index + 1]?.from),
  }));
  const whole = Number(percentage) === 0 ? [] : [{ percentage, from: null, to: null }];
  const surcharge = trimmed(terms.online_surcharge_percentage);
  return { parts: parts.length === 0 ? whole : parts, surcharge: surcharge === '0' ? null : surcharge };
}

/** Without zeros that say nothing. */
function trimmed(percentage: string): string {
  return String(Number(percentage));
}
