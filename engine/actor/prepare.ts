/**
 * Deciding a whole mailbox as one batch: every command in order on the state that the one before left, then one sealed
 * entry over all that happened. Pure but for the hash; the actor does the waiting and the answering.
 */
import type { LotGroup } from '../auction/close-groups.ts';
import { type AuctionRecord, lastOutageUs } from '../auction/record.ts';
import type { Digest } from '../digest.ts';
import { present } from '../first-of.ts';
import { formatOf } from '../formats/formats.ts';
import { sealEntry } from '../formats/sealing.ts';
import type { Answer, Refused } from '../lot/answers.ts';
import type { Decision } from '../lot/decision.ts';
import type { EntryTrace, SealedEntry } from '../lot/entry.ts';
import type { LotEvent } from '../lot/events.ts';
import type { Format } from '../lot/format.ts';
import { NO_SEALS, type Seals } from '../lot/seals.ts';
import type { LotState } from '../lot/state.ts';
import { errorOf } from '../thrown.ts';
import type { AuctionCache } from './auction-cache.ts';
import type { CommandTrace } from './command-trace.ts';
import { encodeRecord, isReplayable, sealedRecord } from './idempotency-record.ts';
import type { Batch, IdempotencyRecord, NoteCheck } from './journal.ts';
import { exposureBefore, type MutableLimit, noteLimit } from './limit-checks.ts';
import type { PendingCommand } from './pending-command.ts';
import { bidderKeyOf } from './pending-command.ts';

/** A command that was decided; `followers` came in the same batch under the same key and get the same answer. */
export interface Decided {
  readonly pending: PendingCommand;
  readonly answer: Answer;
  readonly followers: PendingCommand[];
}

export interface Prepared {
  readonly decided: readonly Decided[];
  /** Bidders to look up, and to register, before these commands can be decided. */
  readonly unknown: readonly PendingCommand[];
  readonly unregistered: readonly PendingCommand[];
  /** Bidders whose sealed bids on other lots are to be added up first. */
  readonly unmeasured: readonly PendingCommand[];
  readonly needHistory: readonly PendingCommand[];
  readonly broken: readonly { readonly pending: PendingCommand; readonly bug: Error }[];
  readonly batch: Batch | null;
  /** The state that it was decided on, and the one that it leads to. */
  readonly start: LotState;
  readonly next: LotState;
  /** What the closing index has for the lot after the batch; undefined: not known. */
  readonly indexedDueUs: number | null | undefined;
}

/** What is known of the batches that this one rests on. */
export interface Before {
  readonly digest: Digest;
  /** The hash of the lot's last entry where that is still in flight, else null. */
  readonly expectedPreviousHash: string | null;
  /** What they leave in the closing index; undefined: not known. */
  readonly indexedDueUs: number | null | undefined;
  /** The group that the lot closes or is offered with and its note; absent: it is alone. */
  readonly company?: Company;
  /** Absent: no bid can be sealed. */
  readonly seals?: Seals;
}

/** A group of lots, and what the journal has of it. */
export interface Company {
  readonly group: LotGroup;
  readonly note: string;
}

interface Preparation {
  readonly format: Format;
  readonly seals: Seals;
  readonly digest: Digest;
  readonly auction: AuctionCache;
  readonly record: AuctionRecord;
  readonly nowUs: number;
  /** The state that the batch begins on, and the one that it has led to so far. */
  readonly start: LotState;
  state: LotState;
  readonly events: LotEvent[];
  readonly decided: Decided[];
  /** By their idempotency keys; null where there is only one command, as nearly always on a quiet lot. */
  readonly byField: Map<string, Decided> | null;
  readonly limits: MutableLimit[];
  readonly limitOf: Map<string, MutableLimit> | null;
  readonly unknown: PendingCommand[];
  readonly unregistered: PendingCommand[];
  readonly unmeasured: PendingCommand[];
  readonly needHistory: PendingCommand[];
  readonly broken: { pending: PendingCommand; bug: Error }[];
  traces: EntryTrace[] | null;
}

