/**
 * The timed format in a run: its lots as they are drawn, and the naive model of its rules as a referee.
 */
import type { AuctionEvent } from '../../../engine/actor/journal.ts';
import type { AuctionRecord } from '../../../engine/auction/record.ts';
import { scheduledEndUs } from '../../../engine/auction/record.ts';
import type { EnglishBidPlaced, EnglishEvent } from '../../../engine/formats/english/english-events.ts';
import type { BidCommand } from '../../../engine/lot/commands.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import { apply, newWorld } from '../../support/naive-rules.ts';
import type { NaiveAnswer, NaiveBidder, NaiveInput, NaiveWorld } from '../../support/naive-terms.ts';
import { closingOf, endOf, isCompanyOver, lotOf, viewLot } from '../../support/naive-views.ts';
import type { Plan } from '../plan.ts';
import { type Referee, type Refusal, unequal } from './referee.ts';

export function timedReferee(plan: Plan, record: AuctionRecord): Referee {
  const naive = naiveWorld(plan, record);
  const present = new Set<number>();
  let pauses: AuctionRecord['pauses'] = [];
  return {
    outlast({ fromUs, toUs }) {
      // What comes into the journal later has missed nothing.
      const lots = naive.lots.filter(({ lotId }) => present.has(lotId));
      apply({ ...naive, lots }, { kind: 'outage', atUs: toUs, fromUs });
    },
    follow(event) {
      pauses = follow(naive, event, pauses);
    },
    eventsOf: recordedOf,
    replay(lotId, event, atUs) {
      present.add(lotId);
      return replay(naive, lotId, event, atUs);
    },
    momentsOf: (refusal) => momentsOf(naive, refusal),
    isRight: (refusal, atUs) => isRight(naive, refusal, atUs),
  };
}

/** A decision reads the same from one of these moments to the next. */
function momentsOf(naive: NaiveWorld, { lotId, fromUs, toUs }: Refusal): number[] {
  const turns = [lotOf(naive, lotId).startsAtUs, endOf(naive, lotId) - 1];
  return [fromUs, ...turns.filter((atUs) => atUs > fromUs && atUs < toUs), toUs];
}

function naiveWorld(plan: Plan, record: AuctionRecord): NaiveWorld {
  const people = Array.from({ length: plan.bidders }, (_, at): [string, NaiveBidder] => [
    `u:${at + 1}`,
    { userId: at + 1, verified: true, suspended: false, registration: null },
  ]);
  const { softClose, confirmFactor, bidLimitCents, startsAtUs } = record;
  return newWorld({
    auction: {
      type: 'timed',
      currency: 'usd',
      increments: null,
      softClose,
      confirmFactor,
      ownerUserIds: [],
      registration: { mode: 'open', requireVerified: false, bidLimitCents },
    },
    lots: plan.lots
      .filter((lot) => lot.auctionId === record.auctionId)
      .map(({ units, ...lot }) => ({
        ...{ ...lot, startsAtUs, endsAtUs: scheduledEndUs(record, lot.lotNumber) },
        ...(record.closeGroups === undefined ? {} : { group: 'all' }),
        ...(units?.isPriced === true ? { units: units.count ?? 0 } : {}),
      })),
    bidders: Object.fromEntries(people),
  });
}

function inputOf(command: BidCommand, lotId: number, atUs: number): NaiveInput {
  const { bidId, bidder } = command;
  const common = { lotId, atUs, bidId, who: bidder.key, currency: null };
  if (command.type === 'buy_now') return { kind: 'buyNow', ...common };
  const { straightCents, ceilingCents, confirm } = command;
  return { kind: 'bid', ...common, straightCents, ceilingCents, confirm, channel: 'online' };
}

function isRight(naive: NaiveWorld, { command, lotId, answer }: Refusal, clockUs: number): boolean {
  const { length } = naive.log;
  const wanted = apply(naive, inputOf(command, lotId, clockUs));
  naive.log.length = length;
  if (wanted.refused !== answer.code) return false;
  const { currentCents, minimumNextCents, endsAtUs } = viewLot(naive, lotId);
  return (
    currentCents === answer.currentCents &&
    minimumNextCents === answer.minimumNextCents &&
    // A lot that its auction took along may not have heard of the last pause before.
    (endsAtUs === answer.endsAtUs || answer.code === 'lot_withdrawn')
  );
}

/**
 * Ends a pause: it is taken out of the naive log again, and the ends are moved by hand. Left there, it would hold the
 * naive clock, while the journal's may be set back behind it.
 */
function goOn(naive: NaiveWorld, fromUs: number, toUs: number): void {
  naive.log = naive.log.filter(({ input }) => input.kind !== 'pause');
  const ends = naive.lots.map(({ lotId }) => ({ lotId, endsAtUs: endOf(naive, lotId) }));
  for (const { lotId, endsAtUs } of ends) {
    // What was over before the pause is not given a second life by it.
    const isOver = closingOf(naive, lotId) !== null || isCompanyOver(naive, lotId);
    if (isOver || endsAtUs <= fromUs) continue;
    const endMovedToUs = endsAtUs + toUs - fromUs;
    naive.log.push({ input: { kind: 'staysOpen', lotId, atUs: 0 }, atUs: 0, endMovedToUs, closedAs: null });
  }
}

