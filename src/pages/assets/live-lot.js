// Follows a lot's stream and places bids without leaving the page. The page works without it, only not live.

const root = document.querySelector('[data-lot]');
const lotId = root.dataset.lot;
const money = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: root.dataset.currency.toUpperCase(),
});
const part = (name) => root.querySelector(`[data-${name}]`);
const live = (name) => root.querySelectorAll(`[data-live="${name}"]`);

const clock = part('clock');
const state = {
  status: live('status')[0].className.replace('pill ', ''),
  leads: root.dataset.leads === 'yes',
  paddle: null,
  aheadMs: Date.parse(root.dataset.now) - Date.now(),
};

const LABELS = {
  active: 'live',
  sold: 'sold',
  passed: 'passed',
  unsold: 'unsold',
  withdrawn: 'withdrawn',
  scheduled: 'scheduled',
};

function setText(name, text) {
  for (const element of live(name)) {
    if (element.textContent === text) continue;
    element.textContent = text;
    if (name !== 'price') continue;
    element.classList.remove('changed');
    void element.offsetWidth;
    element.classList.add('changed');
  }
}

function setStatus(status) {
  state.status = status;
  const pill = live('status')[0];
  pill.className = `pill ${status}`;
  pill.textContent = LABELS[status] ?? status;
  const form = part('bid');
  if (form) form.hidden = status !== 'active';
  part('ends-label').textContent =
    status === 'scheduled' ? 'Starts in' : status === 'active' ? 'Ends in' : 'Ended';
}

/** What a snapshot and the lot of a bid have in common. */
function showStanding(lot) {
  if (lot.bid_count !== undefined) {
    setText('bid_count', String(lot.bid_count));
    part('no-bids').hidden = lot.bid_count > 0;
    const price = lot.bid_count > 0 ? lot.current_bid : lot.starting_bid;
    if (price !== undefined) setText('price', money.format(Number(price)));
    part('price-label').textContent =
      lot.bid_count === 0 ? 'Starting bid' : lot.status === 'active' ? 'Current bid' : 'Last bid';
  }
  if (lot.minimum_next_bid !== undefined) {
    setText('minimum', money.format(Number(lot.minimum_next_bid)));
    const amount = part('minimum');
    if (amount) amount.placeholder = lot.minimum_next_bid;
  }
  const hasReserve = lot.has_reserve ?? part('reserve').textContent !== 'No reserve';
  if (hasReserve && lot.reserve_met !== undefined) {
    part('reserve').textContent = lot.reserve_met ? 'Reserve met' : 'Reserve not met';
  }
  setStatus(lot.status ?? state.status);
  if (lot.start_time) clock.dataset.starts = lot.start_time;
  if (lot.end_time) clock.dateTime = state.status === 'scheduled' ? clock.dataset.starts : lot.end_time;
  showClock();
}

function showClock() {
  const leftMs = Date.parse(clock.dateTime) - Date.now() - state.aheadMs;
  const running = state.status === 'active' || state.status === 'scheduled';
  clock.title = new Date(clock.dateTime).toLocaleString();
  clock.textContent = running
    ? (window.untilText(leftMs) ?? (state.status === 'active' ? 'closing…' : 'starting…'))
    : new Date(clock.dateTime).toLocaleString();
  clock.classList.toggle('soon', state.status === 'active' && leftMs < 120_000);
}
setInterval(showClock, 250);

const OUTCOMES = { leading: 'bid', leading_reserve_not_met: 'bid', outbid: 'outbid at once', won: 'bought' };

function bidRow(bid) {
  const row = document.createElement('tr');
  row.dataset.sequence = bid.sequence;
  if (bid.is_mine || (state.paddle !== null && bid.bidder.paddle_number === state.paddle))
    row.className = 'mine';
  if (bid.status === 'voided') row.className = 'voided';
  const cells = [
    bid.bidder.paddle_number ? `Paddle ${bid.bidder.paddle_number}` : bid.bidder.alias,
    money.format(Number(bid.amount)),
    bid.channel === 'online' ? (OUTCOMES[bid.outcome] ?? bid.outcome) : bid.channel,
    new Date(bid.placed_at).toLocaleTimeString(),
  ];
  cells.forEach((text, index) => {
    const cell = row.appendChild(document.createElement('td'));
    cell.textContent = text;
    if (index === 1) cell.className = 'num strong';
  });
  return row;
}

