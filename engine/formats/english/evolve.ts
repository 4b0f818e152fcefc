/**
 * Folds one event into the state of a lot with rising bids. Events carry their consequences, so folding never decides
 * anything: replaying a journal gives the same state whatever the rules have become since.
 */

import type { LotRescheduled } from '../../lot/events.ts';
import { evolveCommon, floorAfter } from '../../lot/evolve-common.ts';
import { UNSCHEDULED } from '../../lot/state.ts';
import type { ChoiceEvent } from './choice-events.ts';
import type { EnglishBidPlaced, EnglishEvent } from './english-events.ts';
import type { EnglishState, OwnChoice, OwnGroup } from './english-state.ts';
import { withHeld, withoutHeld } from './held-hammer.ts';

/** The state before the first event: what `lot_scheduled` is folded into. */
export const NO_LOT: EnglishState = {
  format: 'timed',
  ...UNSCHEDULED,
  leader: null,
  group: null,
  choice: null,
  held: null,
};

export function evolve(state: EnglishState, event: EnglishEvent): EnglishState {
  if (event.type === 'bid_placed') return bidPlaced(state, event);
  if (event.type === 'lot_rescheduled') return rescheduled(state, event);
  if (event.type === 'lot_scheduled' && event.closeGroup !== undefined)
    return { ...evolveCommon(state, event), group: { name: event.closeGroup, version: 0 } };
  if (event.type === 'lot_scheduled' && event.choiceGroup !== undefined)
    return { ...evolveCommon(state, event), choice: choiceIn(event.choiceGroup) };
  if (event.type === 'choice_opened' || event.type === 'choice_made') return chosen(state, event);
  if (event.type === 'hammer_fell') return withHeld(state, event);
  if (event.type === 'lot_reopened') return evolveCommon(withoutHeld(withoutPending(state)), event);
  if (event.type === 'lot_closed') return { ...evolveCommon(state, event), held: null };
  if (event.type !== 'bid_voided') return evolveCommon(state, event);
  const { sequence, currentCents, leader, bidCount, leadsOnline } = event;
  const choice = state.choice && { ...state.choice, online: leadsOnline ?? state.choice.online };
  return { ...state, sequence, currentCents, leader, bidCount, choice };
}

function choiceIn(name: string): OwnChoice {
  return { name, online: false, pending: null, since: 0, sales: [] };
}

/** The lot as it was before the hammer fell on its group. */
function withoutPending(state: EnglishState): EnglishState {
  return state.choice === null ? state : { ...state, choice: { ...state.choice, pending: null } };
}

/** Rule 25: what is not sold is offered anew, as if nobody had bid. */
function chosen(state: EnglishState, event: ChoiceEvent): EnglishState {
  const { choice, leader, currentCents, bidCount } = state;
  if (choice === null) return { ...state, sequence: event.sequence };
  const floorSequences = floorAfter(state, event);
  const common = { ...state, sequence: event.sequence, floorSequences, frozen: true };
  const { hammerCents, winner, channel, saleFacts, flags } = event;
  const sale = { hammerCents, winner, channel, saleFacts, flags };
  if (event.type === 'choice_opened') {
    const { row, openedAtUs, untilUs, lots, liftUntilUs } = event;
    const held = {
      ...(lots === undefined ? null : { lots }),
      ...(liftUntilUs === undefined ? null : { liftUntilUs }),
    };
    return { ...common, choice: { ...choice, pending: { ...sale, row, openedAtUs, untilUs, ...held } } };
  }
  const { lots, causedBy } = event;
  const isOwn = lots.some(({ lotId }) => lotId === state.lotId);
  return {
    ...common,
    ...(isOwn ? { leader, currentCents, bidCount } : { leader: null, currentCents: 0, bidCount: 0 }),
    choice: {
      ...choice,
      pending: null,
      since: isOwn ? choice.since : event.sequence,
      sales: [...choice.sales, { ...sale, lots, causedBy }],
    },
  };
}

/** Rule 20: an outage or a void that moves the end moves that of the group. */
function rescheduled(state: EnglishState, event: LotRescheduled): EnglishState {
  const next = followed(evolveCommon(state, event), event);
  const { closeGroup, group, reason } = event;
  if (closeGroup !== undefined)
    return { ...next, group: closeGroup === null ? null : { name: closeGroup, version: 0 } };
  if (group !== undefined && state.group !== null) {
    const { version, extensionCount } = group;
    return { ...next, extensionCount, group: { ...state.group, version } };
  }
  const moves = reason === 'outage' || reason === 'void';
  return moves && state.group !== null ? { ...next, group: movedBy(state.group) } : next;
}

