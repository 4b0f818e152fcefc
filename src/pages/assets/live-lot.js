/** Follows a lot's stream: price, end, bids and standing as they move. The page works without it, only not live. */
import { startBidAmounts } from './bid-amounts.js';
import { startBidForm } from './bid-form.js';
import { bidHistory, element } from './bid-history.js';
import { showCountdown } from './countdown.js';
import { startGallery } from './gallery.js';
import { followLot, showAgain } from './lot-stream.js';
import { aboutText, moneyText } from './money.js';
import { priceLine } from './price-line.js';
import { timeText } from './times.js';
import { words } from './words.js';
import { startCost } from './would-cost.js';

const root = document.querySelector('[data-lot]');
const { lot: lotId, currency } = root.dataset;
const part = (name) => root.querySelector(`[data-${name}]`);
const live = (name) => root.querySelector(`[data-live="${name}"]`);
const money = (amount) => moneyText(amount, currency);
/** What amounts are for, where that is not the lot. */
const per = root.dataset.per ? ` ${root.dataset.per}` : '';

const state = {
  status: root.dataset.status,
  /** Whether this person leads, here or in another tab. */
  leads: root.dataset.leads === 'yes',
};
const isSignedIn = root.dataset.signedIn === 'yes';
const isRunning = () => state.status === 'active' || state.status === 'scheduled';
const form = part('bid');
const cost = startCost(part('cost'), form, { currency, minimum: root.dataset.minimum });
const amounts =
  form &&
  startBidAmounts(form, {
    currency,
    bands: JSON.parse(root.dataset.bands),
    minimum: root.dataset.minimum,
    maximum: root.dataset.maximum,
  });
const history = bidHistory(part('bids'), root.dataset.paddle || null, money);
const addPoint = priceLine(part('chart'), JSON.parse(root.dataset.points), money);

function setText(name, text) {
  const element = live(name);
  if (!element || element.textContent === text) return;
  element.textContent = text;
  if (name !== 'price') return;
  element.classList.remove('changed');
  void element.offsetWidth;
  element.classList.add('changed');
}

function say(kind, text, way = null) {
  const box = part('notice');
  box.dataset.about = '';
  if (text === '') return box.replaceChildren();
  const notice = element('p', `notice ${kind}`, text);
  if (way) {
    const link = element('a', '', way.label);
    link.href = way.href;
    notice.append(' ', link);
  }
  box.replaceChildren(notice);
}

/** What the person has just done is answered where they see it, not behind what stays in view. */
function answer(kind, text, way) {
  say(kind, text, way);
  if (text !== '') part('notice').scrollIntoView({ block: 'nearest' });
}

function setLeads(leads, maxAmount) {
  state.leads = leads;
  amounts?.setOwn(leads ? maxAmount : null);
  if (leads) amounts?.showRaise(false);
  const standing = part('standing');
  if (!standing) return;
  standing.hidden = !leads;
  if (leads && maxAmount) standing.textContent = words('You lead, up to {0}.', `${money(maxAmount)}${per}`);
}

function setEnd(endTime) {
  const clock = part('clock');
  if (!clock) return;
  for (const one of [clock, part('clock-too')]) {
    if (!one) continue;
    one.dateTime = endTime;
    showCountdown(one);
  }
  const exact = part('exact');
  exact.dateTime = endTime;
  exact.textContent = timeText(endTime);
}

/** What a snapshot and the lot of a bid have in common. */
function showLot(lot) {
  if (lot.status !== undefined && lot.status !== state.status) return location.reload();
  if (lot.bid_count !== undefined) showPrice(lot);
  if (lot.minimum_next_bid !== undefined) {
    setText('minimum', money(lot.minimum_next_bid));
    amounts?.setMinimum(lot.minimum_next_bid);
    cost?.setMinimum(lot.minimum_next_bid);
  }
  if (root.dataset.reserve === 'yes' && lot.reserve_met !== undefined) {
    part('reserve-word').textContent = words(lot.reserve_met ? 'Reserve met' : 'Reserve not met');
  }
  if (lot.end_time && state.status === 'active') setEnd(lot.end_time);
}