/** Decides `commands` on `state` at `nowUs`. The auction's cache must hold its record. */
export function prepareBatch(
  state: LotState,
  commands: readonly PendingCommand[],
  auction: AuctionCache,
  nowUs: number,
  before: Before,
): Prepared {
  const many = commands.length > 1;
  const format = formatOf(state);
  const preparation: Preparation = {
    format,
    auction,
    record: judgedBy(format, present(auction.record), before.company),
    nowUs,
    start: state,
    state,
    events: [],
    decided: [],
    byField: many ? new Map() : null,
    limits: [],
    limitOf: many ? new Map() : null,
    unknown: [],
    unregistered: [],
    unmeasured: [],
    seals: before.seals ?? NO_SEALS,
    digest: before.digest,
    needHistory: [],
    broken: [],
    traces: null,
  };
  for (const pending of commands) {
    const first = pending.key === null ? undefined : preparation.byField?.get(pending.key.field);
    if (first !== undefined) first.followers.push(pending);
    else decideOne(preparation, pending);
  }
  return finish(preparation, before);
}

/** The record as a lot is judged by that closes with others. */
export function judgedBy(
  { grouped }: Format,
  record: AuctionRecord,
  company: Company | undefined,
): AuctionRecord {
  if (company === undefined || grouped === undefined) return record;
  return grouped.judgedBy(record, company.group, company.note);
}

/** What the batch assumed of the note of the lot's group, and makes of it. */
export function noteCheck(
  { grouped }: Format,
  { group, note }: Company,
  lot: { readonly next: LotState; readonly events: readonly LotEvent[] },
  record: AuctionRecord,
  nowUs: number,
): NoteCheck {
  const { lotId } = lot.next;
  const next = grouped?.noteAfter(lot.next, lot.events, record, nowUs) ?? null;
  const others = next === null ? [] : (next.wakes ?? group.lotIds.filter((id) => id !== lotId));
  return {
    group: group.name,
    expected: note,
    next: next?.text ?? null,
    lotIds: others,
    wakes: next?.wakes !== undefined,
  };
}

function decideOne(preparation: Preparation, pending: PendingCommand): void {
  const { format, seals, digest, auction, record, nowUs, start } = preparation;
  const key = bidderKeyOf(pending.command);
  const bidder = key === null ? null : auction.bidder(key);
  if (bidder === undefined) {
    preparation.unknown.push(pending);
    return;
  }
  pending.trace?.deciding();
  const assumedCents = key === null ? 0 : auction.exposureCents(key);
  const exposureCents = key === null ? 0 : exposureBefore(preparation, start, key, auction, record);
  if (exposureCents === undefined) {
    preparation.unmeasured.push(pending);
    return;
  }
  try {
    const decision = format.decide(preparation.state, pending.command, {
      record,
      bidder,
      exposureCents,
      nowUs,
      ...(format.sealed === undefined ? null : { seals, digest }),
    });
    if ('need' in decision) {
      pending.trace?.waiting();
      (decision.need === 'history' ? preparation.needHistory : preparation.unregistered).push(pending);
      return;
    }
    if (key !== null && decision.limitUse !== null) {
      noteLimit(preparation, key, { assumedCents, exposureCents }, decision.limitUse);
    }
    keep(preparation, pending, decision);
  } catch (bug) {
    preparation.broken.push({ pending, bug: errorOf(bug) });
  }
}

/** The commands after it are decided on what it leads to. */
function keep(preparation: Preparation, pending: PendingCommand, { events, next, answer }: Decision): void {
  const { format, record, nowUs } = preparation;
  const isLater = events.length > 0 && isOfItsMoment(format, record);
  preparation.state = isLater ? { ...next, recordedAtUs: nowUs } : next;
  for (const event of events) preparation.events.push(event);
  if (pending.trace !== null) noteTrace(preparation, pending.trace, events);
  const decided: Decided = { pending, answer, followers: [] };
  preparation.decided.push(decided);
  if (pending.key !== null && isReplayable(answer)) preparation.byField?.set(pending.key.field, decided);
}

