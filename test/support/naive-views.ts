import type { Lead, Made } from './naive-lead.ts';
import { entriesOf, isReserveMet, minimumNext, NAIVE_INCREMENTS, replay } from './naive-lead.ts';
import type {
  NaiveEntry,
  NaiveInput,
  NaiveLotTerms,
  NaiveLotView,
  NaiveRow,
  NaiveWorld,
} from './naive-terms.ts';

/**
 * Reads of the naive model's world: a lot's state, its public list of bids, the current end, the clock. Read by the
 * naive rules and by the tests that compare an engine with them. Nothing here changes the world.
 */

export function lotOf(world: NaiveWorld, lotId: number): NaiveLotTerms {
  const lot = world.lots.find((candidate) => candidate.lotId === lotId);
  if (lot === undefined) throw new Error(`no lot ${lotId}`);
  return lot;
}

export function leadOf(world: NaiveWorld, lotId: number): Lead {
  return replay(world, lotOf(world, lotId), world.log);
}

export function closingOf(world: NaiveWorld, lotId: number): NaiveEntry | null {
  return entriesOf(world.log, lotId).findLast((entry) => entry.closedAs !== null) ?? null;
}

export function pausedSince(world: NaiveWorld): number | null {
  const last = world.log.filter(({ input }) => input.kind === 'pause' || input.kind === 'resume').pop();
  return last?.input.kind === 'pause' ? last.atUs : null;
}

/** Rule 20: the lots that end with this one, itself among them. */
export function companyOf(world: NaiveWorld, lotId: number): NaiveLotTerms[] {
  const { group } = lotOf(world, lotId);
  return world.lots.filter((lot) => lot.lotId === lotId || (group !== undefined && lot.group === group));
}

/** Rule 20: one of the group has closed at its end, so that the others are over whatever becomes of the auction. */
export function isCompanyOver(world: NaiveWorld, lotId: number): boolean {
  const company = companyOf(world, lotId);
  return company.some((lot) => closingOf(world, lot.lotId)?.input.kind === 'close');
}

/** Rules 7, 8 and 20: the current end. A void does not revert it, so it is read from the log and not replayed. */
export function endOf(world: NaiveWorld, lotId: number): number {
  const company = companyOf(world, lotId);
  let endsAtUs = Math.max(...company.map((lot) => lot.endsAtUs));
  let pausedAtUs = 0;
  for (const entry of world.log) {
    if ('lotId' in entry.input) {
      const from = entry.input.lotId;
      if (!company.some((lot) => lot.lotId === from)) continue;
      if (entry.endMovedToUs !== null) endsAtUs = entry.endMovedToUs;
      if (entry.closedAs !== null && (from === lotId || entry.input.kind === 'close')) break;
    } else if (entry.input.kind === 'pause') {
      pausedAtUs = entry.atUs;
    } else if (endsAtUs > pausedAtUs || world.auction.type === 'simulcast') {
      // reading: a lot that was over before the pause, but not yet closed, is not given a second life by it.
      endsAtUs += entry.atUs - pausedAtUs;
    }
  }
  return endsAtUs;
}

/** The lot's current state. */
export function viewLot(world: NaiveWorld, lotId: number): NaiveLotView {
  const lead = leadOf(world, lotId);
  const status = closingOf(world, lotId)?.closedAs ?? 'open';
  const table = world.auction.increments ?? NAIVE_INCREMENTS;
  return {
    currentCents: lead.currentCents,
    minimumNextCents: minimumNext(lead, lotOf(world, lotId), table),
    bidCount: lead.made.filter((bid) => bid.outcome !== 'max_raised').length,
    reserveMet: isReserveMet(lead),
    leader: lead.leader,
    ceilingCents: lead.ceilingCents,
    endsAtUs: endOf(world, lotId),
    status,
    hammerCents: status === 'sold' ? wholeOf(lotOf(world, lotId), lead.currentCents) : null,
  };
}

/** Rule 19: what an amount comes to for the whole lot; half a cent counts as one. */
export function wholeOf({ units }: NaiveLotTerms, cents: number): number {
  if (units === undefined) return cents;
  const parts = BigInt(cents) * BigInt(units);
  const whole = parts / 10_000n;
  return Number(parts - whole * 10_000n >= 5_000n ? whole + 1n : whole);
}

/** What a voided bid said when it was voided; nothing when it was a raise then, and so had no row. */
function beforeItsVoid(world: NaiveWorld, lotId: number, bidId: string): Made | null {
  const index = world.log.findIndex(
    ({ input }) =>
      (input.kind === 'void' || input.kind === 'undo') && input.lotId === lotId && input.bidId === bidId,
  );
  if (index < 0) return null;
  const then = replay(world, lotOf(world, lotId), world.log.slice(0, index));
  return then.made.find((bid) => bid.bidId === bidId && bid.outcome !== 'max_raised') ?? null;
}

/** The public list of a lot's bids, newest first. */
export function rows(world: NaiveWorld, lotId: number): NaiveRow[] {
  const listed = leadOf(world, lotId).made.filter((bid) => bid.outcome !== 'max_raised');
  const who = leadOf(world, lotId).leader;
  const top = listed.filter((bid) => bid.who === who).pop();
  const topStatus = viewLot(world, lotId).status === 'sold' ? 'won' : 'leading';
  const all: NaiveRow[] = [];
  for (const { input } of entriesOf(world.log, lotId)) {
    if (input.kind !== 'bid' && input.kind !== 'buyNow' && input.kind !== 'hammer') continue;
    const listedBid = listed.find((bid) => bid.bidId === input.bidId);
    const gone = beforeItsVoid(world, lotId, input.bidId);
    const bid = listedBid ?? gone;
    if (bid === null || bid === undefined) continue;
    const { bidId, listedCents, outcome } = bid;
    const status = listedBid === undefined ? 'voided' : listedBid === top ? topStatus : 'outbid';
    all.push({ bidId, who: bid.who, listedCents, outcome, status });
  }
  return all.reverse();
}

/** Rule 7's clock: never behind the entry before, of this lot or of its auction. */
export function clock(world: NaiveWorld, input: NaiveInput): number {
  let nowUs = input.atUs;
  for (const entry of world.log) {
    const concerns = !('lotId' in entry.input) || !('lotId' in input) || entry.input.lotId === input.lotId;
    if (concerns) nowUs = Math.max(nowUs, entry.atUs);
  }
  return nowUs;
}
