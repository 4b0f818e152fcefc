/**
 * What the form of a bid offers, kept true while the price moves: the least useful maximum in the field as long as
 * nobody has typed another, the next amounts as buttons, and the one tap that raises after being outbid.
 */
import { centsTyped, decimalsOf, moneyText, plainText } from './money.js';
import { words } from './words.js';

/** The increment of the band that holds a price, both in the smallest unit. */
function incrementAt(bands, cents) {
  return (bands.findLast(([from]) => from <= cents) ?? bands[0])[1];
}

/** `bands`: pairs of from and increment, in the smallest unit. `onChange` is called when what the field holds moves. */
export function startBidAmounts(form, { currency, bands, minimum, maximum }) {
  const unit = 10 ** decimalsOf(currency);
  const field = form.elements.max_amount;
  const raise = document.querySelector('[data-raise]');
  const raiseButton = form.querySelector('[data-raise-button]');
  const state = { minimum: Math.round(minimum * unit), own: maximum ? Math.round(maximum * unit) : 0 };
  let isTyped = field.value !== field.dataset.offered;

  const money = (cents) => moneyText(cents / unit, currency);
  const leastUseful = () =>
    state.own === 0 ? state.minimum : Math.max(state.minimum, state.own + incrementAt(bands, state.own));

  function offer() {
    let cents = leastUseful();
    const isOfNoUse = centsTyped(field.value, unit) < cents && document.activeElement !== field;
    if (!isTyped || isOfNoUse) {
      field.value = plainText(cents, currency);
      isTyped = false;
      form.dispatchEvent(new Event('input'));
    }
    for (const button of form.querySelectorAll('[data-amounts] button')) {
      cents += incrementAt(bands, cents);
      button.value = (cents / unit).toFixed(Math.max(2, decimalsOf(currency)));
      button.textContent = money(cents);
    }
    raise.elements.max_amount.value = (state.minimum / unit).toFixed(Math.max(2, decimalsOf(currency)));
    raiseButton.textContent = words('Bid {0}', money(state.minimum));
  }

  field.addEventListener('input', () => {
    isTyped = true;
  });
  form.querySelector('[data-amounts]').addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button === null) return;
    event.preventDefault();
    isTyped = true;
    field.value = plainText(Math.round(button.value * unit), currency);
    form.dispatchEvent(new Event('input'));
  });
  return {
    setMinimum(amount) {
      state.minimum = Math.round(amount * unit);
      offer();
    },
    /** The own maximum while leading; anything else: does not lead. */
    setOwn(amount) {
      state.own = amount ? Math.round(amount * unit) : 0;
      offer();
    },
    /** Offers anew, whatever was typed. */
    reset() {
      isTyped = false;
      offer();
    },
    showRaise(isOutbid) {
      raiseButton.hidden = !isOutbid;
    },
  };
}
