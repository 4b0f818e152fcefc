/**
 * Checks a lot's journal without trusting the house that keeps it: one file, no dependencies, for Node ≥ 20 and for browsers.
 * It shares no code with the service. It hashes the chain again, replays the published rules from the public entries, opens
 * the commitments that were opened, and follows the journal's head into a signed checkpoint. However long, it stays one
 * file: whoever checks can read, keep and run all that they rely on, and it changes only with what journals say.
 *
 *   node verify.mjs https://auctions.example.com 123        a lot of a running service
 *   node verify.mjs sale.json                               a file: {journal, openings?, proof?, keys?}, each as the service
 *                                                           answers it, or the `data` of that answer
 *   node verify.mjs receipt --bid ID --hash H <address> 123 whether a receipt's entry is in the journal, and in a checkpoint
 *   node verify.mjs checkpoints old.json new.json <address>  whether two signed checkpoints can both be true
 *
 * Exits 0 when everything holds; 1 with the first entry that is wrong, and why; 2 when it cannot be asked for.
 */

const GENESIS = '0'.repeat(64);

// ---------------------------------------------------------------- hashing

const K = new Uint32Array(64);
const H0 = new Uint32Array(8);
{
  // FIPS 180-4: the first 32 bits of the fractional parts of the roots of the first primes.
  let found = 0;
  for (let n = 2; found < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    if (found < 8) H0[found] = (Math.sqrt(n) % 1) * 2 ** 32;
    K[found++] = (Math.cbrt(n) % 1) * 2 ** 32;
  }
}

/** SHA-256 of bytes, as bytes. */
export function sha256(bytes) {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor((bytes.length * 8) / 2 ** 32));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  const h = H0.slice();
  const w = new Uint32Array(64);
  const rotate = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + i * 4);
    for (let i = 16; i < 64; i++) {
      const s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, hh] = h;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (hh + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [hh, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    for (const [i, x] of [a, b, c, d, e, f, g, hh].entries()) h[i] += x;
  }
  const out = new Uint8Array(32);
  const outView = new DataView(out.buffer);
  for (let i = 0; i < 8; i++) outView.setUint32(i * 4, h[i]);
  return out;
}

const utf8 = (text) => new TextEncoder().encode(text);
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const sha256Hex = (text) => toHex(sha256(utf8(text)));

/** RFC 8785: keys sorted, no white space, values as ECMAScript prints them. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${pairs.join(',')}}`;
}

// ---------------------------------------------------------------- faults

/** What is wrong, and at which entry (by its last sequence; null where it is not about one). */
export class Fault extends Error {
  constructor(sequence, message) {
    super(message);
    this.name = 'Fault';
    this.sequence = sequence;
  }
}

function check(holds, sequence, message) {
  if (!holds) throw new Fault(sequence, message);
}

/** How amounts are written in a currency of so many decimal places; one without any still has two zeros. */
const AMOUNTS = { 0: /^\d{1,12}\.00$/, 2: /^\d{1,12}\.\d\d$/, 3: /^\d{1,12}\.\d{3}$/ };

/** The decimal places of a lot's currency: its first entry says so where there are not two. */
export function decimalsOf(entries) {
  for (const { sequence, events } of entries)
    for (const { type, currency_decimals: decimals = 2 } of events)
      if (type === 'lot_scheduled') {
        check(decimals in AMOUNTS, sequence, `no currency has ${decimals} decimal places`);
        return decimals;
      }
  return 2;
}

/** A decimal string as integers of the smallest unit: cents, yen, fils. */
function cents(text, sequence, decimals) {
  check(typeof text === 'string' && AMOUNTS[decimals].test(text), sequence, `"${text}" is no amount`);
  return Number(decimals === 0 ? text.slice(0, -3) : text.replace('.', ''));
}

/**
 * A lot's units in ten-thousandths where its amounts are prices of one; null where they are for the lot. An event that
 * names none leaves them as they are.
 */
function unitsIn({ units, bid_per: per }, before, sequence) {
  if (per === undefined) return before;
  check(per === 'lot' || per === 'unit', sequence, `amounts are for "${per}"`);
  check(units === null || /^\d{1,9}\.\d{4}$/.test(units), sequence, `"${units}" is no number of units`);
  if (per === 'lot') return null;
  const count = units === null ? 0n : BigInt(units.replace('.', ''));
  check(count > 0n, sequence, 'amounts are for a unit, of which there are none');
  return count;
}

/** A moment as whole microseconds. */
function moment(text, sequence) {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(text ?? '');
  const seconds = match === null ? Number.NaN : Date.parse(`${match[1]}Z`) / 1000;
  check(Number.isInteger(seconds), sequence, `"${text}" is no moment`);
  return seconds * 1e6 + Number(match[2]);
}

// ---------------------------------------------------------------- the chain

const EVENTS = [
  'lot_scheduled',
  'lot_opened',
  'lot_rescheduled',
  'bid_placed',
  'terms_changed',
  'bid_voided',
  'bid_sealed',
  'bid_unsealed',
  'final_round_opened',
  'bids_opened',
  'lot_amended',
  'lot_conditions_set',
  'hammer_fell',
  'choice_opened',
  'choice_made',
  'lot_closed',
  'lot_withdrawn',
  'lot_recovered',
  'lot_reopened',
];

/** Hashes, order and clock of all entries. Throws a `Fault` at the first that is not genuine. */
export function checkChain(entries) {
  check(Array.isArray(entries) && entries.length > 0, null, 'the journal has no entries');
  let [previous, sequence, clock] = [GENESIS, 0, 0];
  for (const entry of entries) {
    const at = entry?.sequence ?? null;
    check(entry !== null && typeof entry === 'object' && Array.isArray(entry.events), at, 'this is no entry');
    const { hash, ...hashed } = entry;
    check(
      hashed.previous_hash === previous,
      at,
      'it does not follow on the entry before: one is missing or moved',
    );
    check(hash === sha256Hex(previous + canonical(hashed)), at, 'its hash is not that of what it says');
    check(entry.events.length > 0, at, 'it has no events');
    const recovered = entry.events[0].type === 'lot_recovered';
    check(
      recovered ? entry.first_sequence > sequence : entry.first_sequence === sequence + 1,
      at,
      `it begins at ${entry.first_sequence}, after ${sequence}`,
    );
    sequence = entry.first_sequence - 1;
    for (const event of entry.events) {
      sequence += 1;
      check(event.sequence === sequence, at, `an event has the sequence ${event.sequence}, not ${sequence}`);
      check(EVENTS.includes(event.type), at, `"${event.type}" is no event`);
    }
    check(entry.sequence === sequence, at, `it ends at ${entry.sequence}, its events at ${sequence}`);
    const recorded = moment(entry.recorded_at, at);
    check(recorded >= clock, at, 'the clock steps back');
    [previous, clock] = [hash, recorded];
  }
  return { head: previous, sequence };
}

// ---------------------------------------------------------------- commitments

/** Each opened amount by its commitment, after checking that salt and amount give it. */
export function checkOpenings(entries, openings) {
  const committed = new Map();
  for (const entry of entries)
    for (const event of entry.events) {
      if (event.type === 'bid_sealed')
        committed.set(`${event.sequence}/ceiling_commitment`, {
          entry: entry.sequence,
          value: event.commitment,
        });
      for (const field of ['ceiling_commitment', 'reserve_commitment'])
        if (event[field])
          committed.set(`${event.sequence}/${field}`, { entry: entry.sequence, value: event[field] });
      // Of several lots that are sold as one: each reserve, and that of the whole.
      const all = [
        ...(event.lots ?? []).map((lot) => lot.reserve_commitment),
        event.whole_reserve_commitment,
      ];
      for (const value of all)
        if (value)
          committed.set(`${event.sequence}/reserve_commitment/${value}`, { entry: entry.sequence, value });
    }
  const opened = new Map();
  const decimals = decimalsOf(entries);
  for (const { sequence, kind, commitment, salt, amount } of openings ?? []) {
    const name = `${sequence}/${kind}_commitment`;
    const found = committed.get(`${name}/${commitment}`) ?? committed.get(name);
    check(found !== undefined, null, `an opening names event ${sequence}, which commits to no ${kind}`);
    check(
      found.value === commitment,
      found.entry,
      `the opening of event ${sequence} is of another commitment`,
    );
    const amountCents = cents(amount, found.entry, decimals);
    check(
      sha256Hex(`${salt}:${amountCents}`) === commitment,
      found.entry,
      `the opened ${kind} of ${amount} is not what event ${sequence} committed to`,
    );
    opened.set(sequence, amountCents);
    opened.set(commitment, amountCents);
  }
  return opened;
}

// ---------------------------------------------------------------- the rules

const DEFAULT_BANDS = [
  [0, 5],
  [100, 10],
  [500, 25],
  [1_000, 50],
  [5_000, 100],
  [10_000, 250],
  [50_000, 500],
  [100_000, 1_000],
  [500_000, 2_500],
];

/** The house's bands; a dollar stands for one whole unit, or for 100 where there is no smaller one. */
function houseBands(decimals) {
  const unit = { 0: 100, 2: 100, 3: 1000 }[decimals];
  return DEFAULT_BANDS.map(([from, step]) => ({ from: from * unit, step: step * unit }));
}

/** The auction's terms as the replay wants them. */
function readTerms(terms, decimals) {
  const bands = terms?.increments?.map(({ from, increment }) => ({
    from: cents(from, null, decimals),
    step: cents(increment, null, decimals),
  }));
  const softClose = terms && 'soft_close' in terms ? terms.soft_close : undefined;
  return {
    simulcast: terms?.type === 'simulcast',
    bands: bands ?? houseBands(decimals),
    softClose:
      softClose === null ? { window_seconds: 0, extension_seconds: 0, max_extensions: null } : softClose,
  };
}

function stepAt(bands, price) {
  let found = bands[0];
  for (const band of bands) if (band.from <= price) found = band;
  return found.step;
}

/**
 * Replays the rules. `opened` holds the amounts that are known by the sequence of their event. A ceiling that nobody has
 * opened is bounded by what it made happen; where the bounds leave one figure, that figure is it.
 */
class Replay {
  constructor(terms, decimals, opened, complete) {
    Object.assign(this, readTerms(terms, decimals));
    this.decimals = decimals;
    this.opened = opened;
    /** Whether all reserves, and all ceilings that were beaten, should be open. */
    this.complete = complete;
    this.status = 'none';
    this.current = 0;
    this.count = 0;
    /** Bids in the journal, raises too. */
    this.placed = 0;
    this.extensions = 0;
    /** The lots that it closes with, and what they have moved: `{lot, end, at, sequence}` each. */
    this.group = null;
    this.moves = [];
    /** The group that it is offered with, and the winner who is choosing: `{alias, price, until}`. */
    this.choice = null;
    this.choosing = null;
    /** `{alias, ceiling, least}`: the leader, its ceiling where it is known, and what it is at least. */
    this.leader = null;
    /** A void may have made a standing that only the house can work out; it is taken as told from there. */
    this.told = false;
    this.listed = [];
    /** Ten-thousandths of a unit, where amounts are for one. */
    this.units = null;
  }

