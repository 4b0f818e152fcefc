/** What is answered of lots that are not in the journal: they refuse, and give their answers of before again. */
import { DEFAULT_INCREMENTS } from '../auction/increments.ts';
import type { AuctionRecord } from '../auction/record.ts';
import { refusalOf } from '../formats/formats.ts';
import type { Command } from '../lot/commands.ts';
import { isVisible, lotRefusal } from '../lot/eligibility.ts';
import { saleRefusal } from '../lot/floor-sales.ts';
import { NO_SEALS } from '../lot/seals.ts';
import { isClosed, isOpen, type LotState } from '../lot/state.ts';
import type { AuctionCache, EngineParts } from './auction-cache.ts';
import { openedRecord, replayAnswer } from './idempotency-record.ts';
import type { CommandResult, IdempotencyKey } from './pending-command.ts';

/** A lot without an actor: the last state of one that has left the journal, or null for one that is not there. */
export type Absent = LotState | null;

/** Throws the journal's faults. */
export async function answerAbsent(
  { journal, seals = NO_SEALS }: Pick<EngineParts, 'journal' | 'seals'>,
  auctionOf: (auctionId: number) => AuctionCache,
  state: Absent,
  command: Command,
  key: IdempotencyKey | null,
): Promise<CommandResult> {
  if (state === null) return { kind: 'no_lot' };
  if (state.sequence === 0) return answerNeverOpened(state);
  const known = key && (await journal.findRecord(state.auctionId, key.field));
  if (key !== null && known !== null) return replayAnswer(key, openedRecord(known, state, seals));
  const auction = auctionOf(state.auctionId);
  const record = auction.record ?? (await auction.load());
  if (await isHidden(state, command, auction, record)) return { kind: 'no_lot' };
  const told = command.type === 'record_sale' && isClosed(state) ? saleRefusal(state, command, record) : null;
  const inTime = isOpen(state) ? null : lotRefusal(state, record, state.recordedAtUs);
  const code = told ?? inTime ?? 'lot_closed';
  return { kind: 'answer', answer: refusalOf(code, state, record), replayed: false };
}

/** Whether whoever sends the command must not learn that there is such a lot. */
async function isHidden(
  state: LotState,
  command: Command,
  auction: AuctionCache,
  record: AuctionRecord,
): Promise<boolean> {
  if (!isOfBidder(command) || record.privacy !== 'private') return false;
  const { key } = command.bidder;
  if (auction.bidder(key) === undefined) await auction.loadBidders([key]);
  return !isVisible(state, record, command.bidder, auction.bidder(key) ?? null);
}

function isOfBidder(command: Command) {
  return command.type === 'place_bid' || command.type === 'buy_now' || command.type === 'choose_lots';
}

/**
 * A lot withdrawn before it came into the journal; its auction may have been cancelled as a draft, and have no record.
 */
function answerNeverOpened(state: LotState): CommandResult {
  const answer = refusalOf('lot_withdrawn', state, { increments: DEFAULT_INCREMENTS });
  return { kind: 'answer', answer, replayed: false };
}