function showPrice(lot) {
  const hasBids = lot.bid_count > 0;
  setText('bid_count', String(lot.bid_count));
  part('bids-word').textContent = words(lot.bid_count === 1 ? 'bid' : 'bids');
  const amount = hasBids ? lot.current_bid : (lot.starting_bid ?? root.dataset.starting);
  const price = money(amount);
  setText('price', price);
  const about = part('about-price');
  if (about) about.textContent = words('About {0}', aboutText(about, amount));
  if (form) form.querySelector('[data-too="price"]').textContent = price;
  const total = hasBids ? lot.current_total : lot.minimum_next_total;
  if (total) setText('total', money(total));
  part('price-label').textContent = words(hasBids ? 'Current bid' : 'Starting bid');
  const buyNow = part('buy-now');
  if (buyNow && hasBids && (root.dataset.reserve === 'no' || lot.reserve_met)) buyNow.hidden = true;
}

function addBid(bid) {
  if (!history.add(bid)) return;
  part('bid-table').hidden = false;
  part('no-bids').hidden = true;
  addPoint(bid.placed_at, bid.lot?.current_bid ?? bid.amount);
}

/** The standing of this person, read from the server: after a bid that another tab of theirs may have placed. */
async function readStanding() {
  const response = await fetch(`/lots/${lotId}/standing`, { headers: { accept: 'application/json' } }).catch(
    () => null,
  );
  if (!response?.ok) return;
  const standing = await response.json();
  const wasLeading = state.leads;
  history.setPaddle(standing.paddle);
  setLeads(standing.leads, standing.max_amount);
  if (wasLeading && !standing.leads) sayOutbid();
  else if (standing.leads && part('notice').dataset.about === 'outbid') say('', '');
}

function noteBid(bid) {
  if (!isSignedIn) return;
  if (history.isMine(bid) || !history.hasPaddle()) return void readStanding();
  if (!state.leads || bid.status === 'outbid') return;
  setLeads(false);
  sayOutbid();
}

function sayOutbid() {
  amounts?.showRaise(true);
  say('bad', words('You have been outbid.'));
  part('notice').dataset.about = 'outbid';
}

const ON = {
  'lot.fair_warning': () => {
    part('fair-warning').hidden = false;
  },
  'lot.snapshot': (lot, { id }) => {
    // A void takes bids away, and a choice lots: only the server knows which are left.
    const isNewer = Number.parseInt(id, 10) > Number(root.dataset.sequence);
    if ((part('offer') && isNewer) || lot.bid_count < Number(live('bid_count').textContent))
      return location.reload();
    showLot(lot);
  },
  'bid.placed': (bid) => {
    part('fair-warning').hidden = true;
    addBid(bid);
    noteBid(bid);
    showLot(bid.lot);
  },
  'lot.extended': (lot) => {
    setEnd(lot.end_time);
    if (lot.extended_by === 'outage') {
      part('late').textContent = words(
        'Nobody could bid for a moment: the lot stays open until {0}.',
        timeText(lot.end_time),
      );
      return;
    }
    if (!part('extended')) return;
    part('extended').hidden = false;
    setText('extensions', String(Number(live('extensions').textContent) + 1));
    const said =
      lot.extended_by === 'group'
        ? 'A late bid on another lot of the group has moved the end to {0}.'
        : 'A late bid has moved the end to {0}.';
    part('late').textContent = words(said, timeText(lot.end_time));
  },
  'lot.closed': () => {
    stream.stop();
    // The result has its own page: what was sold, to whom, and what there is to pay.
    showAgain();
  },
};

function notePlaced(data, message) {
  history.setPaddle(data.paddle_number);
  setLeads(data.lot.is_high_bidder, data.max_amount);
  amounts.showRaise(data.outcome === 'outbid');
  amounts.setMinimum(data.lot.minimum_next_bid);
  amounts.reset();
  const kind =
    data.outcome === 'outbid' ? 'bad' : data.outcome === 'leading_reserve_not_met' ? 'warn' : 'good';
  answer(kind, message, { label: words('Receipt'), href: `/bids/${data.id}#receipt` });
}

if (form) {
  const dialog = document.querySelector('[data-confirm]');
  const on = { say: answer, onPlaced: notePlaced };
  startBidForm(form, form.querySelector('[data-place]'), dialog, on);
  startBidForm(document.querySelector('[data-raise]'), form.querySelector('[data-raise-button]'), dialog, on);
}
startGallery();
// Of lots that are offered together, the one that carries the bidding.
const stream = isRunning() ? followLot({ root, lotId: root.dataset.stream, isRunning, on: ON }) : null;
// A choice is on its way: what comes of it is on the page that answers.
part('offer')?.addEventListener('submit', () => stream?.stop());