  apply(event, entry) {
    this.at = entry.sequence;
    this.now = moment(entry.recorded_at, this.at);
    if (event.type === 'bid_placed') this.placed += 1;
    this.require(this[event.type] !== undefined, `"${event.type}" is no event of its format`);
    this[event.type](event);
  }

  /** An amount as the journal writes it. */
  money(amount) {
    if (this.decimals === 0) return `${amount}.00`;
    return (amount / 10 ** this.decimals).toFixed(this.decimals);
  }

  require(holds, message) {
    check(holds, this.at, message);
  }

  /** Rule 19: what an amount comes to for the whole lot, rounded half up once. */
  total(amount) {
    if (this.units === null) return amount;
    return Number((BigInt(amount) * this.units + 5000n) / 10000n);
  }

  lot_scheduled(event) {
    this.require(this.status === 'none', 'the lot is scheduled twice');
    this.status = 'scheduled';
    this.start = moment(event.start_time, this.at);
    this.end = moment(event.end_time, this.at);
    this.group = event.close_group ?? null;
    this.choice = event.choice_group ?? null;
    this.number = event.lot_number;
    this.#terms(event);
  }

  #terms(event) {
    const units = unitsIn(event, this.units, this.at);
    this.require(units === this.units || this.placed === 0, 'the units of a lot with bids are changed');
    this.units = units;
    this.starting = cents(event.starting_bid, this.at, this.decimals);
    this.buyNow = event.buy_now_price === null ? null : cents(event.buy_now_price, this.at, this.decimals);
    this.hasReserve = event.reserve_commitment !== null;
    this.reserve = this.hasReserve ? (this.opened.get(event.sequence) ?? null) : null;
    const missing = this.hasReserve && this.complete.reserves && this.reserve === null;
    this.require(!missing, `the reserve of event ${event.sequence} is not opened`);
  }

  lot_opened() {
    this.require(this.status === 'scheduled', 'a lot is opened that was not scheduled');
    this.require(this.now >= this.start, 'the lot is opened before its start');
    this.status = 'active';
  }

  lot_rescheduled(event) {
    this.require(this.#open(), 'a lot that is over is moved');
    if (event.reason === 'outage') this.#outlast(event);
    if (event.reason === 'void') this.#afterVoid(event);
    if (event.reason === 'group') this.#withGroup(event);
    if (event.close_group !== undefined) this.#regroup(event.close_group);
    if (event.choice_group !== undefined) this.#reoffer(event.choice_group);
    if (event.choice_until !== undefined) this.#chooseUntil(event.choice_until);
    this.start = moment(event.start_time, this.at);
    this.end = moment(event.end_time, this.at);
    this.paused = event.paused;
  }

  /** Rule 16: the window once more, counted from the journal's return, for a lot that it cost time near its end. */
  #outlast(event) {
    const [from, to] = [moment(event.outage?.from, this.at), moment(event.outage?.to, this.at)];
    const end = moment(event.end_time, this.at);
    this.require(to - from > 2e6, 'an outage of no more than two seconds counts');
    this.require(to <= this.now, 'an outage is over only after the entry that tells of it');
    this.require(!this.simulcast && this.paused !== true, 'an outage moves a lot that no clock was ending');
    this.require(this.end > from, 'an outage moves a lot that was over before it');
    this.require(moment(event.start_time, this.at) < to, 'an outage moves a lot that began after it');
    this.require(event.extended_by === 'outage', 'an outage moves the end, and the entry does not say so');
    const since = this.softClose?.since ?? null;
    if (this.softClose === undefined || (since !== null && this.now < moment(since, this.at))) return;
    const window = this.softClose.window_seconds * 1e6;
    this.require(
      window > 0 && this.end - window < to,
      'an outage moves a lot that was not in its last minutes',
    );
    this.require(end === to + window, 'an outage moves the end by another time than the window');
  }

  /** Rule 17: the window once more, counted from a void that lowered the price in the last one. */
  #afterVoid(event) {
    const end = moment(event.end_time, this.at);
    this.require(this.loweredAt === this.at, 'a lot is opened again by a void that lowers no price');
    this.require(!this.simulcast && this.paused !== true, 'a void moves a lot that no clock was ending');
    this.require(end >= this.end, 'a void ends a lot earlier');
    const since = this.softClose?.since ?? null;
    if (this.softClose === undefined || (since !== null && this.now < moment(since, this.at))) return;
    const window = this.softClose.window_seconds * 1e6;
    this.require(this.end - this.now < window, 'a void moves a lot that was not in its last minutes');
    this.require(end === this.now + window, 'a void moves the end by another time than the window');
  }

  /** Rule 20: the end that another lot of the group has moved for all; the journal of that lot has it. */
  #withGroup(event) {
    const [end, count] = [moment(event.end_time, this.at), event.extension_count];
    this.require(this.group !== null, 'a group moves a lot that closes by itself');
    this.require(Number.isInteger(event.caused_by), 'a group moves a lot, and the entry names no lot of it');
    this.require(end >= this.end, 'a group ends a lot earlier');
    this.require(Number.isInteger(count) && count >= this.extensions, 'a group takes an extension back');
    const since = this.softClose?.since ?? null;
    const isKnown = this.softClose !== undefined && (since === null || this.now >= moment(since, this.at));
    const most = isKnown ? this.softClose.max_extensions : null;
    this.require(most === null || count <= most, 'a group is extended more often than it may be');
    this.extensions = count;
    this.moves.push({ lot: event.caused_by, end: event.end_time, at: this.now, sequence: this.at });
  }

  #reoffer(name) {
    this.require(this.status === 'scheduled', 'a lot that is active is offered with another group');
    this.choice = name;
  }

  /** Rule 25: a pause or an outage gives the time back that it took. */
  #chooseUntil(until) {
    this.require(this.choosing !== null, 'nobody is choosing, and there is more time for it');
    const moved = moment(until, this.at);
    this.require(moved >= this.choosing.until, 'there is less time to choose than before');
    this.choosing.until = moved;
  }

  /** Rule 25: the hammer has fallen for an online bidder, who is to say what it has fallen on. */
  choice_opened(event) {
    this.require(
      this.simulcast && this.choice !== null,
      'there is a choice where nothing is offered together',
    );
    this.require(this.status === 'active' && this.choosing === null, 'the hammer falls where it has fallen');
    const price = cents(event.hammer_price, this.at, this.decimals);
    const { alias } = event.winner;
    const { lots = null } = event;
    const leads = this.leader?.alias === alias && price === this.current;
    this.require(leads || lots !== null, 'who chooses has not led at this price');
    const until = moment(event.until, this.at);
    this.require(until > this.now, 'there is no time to choose');
    this.choosing = { alias, price, until, lots };
  }

  /** Rule 25: what is not chosen is offered anew, as if nobody had bid. */
  choice_made(event) {
    this.require(this.simulcast && this.choice !== null, 'lots are chosen where none are offered together');
    this.require(this.status === 'active', `lots are chosen on one that is ${this.status}`);
    const price = cents(event.hammer_price, this.at, this.decimals);
    const { alias } = event.winner;
    const { by, lots } = event;
    const rises = lots.every((number, at) => Number.isInteger(number) && (at === 0 || number > lots[at - 1]));
    this.require(lots.length > 0 && rises, 'the chosen lots are not in order');
    if (this.choosing !== null) {
      const same = this.choosing.alias === alias && this.choosing.price === price;
      this.require(same, 'somebody else chooses than has won, or at another price');
    }
    const held = this.choosing?.lots ?? null;
    if (held !== null) {
      this.require(
        by === 'floor' && this.now >= this.choosing.until,
        'a choice is final while it could be taken back',
      );
      this.require(
        lots.every((number) => held.includes(number)),
        'other lots are sold than were chosen',
      );
    } else if (by !== 'floor') {
      this.require(this.choosing !== null, 'lots are chosen before the hammer has fallen');
      const isOver = this.now >= this.choosing.until;
      this.require(
        isOver === (by === 'time'),
        isOver ? 'the choice is late' : 'the time to choose is not over',
      );
      const own = lots.length === 1 && lots[0] === this.number;
      this.require(by === 'winner' || own, 'who does not choose gets another lot than the lowest number');
    }
    this.#flags(new Set(event.flags), alias, price);
    this.chosen = { alias, price, isOwn: lots.includes(this.number) };
    this.choosing = null;
    if (this.chosen.isOwn) return;
    [this.leader, this.current, this.count, this.told] = [null, 0, 0, false];
  }

  /** What is odd about a sale, beside what led before it. */
  #flags(flags, alias, price) {
    this.require(
      flags.has('not_the_leader') !== (this.leader?.alias === alias),
      'the flag not_the_leader is wrong',
    );
    const below = price < this.current;
    this.require(flags.has('hammer_below_current') === below, 'the flag hammer_below_current is wrong');
  }

  /** Rule 25: a lot that was chosen, here or by the bidding on another of its group. */
  #closedByChoice(event, hammer) {
    this.require(
      this.choice !== null && event.status === 'sold',
      'a lot ends by a choice that is offered alone',
    );
    const isOwn = event.caused_by === undefined;
    this.require(!isOwn || this.chosen?.isOwn === true, 'a lot ends by a choice that nobody has made');
    const said = this.knockedDown ?? { alias: this.leader?.alias, price: this.current };
    if (isOwn)
      this.require(
        said.alias === this.chosen.alias && said.price === this.chosen.price,
        'the chosen lot has another price, or another buyer',
      );
    else
      this.require(this.knockedDown !== undefined, 'a lot that others have decided has no row that says so');
    this.require(
      said.alias === event.winner?.alias && this.total(said.price) === hammer,
      'the choice sells at another price than its row, or to somebody else',
    );
    if (!isOwn) {
      this.require(Number.isInteger(event.caused_by), 'another lot has decided, and the entry names none');
      this.decided = { lot: event.caused_by, ...said, at: this.now, sequence: this.at };
    }
  }

  #regroup(name) {
    this.require(this.status === 'scheduled', 'a lot that is active goes to another group');
    this.group = name;
  }

  /** The text is served with the lot; here it is only that it was said while people could bid, and after the first bid. */
  lot_amended(event) {
    this.require(this.#open(), 'a lot that is over is amended');
    this.require(this.placed > 0, 'a lot without bids is amended');
    this.require(/^[0-9a-f]{64}$/.test(event.sha256), 'an amendment has no hash');
  }

  /** The text is served with the auction; its versions only rise. */
  lot_conditions_set({ conditions }) {
    this.require(this.#open(), 'a lot that is over has other conditions');
    if (conditions === null) return;
    const { version, sha256 } = conditions;
    this.require(
      Number.isInteger(version) && version > (this.conditions ?? 0),
      'the conditions are no newer',
    );
    this.require(/^[0-9a-f]{64}$/.test(sha256), 'the conditions have no hash');
    this.conditions = version;
  }

  lot_recovered() {}

  lot_withdrawn() {
    this.require(this.#open(), 'a lot that is over is withdrawn');
    this.require(this.choosing === null, 'a lot is withdrawn that the hammer has fallen on');
    this.status = 'withdrawn';
  }

  /** Rule 24: nothing is bid any more, and the close waits; the clerk may take it back. */
  hammer_fell(event) {
    this.require(this.#open(), 'the hammer falls on a lot that is over');
    const hammer = event.hammer_price === null ? null : cents(event.hammer_price, this.at, this.decimals);
    this.require(moment(event.until, this.at) > this.now, 'the hammer cannot be taken back at all');
    const { status, winner, until } = event;
    this.fallen = { status, hammer, alias: winner?.alias ?? null, until: moment(until, this.at) };
    this.status = status;
  }

  /** What the hammer has decided becomes final: not too early, and as it was decided. */
  #madeFinal(event, hammer) {
    const { status, until } = this.fallen;
    this.require(this.now >= until, 'the result is final while it could be taken back');
    const same = hammer === this.fallen.hammer && (event.winner?.alias ?? null) === this.fallen.alias;
    this.require(status === event.status && same, 'the result is another than when the hammer fell');
    this.fallen = undefined;
    this.status = 'active';
  }

  #takenBack() {
    if (this.choosing !== null) {
      this.require(
        this.choosing.lots !== null || this.now < this.choosing.until,
        'the hammer is taken back too late',
      );
      this.choosing = null;
      return;
    }
    this.require(this.fallen !== undefined, 'a hammer is taken back that has not fallen');
    this.require(this.now < this.fallen.until, 'the hammer is taken back too late');
    this.fallen = undefined;
    this.status = 'active';
  }

  lot_reopened(event) {
    if (event.reason === 'taken_back') return this.#takenBack();
    this.fallen = undefined;
    this.secondChance = event.reason === 'second_chance';
    this.require(
      this.status === 'passed' || this.status === (this.secondChance ? 'sold' : 'unsold'),
      `a lot that is ${this.status} is reopened`,
    );
    this.status = 'active';
  }

  terms_changed(event) {
    this.require(this.#open(), 'the terms of a lot that is over are changed');
    const price = cents(event.current_bid, this.at, this.decimals);
    this.#terms(event);
    if (price === this.current) return this.#liftedWhereDue();
    // Rule 6: a lower reserve may be met at once.
    this.require(this.leader !== null && this.hasReserve, 'the price moves without a bid');
    this.#lift(price);
  }

  /** Rule 6: where the ceiling and the reserve are known, the price must have been lifted. */
  #liftedWhereDue() {
    const due = this.reserve !== null && this.leader?.ceiling != null && this.leader.ceiling >= this.reserve;
    this.require(
      !due || this.current >= this.reserve,
      'the leader covers the reserve, and the price was not lifted to it',
    );
  }

  /** The price goes to the reserve because the leader's ceiling covers it. */
  #lift(price) {
    if (this.reserve !== null)
      this.require(price === this.reserve, 'the price is lifted to something else than the reserve');
    this.require(price > this.current, 'the price falls');
    this.#atLeast(price);
    this.current = price;
  }

  #open() {
    return this.status === 'scheduled' || this.status === 'active';
  }

  /** The leader's ceiling is at least this. */
  #atLeast(amount) {
    const { leader } = this;
    if (leader.ceiling !== null)
      this.require(
        leader.ceiling >= amount,
        `the leader's ceiling of ${this.money(leader.ceiling)} does not reach ${this.money(amount)}`,
      );
    leader.least = Math.max(leader.least, amount);
  }

  bid_placed(event) {
    const says = event.outcome === 'won' && event.channel === 'floor' && this.fallen !== undefined;
    this.require(this.#open() || says, 'a bid on a lot that is over');
    // A lot that is offered with others has no price to buy it at.
    if (event.outcome === 'won' && (event.channel === 'floor' || this.secondChance || this.choice !== null))
      return this.#knockedDown(event);
    this.require(this.choosing === null, 'a bid while the winner is choosing');
    this.require(this.now >= this.start, 'a bid before the start');
    this.require(this.simulcast || this.now < this.end, 'a bid at or after the end');
    const price = cents(event.current_bid, this.at, this.decimals);
    const before = { price: this.current, leader: this.leader?.alias ?? null };
    const { alias } = event.bidder;
    if (event.outcome === 'won') this.#bought(event, alias, price);
    else if (event.outcome === 'max_raised') this.#raised(event, alias, price);
    else if (event.outcome === 'outbid') this.#outbid(event, alias, price);
    else this.#leads(event, alias, price);
    this.current = price;
    const counted = event.outcome === 'max_raised' ? 0 : 1;
    this.require(
      event.bid_count === this.count + counted,
      `the count is ${event.bid_count}, after ${this.count}`,
    );
    this.count = event.bid_count;
    const moved = price !== before.price || this.leader.alias !== before.leader;
    this.movesEnd(event, event.outcome !== 'max_raised' && event.outcome !== 'won' && moved);
    if (event.outcome !== 'won') this.#outcome(event, price);
  }

  /** Rule 14: the row that a sale on the floor adds, at the hammer price; the close that follows is judged beside what led before. */
  #knockedDown(event) {
    const { alias } = event.bidder;
    const price = cents(event.current_bid, this.at, this.decimals);
    this.require(event.bid_count === this.count + 1, `the count is ${event.bid_count}, after ${this.count}`);
    this.before = { leader: this.leader?.alias ?? null, current: this.current };
    this.count = event.bid_count;
    this.current = price;
    this.leader = { alias, ceiling: price, least: price };
    this.knockedDown = { alias, price };
  }

  /** Rule 13. */
  #bought(event, alias, price) {
    this.require(
      this.buyNow !== null && price === this.buyNow,
      'it is bought at another price than the one to buy now',
    );
    const blocked =
      this.leader !== null && (!this.hasReserve || (this.reserve !== null && this.current >= this.reserve));
    this.require(!blocked, 'it is bought after the first bid, with the reserve met');
    this.leader = { alias, ceiling: price, least: price };
    [this.status, this.hammer, this.winner, this.boughtAt] = [
      ...['sold', this.total(price)],
      alias,
      event.sequence,
    ];
  }

  /** Rule 5: the leader's own ceiling rises; the price stays, but for the reserve. */
  #raised(event, alias, price) {
    this.require(this.leader?.alias === alias, 'somebody who does not lead raises a ceiling');
    this.require(event.amount === null, 'a raise shows an amount');
    const ceiling = this.opened.get(event.sequence) ?? null;
    if (ceiling !== null && this.leader.ceiling !== null && !this.told)
      this.require(ceiling > this.leader.ceiling, 'the raised ceiling is not higher');
    this.leader = { alias, ceiling, least: Math.max(this.leader.least, this.leader.ceiling ?? 0) };
    if (price !== this.current) {
      this.require(this.hasReserve, 'a raise moves the price');
      this.#lift(price);
    } else this.#liftedWhereDue();
  }

  /** Rule 1. */
  #minimum() {
    return this.leader === null ? this.starting : this.current + stepAt(this.bands, this.current);
  }

  /** Rule 4: the leader stays, and is pushed to the beaten ceiling and a step. */
  #outbid(event, alias, price) {
    this.require(this.leader !== null && this.leader.alias !== alias, 'a bid is outbid by nobody');
    const ceiling = cents(event.amount, this.at, this.decimals);
    const known = this.opened.get(event.sequence);
    this.require(known === undefined || known === ceiling, 'the opened ceiling is not the one listed');
    this.require(ceiling >= this.#minimum() || this.told, `the bid of ${event.amount} is below the minimum`);
    this.#atLeast(ceiling);
    const pushed = Math.max(this.current, ceiling + stepAt(this.bands, ceiling));
    const { leader } = this;
    if (leader.ceiling !== null) {
      const due = Math.max(this.current, Math.min(leader.ceiling, pushed));
      this.#priceIs(price, due);
    } else if (price < pushed) {
      // Nothing but its ceiling stopped the leader there.
      this.require(price >= Math.max(this.current, ceiling), 'the price is below the bid that pushed it');
      this.#atLeast(price);
      leader.ceiling = price;
    } else if (price > pushed) this.#priceIs(price, pushed);
    else this.#atLeast(price);
  }

  /** The price, or the reserve where rule 6 lifts it. */
  #priceIs(price, due) {
    if (price === due) return this.#notLifted(price);
    this.require(
      this.hasReserve && price > due,
      `the price is ${this.money(price)}, by the rules it is ${this.money(due)}`,
    );
    if (this.reserve !== null)
      this.require(
        price === this.reserve,
        `the price is ${this.money(price)}, by the rules ${this.money(due)} or the reserve`,
      );
    this.#atLeast(price);
  }

  #notLifted(price) {
    const due = this.reserve !== null && this.leader.ceiling !== null && this.leader.ceiling >= this.reserve;
    this.require(
      !due || price >= this.reserve,
      'the leader covers the reserve, and the price was not lifted to it',
    );
  }

  #leads(event, alias, price) {
    const minimum = this.#minimum();
    const ceiling = this.opened.get(event.sequence) ?? null;
    this.require(
      cents(event.amount, this.at, this.decimals) === price,
      'the amount of a leading bid is not the current bid',
    );
    this.require(
      price >= minimum || this.told,
      `the price is ${this.money(price)}, the minimum was ${this.money(minimum)}`,
    );
    const rival = this.leader;
    const own = rival?.alias === alias;
    const lead = own
      ? { alias, ceiling: this.#higher(ceiling, rival), least: Math.max(price, rival.least, ceiling ?? 0) }
      : { alias, ceiling, least: price };
    if (lead.ceiling !== null)
      this.require(
        lead.ceiling >= price,
        `the ceiling of ${this.money(lead.ceiling)} does not reach the price of ${this.money(price)}`,
      );
    if (rival !== null && !own) this.#overtakes(rival, lead, price, minimum);
    else if (rival === null && price !== this.starting && this.reserve !== null && price > this.starting)
      this.require(price <= (lead.ceiling ?? price), 'the first bid is above its ceiling');
    this.leader = lead;
    this.#notLifted(price);
  }

  /** A leader who bids again keeps the higher of both ceilings; unknown where either is. */
  #higher(ceiling, rival) {
    if (ceiling === null || rival.ceiling === null) return null;
    return Math.max(ceiling, rival.ceiling);
  }

  /** Rule 3: only a higher ceiling takes the lead, at a step above the one that it beats, or at its own straight amount. */
  #overtakes(rival, lead, price, minimum) {
    if (this.complete.ceilings && rival.ceiling === null)
      throw new Fault(this.at, 'a ceiling that was beaten here is not opened');
    if (lead.ceiling !== null)
      this.require(
        lead.ceiling > (rival.ceiling ?? rival.least - 1),
        'a lower ceiling, or a later one as high, takes the lead',
      );
    if (rival.ceiling === null) return;
    const due = Math.max(minimum, rival.ceiling + stepAt(this.bands, rival.ceiling));
    const straight = price > rival.ceiling;
    const bounded = price < due && (lead.ceiling === null || lead.ceiling === price);
    const lifted = this.hasReserve && (this.reserve === null || price === this.reserve);
    this.require(
      price === due || straight || bounded || lifted || this.told,
      `the lead is taken at ${this.money(price)}, by the rules at ${this.money(due)}`,
    );
    if (price < due && !straight && lead.ceiling === null) lead.ceiling = price;
  }

  /** Rule 8. */
  movesEnd(event, moved) {
    const told = event.extended_to === null ? null : moment(event.extended_to, this.at);
    const since = this.softClose?.since ?? null;
    if (this.softClose === undefined || (since !== null && this.now < moment(since, this.at))) {
      this.require(
        told === null || (moved && told > this.end),
        'the end is moved by a bid that moves nothing',
      );
    } else {
      const { window_seconds: window, extension_seconds: extension, max_extensions: most } = this.softClose;
      const close =
        window > 0 && this.end - this.now < window * 1e6 && (most === null || this.extensions < most);
      const to = this.now + extension * 1e6;
      const due = moved && close && to > this.end ? to : null;
      this.require(
        told === due,
        `the end ${told === null ? 'stays' : 'moves'}, by the soft close it should not`,
      );
    }
    if (told === null) return;
    this.extensions += 1;
    this.end = told;
  }

  #outcome(event, price) {
    if (event.outcome !== 'leading' && event.outcome !== 'leading_reserve_not_met') return;
    if (this.hasReserve && this.reserve === null) return;
    const met = !this.hasReserve || price >= this.reserve;
    this.require(
      (event.outcome === 'leading') === met,
      `the outcome is ${event.outcome}, the reserve says otherwise`,
    );
  }

  /** Rule 15: the standing is what the others would have made. Straight amounts are not public: it is bounded, not proved. */
  bid_voided(event) {
    this.require(this.#open(), 'a bid is voided on a lot that is over');
    this.require(this.choosing === null, 'a bid is voided that the hammer has fallen on');
    const price = cents(event.current_bid, this.at, this.decimals);
    // A raise may become a bid of its own, once what it raised over is gone.
    this.require(event.bid_count < this.placed, 'a void adds bids');
    this.require(
      (event.leader === null) === (event.bid_count === 0),
      'a void leaves a leader without bids, or bids without one',
    );
    this.require(event.leader !== null || price === 0, 'a void leaves a price without bids');
    // Rule 18: a call that the clerk takes back leaves the price where a ceiling has answered it.
    this.require(!event.undone || price <= this.current, 'a call that is taken back raises the price');
    if (price < this.current) this.loweredAt = this.at;
    this.leader = event.leader === null ? null : { alias: event.leader.alias, ceiling: null, least: price };
    [this.current, this.count, this.told] = [price, event.bid_count, true];
  }

  lot_closed(event) {
    if (this.boughtAt !== undefined && this.status === 'sold') return this.#closedByPurchase(event);
    const hammer = event.hammer_price === null ? null : cents(event.hammer_price, this.at, this.decimals);
    if (this.fallen !== undefined) this.#madeFinal(event, hammer);
    this.require(this.#open(), 'the lot is closed twice');
    this.require(
      (event.status === 'sold') === (hammer !== null),
      'a hammer price without a sale, or a sale without one',
    );
    if (this.secondChance) this.#closedBySecondChance(event, hammer);
    else if (event.reason === 'choice') this.#closedByChoice(event, hammer);
    else if (event.reason === 'time') this.#closedByTime(event, hammer);
    else this.#closedByFloor(event, hammer);
    [this.status, this.hammer, this.winner] = [event.status, hammer, event.winner?.alias ?? null];
  }

  #closedByPurchase(event) {
    this.require(
      event.status === 'sold' && cents(event.hammer_price, this.at, this.decimals) === this.hammer,
      'the purchase is closed at another price',
    );
    this.require(event.winner?.alias === this.winner, 'the purchase is closed for somebody else');
    this.boughtAt = undefined;
  }

  /** The buyer defaulted, and another bidder took the offer: the row before says who, and at what price. */
  #closedBySecondChance(event, hammer) {
    const { alias, price } = this.knockedDown ?? {};
    this.require(
      event.reason === 'second_chance' &&
        event.status === 'sold' &&
        alias === event.winner?.alias &&
        this.total(price) === hammer,
      'a second chance sells at another price than its row, or to somebody else',
    );
    this.secondChance = false;
  }

  /** Rule 10. */
  #closedByTime(event, hammer) {
    this.require(!this.simulcast, 'the clock closes a lot that only the floor may close');
    this.require(this.now >= this.end, 'the lot is closed before its end');
    if (this.leader === null)
      return this.require(event.status === 'unsold', `a lot without bids is ${event.status}`);
    this.require(event.status !== 'unsold', 'a lot with bids is unsold');
    if (!this.hasReserve || this.reserve !== null) {
      const met = !this.hasReserve || this.current >= this.reserve;
      this.require(
        (event.status === 'sold') === met,
        `the lot is ${event.status}, the reserve says otherwise`,
      );
    }
    if (event.status !== 'sold') return;
    this.require(
      event.winner?.alias === this.leader.alias,
      `${event.winner?.alias} wins, ${this.leader.alias} led`,
    );
    const due = this.total(this.current);
    this.require(
      hammer === due,
      `the hammer falls at ${this.money(hammer)}, the price was ${this.money(due)}`,
    );
  }

  /** Rule 14: the auctioneer's word, with flags where it is not what the bids say. */
  #closedByFloor(event, hammer) {
    this.require(this.choosing === null, 'the floor closes a lot that its winner is choosing from');
    if (event.status !== 'sold') return;
    const flags = new Set(event.flags);
    const before = this.before ?? { leader: this.leader?.alias ?? null, current: this.current };
    if (this.knockedDown !== undefined) {
      const { alias, price } = this.knockedDown;
      this.require(
        alias === event.winner?.alias && this.total(price) === hammer,
        'the floor sells at another price than its row',
      );
    }
    const leads = event.winner !== null && event.winner.alias === before.leader;
    this.require(flags.has('not_the_leader') !== leads, 'the flag not_the_leader is wrong');
    const below = this.knockedDown !== undefined && this.knockedDown.price < before.current;
    this.require(flags.has('hammer_below_current') === below, 'the flag hammer_below_current is wrong');
  }
}

