/**
 * Why a bid came out as it did, for its bidder, the seller's team and admins at any time, and for everybody who sees
 * the lot once it is over. Nobody is shown a ceiling that is not open, the seller least of all.
 */
import type { Journal } from '../../../engine/actor/journal.ts';
import type { BidderKey } from '../../../engine/auction/record.ts';
import { decodeEvents } from '../../../engine/lot/event-codec.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { openingsOf } from '../fairness/openings.ts';
import { findBid, findKeptBid, type LotOfBid } from '../journal/find-bid.ts';
import { type EntrySources, readEntriesAfter } from '../journal/lot-entries.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import { type RepeatedDecision, repeatDecision } from './repeated-decision.ts';
import { type ExplainedStep, sentenceOf, voided } from './sentences.ts';

export interface ExplanationParts extends EntrySources {
  readonly journal: Pick<Journal, 'loadRecord'>;
}

/** The caller; `staff` is the operator at the command line, who is shown what an admin is. */
export type Reader = {
  readonly userId: number;
  readonly isAdmin: boolean;
  readonly teamIds: readonly number[];
  readonly lockedTeamIds: readonly number[];
} | null;

export interface Explanation {
  readonly bid_id: string;
  readonly lot_id: number;
  readonly sequence: number;
  readonly steps: readonly ExplainedStep[];
}

/** Throws 404 for a bid that is not there or not for this reader, 403 while only others may read it. */
export async function explainBid(
  parts: ExplanationParts,
  bidId: string,
  reader: Reader | 'operator',
): Promise<Explanation> {
  // A bid of a moment ago is searched in the logs too, but not for everybody who makes up an id.
  const lotIds = reader === null ? await findKeptBid(parts.knex, bidId) : await findBid(parts, bidId);
  if (lotIds === null) throw noBid();
  const record =
    (await parts.journal.loadRecord(lotIds.auctionId).catch(() => null)) ??
    (await readAuctionRow(parts.knex, lotIds.auctionId));
  const entries = await readEntriesAfter(parts, lotIds, 0);
  const decision = record === null ? null : repeatDecision(entries, bidId, record);
  if (decision === null || record === null) throw noBid();
  const events = entries.flatMap(({ privateText }) => decodeEvents(privateText));
  const role = roleOf(decision, record.ownerTeamId, reader);
  const isOver = openingsOf(events, null).closed;
  if (role === 'other') await requireOver(parts, lotIds, reader, isOver);
  const opened = openedBids(events);
  const { bid, before } = decision;
  const readerId = reader === 'operator' ? null : (reader?.userId ?? null);
  const knows = (key: BidderKey, userId: number | null, ceilingCents: number) =>
    (userId !== null && userId === readerId) || opened.has(`${key}|${ceilingCents}`);
  const sight = {
    currency: record.currency,
    ownCeiling: knows(bid.bidder.key, bid.bidder.userId, bid.ceilingCents),
    rivalCeiling:
      before.leader !== null && knows(before.leader.key, before.leader.userId, before.leader.ceilingCents),
    reserve: isOver || role === 'seller',
  };
  const steps = decision.steps.map((step) => sentenceOf(step, sight));
  const taken = events.find((event) => event.type === 'bid_voided' && event.bidId === bidId);
  if (taken?.type === 'bid_voided') steps.push(voided(taken.reason, taken.sequence));
  return { bid_id: bidId, lot_id: lotIds.lotId, sequence: bid.sequence, steps };
}

type Role = 'bidder' | 'seller' | 'other';

/** Admins are shown what the seller is. */
function roleOf({ bid }: RepeatedDecision, ownerTeamId: number | null, reader: Reader | 'operator'): Role {
  if (reader === 'operator') return 'seller';
  if (reader === null) return 'other';
  if (bid.bidder.userId === reader.userId) return 'bidder';
  const isMember =
    ownerTeamId !== null &&
    reader.teamIds.includes(ownerTeamId) &&
    !reader.lockedTeamIds.includes(ownerTeamId);
  return isMember || reader.isAdmin ? 'seller' : 'other';
}

/** Others may read it once the lot is over, where they see the lot at all. */
async function requireOver(
  { knex }: ExplanationParts,
  { lotId }: LotOfBid,
  reader: Reader | 'operator',
  isOver: boolean,
): Promise<void> {
  const viewer = reader === 'operator' ? null : reader;
  if ((await findVisibleLot(knex, lotId, viewer)) === null) throw noBid();
  if (!isOver) throw new Refusal('lot_still_open');
}

/** Ceilings that are open, each with whose it was. */
function openedBids(events: readonly LotEvent[]): ReadonlySet<string> {
  const sequences = new Set(openingsOf(events, null).openings.map(({ sequence }) => sequence));
  return new Set(
    events.flatMap((event) =>
      event.type === 'bid_placed' && sequences.has(event.sequence)
        ? [`${event.bidder.key}|${event.ceilingCents}`]
        : [],
    ),
  );
}

function noBid(): Refusal {
  return notFound('There is no such bid.');
}
