/**
 * Every price that a lot has stood at, for its list of bids: beside the bids, what a ceiling answered a bid with, what
 * a reserve lifted the price to, and where a void left it. Taken from the journal's public events, so that it tells
 * nothing that the journal does not tell everybody.
 */
import { isObject, objectIn } from '../../../engine/objects.ts';
import { journalIdOf } from '../journal/journal-lots.ts';
import type { BidView } from './bid-views.ts';
import { type LotIds, type NewestParts, readNewest } from './newest.ts';

/** A price that stood without being the amount of a row of the list of bids. */
export interface PriceStep {
  /** Of the event that led to it. */
  readonly sequence: number;
  /** ISO 8601. */
  readonly at: string;
  readonly price: string;
  /** Whose price it is; null: nobody's, or further back than was read. */
  readonly paddle: string | null;
  /** `automatic`: a ceiling's answer; `void`: what a void left. */
  readonly cause: 'automatic' | 'void';
  /** The bid that it followed; null: it followed no bid. */
  readonly bidId: string | null;
}

interface EntryText {
  readonly sequence: number;
  readonly public_text: string;
}

/** An entry holds at least one bid that is listed, so what a page of the list needs is never more. */
const MAX_ENTRIES = 400;

/** The steps since the oldest of these bids (newest first), oldest first. */
export async function readPriceSteps(
  parts: NewestParts,
  lotIds: LotIds,
  bids: readonly Pick<BidView, 'sequence'>[],
): Promise<PriceStep[]> {
  const since = bids.at(-1)?.sequence;
  // Sealed bids have none.
  if (since == null) return [];
  const newest = await readNewest(parts, lotIds);
  const kept = await parts
    .knex<EntryText>('journal_entries')
    .where('lot_id', await journalIdOf(parts.knex, lotIds.lotId))
    .andWhere('sequence', '>=', since)
    .orderBy('sequence', 'desc')
    .limit(MAX_ENTRIES)
    .select('sequence', 'public_text');
  const texts = new Map(kept.reverse().map((entry) => [entry.sequence, entry.public_text]));
  for (const entry of newest.entries)
    if (entry.sequence >= since) texts.set(entry.sequence, entry.publicText);
  return stepsOf([...texts.values()]);
}

/** The steps in these entries of one lot, each as its public text, oldest first. */
export function stepsOf(publicTexts: readonly string[]): PriceStep[] {
  let before: Standing = { price: null, paddle: null };
  const steps: PriceStep[] = [];
  for (const text of publicTexts) {
    const entry = objectIn(JSON.parse(text));
    const events = Array.isArray(entry['events']) ? entry['events'].filter(isObject) : [];
    for (const event of events) {
      const after = standingAfter(before, event);
      const cause = causeOf(event, before, after);
      if (cause !== null && after.price !== null) {
        steps.push({
          sequence: Number(event['sequence']),
          at: String(entry['recorded_at']),
          price: after.price,
          paddle: after.paddle,
          cause,
          bidId: event['type'] === 'bid_placed' ? String(event['bid_id']) : null,
        });
      }
      before = after;
    }
  }
  return steps;
}

interface Standing {
  /** Null: not known. */
  readonly price: string | null;
  readonly paddle: string | null;
}

type PublicEvent = Readonly<Record<string, unknown>>;

function standingAfter(before: Standing, event: PublicEvent): Standing {
  const { current_bid: price, leader, type, outcome, bidder } = event;
  if (typeof price !== 'string') return before;
  if (type === 'bid_voided') return { price, paddle: paddleOf(leader) };
  const leads = type === 'bid_placed' && outcome !== 'outbid';
  return { price, paddle: leads ? paddleOf(bidder) : before.paddle };
}

function paddleOf(bidder: unknown): string | null {
  const { paddle_number: paddle } = objectIn(bidder);
  return typeof paddle === 'string' ? paddle : null;
}

/** Null where the price is the amount of a bid's row, or has not moved. */
function causeOf(event: PublicEvent, before: Standing, after: Standing): PriceStep['cause'] | null {
  const { type, outcome } = event;
  if (after.price === null || Number(after.price) === 0 || after.price === before.price) return null;
  if (type === 'bid_voided') return 'void';
  if (type === 'bid_placed') return outcome === 'outbid' || outcome === 'max_raised' ? 'automatic' : null;
  return before.price !== null && Number(before.price) > 0 ? 'automatic' : null;
}