/** Rule 21: a price that falls with the journal's clock, and whoever bids first buys at it. */
class FallingReplay extends Replay {
  lot_scheduled(event) {
    super.lot_scheduled(event);
    const amount = (name) => cents(event[name], this.at, this.decimals);
    const count = (name, least) => {
      this.require(Number.isInteger(event[name]) && event[name] >= least, `its ${name} is ${event[name]}`);
      return event[name];
    };
    this.clock = { from: amount('start_price'), step: amount('step'), floor: amount('floor_price') };
    this.seconds = { step: count('step_seconds', 1), floor: count('floor_seconds', 0) };
    [this.pieces, this.takes] = [count('quantity', 1), new Map()];
    this.require(this.clock.floor < this.clock.from && this.clock.step > 0, 'its clock does not fall');
    this.require(this.starting === this.clock.from, 'it starts at another price than its starting bid');
    this.require(!this.hasReserve && this.buyNow === null, 'it has a reserve, or a price to buy it at');
    const steps = Math.ceil((this.clock.from - this.clock.floor) / this.clock.step);
    this.length = (steps * this.seconds.step + this.seconds.floor) * 1e6;
    this.require(this.end - this.start === this.length, 'it is open for another time than its clock runs');
  }

  /** Pauses and outages hold the clock up: the start moves, and the end with it. */
  lot_rescheduled(event) {
    this.require(this.isOpen(), 'a lot that is over is moved');
    const [start, end] = [moment(event.start_time, this.at), moment(event.end_time, this.at)];
    this.require(end - start === this.length, 'its start and its end move by different times');
    if (event.reason === 'outage') {
      const [from, to] = [moment(event.outage?.from, this.at), moment(event.outage?.to, this.at)];
      this.require(to - from > 2e6 && to <= this.now, 'an outage counts that was short, or is not over');
      this.require(this.start < to && this.end > from, 'an outage moves a lot that was not open in it');
      const due = this.start + to - Math.max(from, this.start);
      this.require(start === due, 'an outage moves the start by another time than it took of the lot');
    } else if (this.status === 'active')
      this.require(start >= this.start, 'the start of an open lot moves back');
    [this.start, this.end, this.paused] = [start, end, event.paused];
  }

