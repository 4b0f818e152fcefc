/** Passkeys: a form's button has the browser make or use one, and the form is sent with what it said. */

import { words } from './words.js';

const bytesOf = (text) => {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
};
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const listed = (list = []) => list.map((one) => ({ ...one, id: bytesOf(one.id) }));

function make(options) {
  const { challenge, user, excludeCredentials } = options;
  return navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(challenge),
      user: { ...user, id: bytesOf(user.id) },
      excludeCredentials: listed(excludeCredentials),
    },
  });
}

function use(options) {
  const { challenge, allowCredentials } = options;
  return navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: bytesOf(challenge),
      allowCredentials: listed(allowCredentials),
    },
  });
}

function said({ id, rawId, type, response }) {
  const named = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const parts = named.flatMap((name) => (response[name] ? [[name, textOf(response[name])]] : []));
  const transports = response.getTransports?.();
  return {
    ...{ id, type, rawId: textOf(rawId), clientExtensionResults: {} },
    response: { ...Object.fromEntries(parts), ...(transports ? { transports } : {}) },
  };
}

if (window.PublicKeyCredential && navigator.credentials)
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const [button, status] = [form.querySelector('button'), form.querySelector('[role="status"]')];
    const options = JSON.parse(form.dataset.passkey);
    for (const without of document.querySelectorAll('[data-no-passkeys]')) without.hidden = true;
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      button.disabled = true;
      status.textContent = '';
      try {
        const credential = await (options.user ? make(options) : use(options));
        form.elements.response.value = JSON.stringify(said(credential));
        form.submit();
      } catch (error) {
        button.disabled = false;
        status.textContent =
          error.name === 'InvalidStateError'
            ? words('This device has a passkey for your account already.')
            : words('No passkey was used. Try again, or use another way.');
      }
    });
  }