/** Takes over what an auction's record says; gives its pauses. */
function follow(
  naive: NaiveWorld,
  event: AuctionEvent,
  known: AuctionRecord['pauses'],
): AuctionRecord['pauses'] {
  if (event.type === 'bidder_saved') {
    const { key, status, limitCents } = event.bidder;
    const registered = status === 'suspended' ? status : 'approved';
    naive.bidders[key]!.registration = { status: registered, depositPaid: true, bidLimitCents: limitCents };
    return known;
  }
  const { pauses, cancelled } = event.record;
  if (cancelled) withdrawAll(naive);
  const last = pauses.at(-1);
  if (last === undefined || JSON.stringify(last) === JSON.stringify(known.at(-1))) return pauses;
  if (last.toUs === null) {
    naive.log.push({ input: { kind: 'pause', atUs: 0 }, atUs: 0, endMovedToUs: null, closedAs: null });
  } else goOn(naive, last.fromUs, last.toUs);
  return pauses;
}

/** A cancelled auction withdraws all its lots that are not over; each shows it when it is next read. */
function withdrawAll(naive: NaiveWorld): void {
  for (const { lotId } of naive.lots)
    if (viewLot(naive, lotId).status === 'open') apply(naive, { kind: 'withdraw', lotId, atUs: 0 });
}

/** Of several moves of the end in one entry the last one counts. */
function recordedOf(all: readonly LotEvent[]): readonly EnglishEvent[] {
  // Cast: an entry's events are of its lot's format.
  const events = all as readonly EnglishEvent[];
  const last = events.findLast(({ type }) => type === 'lot_rescheduled');
  return events.filter((event) => event.type !== 'lot_rescheduled' || event === last);
}

/** Applies the log to the naive world; returns a difference, or null. */
function replay(naive: NaiveWorld, lotId: number, found: LotEvent, atUs: number): string | null {
  // Cast: as above.
  const event = found as EnglishEvent;
  switch (event.type) {
    case 'lot_scheduled':
    case 'lot_opened':
    case 'lot_recovered':
    case 'lot_amended':
    case 'lot_conditions_set':
      return null;
    case 'lot_rescheduled':
      return unequal('the end', event.endsAtUs, endOf(naive, lotId));
    case 'bid_placed':
      return replayBid(naive, lotId, event, atUs);
    case 'terms_changed':
      return refusalOf(apply(naive, { kind: 'reserve', lotId, atUs, toCents: event.reserveCents }));
    case 'bid_voided': {
      const kind = event.undone === undefined ? 'void' : 'undo';
      const wrong = refusalOf(apply(naive, { kind, lotId, atUs, bidId: event.bidId }));
      const view = viewLot(naive, lotId);
      return (
        wrong ??
        unequal('the price', event.currentCents, view.currentCents) ??
        unequal('the leader', event.leader?.key ?? null, view.leader) ??
        unequal('the bids', event.bidCount, view.bidCount)
      );
    }
    case 'choice_opened':
    case 'choice_made':
      return 'nothing is chosen in a timed auction';
    case 'hammer_fell':
    case 'lot_reopened':
      return 'nothing reopens a lot of a timed auction';
    case 'lot_closed': {
      const bought = event.reason === 'buy_now';
      const answer = bought ? closedBefore(naive, lotId) : apply(naive, { kind: 'close', lotId, atUs });
      const view = viewLot(naive, lotId);
      const sold = event.status === 'sold';
      return (
        refusalOf(answer) ??
        unequal('how it closed', event.status, 'outcome' in answer ? answer.outcome : null) ??
        unequal('the winner', event.winner?.key ?? null, sold ? view.leader : null) ??
        unequal('the hammer price', event.hammerCents, sold ? view.hammerCents : null)
      );
    }
    case 'lot_withdrawn':
      if (event.reason === 'auction_cancelled')
        return unequal('the lot', 'withdrawn', viewLot(naive, lotId).status);
      return refusalOf(apply(naive, { kind: 'withdraw', lotId, atUs }));
  }
}

/** The purchase before has closed it already. */
function closedBefore(naive: NaiveWorld, lotId: number) {
  const { status: outcome } = viewLot(naive, lotId);
  return { refused: outcome === 'sold' ? null : 'not_sold', outcome };
}

function replayBid(naive: NaiveWorld, lotId: number, event: EnglishBidPlaced, atUs: number): string | null {
  const { bidId, bidder, straightCents, ceilingCents } = event;
  const common = { lotId, atUs, bidId, who: bidder.key, currency: null };
  const amounts = { straightCents, ceilingCents, confirm: true, channel: 'online' } as const;
  const answer = apply(
    naive,
    event.outcome === 'won' ? { kind: 'buyNow', ...common } : { kind: 'bid', ...common, ...amounts },
  );
  if (answer.refused !== null) return `the naive rules refuse it: ${answer.refused}`;
  const view = viewLot(naive, lotId);
  return (
    unequal('the outcome', event.outcome, answer.outcome) ??
    unequal('the amount', event.listedCents, answer.listedCents) ??
    unequal('the price', event.currentCents, view.currentCents) ??
    unequal('the leader', event.leader.key, view.leader) ??
    unequal('the ceiling', event.leader.ceilingCents, view.ceilingCents) ??
    unequal('the bids', event.bidCount, view.bidCount) ??
    unequal('the minimum', event.minimumNextCents, view.minimumNextCents) ??
    unequal('the end', event.endsAtUs, view.endsAtUs)
  );
}

function refusalOf(answer: Pick<NaiveAnswer, 'refused'>): string | null {
  return answer.refused === null ? null : `the naive rules refuse it: ${answer.refused}`;
}
