/**
 * Staff void a bid on an open lot: its standing becomes what its other bids would have made. Computes the history that
 * the lot's actor needs and updates it while new bids arrive.
 */
import type { Knex } from 'knex';
import type { Engine } from '../../../engine/actor/engine.ts';
import { decodeEvents } from '../../../engine/formats/formats.ts';
import type { RefusalCode } from '../../../engine/lot/answers.ts';
import type { BidHistory } from '../../../engine/lot/bid-history.ts';
import { InputError } from '../../shared/input-error.ts';
import { readHistory } from '../journal/archived-history.ts';
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
  not_last_call: 'not_last_call: this is no longer the last call from the floor',
  undo_too_late: 'undo_too_late: a call is taken back within ten seconds; ask staff to void it',
  undo_limit: 'undo_limit: three calls on this lot were taken back; ask staff to void this one',
  undo_staff_only: 'undo_staff_only: this call has beaten an online bidder; only staff can void it',
};

export interface VoidOptions {
  /** Only a bid on this lot. */
  readonly onLotId?: number;
  /** The clerk takes back a call that was taken at this moment: rule 18 instead of rule 15. */
  readonly undoOfCallAtUs?: number;
}

/**
 * Voids a bid. Throws `InputError` for an unknown bid, one that is voided
 * already, a lot that is not open or lacks entries, and a reason that is missing or longer than 1000 characters; and
 * the journal's faults.
 */
export async function voidBid(
  parts: VoidParts,
  bidId: string,
  reason: string,
  { onLotId, undoOfCallAtUs }: VoidOptions = {},
): Promise<VoidedBid> {
  const why = reason.trim();
  if (why.length < 1 || why.length > MAX_REASON || why.includes('\0'))
    throw new InputError(`reason: must have 1 to ${MAX_REASON} characters`);
  const lotIds = await findVoidable(parts, bidId, onLotId);
  let history = await readHistory(parts, lotIds);
  for (let tries = 0; tries < TRIES; tries++) {
    const named = { bidId, reason: why, history };
    const result = await parts.engine.submit(
      lotIds.lotId,
      undoOfCallAtUs === undefined
        ? { type: 'void_bid', ...named }
        : { type: 'undo_call', ...named, placedAtUs: undoOfCallAtUs },
    );
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

async function findVoidable(parts: VoidParts, bidId: string, onLotId?: number): Promise<LotOfBid> {
  const lotIds = await findBid(parts, bidId);
  if (lotIds === null) throw new InputError(`bid: there is no bid ${bidId}`);
  if (onLotId !== undefined && lotIds.lotId !== onLotId)
    throw new InputError('bid: it is a bid on a different lot');
  if (await hasGap(parts.knex, lotIds.lotId))
    throw new InputError(
      'bid: entries of this lot’s journal are missing: the result without the bid cannot be worked out',
    );
  return lotIds;
}

/** The history with what has come since. */
async function brought(parts: VoidParts, lotIds: LotOfBid, history: BidHistory): Promise<BidHistory> {
  const events = [...history.events];
  let { sequence } = history;
  for (const entry of await readEntriesAfter(parts, lotIds, history.sequence)) {
    for (const event of decodeEvents(entry.privateText))
      if (event.sequence > history.sequence) events.push(event);
    sequence = entry.sequence;
  }
  return { sequence, events };
}
