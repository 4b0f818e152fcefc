/**
 * Why a bid came out as it did, for its bidder, the seller's team and admins at any time, and for everybody who sees
 * the lot once it is over. Nobody is shown a ceiling that is not open, the seller least of all.
 */
import type { Journal } from '../../../engine/actor/journal.ts';
import type { AuctionRecord, BidderKey } from '../../../engine/auction/record.ts';
import { decodeEvents, formatOfEntry } from '../../../engine/formats/formats.ts';
import type { SealedEntry } from '../../../engine/lot/entry.ts';
import type { LotEvent } from '../../../engine/lot/events.ts';
import type { ExplainedBid, KnownCeiling, PastEntry } from '../../../engine/lot/format.ts';
import { parseCents } from '../../../engine/money.ts';
import { BID_POLICY } from '../../shared/policy/bid-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import { notFound, type Refusal } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import { decimalsIn, openingsOf } from '../fairness/openings.ts';
import { findBid, findKeptBid, type LotOfBid } from '../journal/find-bid.ts';
import { type EntrySources, readEntriesAfter } from '../journal/lot-entries.ts';
import { readAuctionRow } from '../records/auction-rows.ts';
import type { ExplainedStep } from './sentence-parts.ts';
import { sentenceOf, voided } from './sentences.ts';

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
  /** Of bids on several lots together; absent elsewhere. */
  readonly leads?: boolean;
  readonly beaten_by?: readonly string[];
  readonly price_to_lead?: string | null;
  readonly steps: readonly ExplainedStep[];
  /** The entry of the lot's journal that holds the bid, and the one before it. */
  readonly receipt: { readonly hash: string; readonly previous_hash: string };
  /** Whether the reader placed it. */
  readonly is_mine: boolean;
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
  const history = entries.map(({ recordedAtUs, privateText }) => {
    return { recordedAtUs, events: decodeEvents(privateText) };
  });
  const decision = record === null ? null : explainedBy(entries, history, bidId, record);
  if (decision === null || record === null) throw noBid();
  const events = history.flatMap((entry) => entry.events);
  const who = whoOf(decision, record.ownerTeamId, reader);
  const isOver = openingsOf(events, null).closed;
  if (who === 'visitor' || who === 'user') await requireSeen(parts, lotIds, reader);
  requireAllowed(BID_POLICY, 'explain', isOver ? 'over' : 'leading', who);
  const opened = openedBids(events);
  const { own, rival } = decision;
  const readerId = reader === 'operator' ? null : (reader?.userId ?? null);
  const knows = ({ key, userId, ceilingCents }: KnownCeiling) =>
    (userId !== null && userId === readerId) || opened.has(`${key}|${ceilingCents}`);
  const sight = {
    currency: record.currency,
    ownCeiling: knows(own),
    rivalCeiling: rival !== null && knows(rival),
    reserve: isOver || who === 'member' || who === 'staff',
  };
  const steps = decision.steps.map((step) => sentenceOf(step, sight));
  const taken = events.find((event) => event.type === 'bid_voided' && event.bidId === bidId);
  if (taken?.type === 'bid_voided') steps.push(voided(taken.reason, taken.sequence));
  const { sequence } = decision;
  const entry = entries.find((one) => one.sequence >= sequence);
  if (entry === undefined) throw noBid();
  const receipt = { hash: entry.hash, previous_hash: entry.previousHash };
  const { fields } = decision;
  return {
    bid_id: bidId,
    lot_id: lotIds.lotId,
    sequence,
    ...fields,
    steps,
    receipt,
    is_mine: who === 'own',
  };
}

/** What somebody is to a bid. Admins are shown what the seller is, and so is the operator. */
function whoOf({ own }: ExplainedBid, ownerTeamId: number | null, reader: Reader | 'operator') {
  if (reader === 'operator') return 'staff';
  if (reader === null) return 'visitor';
  if (own.userId === reader.userId) return 'own';
  const isMember =
    ownerTeamId !== null &&
    reader.teamIds.includes(ownerTeamId) &&
    !reader.lockedTeamIds.includes(ownerTeamId);
  if (isMember) return 'member';
  return reader.isAdmin ? 'staff' : 'user';
}

/** Others read it only where they see the lot at all. */
async function requireSeen(
  { knex }: ExplanationParts,
  { lotId }: LotOfBid,
  reader: Reader | 'operator',
): Promise<void> {
  const viewer = reader === 'operator' ? null : reader;
  if ((await findVisibleLot(knex, lotId, viewer)) === null) throw noBid();
}

/** Ceilings that are open, each with whose it was. */
function openedBids(events: readonly LotEvent[]): ReadonlySet<string> {
  const bidders = new Map<number, BidderKey>();
  const decimals = decimalsIn(events);
  for (const event of events) if (event.type === 'bid_placed') bidders.set(event.sequence, event.bidder.key);
  const opened = new Set<string>();
  for (const { sequence, amount } of openingsOf(events, null).openings) {
    const key = bidders.get(sequence);
    if (key !== undefined) opened.add(`${key}|${parseCents(amount, decimals)}`);
  }
  return opened;
}

function explainedBy(
  [first]: readonly SealedEntry[],
  history: readonly PastEntry<LotEvent>[],
  bidId: string,
  record: AuctionRecord,
): ExplainedBid | null {
  return first === undefined ? null : formatOfEntry(first.privateText).explain(history, bidId, record);
}

function noBid(): Refusal {
  return notFound('There is no such bid.');
}
