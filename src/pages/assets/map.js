// Lots on a map that asks nobody else for anything: a plain ground with lines of latitude and longitude, and a dot for each
// lot. What is in view is read from the API whenever the map comes to rest.

const MOST = 1000;
const LISTED = 100;
const REST_MS = 250;

const element = document.querySelector('[data-map]');
const statusLine = document.querySelector('[data-map-status]');
const list = document.querySelector('[data-map-lots]');
const form = document.querySelector('[data-map-search]');
const count = new Intl.NumberFormat('en-US');
const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });

const map = L.map(element, {
  attributionControl: false,
  preferCanvas: true,
  worldCopyJump: true,
  minZoom: 2,
  maxZoom: 16,
}).setView([39, -98], 4);
const lines = L.layerGroup().addTo(map);
const dots = L.layerGroup().addTo(map);

let search = element.dataset.search;
let asking = null;
let retry = null;

const STEPS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30];

/** As many lines as make eight or so across the view. */
function drawLines() {
  lines.clearLayers();
  const view = map.getBounds().pad(0.1);
  const [west, east] = [view.getWest(), view.getEast()];
  const [south, north] = [Math.max(-85, view.getSouth()), Math.min(85, view.getNorth())];
  const step = STEPS.find((one) => (east - west) / one <= 9) ?? 60;
  const style = { color: '#c6d2ce', weight: 1, interactive: false, pane: 'tilePane' };
  const text = (value, [positive, negative]) =>
    `${Number(Math.abs(value).toFixed(2))}°${value === 0 ? '' : value > 0 ? positive : negative}`;
  const label = (at, said) => {
    const icon = L.divIcon({ className: 'graticule-label', html: '', iconSize: null });
    const marker = L.marker(at, { icon, interactive: false, keyboard: false }).addTo(lines);
    marker.getElement().textContent = said;
  };
  for (let lng = Math.ceil(west / step) * step; lng <= east; lng += step) {
    L.polyline(
      [
        [south, lng],
        [north, lng],
      ],
      style,
    ).addTo(lines);
    label([map.getBounds().getSouth(), lng], text(wrap(lng), 'EW'));
  }
  for (let lat = Math.ceil(south / step) * step; lat <= north; lat += step) {
    L.polyline(
      [
        [lat, west],
        [lat, east],
      ],
      style,
    ).addTo(lines);
    label([lat, map.getBounds().getWest()], text(lat, 'NS'));
  }
}

const wrap = (lng) => ((((lng + 180) % 360) + 360) % 360) - 180;
const plain = (degrees) => degrees.toFixed(5);

/** The view as `west,south,east,north`; west above east where it crosses the date line. */
function boxOf(bounds) {
  const whole = bounds.getEast() - bounds.getWest() >= 360;
  const west = whole ? -180 : wrap(bounds.getWest());
  const east = whole ? 180 : wrap(bounds.getEast());
  const latitude = (value) => Math.max(-90, Math.min(90, value));
  return [west, latitude(bounds.getSouth()), east, latitude(bounds.getNorth())].map(plain).join(',');
}

async function read(box) {
  clearTimeout(retry);
  asking?.abort();
  asking = new AbortController();
  const query = new URLSearchParams({ limit: String(MOST) });
  if (box !== null) query.set('bbox', box);
  if (search !== '') query.set('search', search);
  const { signal } = asking;
  try {
    const answer = await fetch(`/api/v1/lots/geojson?${query}`, { signal });
    if (answer.ok) return await answer.json();
    const waitS = Number(answer.headers.get('retry-after') ?? 0);
    if (waitS > 0) retry = setTimeout(refresh, waitS * 1000);
    const { message } = await answer.json().catch(() => ({ message: '' }));
    say(message || 'The lots cannot be read at the moment.');
  } catch (error) {
    if (error.name !== 'AbortError') say('The lots cannot be read at the moment.');
  }
  return null;
}

const say = (text) => {
  statusLine.textContent = text;
};

const line = ({ current_bid, acres, status }) =>
  [
    Number(current_bid) > 0 ? `at ${amount.format(current_bid)}` : 'no bids yet',
    acres === null ? '' : `${count.format(acres)} acres`,
    status,
  ]
    .filter((part) => part !== '')
    .join(' · ');

function linkTo(properties, tag) {
  const link = document.createElement('a');
  link.href = `/lots/${properties.lot_id}`;
  const title = document.createElement(tag);
  title.textContent = properties.title;
  const said = document.createElement('span');
  said.textContent = line(properties);
  link.append(title, said);
  return link;
}

function popupOf(properties) {
  const box = document.createElement('div');
  if (properties.thumbnail_url !== null) {
    const image = document.createElement('img');
    image.src = properties.thumbnail_url;
    image.alt = '';
    box.append(image);
  }
  box.append(linkTo(properties, 'strong'));
  return box;
}

/** Every lot beside the middle of the view, whichever way round the world it is nearer. */
function placeOf([lng, lat]) {
  const middle = map.getCenter().lng;
  return [lat, lng + Math.round((middle - lng) / 360) * 360];
}

function show({ features, meta }) {
  dots.clearLayers();
  list.replaceChildren();
  features.forEach(({ geometry, properties }, index) => {
    const dot = L.circleMarker(placeOf(geometry.coordinates), {
      radius: 6,
      weight: 2,
      color: '#ffffff',
      fillColor: '#1d4d3a',
      fillOpacity: 0.9,
    });
    dot.bindPopup(() => popupOf(properties)).addTo(dots);
    if (index >= LISTED) return;
    const item = document.createElement('li');
    item.append(linkTo(properties, 'strong'));
    item.addEventListener('mouseenter', () => dot.setStyle({ fillColor: '#b07d18' }).bringToFront());
    item.addEventListener('mouseleave', () => dot.setStyle({ fillColor: '#1d4d3a' }));
    list.append(item);
  });
  const shown = `${count.format(features.length)} ${features.length === 1 ? 'lot' : 'lots'} in view`;
  const more = features.length === MOST ? ': the first of more. Move closer to see the others' : '';
  say(`${shown}${more}${meta?.stale ? '. Prices may lag at the moment' : ''}`);
}

async function refresh() {
  drawLines();
  const found = await read(boxOf(map.getBounds()));
  if (found !== null) show(found);
}

/** The whole of what was searched for, and the view that holds it. */
async function start() {
  map.off('moveend', rest);
  const found = await read(null);
  if (found !== null) {
    const places = found.features.map(({ geometry: { coordinates } }) => [coordinates[1], coordinates[0]]);
    if (places.length > 0) map.fitBounds(L.latLngBounds(places).pad(0.15), { maxZoom: 11, animate: false });
    show(found);
  }
  drawLines();
  map.on('moveend', rest);
}

let resting = null;
function rest() {
  clearTimeout(resting);
  resting = setTimeout(refresh, REST_MS);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  search = new FormData(form).get('search').trim();
  history.replaceState(null, '', search === '' ? '/map' : `/map?search=${encodeURIComponent(search)}`);
  void start();
});

void start();