  isOpen() {
    return this.status === 'scheduled' || this.status === 'active';
  }

  left() {
    return [...this.takes.values()].reduce((left, { take }) => left - take, this.pieces);
  }

  terms_changed(event) {
    const before = this.current;
    super.terms_changed(event);
    this.require(this.starting === this.clock.from && !this.hasReserve, 'the clock is changed while it runs');
    this.require(this.current === before, 'the price moves without a bid');
  }

  bid_placed(event) {
    this.require(this.status === 'active' && !this.paused, 'a bid on a lot that is not open');
    this.require(this.now >= this.start && this.now < this.end, 'a bid before the start, or after the end');
    const fallen = Math.floor((this.now - this.start) / (this.seconds.step * 1e6));
    const due = Math.max(this.clock.floor, this.clock.from - fallen * this.clock.step);
    const price = cents(event.amount, this.at, this.decimals);
    this.require(
      price === due && price === cents(event.current_bid, this.at, this.decimals),
      `the price is ${this.money(price)}, by the clock it was ${this.money(due)}`,
    );
    const { take, bid_id: id, bid_count: count, quantity_left: left } = event;
    this.require(event.outcome === 'won', `a bid at the price is ${event.outcome}`);
    this.require(Number.isInteger(take) && take > 0 && take <= this.left(), 'a bid takes what is not there');
    this.takes.set(id, { alias: event.bidder.alias, take, price });
    this.require(left === this.left(), `${left} are left, by the bids ${this.left()}`);
    this.require(count === this.count + 1, `the count is ${count}, after ${this.count}`);
    [this.current, this.count] = [price, count];
  }

