/** The naive model's words for what the engine takes and gives. */

import { DEFAULT_INCREMENTS } from '../../engine/auction/increments.ts';
import { type AuctionRecord, DEFAULT_SOFT_CLOSE } from '../../engine/auction/record.ts';
import type { EnglishEvent } from '../../engine/formats/english/english-events.ts';
import type { EnglishState } from '../../engine/formats/english/english-state.ts';
import type { Answer } from '../../engine/lot/answers.ts';
import type { SealedEntry } from '../../engine/lot/entry.ts';
import { isOpen } from '../../engine/lot/state.ts';
import { aRecord } from './engine-terms.ts';
import type { NaiveAnswer, NaiveAuctionTerms, NaiveInput, NaiveLotTerms } from './naive-terms.ts';

export interface EngineLot {
  state: EnglishState;
  readonly events: EnglishEvent[];
  readonly entries: SealedEntry[];
}

/** An auction's record in the naive model's terms, with one group of lots at most. */
export function recordOf(auction: NaiveAuctionTerms, lots: readonly NaiveLotTerms[]): AuctionRecord {
  const [first, second] = lots;
  const stepUs = second === undefined ? 0 : second.endsAtUs - first!.endsAtUs;
  const { mode, requireVerified, bidLimitCents, hasConditions } = auction.registration;
  const grouped = lots.flatMap(({ lotId, group }, at) => (group === undefined ? [] : [{ lotId, group, at }]));
  const lotIds = grouped.map(({ lotId }) => lotId);
  const lastNumber = (grouped.at(-1)?.at ?? 0) + 1;
  const closeGroups = grouped[0] && [{ name: grouped[0].group, lotIds, lastNumber }];
  return aRecord({
    ...(closeGroups === undefined ? {} : { closeGroups }),
    type: auction.type,
    currency: auction.currency.toLowerCase(),
    startsAtUs: first!.startsAtUs,
    endsAtUs: first!.endsAtUs,
    staggerSeconds: stepUs / 1_000_000,
    increments: auction.increments ?? DEFAULT_INCREMENTS,
    softClose: auction.softClose ?? { ...DEFAULT_SOFT_CLOSE, windowSeconds: 0 },
    confirmFactor: auction.confirmFactor,
    ...(hasConditions ? { conditions: { version: 1, sha256: 'ab'.repeat(32) } } : {}),
    registrationMode: mode,
    requireVerified,
    bidLimitCents,
    ownerTeamId: null,
    ownerUserId: auction.ownerUserIds[0] ?? null,
  });
}

type AcceptedAnswer = Extract<NaiveAnswer, { refused: null }>;

/** An answer that takes the input. */
export function accepted(
  outcome: AcceptedAnswer['outcome'],
  parts: Partial<AcceptedAnswer> = {},
): AcceptedAnswer {
  const nothing = { listedCents: null, bidderCeilingCents: null, extended: false, flags: [] };
  return { refused: null, outcome, ...nothing, ...parts };
}

/** What the engine answers, in the words of the naive model. */
export function inNaiveWords(input: NaiveInput, answer: Answer, lot: EngineLot): NaiveAnswer {
  if (answer.kind === 'bid') {
    const { outcome, listedCents, ceilingCents } = answer;
    if (outcome === 'sealed' || outcome === 'standing')
      throw new TypeError(`${outcome} is of another format`);
    return accepted(outcome, {
      listedCents,
      bidderCeilingCents: ceilingCents,
      extended: answer.lot.extended,
    });
  }
  if (answer.kind === 'refused') {
    if (answer.code === 'floor_duplicate') return accepted('duplicate');
    return { refused: answer.code === 'bid_unknown' ? 'not_found' : answer.code };
  }
  switch (input.kind) {
    case 'void':
    case 'undo':
      return accepted('voided');
    case 'reserve':
      return accepted('reserve_changed');
    case 'withdraw':
      return accepted('withdrawn');
    case 'hammer':
      return accepted(input.result, { flags: answer.flags as AcceptedAnswer['flags'] });
    default: {
      const closed = lot.events.at(-1);
      if (answer.changed && closed?.type === 'lot_closed') return accepted(closed.status);
      return { refused: isOpen(lot.state) ? 'not_due' : 'lot_closed' };
    }
  }
}