/** What the lot takes over of the group that it is offered with. */
function followed(state: EnglishState, { choiceGroup, choiceUntilUs }: LotRescheduled): EnglishState {
  if (choiceGroup !== undefined)
    return { ...state, choice: choiceGroup === null ? null : choiceIn(choiceGroup) };
  const pending = state.choice?.pending;
  if (choiceUntilUs === undefined || state.choice === null || pending == null) return state;
  return { ...state, choice: { ...state.choice, pending: { ...pending, untilUs: choiceUntilUs } } };
}

function movedBy(group: OwnGroup | null): OwnGroup | null {
  return group && { ...group, version: group.version + 1 };
}

/**
 * The state once the events that led to it are in an entry. Every commit comes through here, so the fields are written
 * out as in `bidPlaced`, for the same reason; the compiler reports where one is missing.
 */
export function withEntry(
  state: EnglishState,
  entry: Pick<EnglishState, 'hash' | 'recordedAtUs'>,
): EnglishState {
  return {
    format: state.format,
    lotId: state.lotId,
    auctionId: state.auctionId,
    lotNumber: state.lotNumber,
    sequence: state.sequence,
    hash: entry.hash,
    recordedAtUs: entry.recordedAtUs,
    status: state.status,
    startsAtUs: state.startsAtUs,
    endsAtUs: state.endsAtUs,
    originalEndsAtUs: state.originalEndsAtUs,
    extensionCount: state.extensionCount,
    extendedByOutage: state.extendedByOutage,
    pausesApplied: state.pausesApplied,
    paused: state.paused,
    startingBidCents: state.startingBidCents,
    reserveCents: state.reserveCents,
    buyNowCents: state.buyNowCents,
    consignorUserId: state.consignorUserId,
    currentCents: state.currentCents,
    bidCount: state.bidCount,
    leader: state.leader,
    frozen: state.frozen,
    reserveLowered: state.reserveLowered,
    hammerCents: state.hammerCents,
    winner: state.winner,
    floorSequences: state.floorSequences,
    saleFacts: state.saleFacts,
    conditionsVersion: state.conditionsVersion,
    decimals: state.decimals,
    units: state.units,
    group: state.group,
    choice: state.choice,
    held: state.held,
  };
}

/** Written out in full, as nearly every event is a bid: a spread of so many fields costs ten times as much. */
function bidPlaced(state: EnglishState, event: EnglishBidPlaced): EnglishState {
  const { extendedToUs } = event;
  const won = event.outcome === 'won';
  return {
    format: state.format,
    lotId: state.lotId,
    auctionId: state.auctionId,
    lotNumber: state.lotNumber,
    sequence: event.sequence,
    hash: state.hash,
    recordedAtUs: state.recordedAtUs,
    status: won ? 'sold' : state.status,
    startsAtUs: state.startsAtUs,
    endsAtUs: extendedToUs ?? state.endsAtUs,
    originalEndsAtUs: state.originalEndsAtUs,
    extensionCount: extendedToUs === null ? state.extensionCount : state.extensionCount + 1,
    extendedByOutage: state.extendedByOutage && extendedToUs === null,
    pausesApplied: state.pausesApplied,
    paused: state.paused,
    startingBidCents: state.startingBidCents,
    reserveCents: state.reserveCents,
    buyNowCents: state.buyNowCents,
    consignorUserId: state.consignorUserId,
    currentCents: event.currentCents,
    bidCount: event.bidCount,
    leader: event.leader,
    frozen: true,
    reserveLowered: state.reserveLowered,
    hammerCents: won ? event.hammerCents : state.hammerCents,
    winner: won ? winnerOf(event) : state.winner,
    floorSequences: floorAfter(state, event),
    saleFacts: state.saleFacts,
    conditionsVersion: state.conditionsVersion,
    decimals: state.decimals,
    units: state.units,
    group: extendedToUs === null ? state.group : movedBy(state.group),
    choice: state.choice === null ? null : ledBy(state.choice, event),
    held: state.held,
  };
}

function ledBy(choice: OwnChoice, { leader, bidId, channel }: EnglishBidPlaced): OwnChoice {
  return leader.bidId === bidId ? { ...choice, online: channel === 'online' } : choice;
}

function winnerOf({ bidder }: EnglishBidPlaced): EnglishState['winner'] {
  const { key, userId, alias, paddle } = bidder;
  return { key, userId, alias, paddle };
}