  bid_voided(event) {
    this.require(this.isOpen(), 'a bid is voided on a lot that is over');
    this.require(this.takes.delete(event.bid_id), 'a bid is voided that does not stand');
    const price = [...this.takes.values()].at(-1)?.price ?? 0;
    this.require(cents(event.current_bid, this.at, this.decimals) === price, 'a void leaves another price');
    this.require(event.bid_count === this.takes.size, 'a void leaves another count');
    [this.current, this.count] = [price, this.takes.size];
  }

  lot_closed(event) {
    this.require(this.isOpen(), 'the lot is closed twice');
    const isTaken = this.left() === 0;
    this.require(event.reason === (isTaken ? 'taken' : 'time'), `it is closed by ${event.reason}`);
    this.require(isTaken || this.now >= this.end, 'the lot is closed before its end');
    const takes = [...this.takes.values()];
    this.require(event.status === (takes.length > 0 ? 'sold' : 'unsold'), `the lot is ${event.status}`);
    const due = takes.reduce((sum, { price, take }) => sum + this.total(price) * take, 0);
    const hammer = event.hammer_price === null ? 0 : cents(event.hammer_price, this.at, this.decimals);
    this.require(
      hammer === due,
      `the hammer falls at ${this.money(hammer)}, the bids come to ${this.money(due)}`,
    );
    const aliases = new Set(takes.map(({ alias }) => alias));
    const winner = aliases.size === 1 ? takes[0].alias : null;
    this.require((event.winner?.alias ?? null) === winner, 'it is closed for somebody else');
    [this.status, this.hammer, this.winner] = [event.status, due, winner];
  }
}

/** Rule 22: bids that are sealed until the end, and what they come to once they are opened. */
class TenderReplay extends Replay {
  lot_scheduled(event) {
    super.lot_scheduled(event);
    const { tender_final_round: final, tender_final_seconds: seconds, tender_pays: pays } = event;
    this.require(pays === 'own' || pays === 'second', `the winner pays ${pays}`);
    const isCount = Number.isInteger(final) && final >= 2 && Number.isInteger(seconds) && seconds > 0;
    this.require(final === null || isCount, 'its final round is not one');
    this.require(this.buyNow === null, 'it has a price to buy it at');
    this.terms = { pays, final, seconds, mayWithdraw: event.tender_may_withdraw === true };
    // By their ids; what a finalist has replaced, and what stood at the first end.
    [this.bids, this.firsts, this.firstBids] = [new Map(), new Map(), null];
    [this.round, this.ranking] = [1, null];
  }

  isOpen() {
    return this.status === 'scheduled' || this.status === 'active';
  }

  requireTime(what) {
    this.require(
      this.status === 'active' && !this.paused && this.ranking === null,
      `${what} on a lot that is not open`,
    );
    this.require(this.now >= this.start && this.now < this.end, `${what} before the start, or after the end`);
  }

  standingOf(alias) {
    return [...this.bids.values()].find((bid) => bid.alias === alias);
  }

  lot_amended(event) {
    this.require(this.status === 'active', 'a lot is amended that is not open');
    this.require(/^[0-9a-f]{64}$/.test(event.sha256), 'an amendment has no hash');
  }

  bid_sealed({ bid_id: id, bidder, commitment, replaces, sequence }) {
    this.requireTime('a bid');
    const { alias } = bidder;
    const before = this.standingOf(alias);
    this.require((before?.id ?? null) === replaces, 'it replaces another bid than the one that stood');
    this.require(/^[0-9a-f]{64}$/.test(commitment), 'a bid commits to nothing');
    if (this.round === 2) {
      this.require(before?.round === 1, 'a bid in the final round of somebody who had none, or has had one');
      this.firsts.set(before.id, before);
    }
    if (before !== undefined) this.bids.delete(before.id);
    this.bids.set(id, { id, alias, commitment, sequence, round: this.round });
  }

  bid_unsealed({ bid_id: id, by, reason }) {
    this.requireTime('a bid is taken back');
    const bid = this.bids.get(id);
    this.require(bid !== undefined, 'a bid is taken back that does not stand');
    if (by === 'bidder')
      this.require(this.terms.mayWithdraw && this.round === 1, 'a bid is taken back that stands for good');
    else this.require(by === 'staff' && reason, 'a bid is voided without a reason');
    this.bids.delete(id);
    for (const first of this.firsts.values()) if (first.alias === bid.alias) this.firsts.delete(first.id);
  }

  final_round_opened(event) {
    const { final, seconds } = this.terms;
    this.require(this.isOpen() && final !== null && this.round === 1, 'a final round that is not to be');
    this.require(this.now >= this.end, 'the final round begins before the end of the first');
    const end = moment(event.end_time, this.at);
    const from = this.now > this.end + 60e6 ? this.now : this.end;
    this.require(end === from + seconds * 1e6, 'the final round takes another time');
    [this.round, this.end, this.firstBids] = [2, end, [...this.bids.values()]];
  }

  bids_opened({ bids }) {
    this.require(
      this.isOpen() && this.ranking === null,
      'the bids are opened twice, or of a lot that is over',
    );
    this.require(this.now >= this.end, 'the bids are opened before the end');
    this.require(this.terms.final === null || this.round === 2, 'the bids are opened before the final round');
    const amounts = new Map();
    for (const { bid_id: id, bidder, round, amount, salt } of bids) {
      const sealed = this.bids.get(id) ?? this.firsts.get(id);
      this.require(sealed !== undefined && !amounts.has(id), `bid ${id} is opened, which does not stand`);
      const price = cents(amount, this.at, this.decimals);
      this.require(
        sha256Hex(`${salt}:${price}`) === sealed.commitment,
        `bid ${id} committed to something else`,
      );
      this.require(bidder.alias === sealed.alias && round === sealed.round, `bid ${id} is somebody else's`);
      this.require(price >= this.starting, `bid ${id} is below the starting bid`);
      amounts.set(id, price);
    }
    this.require(amounts.size === this.bids.size + this.firsts.size, 'a bid that stands is not opened');
    const standing = [...this.bids.values()].map((bid) => ({ ...bid, price: amounts.get(bid.id) }));
    standing.sort((a, b) => b.price - a.price || a.sequence - b.sequence);
    const ranked = bids.filter(({ rank }) => rank !== null);
    this.require(
      ranked.length === standing.length,
      'a bid that was replaced has a rank, or another has none',
    );
    for (const [index, { bid_id: id, rank }] of ranked.entries())
      this.require(rank === index + 1 && id === standing[index].id, `bid ${id} has the rank ${rank}`);
    this.finalists(standing, amounts);
    this.ranking = standing;
    [this.count, this.current] = [standing.length, standing[0]?.price ?? 0];
  }

  /** Whoever has bid once more was among the highest of the first round, and did not go down. */
  finalists(standing, amounts) {
    if (this.firstBids === null) return;
    const known = this.firstBids.map(({ id, alias }) => ({ alias, price: amounts.get(id) }));
    const prices = known.map(({ price }) => price).filter((price) => price !== undefined);
    const last = prices.sort((a, b) => b - a)[Math.min(this.terms.final, prices.length) - 1];
    for (const { alias, price } of standing.filter(({ round }) => round === 2)) {
      const first = known.find((bid) => bid.alias === alias)?.price;
      this.require(
        first !== undefined && first >= last,
        `${alias} bids in a final round that they are not in`,
      );
      this.require(price >= first, `${alias} bids less in the final round`);
    }
  }

  lot_closed(event) {
    if (this.secondChance) return super.lot_closed(event);
    this.require(this.isOpen(), 'the lot is closed twice');
    this.require(
      event.reason === 'time' && this.ranking !== null,
      'it is closed without its bids being opened',
    );
    const [top, next] = this.ranking;
    const hammer = event.hammer_price === null ? null : cents(event.hammer_price, this.at, this.decimals);
    this.require(
      (event.status === 'unsold') === (top === undefined),
      `a lot with ${this.count} bids is ${event.status}`,
    );
    const isKnown = !this.hasReserve || this.reserve !== null;
    if (top !== undefined && isKnown) {
      const met = top.price >= (this.reserve ?? 0);
      this.require(
        (event.status === 'sold') === met,
        `the lot is ${event.status}, the reserve says otherwise`,
      );
    }
    this.require(
      (event.status === 'sold') === (hammer !== null),
      'a hammer price without a sale, or a sale without one',
    );
    const winner = event.status === 'sold' ? top.alias : null;
    this.require((event.winner?.alias ?? null) === winner, 'it is closed for somebody else');
    if (event.status === 'sold') this.priceIs(hammer, top.price, next?.price ?? null, isKnown);
    [this.status, this.hammer, this.winner] = [event.status, hammer, winner];
  }

  priceIs(hammer, top, second, isKnown) {
    const { pays } = this.terms;
    const least = second ?? (this.hasReserve ? 0 : this.starting);
    const due = pays === 'own' ? top : Math.max(second ?? 0, this.reserve ?? least);
    if (pays === 'own' || isKnown)
      this.require(
        hammer === this.total(due),
        `the hammer falls at ${this.money(hammer)}, due is ${this.money(due)}`,
      );
    else
      this.require(
        hammer >= this.total(least) && hammer <= this.total(top),
        'the price is none of the bids’',
      );
    this.current = due;
  }
}

// Tracts that are sold together (rule 23). Which bids lead is worked out in another way than the service does it: for
// every set of lots the best choice within it is kept, and each bid, as it comes, is tried in all sets that hold its own.

const NOTHING = { total: 0, sequences: [] };

/** Of equal totals the choice whose sequences are smaller at their first difference. */
function isBefore(one, other) {
  if (one.total !== other.total) return one.total > other.total;
  for (const [at, sequence] of one.sequences.entries())
    if (sequence !== other.sequences[at]) return sequence < other.sequences[at];
  return false;
}

class ParcelsReplay extends Replay {
  lot_scheduled(event) {
    super.lot_scheduled(event);
    const { lots, sell_parts: parts, combinations_from: from, whole_reserve_commitment: whole } = event;
    this.require(
      Array.isArray(lots) && lots.length >= 2 && lots.length <= 16,
      'it is a sale of no such lots',
    );
    this.lots = lots.map((lot) => this.tract(lot, {}));
    const numbers = lots.map((lot) => lot.lot_number);
    this.require(
      numbers.every((number, at) => at === 0 || number > numbers[at - 1]),
      'its lots are not in their order',
    );
    this.require(new Set(lots.map((lot) => lot.bid_per)).size === 1, 'some amounts are for a unit, some not');
    [this.parts, this.from] = [parts === true, from === null ? null : moment(from, this.at)];
    this.whole = this.reserveOf(whole);
    [this.bids, this.bought] = [new Map(), new Map()];
    this.tables();
  }