/** Whether what follows in a batch must see when it was: an outage moves a lot once, a clock stands at a moment. */
const isOfItsMoment = ({ movesByClock }: Format, { outages }: AuctionRecord) =>
  outages !== undefined || movesByClock === true;

/** A bid that stays without events has nothing that an entry could keep. */
function noteTrace(preparation: Preparation, trace: CommandTrace, [first]: readonly LotEvent[]): void {
  trace.decided();
  if (first === undefined || trace.context === null) return;
  preparation.traces ??= [];
  preparation.traces.push([first.sequence, trace.context]);
}

function finish(preparation: Preparation, { expectedPreviousHash, indexedDueUs, company }: Before): Prepared {
  const { format, decided, unknown, unregistered, unmeasured, needHistory, broken, events, state, traces } =
    preparation;
  const { start, record, nowUs, digest } = preparation;
  const sealed =
    decided.length === 0 || events.length === 0 ? null : sealEntry(start, events, state, nowUs, digest);
  const entry = sealed === null || traces === null ? sealed : { ...sealed, traces };
  const next = entry === null ? start : format.withEntry(state, entry);
  if (entry !== null) for (const { answer } of decided) giveReceipt(answer, entry);
  const dueUs = format.dueUs(next, record);
  // Nothing is committed where nothing was decided: no answer waits for it.
  const batch: Batch | null =
    decided.length === 0
      ? null
      : {
          lotId: start.lotId,
          auctionId: start.auctionId,
          expectedSequence: start.sequence,
          expectedPreviousHash,
          recordVersion: record.version,
          lastOutageUs: lastOutageUs(record),
          stampUs: nowUs,
          validUntilUs: format.validUntilUs(start, record, nowUs),
          entry,
          next,
          dueUs: dueUs === indexedDueUs ? 'unchanged' : dueUs,
          keys: keysOf(decided, (text) => sealedRecord(text, next, preparation.seals)),
          limits: preparation.limits,
          exposure: format.exposureChanges(start, next),
          ...(company === undefined
            ? null
            : { note: noteCheck(format, company, { next, events }, record, nowUs) }),
        };
  return {
    decided,
    unknown,
    unregistered,
    unmeasured,
    needHistory,
    broken,
    start,
    batch,
    next,
    indexedDueUs: entry === null ? indexedDueUs : dueUs,
  };
}

/** Whether another lot has to answer. */
export function isElsewhere(answer: Answer): answer is Refused {
  return answer.kind === 'refused' && answer.code === 'offered_elsewhere';
}

/** Whether whoever sent it must not learn that there is such a lot. */
function isUnseen(answer: Answer): boolean {
  return answer.kind === 'refused' && answer.code === 'not_visible';
}

/** Filled in place: the answers are of this batch alone, and nobody has seen them yet. */
function giveReceipt(answer: Answer, { hash, previousHash }: SealedEntry): void {
  if (answer.kind !== 'bid') return;
  const receipt: { -readonly [Field in 'hash' | 'previousHash']: string } = answer;
  receipt.hash = hash;
  receipt.previousHash = previousHash;
}

function keysOf(decided: readonly Decided[], sealed: (record: string) => string | null): IdempotencyRecord[] {
  const keys: IdempotencyRecord[] = [];
  for (const { pending, answer } of decided) {
    // Of a command that another lot decides nothing is kept here, not even that it has come; and what was answered
    // before is not given again to somebody who may not see the lot any more.
    if (pending.key === null || isElsewhere(answer) || isUnseen(answer)) continue;
    const record = encodeRecord(pending.key, answer);
    keys.push({ field: pending.key.field, value: record === null ? null : sealed(record) });
  }
  return keys;
}