const bids = part('bids');
const MOST_ROWS = 50;

function addBid(bid, fresh) {
  if (bids.querySelector(`[data-sequence="${bid.sequence}"]`)) return;
  const row = bidRow(bid);
  if (fresh) row.classList.add('fresh');
  const below = [...bids.children].find((other) => Number(other.dataset.sequence) < bid.sequence);
  bids.insertBefore(row, below ?? null);
  while (bids.children.length > MOST_ROWS) bids.lastElementChild.remove();
}

async function loadBids() {
  const response = await fetch(`/api/v1/lots/${lotId}/bids?per_page=${MOST_ROWS}`).catch(() => null);
  if (!response?.ok) return;
  for (const bid of (await response.json()).data) addBid(bid, false);
}

function setNotice(kind, text) {
  const notice = part('notice');
  notice.hidden = text === '';
  notice.className = `notice ${kind}`;
  notice.textContent = text;
}

function setLeads(leads) {
  state.leads = leads;
  part('standing').hidden = !leads;
}

/** Somebody else's bid takes the lead unless it was outbid at once. */
function noteOthers(bid) {
  const mine = state.paddle !== null && bid.bidder.paddle_number === state.paddle;
  if (mine || !state.leads || bid.status === 'outbid') return;
  setLeads(false);
  setNotice('bad', 'You have been outbid.');
}

function follow() {
  const source = new EventSource(`/api/v1/lots/${lotId}/stream`);
  const on = (name, handle) =>
    source.addEventListener(name, (event) => {
      part('link').textContent = 'Connected';
      handle(JSON.parse(event.data));
    });
  source.onopen = () => {
    part('link').textContent = 'Connected';
  };
  source.onerror = () => {
    part('link').textContent = state.status === 'active' ? 'Reconnecting…' : '';
    if (source.readyState !== EventSource.CLOSED) return;
    // The browser gave up: the stream is full for now, or not ours to follow.
    if (state.status === 'active' || state.status === 'scheduled') setTimeout(follow, 10_000);
  };
  on('lot.snapshot', (lot) => {
    showStanding(lot);
    if (lot.status !== 'active' && lot.status !== 'scheduled') source.close();
  });
  on('bid.placed', (bid) => {
    addBid(bid, true);
    noteOthers(bid);
    showStanding(bid.lot);
  });
  on('lot.extended', (lot) => {
    clock.dateTime = lot.end_time;
    showClock();
  });
  on('lot.closed', (lot) => {
    showStanding({ status: lot.status, end_time: lot.end_time });
    if (lot.hammer_price) setText('price', money.format(Number(lot.hammer_price)));
    part('price-label').textContent = lot.status === 'sold' ? 'Sold for' : 'Last bid';
    part('link').textContent = '';
    source.close();
  });
  on('tick', ({ server_time: now }) => {
    state.aheadMs = Date.parse(now) - Date.now();
  });
}

/** A key that has not been used: one for each bid, so that sending it again cannot double it. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

async function send(form) {
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  });
  return { status: response.status, answer: await response.json() };
}

function showAnswer(form, status, answer) {
  if (status === 401) {
    location.assign(`/sign-in?next=/lots/${lotId}`);
    return;
  }
  form.elements.key.value = newKey();
  if (status !== 201) {
    setNotice('bad', Object.values(answer.errors ?? {})[0]?.[0] ?? answer.message);
    return;
  }
  const { data } = answer;
  state.paddle = data.paddle_number;
  for (const row of bids.children) {
    if (row.firstElementChild.textContent === `Paddle ${state.paddle}`) row.classList.add('mine');
  }
  form.elements.amount.value = '';
  form.elements.max_amount.value = '';
  form.elements.confirm.checked = false;
  part('standing').textContent = `You lead, up to ${money.format(Number(data.max_amount))}.`;
  setLeads(data.lot.is_high_bidder);
  setNotice(data.outcome === 'outbid' ? 'bad' : 'good', answer.message);
}

const form = part('bid');
form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const { status, answer } = await send(form);
    showAnswer(form, status, answer);
  } catch {
    // The key stays: pressing the button again asks for the same bid, not for another one.
    setNotice('bad', 'There was no answer. Press the button again: it cannot bid twice.');
  } finally {
    button.disabled = false;
  }
});

showClock();
void loadBids();
if (state.status === 'active' || state.status === 'scheduled') follow();