  /** A lot as an event says it; what that does not say is as before. */
  tract(said, before) {
    const units = said.units === undefined ? before.units : this.unitsOf(said.units);
    return {
      ...{ status: 'scheduled', placed: 0, lowered: false, id: said.lot_id, number: said.lot_number },
      ...before,
      units,
      priced: said.bid_per === undefined ? before.priced : said.bid_per === 'unit',
      starting: cents(said.starting_bid, this.at, this.decimals),
      reserve: this.reserveOf(said.reserve_commitment),
    };
  }

  unitsOf(units) {
    if (units === null) return null;
    this.require(/^\d{1,9}\.\d{4}$/.test(units), `"${units}" is no number of units`);
    return BigInt(units.replace('.', ''));
  }

  /** Null: there is none. An amount of null: nobody has opened it. */
  reserveOf(commitment) {
    if (commitment === null) return null;
    const amount = this.opened.get(commitment) ?? null;
    this.require(!this.complete.reserves || amount !== null, 'a reserve is not opened');
    return { amount };
  }

  isOpen() {
    return this.status === 'scheduled' || this.status === 'active';
  }

  /** What an amount for some lots comes to: for one unit of them, or for all. */
  sum(lots, amount) {
    if (!lots[0].priced) return amount;
    const units = lots.reduce((all, lot) => all + (lot.units ?? 0n), 0n);
    return Number((BigInt(amount) * units + 5000n) / 10000n);
  }

  lotsOf(ids) {
    const lots = ids.map((id) => this.lots.find((lot) => lot.id === id));
    this.require(lots.length > 0 && !lots.includes(undefined), 'it names a lot that is not of the sale');
    this.require(
      lots.every((lot, at) => at === 0 || lot.number > lots[at - 1].number),
      'its lots are not in their order',
    );
    return lots;
  }

  maskOf(lots) {
    return lots.reduce((mask, lot) => mask | (1 << this.lots.indexOf(lot)), 0);
  }

  /** The best choice in every set of lots, of all bids that stand. */
  tables() {
    this.best = new Array(1 << this.lots.length).fill(NOTHING);
    for (const bid of this.bids.values()) this.tryEverywhere(bid);
  }

  tryEverywhere({ mask, total, sequence }) {
    const others = this.best.length - 1 - mask;
    for (let beside = others; ; beside = (beside - 1) & others) {
      const rest = this.best[beside];
      const sum = rest.total + total;
      const present = this.best[beside | mask];
      if (sum >= present.total) {
        const sequences = [...rest.sequences, sequence].sort((a, b) => a - b);
        if (isBefore({ total: sum, sequences }, present))
          this.best[beside | mask] = { total: sum, sequences };
      }
      if (beside === 0) return;
    }
  }

  /** The bids that lead, in their order. */
  leading() {
    const { sequences } = this.best[this.best.length - 1];
    return [...this.bids.values()].filter(({ sequence }) => sequences.includes(sequence));
  }

  /** That an event says of the choice what the bids do. */
  choiceIs(event) {
    const leading = this.leading().map(({ id }) => id);
    this.require(
      canonical(event.leading) === canonical(leading),
      `bids ${event.leading} are said to lead, by the rules ${leading} do`,
    );
    const { total } = this.best[this.best.length - 1];
    const told = cents(event.total, this.at, this.decimals);
    this.require(told === total, `they are said to come to ${event.total}, and come to ${this.money(total)}`);
    [this.current, this.count] = [total, this.bids.size];
  }

  apply(event, entry) {
    const isOver = this.closedAt === undefined || event.type === 'lot_closed' || !this.isOpen();
    check(isOver, entry.sequence, 'some lots of the sale were closed, and others were not');
    super.apply(event, entry);
  }

  finish() {
    this.require(this.closedAt === undefined || !this.isOpen(), 'some lots of the sale were closed alone');
  }

  lot_opened(event) {
    super.lot_opened(event);
    for (const lot of this.lots) if (lot.status === 'scheduled') lot.status = 'active';
  }

  bid_placed(event) {
    this.require(this.status === 'active' && this.paused !== true, 'a bid on a sale that is not open');
    this.require(this.now >= this.start, 'a bid before the start');
    this.require(this.simulcast || this.now < this.end, 'a bid at or after the end');
    const lots = this.lotsOf(event.lot_ids);
    this.require(
      lots.every(({ status }) => status === 'active'),
      'a bid on a lot that is not for sale',
    );
    this.require(
      lots.length === 1 || this.from === null || this.now >= this.from,
      'a bid on a set before its time',
    );
    const amount = cents(event.amount, this.at, this.decimals);
    const [mask, total, { sequence, bid_id: id, bidder }] = [
      this.maskOf(lots),
      this.sum(lots, amount),
      event,
    ];
    this.reaches(lots, mask, amount, total);
    const bid = { id, sequence, mask, amount, total, alias: bidder.alias };
    this.bids.set(id, bid);
    for (const lot of lots) lot.placed += 1;
    this.tryEverywhere(bid);
    this.choiceIs(event);
    const leads = this.leading().includes(bid);
    this.require(leads === (event.outcome !== 'standing'), `a bid that leads or not is ${event.outcome}`);
    const buys = leads ? this.buys(bid) : null;
    this.require(
      buys === null || buys === (event.outcome === 'leading'),
      `the outcome is ${event.outcome}, the reserves say otherwise`,
    );
    this.movesEnd(event, leads);
  }

  /** The minimum of a set: a step above its highest bid, else what its lots begin at. */
  reaches(lots, mask, amount, total) {
    const same = [...this.bids.values()].filter((bid) => bid.mask === mask).map((bid) => bid.amount);
    const starting = lots.reduce((sum, lot) => sum + this.sum([lot], lot.starting), 0);
    const highest = Math.max(...same);
    const holds =
      same.length > 0 ? amount >= highest + stepAt(this.bands, highest) : total >= Math.max(1, starting);
    this.require(holds, `the bid of ${this.money(amount)} is below the minimum`);
  }

  /** Rule 15: what the others come to. */
  bid_voided(event) {
    this.require(this.isOpen(), 'a bid is voided in a sale that is over');
    this.require(this.bids.delete(event.bid_id), 'a bid is voided that does not stand');
    const before = this.current;
    this.tables();
    this.choiceIs(event);
    if (this.current < before) this.loweredAt = this.at;
  }

  lot_withdrawn(event) {
    if (event.lot_id === undefined) {
      super.lot_withdrawn();
      for (const lot of this.lots)
        if (lot.status === 'scheduled' || lot.status === 'active') lot.status = 'withdrawn';
      return;
    }
    const [lot] = this.lotsOf([event.lot_id]);
    this.require(lot.status === 'scheduled' || lot.status === 'active', 'a lot that is over is withdrawn');
    lot.status = 'withdrawn';
    const mask = this.maskOf([lot]);
    for (const bid of this.bids.values()) if ((bid.mask & mask) !== 0) this.bids.delete(bid.id);
    this.tables();
    this.choiceIs(event);
    this.overWithLast();
  }

  lot_amended(event) {
    super.lot_amended(event);
    this.require(this.lotsOf([event.lot_id])[0].placed > 0, 'a lot without bids is amended');
  }

  terms_changed(event) {
    this.require(this.isOpen(), 'the terms of a sale that is over are changed');
    const [lot] = this.lotsOf([event.lot_id]);
    const next = this.tract(event, lot);
    const keeps = next.starting === lot.starting && next.units === lot.units;
    this.require(lot.placed === 0 || keeps, 'the terms of a lot with bids are changed');
    this.require(next.priced === lot.priced, 'some amounts are for a unit, some not');
    const known = next.reserve?.amount != null && lot.reserve?.amount != null;
    const falls =
      next.reserve === null || (lot.reserve !== null && !(known && next.reserve.amount > lot.reserve.amount));
    this.require(lot.placed === 0 || falls, 'the reserve of a lot with bids rises');
    Object.assign(lot, next);
  }

  /** Whether a bid that leads buys; null: the reserves are not open. */
  buys(bid) {
    const offered = this.lots.filter(({ status }) => status !== 'withdrawn');
    const { total } = this.best[this.best.length - 1];
    if (this.whole === null && offered.every(({ reserve }) => reserve === null)) return true;
    if (this.whole !== null && this.whole.amount === null) return null;
    if (this.whole !== null && total >= this.whole.amount) return true;
    if (this.whole !== null && !this.parts) return false;
    const own = this.lots.filter((_, at) => (bid.mask & (1 << at)) !== 0);
    if (own.some(({ reserve }) => reserve !== null && reserve.amount === null)) return null;
    const least = own.reduce(
      (sum, lot) => sum + (lot.reserve === null ? 0 : this.sum([lot], lot.reserve.amount)),
      0,
    );
    return bid.total >= least;
  }

  /** Rule 24: all sets that lead are sold once it is final, or nothing is. */
  hammer_fell(event) {
    super.hammer_fell(event);
    const { status, hammer, alias } = this.fallen;
    const { total } = this.best[this.best.length - 1];
    this.require(status !== 'sold' || total > 0, 'the hammer sells what nobody has bid on');
    this.require(status === 'sold' || this.bids.size > 0 === (status === 'passed'), `the sale is ${status}`);
    this.require(alias === null, 'one winner is named of several sets');
    const due = status === 'sold' ? total : null;
    this.require(hammer === due, `the hammer falls at ${event.hammer_price}, the sets come to another sum`);
  }

  /** What the hammer has decided of all lots becomes final. */
  settle({ reason }) {
    const { status, until } = this.fallen;
    this.require(this.now >= until, 'the result is final while it could be taken back');
    this.require(reason === 'floor', `what the hammer has decided is closed by ${reason}`);
    this.bought.set('floor', status === 'sold');
    this.fallen = undefined;
    this.status = 'active';
  }

  lot_reopened(event) {
    this.require(event.reason === 'taken_back', `a sale is reopened: ${event.reason}`);
    super.lot_reopened(event);
  }

  lot_closed(event) {
    if (this.fallen !== undefined) this.settle(event);
    this.require(this.isOpen(), 'the sale is closed twice');
    this.require(this.closedAt === undefined || this.closedAt === this.at, 'its lots are not closed at once');
    this.closedAt = this.at;
    const [lot] = this.lotsOf([event.lot_id]);
    this.require(lot.status === 'active' || lot.status === 'scheduled', 'a lot is closed twice');
    const byTime = event.reason === 'time';
    this.require(byTime || event.reason === 'floor', `it is closed by ${event.reason}`);
    this.require(!byTime || (!this.simulcast && this.now >= this.end), 'the sale is closed before its end');
    const own = this.maskOf([lot]);
    const bid = this.leading().find(({ mask }) => (mask & own) !== 0);
    if (bid !== undefined) this.decides(bid, event, byTime);
    if (event.status === 'sold') this.sold(event, lot, bid);
    else {
      const isNamed = [...this.bids.values()].some(({ mask }) => (mask & own) !== 0);
      this.require(event.status === (isNamed ? 'passed' : 'unsold'), `lot ${lot.number} is ${event.status}`);
      this.require(
        event.hammer_price === null && event.winner === null && event.set === null,
        'nobody buys it, at a price',
      );
    }
    lot.status = event.status;
    this.overWithLast();
  }

