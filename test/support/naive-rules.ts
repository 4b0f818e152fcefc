import { entriesOf, isReserveMet, replay } from './naive-lead.ts';
import {
  refusedByCurrency,
  refusedByLimit,
  refusedByLot,
  refusedByPerson,
  refusedByPrice,
} from './naive-refusals.ts';
import type {
  NaiveAnswer,
  NaiveBid,
  NaiveBuyNow,
  NaiveEntry,
  NaiveFlag,
  NaiveInput,
  NaiveWorld,
} from './naive-terms.ts';
import { type NaiveUndo, noteKept, refusedUndo } from './naive-undo.ts';
import {
  clock,
  closingOf,
  companyOf,
  endOf,
  isCompanyOver,
  leadOf,
  lotOf,
  pausedSince,
  viewLot,
} from './naive-views.ts';

/**
 * A deliberately naive model of the bidding rules, against which the engine is checked. It keeps nothing but the list
 * of accepted inputs and answers every question by going through all of them again. Slow is fine; plainly right is
 * the point. Where the rules leave room, a comment that begins with `reading:` says how they were read.
 */

type Accepted = Extract<NaiveAnswer, { refused: null }>;

/** A world without any input yet. */
export function newWorld(parts: Omit<NaiveWorld, 'log'>): NaiveWorld {
  return { ...parts, log: [] };
}

function done(outcome: Accepted['outcome'], flags: NaiveFlag[] = []): Accepted {
  return { refused: null, outcome, listedCents: null, bidderCeilingCents: null, extended: false, flags };
}

function keep(world: NaiveWorld, entry: Partial<NaiveEntry> & { input: NaiveInput; atUs: number }): void {
  world.log.push({ endMovedToUs: null, closedAs: null, ...entry });
}

/** Rule 8: where the end goes after a bid that counted; null when it stays. */
function newEnd(world: NaiveWorld, lotId: number, nowUs: number): number | null {
  const softClose = world.auction.softClose;
  if (softClose === null || softClose.windowSeconds === 0) return null;
  const endsAtUs = endOf(world, lotId);
  if (endsAtUs - nowUs >= softClose.windowSeconds * 1_000_000) return null;
  const company = companyOf(world, lotId).map((lot) => entriesOf(world.log, lot.lotId));
  const moved = company
    .flat()
    .filter(
      ({ endMovedToUs, input }) =>
        endMovedToUs !== null && input.kind !== 'staysOpen' && input.kind !== 'void',
    ).length;
  if (softClose.maxExtensions !== null && moved >= softClose.maxExtensions) return null;
  const movedToUs = nowUs + softClose.extensionSeconds * 1_000_000;
  return movedToUs > endsAtUs ? movedToUs : null;
}

function applyBid(world: NaiveWorld, bid: NaiveBid, nowUs: number): NaiveAnswer {
  const online = bid.channel === 'online';
  const refused =
    refusedByLot(world, bid.lotId, nowUs) ??
    refusedByPerson(world, bid.lotId, bid.who, online) ??
    refusedByCurrency(world, bid.currency) ??
    refusedByPrice(world, bid, online);
  if (refused !== null) return { refused };

  const lot = lotOf(world, bid.lotId);
  const entry: NaiveEntry = { input: bid, atUs: nowUs, endMovedToUs: null, closedAs: null };
  const before = leadOf(world, bid.lotId);
  const after = replay(world, lot, [...world.log, entry]);
  const made = after.made[after.made.length - 1];
  if (made === undefined) throw new Error('an accepted bid is in the lead');
  const counts =
    made.outcome !== 'max_raised' &&
    (after.leader !== before.leader || after.currentCents !== before.currentCents);
  if (counts) entry.endMovedToUs = newEnd(world, bid.lotId, nowUs);
  world.log.push(entry);
  return {
    refused: null,
    outcome: made.outcome,
    listedCents: made.listedCents,
    bidderCeilingCents: after.leader === bid.who ? after.ceilingCents : made.ceilingCents,
    extended: entry.endMovedToUs !== null,
    flags: [],
  };
}

