/** What is answered of lots that are not in the journal: they refuse, and give their answers of before again. */
import { DEFAULT_INCREMENTS } from '../auction/increments.ts';
import { type AuctionRecord, lastOutageUs } from '../auction/record.ts';
import { deferred } from '../deferred.ts';
import { present } from '../first-of.ts';
import { refusalOf } from '../formats/formats.ts';
import type { RefusalCode, Refused } from '../lot/answers.ts';
import type { Command } from '../lot/commands.ts';
import { isVisible, lotRefusal } from '../lot/eligibility.ts';
import { saleRefusal } from '../lot/floor-sales.ts';
import { NO_SEALS, type Seals } from '../lot/seals.ts';
import { isClosed, isOpen, type LotState } from '../lot/state.ts';
import type { AuctionCache, EngineParts } from './auction-cache.ts';
import { encodeRecord, openedRecord, replayAnswer, sealedRecord } from './idempotency-record.ts';
import type { Batch, CommitResult, Journal } from './journal.ts';
import type { CommandResult, IdempotencyKey } from './pending-command.ts';

/** A lot without an actor: the last state of one that has left the journal, or null for one that is not there. */
export type Absent = LotState | null;

/** Null: the lot is back in the journal, and is to be asked there. Throws the journal's faults. */
export async function answerAbsent(
  { journal, seals = NO_SEALS }: Pick<EngineParts, 'journal' | 'seals'>,
  auctionOf: (auctionId: number) => AuctionCache,
  state: Absent,
  command: Command,
  key: IdempotencyKey | null,
): Promise<CommandResult | null> {
  if (state === null) return { kind: 'no_lot' };
  if (state.sequence === 0 && (await journal.loadRecord(state.auctionId)) === null)
    return answerNeverOpened(state);
  const auction = auctionOf(state.auctionId);
  for (;;) {
    const record = auction.record ?? (await auction.load());
    if (await isHidden(state, command, auction, record)) return { kind: 'no_lot' };
    const answer = refusalOf(codeOf(state, command, record), state, record);
    if (key === null) return { kind: 'answer', answer, replayed: false };
    const result = await answerUnderKey({ journal, seals }, state, record, key, answer);
    if (result !== 'again') return result;
    auction.invalidate();
  }
}

interface Keeping {
  readonly journal: Journal;
  readonly seals: Seals;
}

/** `again`: the record is another one by now, or the clock. */
async function answerUnderKey(
  parts: Keeping,
  state: LotState,
  record: AuctionRecord,
  key: IdempotencyKey,
  answer: Refused,
): Promise<CommandResult | null | 'again'> {
  const first = (kept: string) => replayAnswer(key, openedRecord(kept, state, parts.seals));
  const known = await parts.journal.findRecord(state.auctionId, key.field);
  if (known !== null) return first(known);
  const result = await keep(parts, state, record, key, answer);
  switch (result.kind) {
    case 'committed':
      return { kind: 'answer', answer, replayed: false };
    case 'conflict':
      return null;
    case 'failed':
      throw result.fault;
    case 'replayed':
      // Somebody else was faster.
      return first(present(result.records.get(key.field)));
    default:
      return 'again';
  }
}

function codeOf(state: LotState, command: Command, record: AuctionRecord): RefusalCode {
  const told = command.type === 'record_sale' && isClosed(state) ? saleRefusal(state, command, record) : null;
  const inTime = isOpen(state) ? null : lotRefusal(state, record, state.recordedAtUs);
  return told ?? inTime ?? 'lot_closed';
}

/** Keeps a refusal under its key, as a lot's actor does: without an entry. */
function keep(
  { journal, seals }: Keeping,
  state: LotState,
  record: AuctionRecord,
  key: IdempotencyKey,
  answer: Refused,
): Promise<CommitResult> {
  const text = encodeRecord(key, answer);
  const value = text === null ? null : sealedRecord(text, state, seals);
  const { lotId, auctionId } = state;
  const { promise, resolve } = deferred<CommitResult>();
  journal.enqueue({
    auctionId,
    pipelined: false,
    prepare: (nowUs): Batch => ({
      ...{ lotId, auctionId, expectedSequence: 0, expectedPreviousHash: null },
      ...{ recordVersion: record.version, lastOutageUs: lastOutageUs(record) },
      ...{ stampUs: Math.max(nowUs, lastOutageUs(record)), validUntilUs: null },
      ...{ entry: null, next: state, dueUs: 'unchanged', keys: [{ field: key.field, value }] },
      ...{ limits: [], exposure: [] },
    }),
    settle: (_batch, result) => resolve(result),
  });
  return promise;
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