  /** A set is sold whole or not at all, as its reserves say, or, all sets at once, the floor. */
  decides({ id, ...bid }, { status }, byTime) {
    const isSold = status === 'sold';
    const key = byTime ? id : 'floor';
    this.require((this.bought.get(key) ?? isSold) === isSold, 'a set is sold in part');
    this.bought.set(key, isSold);
    const due = byTime ? this.buys(bid) : null;
    this.require(due === null || due === isSold, `a lot is ${status}, the reserves say otherwise`);
  }

  /** The share of a lot: by units where all of its set have them, else by starting bids; the last has the rest. */
  sold({ set, winner, hammer_price: told }, lot, bid) {
    this.require(bid !== undefined, 'a lot is sold on which nothing leads');
    const lots = this.lots.filter((_, at) => (bid.mask & (1 << at)) !== 0);
    const said = { amount: this.money(bid.amount), bid_id: bid.id, lot_ids: lots.map(({ id }) => id) };
    this.require(
      canonical(set) === canonical(said),
      'a lot is sold with another set than the one that leads',
    );
    this.require(winner?.alias === bid.alias, `${winner?.alias} wins, ${bid.alias} led`);
    const byUnits = lots.every(({ units }) => units !== null);
    const free = !byUnits && lots.every(({ starting }) => starting === 0);
    const weights = lots.map(({ units, starting }) => (byUnits ? units : free ? 1n : BigInt(starting)));
    const all = weights.reduce((sum, weight) => sum + weight, 0n);
    const shares = weights.map((weight) => Number((BigInt(bid.total) * weight) / all));
    const first = shares.slice(0, -1).reduce((sum, share) => sum + share, 0);
    const at = lots.indexOf(lot);
    const due = at === lots.length - 1 ? bid.total - first : shares[at];
    const hammer = cents(told, this.at, this.decimals);
    this.require(hammer === due, `lot ${lot.number} costs ${told}, its share is ${this.money(due)}`);
    this.hammer = (this.hammer ?? 0) + due;
    this.winners = new Set([...(this.winners ?? []), winner.alias]);
    this.winner = [...this.winners].join(', ');
  }

  overWithLast() {
    const has = (status) => this.lots.some((lot) => lot.status === status);
    if (has('scheduled') || has('active')) return;
    this.status = ['sold', 'passed', 'unsold', 'withdrawn'].find(has);
  }
}

/** The rules by the format that a lot's first entry names; the first names none. */
const REPLAYS = { timed: Replay, falling: FallingReplay, tender: TenderReplay, parcels: ParcelsReplay };

/** Replays all entries; gives how the lot stands after them. */
export function replay(entries, terms, openings, closed) {
  const opened = checkOpenings(entries, openings);
  const over = closed === true && openings !== undefined;
  // Who beat whom may be void: then a ceiling that was once beaten may never have been beaten by what counts.
  const voids = entries.some(({ events }) => events.some(({ type }) => type === 'bid_voided'));
  const Rules = REPLAYS[entries[0].events[0].format ?? 'timed'];
  check(Rules !== undefined, entries[0].sequence, 'its format is not known here');
  const state = new Rules(terms, decimalsOf(entries), opened, { reserves: over, ceilings: over && !voids });
  for (const entry of entries) for (const event of entry.events) state.apply(event, entry);
  state.finish?.();
  return state;
}

/** Rule 20: the journals of the lots that moved the end of all hold, and have those ends. Gives what was looked at. */
function checkGroup({ group, moves }, journals) {
  if (group === null) return [];
  const step = `The lot closes together with the others of “${group}”`;
  if (moves.length === 0) return [`${step}; none of them has moved its end.`];
  const lots = [...new Set(moves.map(({ lot }) => lot))];
  if (lots.some((lot) => journals?.[lot] === undefined))
    return [`${step}: lots ${lots.join(', ')} moved its end, and their journals were not looked at.`];
  for (const lot of lots) checkChain(journals[lot]);
  for (const { lot, end, at, sequence } of moves) {
    const events = journals[lot].flatMap((entry) =>
      moment(entry.recorded_at, sequence) <= at ? entry.events : [],
    );
    // After a loss a lot that was moved by another brings the end back.
    const isRebuilt = events.some(({ type }) => type === 'lot_recovered');
    const has = events.some((event) => movesTo(event, end, isRebuilt));
    check(has, sequence, `lot ${lot} did not move the end of the group to ${end}`);
  }
  return [`${step}: lots ${lots.join(', ')} moved its end, as their own journals have it.`];
}

/** Rule 25: a lot that was chosen by the bidding on another is sold as that one's own journal has it. */
function checkChoice({ decided, number, decimals }, journals) {
  if (decided === undefined) return [];
  const { lot, price, alias, at, sequence } = decided;
  const step = `It was chosen by the bidding on lot ${lot}`;
  if (journals?.[lot] === undefined) return [`${step}, whose journal was not looked at.`];
  checkChain(journals[lot]);
  check(journals[lot][0].events[0].lot_id === lot, sequence, `the journal of lot ${lot} is of another lot`);
  const events = journals[lot].flatMap((entry) =>
    moment(entry.recorded_at, sequence) <= at ? entry.events : [],
  );
  const has = events.some(
    ({ type, lots, winner, hammer_price: told }) =>
      type === 'choice_made' &&
      lots.includes(number) &&
      winner.alias === alias &&
      cents(told, sequence, decimals) === price,
  );
  // After a loss a journal goes on from what is known.
  if (!has && events.some(({ type }) => type === 'lot_recovered'))
    return [`${step}, whose journal was rebuilt and does not have it any more.`];
  check(has, sequence, `nobody has chosen this lot by the bidding on lot ${lot}, at its price`);
  return [`${step}, as its own journal has it.`];
}

/** By a bid, a void or an outage: what the group has moved was done by another lot. */
function movesTo(event, end, isRebuilt) {
  if (event.type === 'bid_placed') return event.extended_to === end;
  const isOwn = event.type === 'lot_rescheduled' && (event.reason !== 'group' || isRebuilt);
  return isOwn && event.end_time === end;
}

// ---------------------------------------------------------------- the tree and the signature

const hashNode = (left, right) => sha256(join([1], left, right));