function applyBuyNow(world: NaiveWorld, order: NaiveBuyNow, nowUs: number): NaiveAnswer {
  const { buyNowCents } = lotOf(world, order.lotId);
  const lead = leadOf(world, order.lotId);
  // reading: "until the first bid" is asked of the bids that stand, so a lot whose bids were all voided is open again.
  const open = lead.leader === null || (lead.reserveCents !== null && !isReserveMet(lead));
  const refused =
    refusedByLot(world, order.lotId, nowUs) ??
    refusedByPerson(world, order.lotId, order.who, true) ??
    refusedByCurrency(world, order.currency) ??
    (buyNowCents === null || !open ? 'buy_now_unavailable' : null) ??
    // reading: the price is the new ceiling, so the limit bounds it too.
    refusedByLimit(world, order.lotId, order.who, buyNowCents ?? 0);
  if (refused !== null) return { refused };
  keep(world, { input: order, atUs: nowUs, closedAs: 'sold' });
  return { ...done('won'), listedCents: buyNowCents, bidderCeilingCents: buyNowCents };
}

function applyVoid(world: NaiveWorld, input: NaiveInput & { kind: 'void' }, nowUs: number): NaiveAnswer {
  // reading: once the end has passed, the price stands, even before the close does. A pause does not stop a void.
  const over = world.auction.type === 'timed' && nowUs >= endOf(world, input.lotId);
  const isOver = isCompanyOver(world, input.lotId) || (over && pausedSince(world) === null);
  if (closingOf(world, input.lotId) !== null || isOver) return { refused: 'lot_closed' };
  const own = entriesOf(world.log, input.lotId).map((entry) => entry.input);
  if (!own.some((other) => other.kind === 'bid' && other.bidId === input.bidId))
    return { refused: 'not_found' };
  if (own.some((other) => (other.kind === 'void' || other.kind === 'undo') && other.bidId === input.bidId)) {
    return { refused: 'already_voided' };
  }
  const beforeCents = leadOf(world, input.lotId).currentCents;
  const endsAtUs = endOf(world, input.lotId);
  keep(world, { input, atUs: nowUs });
  const entry = world.log.at(-1);
  const windowUs = (world.auction.softClose?.windowSeconds ?? 0) * 1_000_000;
  // Rule 17: who was kept out by what is gone gets the last window again.
  if (
    entry !== undefined &&
    leadOf(world, input.lotId).currentCents < beforeCents &&
    world.auction.type === 'timed' &&
    pausedSince(world) === null &&
    endsAtUs - nowUs < windowUs
  )
    entry.endMovedToUs = nowUs + windowUs;
  return done('voided');
}

/** Rule 18. */
function applyUndo(world: NaiveWorld, input: NaiveUndo, nowUs: number): NaiveAnswer {
  const refused = refusedUndo(world, input, nowUs);
  if (refused !== null) return { refused };
  noteKept(world, input, nowUs);
  keep(world, { input, atUs: nowUs });
  return done('voided');
}

function applyReserve(
  world: NaiveWorld,
  input: NaiveInput & { kind: 'reserve' },
  nowUs: number,
): NaiveAnswer {
  if (closingOf(world, input.lotId) !== null) return { refused: 'lot_locked' };
  const { reserveCents } = leadOf(world, input.lotId);
  // Frozen by the first bid, and a void does not thaw it; from then on it goes down once, and no more.
  const own = entriesOf(world.log, input.lotId).map((entry) => entry.input);
  const firstBid = own.findIndex((other) => other.kind === 'bid');
  const isRaised = (input.toCents ?? 0) > (reserveCents ?? 0);
  if (firstBid >= 0 && isRaised) return { refused: 'lot_locked' };
  if (firstBid >= 0 && input.toCents !== reserveCents && hasBeenLowered(world, input.lotId, firstBid))
    return { refused: 'lot_locked' };
  keep(world, { input, atUs: nowUs });
  return done('reserve_changed');
}

/** Whether the reserve has changed since the lot's first bid, which is the entry at this place. */
function hasBeenLowered(world: NaiveWorld, lotId: number, firstBid: number): boolean {
  const own = entriesOf(world.log, lotId).map((entry) => entry.input);
  let reserve = lotOf(world, lotId).reserveCents;
  return own.some((input, at) => {
    if (input.kind !== 'reserve') return false;
    const changed = input.toCents !== reserve;
    reserve = input.toCents;
    return changed && at > firstBid;
  });
}

function applyClose(world: NaiveWorld, input: NaiveInput & { kind: 'close' }, nowUs: number): NaiveAnswer {
  if (closingOf(world, input.lotId) !== null) return { refused: 'lot_closed' };
  const due = world.auction.type === 'timed' && nowUs >= endOf(world, input.lotId);
  if (!isCompanyOver(world, input.lotId) && (!due || pausedSince(world) !== null))
    return { refused: 'not_due' };
  const view = viewLot(world, input.lotId);
  const closedAs = view.leader === null ? 'unsold' : view.reserveMet ? 'sold' : 'passed';
  keep(world, { input, atUs: nowUs, closedAs });
  return done(closedAs);
}

