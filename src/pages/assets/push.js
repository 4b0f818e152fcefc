/** Being told by this browser: offered where there is something to be told of, asked for only after a tap. */

import { words } from './words.js';

const offer = document.querySelector('[data-tell-me]');
const isPossible = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

if ('serviceWorker' in navigator)
  navigator.serviceWorker.register('/service-worker.js').catch(() => undefined);

function keyOf(text) {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

async function subscribe() {
  const registration = await navigator.serviceWorker.ready;
  const { data } = await (await fetch('/api/v1/push/key')).json();
  const options = { userVisibleOnly: true, applicationServerKey: keyOf(data.public_key) };
  const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
  const csrf = document.querySelector('meta[name="csrf-token"]').content;
  const body = new URLSearchParams({ _csrf: csrf, endpoint, ...keys });
  const answer = await fetch('/account/push', { method: 'POST', body });
  if (!answer.ok) throw new Error('not taken');
}

if (offer && isPossible && Notification.permission !== 'denied') {
  const isTold = navigator.serviceWorker.ready.then((registration) =>
    registration.pushManager.getSubscription(),
  );
  isTold.then(
    (subscription) => {
      offer.hidden = subscription !== null && Notification.permission === 'granted';
    },
    () => undefined,
  );
  const [button, status] = [offer.querySelector('button'), offer.querySelector('[role="status"]')];
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      if ((await Notification.requestPermission()) !== 'granted') throw new Error('not allowed');
      await subscribe();
      status.textContent = words('This browser tells you from now on.');
      button.hidden = true;
    } catch {
      status.textContent = words('This browser does not allow it.');
      button.disabled = false;
    }
  });
}
