import type {
  NaiveBand,
  NaiveBid,
  NaiveBuyNow,
  NaiveEntry,
  NaiveInput,
  NaiveLotTerms,
  NaiveOutcome,
  NaiveWorld,
} from './naive-terms.ts';

/**
 * What a lot's bids have made of it: rules 1 to 6 and 11, the naive way. Every question replays all accepted bids of
 * the lot from the first on, leaving out those that were voided. Called by the naive rules only; knows neither clock
 * nor permission.
 */

const DOLLAR = 100;

export const NAIVE_INCREMENTS: NaiveBand[] = [
  { fromCents: 0, incrementCents: 5 * DOLLAR },
  { fromCents: 100 * DOLLAR, incrementCents: 10 * DOLLAR },
  { fromCents: 500 * DOLLAR, incrementCents: 25 * DOLLAR },
  { fromCents: 1_000 * DOLLAR, incrementCents: 50 * DOLLAR },
  { fromCents: 5_000 * DOLLAR, incrementCents: 100 * DOLLAR },
  { fromCents: 10_000 * DOLLAR, incrementCents: 250 * DOLLAR },
  { fromCents: 50_000 * DOLLAR, incrementCents: 500 * DOLLAR },
  { fromCents: 100_000 * DOLLAR, incrementCents: 1_000 * DOLLAR },
  { fromCents: 500_000 * DOLLAR, incrementCents: 2_500 * DOLLAR },
];

/**
 * A price with one increment on top, in cents: the increment is that of the last band that starts at or below the
 * price.
 */
function oneMore(priceCents: number, table: NaiveBand[]): number {
  const bands = table.filter((band) => band.fromCents <= priceCents);
  const band = bands[bands.length - 1];
  if (band === undefined) throw new Error(`no increment for ${priceCents} cents`);
  return priceCents + band.incrementCents;
}

export interface Made {
  bidId: string;
  who: string;
  listedCents: number;
  outcome: NaiveOutcome;
  /** The ceiling the bid itself came with. */
  ceilingCents: number;
}

export interface Lead {
  leader: string | null;
  ceilingCents: number;
  currentCents: number;
  reserveCents: number | null;
  /** Every bid that is not voided, oldest first, the raises too. */
  made: Made[];
}

/** Rule 6's public half: true without a reserve. */
export function isReserveMet(lead: Lead): boolean {
  return lead.reserveCents === null || lead.currentCents >= lead.reserveCents;
}

/** Rule 1: the least that a new bid has to offer, in cents. */
export function minimumNext(lead: Lead, lot: NaiveLotTerms, table: NaiveBand[]): number {
  return lead.leader === null ? lot.startingBidCents : oneMore(lead.currentCents, table);
}

/** The ceiling a bid comes with: `max_amount`, or the straight amount alone. */
export function ceilingOf(bid: NaiveBid): number {
  return Math.max(bid.straightCents ?? 0, bid.ceilingCents ?? 0);
}

function liftToReserve(lead: Lead): void {
  const reserve = lead.reserveCents;
  if (reserve !== null && lead.ceilingCents >= reserve && lead.currentCents < reserve) {
    lead.currentCents = reserve;
  }
}