function applyHammer(world: NaiveWorld, input: NaiveInput & { kind: 'hammer' }, nowUs: number): NaiveAnswer {
  const view = viewLot(world, input.lotId);
  const closing = closingOf(world, input.lotId);
  if (closing?.closedAs === 'withdrawn') return { refused: 'lot_withdrawn' };
  const reopens =
    closing !== null &&
    closing.closedAs !== 'sold' &&
    input.result === 'sold' &&
    world.auction.type === 'simulcast';
  if (closing !== null && !reopens) {
    // reading: a lot that the clock or a purchase closed has facts too; the auctioneer may repeat them, not change
    // them.
    const sold = closing.closedAs === 'sold';
    const facts =
      closing.input.kind === 'hammer'
        ? closing.input
        : {
            result: closing.closedAs,
            hammerCents: sold ? view.currentCents : null,
            who: sold ? view.leader : null,
          };
    const same =
      facts.result === input.result && facts.hammerCents === input.hammerCents && facts.who === input.who;
    return same ? done('duplicate') : { refused: 'lot_already_sold' };
  }
  const flags: NaiveFlag[] = [];
  const hammer = input.hammerCents ?? 0;
  const { reserveCents } = leadOf(world, input.lotId);
  if (input.result === 'sold') {
    if (input.who === null || input.who !== view.leader) flags.push('not_the_leader');
    if (hammer < view.currentCents) flags.push('hammer_below_current');
    // reading: of a sale it is the hammer price that meets the reserve or does not.
    if (reserveCents !== null && hammer < reserveCents) flags.push('reserve_not_met');
  }
  keep(world, { input, atUs: nowUs, closedAs: input.result });
  return done(input.result, flags);
}

/**
 * Rule 16: a lot that ran out of time, or ran in its window, while nobody could bid has the window once more.
 * reading: not in a pause, in which nothing ends; nor where there is no window, or no clock to end the lot.
 */
function applyOutage(world: NaiveWorld, input: NaiveInput & { kind: 'outage' }, nowUs: number): NaiveAnswer {
  const windowUs = (world.auction.softClose?.windowSeconds ?? 0) * 1_000_000;
  if (world.auction.type === 'simulcast' || pausedSince(world) !== null) return done('outage');
  for (const { lotId, startsAtUs } of world.lots) {
    const endsAtUs = endOf(world, lotId);
    const isOver = closingOf(world, lotId) !== null || isCompanyOver(world, lotId);
    const wasRunning = startsAtUs < nowUs && endsAtUs > input.fromUs && !isOver;
    if (!wasRunning || endsAtUs - windowUs >= nowUs || windowUs === 0) continue;
    keep(world, {
      input: { kind: 'staysOpen', lotId, atUs: nowUs },
      atUs: nowUs,
      endMovedToUs: nowUs + windowUs,
    });
  }
  return done('outage');
}

/**
 * Decides one input: an accepted one is added to the world's log, a refused one leaves no trace. Throws on an unknown
 * lot only.
 */
export function apply(world: NaiveWorld, input: NaiveInput): NaiveAnswer {
  const nowUs = clock(world, input);
  switch (input.kind) {
    case 'bid':
      return applyBid(world, input, nowUs);
    case 'buyNow':
      return applyBuyNow(world, input, nowUs);
    case 'undo':
      return applyUndo(world, input, nowUs);
    case 'void':
      return applyVoid(world, input, nowUs);
    case 'reserve':
      return applyReserve(world, input, nowUs);
    case 'close':
      return applyClose(world, input, nowUs);
    case 'hammer':
      return applyHammer(world, input, nowUs);
    case 'withdraw':
      if (closingOf(world, input.lotId) !== null) return { refused: 'invalid_transition' };
      keep(world, { input, atUs: nowUs, closedAs: 'withdrawn' });
      return done('withdrawn');
    case 'outage':
      return applyOutage(world, input, nowUs);
    case 'staysOpen':
      throw new Error('nobody asks for this');
    default: {
      const wanted = input.kind === 'pause';
      if (wanted === (pausedSince(world) !== null)) return { refused: 'invalid_transition' };
      keep(world, { input, atUs: nowUs });
      return done(wanted ? 'paused' : 'resumed');
    }
  }
}
