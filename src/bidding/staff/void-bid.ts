/**
 * Staff void a bid on an open lot: its standing becomes what its other bids would have made. Computes the history that
 * the lot's actor needs and updates it while new bids arrive.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { RefusalCode } from '../../../engine/lot/answers.ts';
import type { BidHistory } from '../../../engine/lot/bid-history.ts';
import { decodeEvents } from '../../../engine/lot/event-codec.ts';
import { InputError } from '../../shared/input-error.ts';
import { historicItem, readHistory } from '../journal/archived-history.ts';
import { findBid, type LotOfBid } from '../journal/find-bid.ts';
import { hasGap } from '../journal/journal-gaps.ts';
import { type EntrySources, readEntriesAfter } from '../journal/lot-entries.ts';

export interface VoidParts extends EntrySources {
  readonly knex: Knex;
  readonly engine: Engine;
}

export interface VoidedBid {
  readonly bidId: string;
  readonly lotId: number;
  /** The void's position in the lot's journal. */
  readonly sequence: number;
}

const MAX_REASON = 1_000;
const TRIES = 2_000;

const SENTENCES: Partial<Record<RefusalCode, string>> = {
  lot_closed: 'lot_closed: the lot is closed; bids are voided on open lots only',
  already_voided: 'already_voided: the bid is already voided',
  bid_unknown: 'bid: there is no such bid',
};

/**
 * Voids a bid; with `onLotId`, one on that lot only. Throws `InputError` for an unknown bid, one that is voided
 * already, a lot that is not open or lacks entries, and a reason that is missing or longer than 1000 characters; and
 * the journal's faults.
 */
export async function voidBid(
  parts: VoidParts,
  bidId: string,
  reason: string,
  onLotId?: number,
): Promise<VoidedBid> {
  const why = reason.trim();
  if (why.length < 1 || why.length > MAX_REASON || why.includes('\0'))
    throw new InputError(`reason: must have 1 to ${MAX_REASON} characters`);
  const lotIds = await findBid(parts, bidId);
  if (lotIds === null) throw new InputError(`bid: there is no bid ${bidId}`);
  if (onLotId !== undefined && lotIds.lotId !== onLotId)
    throw new InputError('bid: it is a bid on a different lot');
  if (await hasGap(parts.knex, lotIds.lotId))
    throw new InputError(
      'bid: entries of this lot’s journal are missing: the result without the bid cannot be worked out',
    );
  let history = await readHistory(parts, lotIds);
  for (let tries = 0; tries < TRIES; tries++) {
    const result = await parts.engine.submit(lotIds.lotId, { type: 'void_bid', bidId, reason: why, history });
    if (result.kind === 'needs_history') {
      history = await brought(parts, lotIds, history);
      continue;
    }
    if (result.kind !== 'answer') throw new InputError(`bid: lot ${lotIds.lotId} no longer exists`);
    const { answer } = result;
    if (answer.kind === 'done') return { bidId, lotId: lotIds.lotId, sequence: answer.sequence };
    if (answer.kind === 'bid') throw new Error('a void got the answer of a bid');
    throw new InputError(SENTENCES[answer.code] ?? `${answer.code}: the bid cannot be voided`);
  }
  throw new InputError('bid: new bids on the lot keep interfering; try again');
}

/** The history with what has come since. */
async function brought(parts: VoidParts, lotIds: LotOfBid, history: BidHistory): Promise<BidHistory> {
  const items = [...history.items];
  let { sequence } = history;
  for (const entry of await readEntriesAfter(parts, lotIds, history.sequence)) {
    for (const event of decodeEvents(entry.privateText)) {
      if (event.sequence <= history.sequence) continue;
      const item = historicItem(event);
      if (item !== null) items.push(item);
    }
    sequence = entry.sequence;
  }
  return { sequence, items };
}
