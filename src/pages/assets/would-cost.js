/** What a bid would cost with premium and tax, kept true while somebody types and while the minimum rises. */
import { moneyText } from './money.js';

/** Rounded half up to the cent, as invoices round. */
const shareOf = (cents, parts, whole) => Math.floor((cents * parts) / whole + 0.5);

function centsOf(text) {
  const cents = Math.round(Number(text.replaceAll(/[$€£,\s]/g, '')) * 100);
  return Number.isFinite(cents) && cents > 0 ? cents : 0;
}

/** `box` holds the sums, `form` what is typed; null where the page has no such box. */
export function startCost(box, form, { currency, minimum }) {
  if (!box) return null;
  let minimumCents = centsOf(minimum);
  const show = () => {
    const { amount, max_amount: ceiling } = form?.elements ?? {};
    const typed = Math.max(centsOf(amount?.value ?? ''), centsOf(ceiling?.value ?? ''));
    const hammer = typed === 0 ? minimumCents : typed;
    const premium = shareOf(hammer, Number(box.dataset.premium), 10_000);
    const tax = shareOf(hammer + premium, Number(box.dataset.tax), 1_000_000);
    const parts = { amount: hammer, premium, tax, total: hammer + premium + tax };
    for (const [name, cents] of Object.entries(parts)) {
      box.querySelector(`[data-part="${name}"]`).textContent = moneyText(cents / 100, currency);
    }
    box.querySelector('[data-cost-label]').textContent =
      typed === 0 ? 'At the minimum next bid' : 'At this bid';
  };
  form?.addEventListener('input', show);
  return {
    setMinimum(amount) {
      minimumCents = centsOf(amount);
      show();
    },
  };
}
