/** What a bid would cost with premium and tax, kept true while somebody types and while the minimum rises. */
import { centsTyped, decimalsOf, moneyText } from './money.js';

/** Rounded half up to the smallest unit, as invoices round. */
const shareOf = (cents, parts, whole) => Math.floor((cents * parts) / whole + 0.5);

/** For all units of a lot that is sold by the unit, in ten-thousandths; rounded half up, once. */
function timesUnits(cents, units) {
  if (!units) return cents;
  return Number((BigInt(cents) * BigInt(units) + 5_000n) / 10_000n);
}

/** `box` holds the sums, `form` what is typed; null where the page has no such box. */
export function startCost(box, form, { currency, minimum }) {
  if (!box) return null;
  const unit = 10 ** decimalsOf(currency);
  let minimumCents = centsTyped(minimum, unit);
  const show = () => {
    const typed = centsTyped(form?.elements.max_amount.value ?? '', unit);
    const hammer = timesUnits(typed === 0 ? minimumCents : typed, box.dataset.units);
    const premium = shareOf(hammer, Number(box.dataset.premium), 10_000);
    const tax = shareOf(hammer + premium, Number(box.dataset.tax), 1_000_000);
    const parts = { amount: hammer, premium, tax, total: hammer + premium + tax };
    for (const [name, cents] of Object.entries(parts)) {
      box.querySelector(`[data-part="${name}"]`).textContent = moneyText(cents / unit, currency);
    }
    const sum = form?.querySelector('[data-sum-total]');
    if (sum) sum.textContent = moneyText(parts.total / unit, currency);
  };
  form?.addEventListener('input', show);
  return {
    setMinimum(amount) {
      minimumCents = centsTyped(amount, unit);
      show();
    },
  };
}