/** RFC 9162 §2.1.3.2: the root that a leaf and its way lead to. */
export function rootFrom(index, size, leafHash, path) {
  let [node, last, hash] = [index, size - 1, leafHash];
  for (const sibling of path) {
    check(last > 0, null, 'the inclusion proof is too long');
    if (node % 2 === 1 || node === last) {
      hash = hashNode(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    } else hash = hashNode(hash, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  check(last === 0, null, 'the inclusion proof is too short');
  return hash;
}

/** RFC 9162 §2.1.4.2: whether a tree begins with another. */
export function checkConsistency(older, newer, path) {
  const [from, to] = [fromHex(older.root), fromHex(newer.root)];
  if (older.size === newer.size) {
    check(older.root === newer.root && path.length === 0, null, 'two checkpoints of one size have two roots');
    return;
  }
  check(older.size > 0 && older.size < newer.size && path.length > 0, null, 'this is no consistency proof');
  const hashes = path.map(fromHex);
  if (Number.isInteger(Math.log2(older.size))) hashes.unshift(from);
  let [node, last] = [older.size - 1, newer.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  let [first, second] = [hashes[0], hashes[0]];
  for (const sibling of hashes.slice(1)) {
    check(last > 0, null, 'the consistency proof is too long');
    if (node % 2 === 1 || node === last) {
      first = hashNode(sibling, first);
      second = hashNode(sibling, second);
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    } else second = hashNode(second, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  const same = (one, other) => toHex(one) === toHex(other);
  check(
    last === 0 && same(first, from) && same(second, to),
    null,
    'the newer checkpoint does not contain the older one',
  );
}

/** The signature over a checkpoint's note, by one of the house's published keys; false where it cannot be checked here. */
export async function checkSignature(checkpoint, keys) {
  const key = keys.find(({ id }) => id === checkpoint.key_id);
  check(key !== undefined, null, `no published key has the id ${checkpoint.key_id}`);
  const text = checkpoint.note.slice(0, checkpoint.note.indexOf('\n\n') + 1);
  const [origin, size, root, number, time] = text.split('\n');
  check(
    size === String(checkpoint.size) &&
      toHex(fromBase64(root)) === checkpoint.root &&
      number === `number ${checkpoint.number}` &&
      time === `time ${checkpoint.time}`,
    null,
    'the checkpoint says something else than its signed note',
  );
  const publicKey = await importKey(fromBase64(key.public_key));
  if (publicKey === null) return false;
  const signature = fromBase64(checkpoint.signature);
  const holds = await globalThis.crypto.subtle.verify({ name: 'Ed25519' }, publicKey, signature, utf8(text));
  check(holds, null, `the signature of checkpoint ${checkpoint.number} is not that of ${origin}'s key`);
  return true;
}

/** Null where the browser has no Ed25519, or hides it because the page did not come over TLS. */
async function importKey(bytes) {
  try {
    return await globalThis.crypto.subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']);
  } catch (error) {
    if (globalThis.crypto.subtle === undefined || error?.name === 'NotSupportedError') return null;
    throw new Fault(null, `a published key is none: ${String(error?.message ?? error)}`);
  }
}

/** That the checkpoint holds an entry of this journal, and which. */
export function checkInclusion(entries, proof) {
  const { head, leaf, leaf_index: index, inclusion_proof: path, checkpoint } = proof;
  const entry = entries.find(({ sequence }) => sequence === head.sequence);
  check(entry !== undefined, null, `the checkpoint has entry ${head.sequence}, which this journal does not`);
  check(entry.hash === head.hash, entry.sequence, 'the checkpoint has another hash for this entry');
  const due = canonical({ hash: head.hash, lot_id: proof.lot_id, sequence: head.sequence });
  check(leaf === due, entry.sequence, 'the leaf is not about this entry');
  check(entries[0].events[0].lot_id === proof.lot_id, entries[0].sequence, 'the journal is of another lot');
  const root = rootFrom(index, checkpoint.size, sha256(join([0], utf8(leaf))), path.map(fromHex));
  check(toHex(root) === checkpoint.root, entry.sequence, 'the inclusion proof does not lead to the root');
  return entry.sequence;
}

// ---------------------------------------------------------------- all of it

/**
 * Checks a bundle `{journal, openings?, proof?, keys?, terms?}`. Gives `{ok, steps, fault}`: the steps as sentences, and the
 * first fault with the sequence of its entry.
 */
export async function verify(bundle) {
  const steps = [];
  try {
    const entries = bundle.journal;
    const { head, sequence } = checkChain(entries);
    steps.push(`The chain holds: ${entries.length} entries up to ${sequence}, head ${head.slice(0, 16)}…`);
    const { openings, closed, terms = bundle.terms } = bundle.openings ?? {};
    const state = replay(entries, terms, openings, closed);
    if (openings !== undefined)
      steps.push(`${openings.length} opened commitments are what was committed to.`);
    steps.push(...checkGroup(state, bundle.group), ...checkChoice(state, bundle.group), standing(state));
    if (state.told)
      steps.push('A bid was voided: the standing after it is bounded by the rules, not proved.');
    if (bundle.proof) {
      const upTo = checkInclusion(entries, bundle.proof);
      const { checkpoint } = bundle.proof;
      steps.push(`Checkpoint ${checkpoint.number} of ${checkpoint.time} holds the journal up to ${upTo}.`);
      if (bundle.keys) {
        const isChecked = await checkSignature(checkpoint, bundle.keys);
        steps.push(
          isChecked
            ? `Its signature is that of the house's key ${checkpoint.key_id}.`
            : 'Its signature was not checked: this browser knows no Ed25519.',
        );
      }
    }
    return { ok: true, steps, fault: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, steps, fault: { sequence: error.sequence, message: error.message } };
  }
}

function standing(state) {
  const held = state.fallen && `${state.status} by a hammer that may still be taken back`;
  const sold = state.status === 'sold' && `sold to ${state.winner} for ${state.money(state.hammer)}`;
  const price = held || sold || state.status;
  return `The rules give the same lot: ${state.count} bids, at ${state.money(state.current)}, ${price}.`;
}

/** Whether a receipt's entry is in the journal with that bid, and whether the checkpoint covers it. */
export async function verifyReceipt(bundle, { bid, hash }) {
  const result = await verify(bundle);
  if (!result.ok) return result;
  const entry = bundle.journal.find((one) => one.hash === hash);
  const fault = (message) => ({
    ...result,
    ok: false,
    fault: { sequence: entry?.sequence ?? null, message },
  });
  if (entry === undefined) return fault(`no entry of this journal has the hash ${hash}`);
  const event = entry.events.find(({ bid_id }) => bid_id === bid);
  if (event === undefined) return fault(`entry ${entry.sequence} does not hold the bid ${bid}`);
  const steps = [
    ...result.steps,
    `The receipt is genuine: entry ${entry.sequence} holds the bid at ${event.sequence}.`,
  ];
  const covered = bundle.proof && bundle.proof.head.sequence >= entry.sequence;
  steps.push(
    covered ? `Checkpoint ${bundle.proof.checkpoint.number} covers it.` : 'No checkpoint covers it yet.',
  );
  return { ok: true, steps, fault: null, covered: covered === true };
}

/**
 * Whether two checkpoints of one log can both be true: both signed by the house, and the larger tree beginning with the
 * smaller one. `proof` is the path between them where the house gives one. Two that contradict each other are a proof
 * against the house in themselves: `contradiction` says so.
 */
export async function verifyCheckpoints(one, other, { keys, proof }) {
  const [older, newer] = one.size <= other.size ? [one, other] : [other, one];
  const steps = [];
  const fault = (message, contradiction) => ({
    ok: false,
    steps,
    fault: { sequence: null, message },
    contradiction,
  });
  try {
    for (const checkpoint of [older, newer]) {
      const isChecked = await checkSignature(checkpoint, keys);
      if (!isChecked) return fault('no signature can be checked here: there is no Ed25519', false);
      steps.push(
        `Checkpoint ${checkpoint.number} of ${checkpoint.time} is signed by the house's key ${checkpoint.key_id}.`,
      );
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return fault(error.message, false);
  }
  const told = (what) => fault(`the two checkpoints contradict each other: ${what}`, true);
  if (older.size === newer.size && older.root !== newer.root)
    return told(`a tree of ${older.size} leaves has two roots, and the house has signed both`);
  if (older.number === newer.number && older.size !== newer.size)
    return told(`number ${older.number} was signed over ${older.size} and over ${newer.size} leaves`);
  if (older.size < newer.size && older.number > newer.number)
    return told(`number ${older.number} has fewer leaves than number ${newer.number} before it`);
  if (older.size < newer.size && proof === undefined)
    return fault('the house has given no proof that one goes on from the other', false);
  try {
    checkConsistency(older, newer, proof ?? []);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return fault(error.message, false);
  }
  steps.push(
    `The tree of ${newer.size} leaves begins with that of ${older.size}: nothing has been rewritten.`,
  );
  return { ok: true, steps, fault: null, contradiction: false };
}

/** What two checkpoints are judged by, from the service: its keys, the path between them, and its own of that number. */
export async function fetchConsistency(address, one, other, fetching = fetch) {
  const read = async (path) => {
    const url = new URL(path, address).href;
    const answer = await fetching(url);
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
    return answer.json();
  };
  const [from, to] = [one.number, other.number].sort((a, b) => a - b);
  const { keys } = await read('/.well-known/rostrum-journal.json');
  const { data } = await read(`/api/v1/checkpoints/consistency?from=${from}&to=${to}`);
  return { keys, proof: data.consistency_proof, served: [data.from, data.to] };
}

/** Everything about a lot from a running service. */
export async function fetchBundle(address, lot, fetching = fetch) {
  const lotAt = (of) => `${address.replace(/\/+$/, '')}/api/v1/lots/${of}`;
  const base = lotAt(lot);
  const read = async (url, missing) => {
    const answer = await fetching(url);
    if (answer.status === 404 && missing !== undefined) return missing;
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
    return answer.json();
  };
  const journalOf = async (of) => {
    const journal = [];
    for (let page = 1, last = 1; page <= last; page++) {
      const { data, meta } = await read(`${lotAt(of)}/journal?per_page=100&page=${page}`);
      journal.push(...data);
      last = meta.last_page;
    }
    return journal;
  };
  const journal = await journalOf(lot);
  const causes = journal.flatMap(({ events }) => events.flatMap(({ caused_by: of }) => of ?? []));
  const group = {};
  for (const of of new Set(causes)) group[of] = await journalOf(of);
  const openings = (await read(`${base}/journal/openings`)).data;
  const proof = (await read(`${base}/proof`, { data: null })).data;
  const { keys } = await read(new URL('/.well-known/rostrum-journal.json', address).href);
  return { journal, openings, proof, keys, group };
}

/**
 * What a file holds: a bundle `{journal, openings?, proof?, keys?, group?}`, the journal's entries alone, or a page of them. Each part may
 * be the answer's body as it came, or its `data`; a journal of several pages is a list of them, in order.
 */
export function bundleOf(read) {
  if (Array.isArray(read) || Array.isArray(read?.data)) return { journal: entriesIn(read) };
  const { journal, openings, proof, keys, group, ...rest } = read;
  const journals = group && Object.entries(group).map(([lot, of]) => [lot, entriesIn(of)]);
  const ofGroup = journals && Object.fromEntries(journals);
  const parts = { openings: dataIn(openings), proof: dataIn(proof), keys: keysIn(keys), group: ofGroup };
  const given = Object.entries(parts).filter(([, part]) => part !== undefined);
  return { ...rest, journal: entriesIn(journal), ...Object.fromEntries(given) };
}

/** The `data` of an answer, or what is none. An answer that refuses, such as a proof that is not there yet, is nothing. */
function dataIn(part) {
  if (part === null || part === undefined || part.success === false) return undefined;
  return Array.isArray(part) || !('data' in part) ? part : (part.data ?? undefined);
}

function keysIn(part) {
  const found = dataIn(part);
  return Array.isArray(found) ? found : found?.keys;
}

function entriesIn(journal) {
  const pages =
    Array.isArray(journal) && journal.every((page) => Array.isArray(page?.data)) ? journal : [journal];
  const last = pages[0]?.meta?.last_page ?? 1;
  if (pages.length < last)
    throw new Error(`the journal has ${last} pages, and these are ${pages.length} of them`);
  return pages.flatMap((page) => dataIn(page) ?? []);
}

// ---------------------------------------------------------------- the command line

async function main(args) {
  if (args[0] === 'checkpoints') return compare(args.slice(1));
  const receipt = args[0] === 'receipt';
  const option = (name) => {
    const at = args.indexOf(name);
    return at < 0 ? null : args.splice(at, 2)[1];
  };
  const [bid, hash] = [option('--bid'), option('--hash')];
  const [source, lot] = receipt ? args.slice(1) : args;
  const isAddress = /^https?:/.test(source ?? '');
  if (
    source === undefined ||
    (isAddress && lot === undefined) ||
    (receipt && (bid === null || hash === null))
  ) {
    console.error(
      'usage: verify.mjs ADDRESS LOT | FILE\n       verify.mjs receipt --bid ID --hash H (ADDRESS LOT | FILE)' +
        '\n       verify.mjs checkpoints FILE FILE ADDRESS',
    );
    return 2;
  }
  const bundle = isAddress ? await fetchBundle(source, lot) : await readBundle(source);
  return print(receipt ? await verifyReceipt(bundle, { bid, hash }) : await verify(bundle));
}

/** Two checkpoints from files, with each other and with those that the service shows under their numbers now. */
async function compare([one, other, address]) {
  if (one === undefined || other === undefined || address === undefined) {
    console.error('usage: verify.mjs checkpoints FILE FILE ADDRESS');
    return 2;
  }
  const { readFile } = await import('node:fs/promises');
  const held = await Promise.all(
    [one, other].map(async (file) => {
      const read = JSON.parse(await readFile(file, 'utf8'));
      return read.data ?? read;
    }),
  );
  const { keys, proof, served } = await fetchConsistency(address, ...held);
  for (const own of held) {
    const shown = served.find(({ number }) => number === own.number);
    if (shown === undefined || shown.root === own.root) continue;
    const code = print(await verifyCheckpoints(own, shown, { keys }));
    if (code !== 0) return code;
  }
  return print(await verifyCheckpoints(...held, { keys, proof }));
}

function print(result) {
  for (const step of result.steps) console.log(`✓ ${step}`);
  if (result.ok) return 0;
  const { sequence, message } = result.fault;
  console.log(`✗ ${sequence === null ? '' : `Entry ${sequence}: `}${message}.`);
  return 1;
}

async function readBundle(file) {
  const { readFile } = await import('node:fs/promises');
  return bundleOf(JSON.parse(await readFile(file, 'utf8')));
}

if (
  typeof process !== 'undefined' &&
  process.argv[1] &&
  import.meta.url === new URL(`file://${process.argv[1]}`).href
) {
  main(process.argv.slice(2)).then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      console.error(String(error.message ?? error));
      process.exitCode = 2;
    },
  );
}
