/**
 * Placing a bid without leaving the page: what is unusual is confirmed in a dialog, and a refusal is shown with a way
 * out.
 */
import { moneyText } from './money.js';
import { words } from './words.js';

/** A key that has not been used: one for each bid, so that sending it again cannot double it. */
export function newKey() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function send(form, confirmed) {
  const body = new URLSearchParams(new FormData(form));
  if (confirmed) body.set('confirmed', 'yes');
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body,
  });
  return { status: response.status, answer: await response.json() };
}

/** Whether the person says yes. */
function confirm(dialog, { message, data }) {
  dialog.querySelector('[data-reason]').textContent = message;
  dialog.querySelector('[data-amount-label]').textContent = words(
    data.is_ceiling ? 'Your maximum bid' : 'Your bid',
  );
  for (const name of ['amount', 'premium', 'tax', 'total']) {
    dialog.querySelector(`[data-part="${name}"]`).textContent = moneyText(data[name], data.currency);
  }
  dialog.returnValue = 'no';
  // Only while it is open: when closed, its name would be taken for that of the field.
  dialog.setAttribute('aria-labelledby', 'confirm-title');
  dialog.showModal();
  return new Promise((resolve) => {
    const closed = () => {
      dialog.removeAttribute('aria-labelledby');
      resolve(dialog.returnValue === 'yes');
    };
    dialog.addEventListener('close', closed, { once: true });
  });
}

/**
 * Sends a form of a bid from the page. `button` is the one to hold while there is no answer. `onPlaced(data, message)`:
 * the API's answer to a bid that was accepted. `say(kind, text, way)`: any other message. `onNoAnswer()`: what to do
 * where the network is away; without it the person is asked to press again.
 */
export function startBidForm(form, button, dialog, { onPlaced, say, onNoAnswer = null }) {
  const attempt = async (confirmed) => {
    const { status, answer } = await send(form, confirmed);
    if (status === 401) {
      const amount = form.elements.max_amount?.value ?? '';
      const typed = amount === '' ? '' : `&amount=${encodeURIComponent(amount)}`;
      return location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}${typed}`);
    }
    if (answer.code === 'bid_confirmation_required' && !confirmed) {
      return (await confirm(dialog, answer)) ? attempt(true) : say('', '');
    }
    form.elements.key.value = newKey();
    if (status !== 201) return say('bad', answer.sentence ?? answer.message, answer.way_out);
    onPlaced(answer.data, answer.message);
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await attempt(false);
    } catch {
      // The key stays: pressing the button again sends the same bid, not another one.
      if (onNoAnswer === null)
        say('bad', words('There was no answer. Press the button again: it cannot bid twice.'));
      else onNoAnswer();
    } finally {
      button.disabled = false;
    }
  });
}
