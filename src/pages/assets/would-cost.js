/** What a bid would cost with premium and tax, kept true while somebody types and while the minimum rises. */
import { aboutText, centsTyped, decimalsOf, moneyText } from './money.js';

/** Rounded half up to the smallest unit, as invoices round. */
const shareOf = (cents, parts, whole) => Math.floor((cents * parts) / whole + 0.5);

/** Each part of the price at its own band's, and the surcharge on all of it, rounded once as invoices are. */
function premiumOf(hammer, bands, surcharge) {
  const parts = bands.map(([from, bps], index) => {
    const to = Math.min(hammer, bands[index + 1]?.[0] ?? hammer);
    return BigInt(Math.max(0, to - from)) * BigInt(bps);
  });
  const sum = parts.reduce((total, part) => total + part, BigInt(hammer) * BigInt(surcharge));
  return Number((sum + 5_000n) / 10_000n);
}

/** For all units of a lot that is sold by the unit, in ten-thousandths; rounded half up, once. */
function timesUnits(cents, units) {
  if (!units) return cents;
  return Number((BigInt(cents) * BigInt(units) + 5_000n) / 10_000n);
}

/** `box` holds the sums, `form` what is typed; null where the page has no such box. */
export function startCost(box, form, { currency, minimum }) {
  if (!box) return null;
  const unit = 10 ** decimalsOf(currency);
  // As the service writes amounts, not as people do.
  const centsOf = (amount) => Math.round(Number(amount) * unit);
  let minimumCents = centsOf(minimum);
  const field = form?.elements.max_amount ?? form?.elements.amount;
  const show = () => {
    const typed = centsTyped(field?.value ?? '', unit);
    const hammer = timesUnits(typed === 0 ? minimumCents : typed, box.dataset.units);
    const premium = premiumOf(hammer, JSON.parse(box.dataset.premium), box.dataset.surcharge);
    const tax = shareOf(hammer + premium, Number(box.dataset.tax), 1_000_000);
    const parts = { amount: hammer, premium, tax, total: hammer + premium + tax };
    for (const [name, cents] of Object.entries(parts)) {
      box.querySelector(`[data-part="${name}"]`).textContent = moneyText(cents / unit, currency);
    }
    const about = box.querySelector('[data-about-total]');
    if (about?.dataset.rate) about.textContent = aboutText(about, parts.total / unit);
    const sum = form?.querySelector('[data-sum-total]');
    if (sum) sum.textContent = moneyText(parts.total / unit, currency);
  };
  form?.addEventListener('input', show);
  return {
    setMinimum(amount) {
      minimumCents = centsOf(amount);
      show();
    },
  };
}
