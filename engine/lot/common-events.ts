/**
 * What the world may see of the events that every format has: bidders by alias and paddle, secrets as salted
 * commitments, money as decimal strings, moments as ISO 8601, in the canonical form that the hash chain is taken over
 * (RFC 8785).
 */
import { canonicalJson } from '../canonical.ts';
import { type Decimals, formatCents } from '../money.ts';
import { isoFromUs } from '../time.ts';
import type { CommonEvent, LotClosed, LotRescheduled, LotScheduled, TermsChanged } from './events.ts';
import { shownUnits } from './units.ts';

/** Makes the commitment that replaces a secret amount. */
export type Commit = (salt: string, cents: number) => string;

/** The public form of an event that every format has, as canonical JSON, with the decimals of the lot's currency. */
export function commonText(event: CommonEvent, decimals: Decimals, commit: Commit): string {
  return canonicalJson(publicForm(event, decimals, commit));
}

/** The same before it is text, in any order. */
export function publicForm(event: CommonEvent, decimals: Decimals, commit: Commit): Record<string, unknown> {
  switch (event.type) {
    case 'lot_scheduled':
      return publicScheduled(event, decimals, commit);
    case 'lot_opened':
      return { sequence: event.sequence, type: event.type };
    case 'lot_rescheduled':
      return publicRescheduled(event);
    case 'terms_changed':
      return publicTerms(event, decimals, commit);
    case 'lot_closed':
      return publicClose(event, decimals);
    case 'lot_reopened':
    case 'lot_withdrawn':
      return { reason: event.reason, sequence: event.sequence, type: event.type };
    case 'lot_amended':
      return { sequence: event.sequence, sha256: event.sha256, type: event.type };
    case 'lot_conditions_set':
      return { conditions: event.conditions, sequence: event.sequence, type: event.type };
    case 'lot_recovered':
      return { last_kept_sequence: event.lastKeptSequence, sequence: event.sequence, type: event.type };
  }
}

function publicScheduled(event: LotScheduled, decimals: Decimals, commit: Commit): Record<string, unknown> {
  return {
    auction_id: event.auctionId,
    buy_now_price: event.buyNowCents === null ? null : formatCents(event.buyNowCents, decimals),
    ...(event.choiceGroup === undefined ? {} : { choice_group: event.choiceGroup }),
    ...(event.closeGroup === undefined ? {} : { close_group: event.closeGroup }),
    // Absent where there are two, as in every journal of before there were others.
    ...(decimals === 2 ? {} : { currency_decimals: decimals }),
    end_time: isoFromUs(event.endsAtUs),
    ...(event.format === undefined ? {} : { format: event.format }),
    lot_id: event.lotId,
    lot_number: event.lotNumber,
    reserve_commitment: event.reserveCents === null ? null : commit(event.salt, event.reserveCents),
    sequence: event.sequence,
    start_time: isoFromUs(event.startsAtUs),
    starting_bid: formatCents(event.startingBidCents, decimals),
    type: event.type,
    ...(event.units == null ? {} : shownUnits(event.units)),
    ...event.settings,
  };
}

function publicRescheduled(event: LotRescheduled): Record<string, unknown> {
  const { outage, group, closeGroup, choiceGroup, choiceUntilUs } = event;
  return {
    ...(group === undefined ? {} : { caused_by: group.causedBy }),
    ...(choiceGroup === undefined ? {} : { choice_group: choiceGroup }),
    ...(choiceUntilUs === undefined ? {} : { choice_until: isoFromUs(choiceUntilUs) }),
    ...(closeGroup === undefined ? {} : { close_group: closeGroup }),
    end_time: isoFromUs(event.endsAtUs),
    ...(outage === undefined ? {} : { extended_by: 'outage' }),
    ...(group === undefined ? {} : { extension_count: group.extensionCount }),
    original_end_time: isoFromUs(event.originalEndsAtUs),
    ...(outage === undefined
      ? {}
      : { outage: { from: isoFromUs(outage.fromUs), to: isoFromUs(outage.toUs) } }),
    paused: event.paused,
    reason: event.reason,
    sequence: event.sequence,
    start_time: isoFromUs(event.startsAtUs),
    type: event.type,
  };
}

function publicTerms(event: TermsChanged, decimals: Decimals, commit: Commit): Record<string, unknown> {
  return {
    buy_now_price: event.buyNowCents === null ? null : formatCents(event.buyNowCents, decimals),
    current_bid: formatCents(event.currentCents, decimals),
    reserve_commitment: event.reserveCents === null ? null : commit(event.salt, event.reserveCents),
    sequence: event.sequence,
    starting_bid: formatCents(event.startingBidCents, decimals),
    type: event.type,
    ...(event.units === undefined ? {} : shownUnits(event.units)),
  };
}

function publicClose(event: LotClosed, decimals: Decimals): Record<string, unknown> {
  return {
    ...(event.causedBy === undefined ? {} : { caused_by: event.causedBy }),
    flags: event.flags,
    hammer_price: event.hammerCents === null ? null : formatCents(event.hammerCents, decimals),
    reason: event.reason,
    sequence: event.sequence,
    status: event.status,
    type: event.type,
    winner: event.winner && { alias: event.winner.alias, paddle_number: event.winner.paddle },
  };
}
