/**
 * What is kept under an idempotency key: the fingerprint of the request and all that the first answer was made of, so
 * that it can be given again word for word. Answers that depend on what somebody may still fix (not visible, not
 * confirmed) are not kept.
 */
import { quoted } from '../canonical.ts';
import { formatOf } from '../formats/formats.ts';
import type { AcceptedBid, Answer, LotAfterBid } from '../lot/answers.ts';
import type { Seals } from '../lot/seals.ts';
import type { LotState } from '../lot/state.ts';
import type { Decimals } from '../money.ts';
import { JournalUnavailable } from './journal.ts';
import type { CommandResult, IdempotencyKey } from './pending-command.ts';

/** Whether an answer is given again to the same request under the same key. */
export function isReplayable(answer: Answer): boolean {
  return (
    answer.kind !== 'refused' ||
    (answer.code !== 'not_visible' &&
      answer.code !== 'bid_confirmation_required' &&
      answer.code !== 'sealing_unavailable' &&
      answer.code !== 'offered_elsewhere')
  );
}

/** The text to keep under a key, or null where this answer is not kept. */
export function encodeRecord(key: IdempotencyKey, answer: Answer): string | null {
  if (!isReplayable(answer)) return null;
  if (key.brief === true) return `${key.fingerprint}\n${serializeBrief(answer)}`;
  const isPlain = answer.kind === 'bid' && answer.fields === undefined;
  return `${key.fingerprint}\n${isPlain ? serializeRow(answer) : JSON.stringify(answer)}`;
}

/** A record as it is kept: of a lot with sealed bids it is sealed too. Null: it cannot be, and is not kept. */
export function sealedRecord(record: string, lot: LotState, seals: Seals): string | null {
  const { sealed } = formatOf(lot);
  return sealed === undefined ? record : seals.seal(sealed.keyOf(lot), record);
}

/** The record of what is kept. Throws `JournalUnavailable` where it is sealed and the key is missing. */
export function openedRecord(kept: string, lot: LotState, seals: Seals): string {
  const { sealed } = formatOf(lot);
  const record = sealed === undefined ? kept : seals.open(sealed.keyOf(lot), kept);
  if (record === null) throw new JournalUnavailable('the key that answers are sealed with is missing');
  return record;
}

/** What a request under a known key gets: the first answer again, or that the key belongs to another request. */
export function replayAnswer(key: IdempotencyKey, record: string): CommandResult {
  const split = record.indexOf('\n');
  if (record.slice(0, split) !== key.fingerprint) return { kind: 'key_reused' };
  const stored: Answer | BidRow = JSON.parse(record.slice(split + 1));
  if (key.brief === true) return { kind: 'repeated', sequence: sequenceOf(stored) };
  return { kind: 'answer', answer: isRow(stored) ? bidOf(stored) : stored, replayed: true };
}

type BidRow = readonly [
  bidId: string,
  lotId: number,
  auctionId: number,
  outcome: AcceptedBid['outcome'],
  listedCents: number,
  ceilingCents: number,
  channel: string,
  sequence: number,
  placedAtUs: number,
  paddle: string,
  hash: string,
  previousHash: string,
  currentCents: number,
  minimumNextCents: number,
  bidCount: number,
  reserveMet: boolean,
  isHighBidder: boolean,
  endsAtUs: number,
  extended: boolean,
  status: LotAfterBid['status'],
  /** Decimal places of the amounts; absent: two. */
  decimals?: Decimals,
];

/** An object: a bid's row is a list. */
function serializeBrief(answer: Answer): string {
  return 'sequence' in answer ? `{"sequence":${answer.sequence}}` : '{}';
}

/** Of a brief record, or of a whole answer that was kept under the same key. */
function sequenceOf(stored: Answer | BidRow): number | null {
  if (isRow(stored)) return bidOf(stored).sequence;
  return 'sequence' in stored ? stored.sequence : null;
}

function isRow(stored: Answer | BidRow): stored is BidRow {
  return Array.isArray(stored);
}

/**
 * A bid's answer without the names of its fields, as nearly every answer is one and each is kept for a day; by hand, as
 * JSON would have to scan texts that cannot hold anything to escape, but for a paddle that others have named.
 */
function serializeRow(answer: AcceptedBid): string {
  const { lot } = answer;
  return (
    `["${answer.bidId}",${answer.lotId},${answer.auctionId},"${answer.outcome}",${answer.listedCents},` +
    `${answer.ceilingCents},"${answer.channel}",${answer.sequence},${answer.placedAtUs},` +
    `${quoted(answer.paddle)},"${answer.hash}","${answer.previousHash}",${lot.currentCents},` +
    `${lot.minimumNextCents},${lot.bidCount},${lot.reserveMet},${lot.isHighBidder},${lot.endsAtUs},` +
    `${lot.extended},"${lot.status}"${answer.decimals === 2 ? ']' : `,${answer.decimals}]`}`
  );
}

function bidOf(row: BidRow): AcceptedBid {
  const [
    bidId,
    lotId,
    auctionId,
    outcome,
    listedCents,
    ceilingCents,
    channel,
    sequence,
    placedAtUs,
    ...rest
  ] = row;
  const [paddle, hash, previousHash, currentCents, minimumNextCents, bidCount, reserveMet, ...last] = rest;
  const [isHighBidder, endsAtUs, extended, status, decimals = 2] = last;
  const lot = {
    currentCents,
    minimumNextCents,
    bidCount,
    reserveMet,
    isHighBidder,
    endsAtUs,
    extended,
    status,
  };
  return {
    kind: 'bid',
    decimals,
    bidId,
    lotId,
    auctionId,
    outcome,
    listedCents,
    ceilingCents,
    channel,
    sequence,
    placedAtUs,
    paddle,
    lot,
    hash,
    previousHash,
  };
}
