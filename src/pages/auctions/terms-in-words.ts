/** An auction's terms as sentences: what the premium is, and how and by when one pays. Pages of auctions and lots. */
import { moneyText } from '../../shared/money-text.ts';
import type { PaymentMethod, ShownSaleTerms } from '../../shared/sale-terms.ts';

/** `12.5% of the hammer price`, or by bands; with the surcharge on bids that come online. */
export function premiumText(terms: ShownSaleTerms, percentage: string, currency: string): string {
  const { premium_bands: bands } = terms;
  const plain = Number(percentage) === 0 ? 'None' : `${percentage}% of the hammer price`;
  const parts = bands.map((band, index) => {
    const next = bands[index + 1];
    const [from, to] = [moneyText(band.from, currency), next && moneyText(next.from, currency)];
    const part = to === undefined ? `of what is above ${from}` : `of the part from ${from} to ${to}`;
    return `${trimmed(band.percentage)}% ${bands.length === 1 ? 'of the hammer price' : index === 0 ? `of the first ${to}` : part}`;
  });
  const premium = parts.length === 0 ? plain : parts.join(', ');
  const surcharge = trimmed(terms.online_surcharge_percentage);
  return surcharge === '0' ? premium : `${premium}; ${surcharge}% more where the winning bid came online`;
}

const METHODS: Readonly<Record<PaymentMethod, string>> = {
  card: 'card',
  bank_transfer: 'bank transfer',
  cash: 'cash',
  cheque: 'cheque',
};
const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** `By card or bank transfer, within 5 days`; null where the seller says nothing of it. */
export function paymentText({
  payment_methods: methods,
  payment_due_days: days,
}: ShownSaleTerms): string | null {
  const how = methods.length === 0 ? null : `by ${OR.format(methods.map((method) => METHODS[method]))}`;
  const by = days === null ? null : days === 0 ? 'at once' : `within ${days} ${days === 1 ? 'day' : 'days'}`;
  const said = [how, by].filter((part) => part !== null).join(', ');
  return said === '' ? null : said.charAt(0).toUpperCase() + said.slice(1);
}

/** Without zeros that say nothing. */
function trimmed(percentage: string): string {
  return String(Number(percentage));
}
