/**
 * The lot on the block as it is called: price, standing and the one button over the lot's stream, fair warning seen and
 * heard, and the next lot as soon as the clerk puts it there. Without it the page is as true as its last reload.
 */
import { newKey, startBidForm } from './bid-form.js';
import { aboutText, decimalsOf, moneyText } from './money.js';
import { rereading } from './reread.js';
import { LOCALE, words } from './words.js';

const AGAIN_MS = 10_000;
const CLOSED_MS = 5_000;
const LATER_MS = 1_500;
const SILENT = 'rostrum-saleroom-silent';
const WORDS = {
  leading: words('Leading'),
  outbid: words('Outbid'),
  reserve_not_met: words('Reserve not met'),
};

const frame = document.querySelector('[data-block-frame]');
const dialog = document.querySelector('[data-confirm]');
const block = () => frame.querySelector('[data-block]');
const part = (name) => frame.querySelector(`[data-part="${name}"]`);
let source = null;
let followed = null;
let audio = null;

function say(kind, text, way = null) {
  const said = part('said');
  said.className = `small said ${kind}`;
  said.textContent = text;
  if (!way) return;
  const link = document.createElement('a');
  link.href = way.href;
  link.textContent = way.label;
  said.append(' ', link);
}

/** `4,000`, and `4,000.50` where there is a fraction. */
function inShort(amount, currency) {
  const number = Number(amount);
  const digits = Number.isInteger(number) ? 0 : Math.max(2, decimalsOf(currency));
  return number.toLocaleString(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const isSilent = () => localStorage.getItem(SILENT) === 'yes';

/** Browsers let a page be heard once somebody has touched it. */
function wakeAudio() {
  if (audio === null && 'AudioContext' in window) audio = new AudioContext();
  if (audio?.state === 'suspended') audio.resume().catch(() => {});
}

/** Two knocks of a hammer. */
function knock() {
  if (isSilent()) return;
  navigator.vibrate?.([120, 80, 120]);
  if (audio?.state !== 'running') return;
  for (const at of [0, 0.28]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const begin = audio.currentTime + at;
    tone.frequency.setValueAtTime(190, begin);
    tone.frequency.exponentialRampToValueAtTime(60, begin + 0.12);
    volume.gain.setValueAtTime(0.5, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + 0.2);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + 0.22);
  }
}

function showSound() {
  const button = frame.querySelector('[data-sound]');
  if (button === null) return;
  button.hidden = false;
  button.setAttribute('aria-pressed', String(!isSilent()));
  button.textContent = words(isSilent() ? 'Sound off' : 'Sound on');
}

function setStanding(standing) {
  block().dataset.standing = standing;
  const pill = part('standing');
  if (pill !== null) {
    pill.hidden = !(standing in WORDS);
    pill.className = `pill ${standing}`;
    pill.textContent = WORDS[standing] ?? '';
  }
}

/** The price at once; what the viewer can do next comes with the section. */
function showBid(bid) {
  const { currency, standing, paddle } = block().dataset;
  part('warning').hidden = true;
  part('label').textContent = words('Current bid');
  part('price').textContent = moneyText(bid.lot.current_bid, currency);
  const about = part('about');
  if (about) about.textContent = words('About {0}', aboutText(about, bid.lot.current_bid));
  part('price').classList.remove('changed');
  void part('price').offsetWidth;
  part('price').classList.add('changed');
  const isMine = paddle !== '' && bid.bidder.paddle_number === paddle;
  if (isMine || standing === 'leading' || standing === 'reserve_not_met') {
    if (!isMine && bid.status === 'leading') setStanding('outbid');
    return refresh();
  }
  setNext(bid.lot.minimum_next_bid);
}

function setNext(amount) {
  const form = frame.querySelector('[data-one-tap]');
  if (form === null || amount === undefined) return refresh();
  form.elements.max_amount.value = amount;
  part('button').textContent = words('Bid {0}', inShort(amount, block().dataset.currency));
  // The total is the server's to say; all who follow do not ask for it in the same moment.
  return refresh(LATER_MS + Math.random() * LATER_MS);
}

const refresh = rereading(async () => {
  const answer = await fetch(location.pathname, { headers: { accept: 'text/html', 'x-fragment': 'block' } });
  const html = await answer.text();
  if (!answer.ok) return;
  // A page in full: the sale is over, or paused.
  if (/^\s*<!doctype/i.test(html)) location.reload();
  else show(html);
});

/** Puts the section as it is now in the old one's position; what was said of the same lot stays. */
function show(html) {
  // Never under a finger.
  if (frame.querySelector(':active') !== null) return refresh();
  const [lot, said] = [block().dataset.lot, part('said')];
  const focused = document.activeElement === part('button');
  frame.innerHTML = html;
  if (block().dataset.lot === lot && block().dataset.open === 'yes') part('said').replaceWith(said);
  if (focused) part('button')?.focus({ preventScroll: true });
  start();
}

function follow() {
  const { lot, open, sequence } = block().dataset;
  const wanted = open === 'yes' ? lot : null;
  if (wanted === followed) return;
  source?.close();
  followed = wanted;
  if (wanted === null) return;
  let shown = sequence;
  const connect = () => {
    source = new EventSource(`/api/v1/lots/${wanted}/stream?last_event_id=${shown}`);
    const on = (name, handle) =>
      source.addEventListener(name, (event) => {
        shown = event.lastEventId || shown;
        handle(JSON.parse(event.data));
      });
    on('bid.placed', showBid);
    on('lot.snapshot', () => refresh());
    on('lot.fair_warning', () => {
      part('warning').hidden = false;
      knock();
    });
    on('lot.closed', () => {
      source.close();
      refresh();
    });
    const own = source;
    // The browser gave up: the stream is full for now.
    own.addEventListener('error', () => {
      if (own.readyState === EventSource.CLOSED && own === source && followed === wanted)
        setTimeout(() => followed === wanted && connect(), AGAIN_MS);
    });
  };
  connect();
}

function start() {
  showSound();
  follow();
  const form = frame.querySelector('[data-one-tap]');
  if (form === null) return;
  startBidForm(form, part('button'), dialog, {
    say,
    onPlaced(data, message) {
      block().dataset.paddle = data.paddle_number;
      form.elements.key.value = newKey();
      say(data.outcome === 'outbid' ? 'bad' : 'good', message, {
        label: words('Receipt'),
        href: `/bids/${data.id}#receipt`,
      });
      refresh();
    },
  });
}

if (frame) {
  start();
  frame.addEventListener('click', (event) => {
    if (event.target.closest('[data-sound]') === null) return;
    localStorage.setItem(SILENT, isSilent() ? 'no' : 'yes');
    showSound();
  });
  for (const touch of ['pointerdown', 'keydown']) addEventListener(touch, wakeAudio);
  document.addEventListener('saleroom.block', () => refresh());
  addEventListener('online', () => refresh());
  // A lot that is sold stays until the clerk goes on: what was said of that may be lost.
  const timer = setInterval(() => {
    if (!document.hidden && block().dataset.open === 'no') refresh();
  }, CLOSED_MS);
  addEventListener('pagehide', () => {
    clearInterval(timer);
    source?.close();
  });
}
