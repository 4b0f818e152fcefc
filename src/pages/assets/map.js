/**
 * Lots on a map that draws the outline that we bundle. What is in view is read from the API whenever the map comes to
 * rest; lots that lie close together are one mark that opens, and those at one place a list.
 */
import { moneyText } from './money.js';
import { LOCALE, words } from './words.js';

const MOST = 1000;
const LISTED = 100;
const REST_MS = 250;
const CLUSTER_PIXELS = 44;

const element = document.querySelector('[data-map]');
const statusLine = document.querySelector('[data-map-status]');
const list = document.querySelector('[data-map-lots]');
const form = document.querySelector('[data-map-search]');
const count = new Intl.NumberFormat(LOCALE);
const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(`--${name}`).trim();

const map = L.map(element, {
  attributionControl: false,
  preferCanvas: true,
  worldCopyJump: true,
  minZoom: 2,
  maxZoom: 16,
  zoomSnap: 0.25,
  zoomDelta: 1,
}).setView([39, -98], 4);
const ground = map.createPane('ground');
ground.style.zIndex = '150';
const marks = L.layerGroup().addTo(map);

let filters = new URLSearchParams(element.dataset.filters);
let request = null;
let retry = null;

async function drawOutline() {
  const response = await fetch(element.dataset.outline).catch(() => null);
  if (!response?.ok) return;
  const { land, borders } = await response.json();
  const renderer = L.canvas({ pane: 'ground', padding: 0.4 });
  const plain = { renderer, pane: 'ground', interactive: false, smoothFactor: 1 };
  const points = (line) =>
    Array.from({ length: line.length / 2 }, (_, at) => [line[at * 2 + 1], line[at * 2]]);
  for (const turn of [-360, 0, 360]) {
    const shifted = (line) => points(line).map(([lat, lng]) => [lat, lng + turn]);
    L.polygon(land.map(shifted), {
      ...plain,
      stroke: false,
      fillColor: colour('card'),
      fillOpacity: 1,
    }).addTo(map);
    L.polyline(borders.map(shifted), { ...plain, color: colour('edge'), weight: 0.8, opacity: 0.7 }).addTo(
      map,
    );
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
  request?.abort();
  request = new AbortController();
  const query = new URLSearchParams(filters);
  query.set('limit', String(MOST));
  if (box !== null) query.set('bbox', box);
  const { signal } = request;
  try {
    const answer = await fetch(`/api/v1/lots/geojson?${query}`, { signal });
    if (answer.ok) return await answer.json();
    const waitS = Number(answer.headers.get('retry-after') ?? 0);
    if (waitS > 0) retry = setTimeout(refresh, waitS * 1000);
    const { message } = await answer.json().catch(() => ({ message: '' }));
    say(message || words('The lots cannot be read at the moment.'));
  } catch (error) {
    if (error.name !== 'AbortError') say(words('The lots cannot be read at the moment.'));
  }
  return null;
}

/** As the reader's language calls the lot, or as its seller did first. */
const titleOf = ({ title, translations }) => translations?.[document.documentElement.lang]?.title ?? title;

const STATES = {
  scheduled: words('Not started'),
  sold: words('Sold'),
  passed: words('Passed'),
  unsold: words('Not sold'),
  withdrawn: words('Withdrawn'),
};

const say = (text) => {
  statusLine.textContent = text;
};

const line = ({ current_bid, starting_bid, currency, acres, status }) =>
  [
    Number(current_bid) > 0
      ? words('at {0}', moneyText(current_bid, currency))
      : words('from {0}, no bids yet', moneyText(starting_bid, currency)),
    acres === null ? '' : words('{0} acres', count.format(acres)),
    STATES[status] ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ');

function linkTo(properties) {
  const link = document.createElement('a');
  link.href = `/lots/${properties.lot_id}`;
  if (properties.thumbnail_url !== null) {
    const image = document.createElement('img');
    Object.assign(image, { src: properties.thumbnail_url, alt: '', loading: 'lazy', width: 72, height: 54 });
    link.append(image);
  }
  const title = document.createElement('strong');
  title.textContent = titleOf(properties);
  const said = document.createElement('span');
  said.textContent = line(properties);
  link.append(title, said);
  return link;
}

function listOf(features) {
  const box = document.createElement('div');
  box.className = 'map-stack';
  for (const { properties } of features.slice(0, 50)) box.append(linkTo(properties));
  if (features.length > 50) box.append(words('and {0} more', features.length - 50));
  return box;
}

/** Every lot alongside the middle of the view, whichever way round the world it is nearer. */
function latLngOf([lng, lat]) {
  const middle = map.getCenter().lng;
  return [lat, lng + Math.round((middle - lng) / 360) * 360];
}

/** Lots that lie close together on the screen, by the cell of a grid that they fall into. */
function clustersOf(features) {
  const cells = new Map();
  for (const feature of features) {
    const at = latLngOf(feature.geometry.coordinates);
    const point = map.project(at, map.getZoom());
    const key = `${Math.floor(point.x / CLUSTER_PIXELS)}|${Math.floor(point.y / CLUSTER_PIXELS)}`;
    const cell = cells.get(key) ?? { features: [], points: [] };
    cell.features.push(feature);
    cell.points.push(at);
    cells.set(key, cell);
  }
  return [...cells.values()];
}

function markOf({ features, points }) {
  const middle = [0, 1].map((axis) => points.reduce((sum, at) => sum + at[axis], 0) / points.length);
  const many = features.length > 1;
  const title = many ? words('{0} lots', count.format(features.length)) : titleOf(features[0].properties);
  const icon = L.divIcon({ className: many ? 'cluster' : 'dot', iconSize: many ? [38, 38] : [22, 22] });
  const mark = L.marker(middle, { icon, title, alt: title, riseOnHover: true }).addTo(marks);
  mark.getElement().textContent = many ? String(features.length) : '';
  mark.getElement().setAttribute('aria-label', title);
  const bounds = L.latLngBounds(points);
  const isStack =
    map.getBoundsZoom(bounds) >= map.getMaxZoom() || bounds.getNorthEast().equals(bounds.getSouthWest());
  const open = () => {
    if (many && !isStack && map.getZoom() < map.getMaxZoom()) {
      map.fitBounds(bounds.pad(0.3), { maxZoom: Math.min(map.getZoom() + 4, map.getMaxZoom()) });
    } else mark.bindPopup(listOf(features), { maxWidth: 300, maxHeight: 320 }).openPopup();
  };
  mark.on('click', open);
  mark.on('keypress', ({ originalEvent }) => originalEvent.key === 'Enter' && open());
}

function show({ features, meta }) {
  marks.clearLayers();
  list.replaceChildren();
  for (const cluster of clustersOf(features)) markOf(cluster);
  for (const { properties } of features.slice(0, LISTED)) {
    const item = document.createElement('li');
    item.append(linkTo(properties));
    list.append(item);
  }
  const shown = words(
    features.length === 1 ? '{0} lot in view' : '{0} lots in view',
    count.format(features.length),
  );
  const more = features.length === MOST ? words(': the first of more. Move closer to see the others') : '';
  say(`${shown}${more}${meta?.stale ? words('. Prices are not up to date at the moment') : ''}`);
}

async function refresh() {
  const found = await read(boxOf(map.getBounds()));
  if (found !== null) show(found);
}

/** The whole of what was searched for, and the view that holds it. */
async function start() {
  map.off('moveend', rest);
  const found = await read(null);
  if (found !== null) {
    const points = found.features.map(({ geometry: { coordinates } }) => [coordinates[1], coordinates[0]]);
    if (points.length > 0) map.fitBounds(L.latLngBounds(points).pad(0.1), { maxZoom: 11, animate: false });
    show(found);
  }
  map.on('moveend', rest);
}

let resting = null;
function rest() {
  clearTimeout(resting);
  resting = setTimeout(refresh, REST_MS);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const address = new URLSearchParams(new FormData(form));
  const search = address.get('search').trim();
  filters = new URLSearchParams(element.dataset.filters);
  for (const query of [address, filters]) {
    if (search === '') query.delete('search');
    else query.set('search', search);
  }
  history.replaceState(null, '', String(address) === '' ? '/map' : `/map?${address}`);
  void start();
});

if (element.dataset.tiles) L.tileLayer(element.dataset.tiles, { maxZoom: 19 }).addTo(map);
else void drawOutline();
void start();