/** Rules 2 to 5: what one bid does to the lead. Whether it is allowed at all is not checked here. */
function applyBid(lead: Lead, bid: NaiveBid, lot: NaiveLotTerms, table: NaiveBand[]): void {
  const straight = bid.straightCents;
  const newCeiling = ceilingOf(bid);
  const leadersCeiling = lead.ceilingCents;
  let outcome: NaiveOutcome = 'leading';

  if (lead.leader === null) {
    lead.currentCents = straight ?? lot.startingBidCents;
    lead.leader = bid.who;
    lead.ceilingCents = newCeiling;
  } else if (lead.leader === bid.who && straight === null) {
    lead.ceilingCents = Math.max(leadersCeiling, newCeiling);
    outcome = 'max_raised';
  } else if (lead.leader === bid.who && straight !== null) {
    lead.currentCents = Math.max(lead.currentCents, straight);
    lead.ceilingCents = Math.max(leadersCeiling, newCeiling);
  } else if (newCeiling > leadersCeiling) {
    const next = minimumNext(lead, lot, table);
    const overTheLeader = Math.min(newCeiling, oneMore(leadersCeiling, table));
    // A replay after a void may meet a minimum that the bid was never requested; its own ceiling still bounds it.
    const contested = Math.min(newCeiling, Math.max(next, overTheLeader));
    lead.currentCents = straight !== null && straight > leadersCeiling ? straight : contested;
    lead.leader = bid.who;
    lead.ceilingCents = newCeiling;
  } else {
    const pushed = Math.min(leadersCeiling, oneMore(newCeiling, table));
    lead.currentCents = Math.max(lead.currentCents, pushed);
    outcome = 'outbid';
  }
  liftToReserve(lead);

  if (outcome === 'leading' && !isReserveMet(lead)) outcome = 'leading_reserve_not_met';
  const listedCents = outcome === 'outbid' ? newCeiling : lead.currentCents;
  lead.made.push({ bidId: bid.bidId, who: bid.who, listedCents, outcome, ceilingCents: newCeiling });
}

function buy(lead: Lead, order: NaiveBuyNow, lot: NaiveLotTerms): void {
  const price = lot.buyNowCents ?? 0;
  lead.leader = order.who;
  lead.ceilingCents = price;
  lead.currentCents = price;
  lead.made.push({
    bidId: order.bidId,
    who: order.who,
    listedCents: price,
    outcome: 'won',
    ceilingCents: price,
  });
}

/**
 * A sale by the floor, to whomever and at whatever price: a row of its own, unless the leading row is the buyer's and
 * says that price.
 */
function hammer(lead: Lead, sale: NaiveInput & { kind: 'hammer' }): void {
  const { bidId, hammerCents } = sale;
  const who = sale.who ?? '';
  const price = hammerCents ?? 0;
  const leading = lead.made.filter((bid) => bid.who === lead.leader && bid.outcome !== 'max_raised').pop();
  // reading: a price that the lot no longer is at is said by a row of its own too.
  if (lead.leader === who && leading?.listedCents === price && lead.currentCents === price) return;
  lead.leader = who;
  lead.ceilingCents = price;
  lead.currentCents = price;
  lead.made.push({ bidId, who, listedCents: price, outcome: 'won', ceilingCents: price });
}

/** The entries of `log` that concern one lot, the auction's pauses left out. */
export function entriesOf(log: NaiveEntry[], lotId: number): NaiveEntry[] {
  return log.filter((entry) => 'lotId' in entry.input && entry.input.lotId === lotId);
}

/** The lead after `log` (the world's own, or the beginning of it), made anew from the lot's first bid. */
export function replay(world: NaiveWorld, lot: NaiveLotTerms, log: NaiveEntry[]): Lead {
  const table = world.auction.increments ?? NAIVE_INCREMENTS;
  const entries = entriesOf(log, lot.lotId);
  const voided = new Set<string>();
  for (const { input } of entries)
    if (input.kind === 'void' || input.kind === 'undo') voided.add(input.bidId);

  const lead: Lead = {
    leader: null,
    ceilingCents: 0,
    currentCents: 0,
    reserveCents: lot.reserveCents,
    made: [],
  };
  for (const { input } of entries) {
    if (input.kind === 'bid' && !voided.has(input.bidId)) applyBid(lead, input, lot, table);
    if (input.kind === 'buyNow') buy(lead, input, lot);
    if (input.kind === 'hammer' && input.result === 'sold') hammer(lead, input);
    // Rule 18: what a ceiling has answered stays, as long as it is the one that leads.
    if (input.kind === 'undo' && input.keptCents !== undefined && lead.leader === input.keptBy)
      if (lead.ceilingCents >= input.keptCents)
        lead.currentCents = Math.max(lead.currentCents, input.keptCents);
    // reading: a reserve that was lowered counts from its place in the order on, in a replay after a void too.
    if (input.kind === 'reserve') {
      lead.reserveCents = input.toCents;
      if (lead.leader !== null) liftToReserve(lead);
    }
  }
  return lead;
}
