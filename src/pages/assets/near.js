/** The visitor's own position as the place to search near. */

import { words } from './words.js';

const form = document.querySelector('[data-near]');
const here = form?.querySelector('[data-here]');

if (here && navigator.geolocation) {
  here.hidden = false;
  here.addEventListener('click', () => {
    here.disabled = true;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const query = new URLSearchParams(new FormData(form));
        query.set('near', `${coords.latitude.toFixed(4)},${coords.longitude.toFixed(4)}`);
        query.set('place', 'my position');
        location.assign(`${form.getAttribute('action')}?${query}`);
      },
      () => {
        here.textContent = words('Your position is not available');
      },
      { timeout: 10_000, maximumAge: 600_000 },
    );
  });
}
