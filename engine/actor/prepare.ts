/**
 * Deciding a whole mailbox as one batch: every question in order on the state that the one before left, then one sealed
 * entry over all that happened. Pure but for the hash; the actor does the waiting and the answering.
 */
import { type AuctionRecord, type Bidder, pausedSinceUs } from '../auction/record.ts';
import type { Digest } from '../digest.ts';
import type { Answer } from '../lot/answers.ts';
import { isOver, nextDueUs } from '../lot/closing.ts';
import { caughtUp, decide } from '../lot/decide.ts';
import type { LimitUse } from '../lot/decision.ts';
import { type SealedEntry, sealEntry } from '../lot/entry.ts';
import type { LotEvent } from '../lot/events.ts';
import { withEntry } from '../lot/evolve.ts';
import { isOpen, type LotState } from '../lot/state.ts';
import type { Ask } from './ask.ts';
import { bidderKeyOf } from './ask.ts';
import type { AuctionBook } from './auction-book.ts';
import type { Batch, ExposureChange, KeyedAnswer, LimitCheck } from './journal.ts';
import { isRemembered, remember } from './remembered.ts';

/** An ask that was decided; `followers` came in the same batch under the same key and get the same answer. */
export interface Decided {
  readonly ask: Ask;
  readonly answer: Answer;
  readonly followers: Ask[];
}

export interface Prepared {
  readonly decided: readonly Decided[];
  /** Bidders to look up, and to register, before these asks can be decided. */
  readonly unknown: readonly Ask[];
  readonly unregistered: readonly Ask[];
  readonly needHistory: readonly Ask[];
  readonly broken: readonly { readonly ask: Ask; readonly bug: Error }[];
  readonly batch: Batch | null;
  /** The state that it was decided on, and the one that it leads to. */
  readonly start: LotState;
  readonly next: LotState;
}

type DraftLimit = { -readonly [Field in keyof LimitCheck]: LimitCheck[Field] };

interface Draft {
  state: LotState;
  readonly events: LotEvent[];
  readonly decided: Decided[];
  readonly byField: Map<string, Decided>;
  readonly limits: Map<string, DraftLimit>;
  readonly unknown: Ask[];
  readonly unregistered: Ask[];
  readonly needHistory: Ask[];
  readonly broken: { ask: Ask; bug: Error }[];
}

/**
 * Decides `asks` on `state` at `nowUs`. The book must hold the auction's record. `follows` is the hash of the lot's last entry where
 * that is still on its way, else null.
 */
export function prepareBatch(
  state: LotState,
  asks: readonly Ask[],
  book: AuctionBook,
  record: AuctionRecord,
  nowUs: number,
  digest: Digest,
  follows: string | null = null,
): Prepared {
  const draft: Draft = {
    state,
    events: [],
    decided: [],
    byField: new Map(),
    limits: new Map(),
    unknown: [],
    unregistered: [],
    needHistory: [],
    broken: [],
  };
  for (const ask of asks) {
    const first = ask.key === null ? undefined : draft.byField.get(ask.key.field);
    if (first !== undefined) first.followers.push(ask);
    else decideOne(draft, ask, state, book, record, nowUs);
  }
  return finish(draft, state, record, nowUs, digest, follows);
}

function decideOne(
  draft: Draft,
  ask: Ask,
  start: LotState,
  book: AuctionBook,
  record: AuctionRecord,
  nowUs: number,
): void {
  const key = bidderKeyOf(ask.command);
  const bidder = key === null ? null : book.bidder(key);
  if (bidder === undefined) {
    draft.unknown.push(ask);
    return;
  }
  const assumedCents = key === null ? 0 : book.exposureCents(key);
  const exposureCents = key === null ? 0 : assumedCents - ceilingOn(start, key) + ceilingOn(draft.state, key);
  try {
    const decision = decide(draft.state, ask.command, {
      record,
      bidder: bidder as Bidder | null,
      exposureCents,
      nowUs,
    });
    if ('need' in decision) {
      (decision.need === 'history' ? draft.needHistory : draft.unregistered).push(ask);
      return;
    }
    if (key !== null && decision.limitUse !== null) {
      noteLimit(draft.limits, key, assumedCents, exposureCents - assumedCents, decision.limitUse);
    }
    draft.state = decision.next;
    for (const event of decision.events) draft.events.push(event);
    const decided: Decided = { ask, answer: decision.answer, followers: [] };
    draft.decided.push(decided);
    if (ask.key !== null && isRemembered(decision.answer)) draft.byField.set(ask.key.field, decided);
  } catch (bug) {
    draft.broken.push({ ask, bug: bug as Error });
  }
}

function noteLimit(
  limits: Map<string, DraftLimit>,
  key: string,
  assumedCents: number,
  runningCents: number,
  use: LimitUse,
): void {
  const known = limits.get(key);
  const risesTo = use.refused ? 0 : runningCents + use.increaseCents;
  if (known === undefined) {
    const { limitCents, refused } = use;
    limits.set(key, { key, limitCents, assumedCents, increaseCents: Math.max(0, risesTo), refused });
    return;
  }
  known.limitCents = use.limitCents;
  known.increaseCents = Math.max(known.increaseCents, risesTo);
  known.refused ||= use.refused;
}

function finish(
  draft: Draft,
  start: LotState,
  record: AuctionRecord,
  nowUs: number,
  digest: Digest,
  follows: string | null,
): Prepared {
  const { decided, unknown, unregistered, needHistory, broken } = draft;
  if (decided.length === 0)
    return { decided, unknown, unregistered, needHistory, broken, batch: null, start, next: start };
  const entry = draft.events.length === 0 ? null : sealEntry(start, draft.events, draft.state, nowUs, digest);
  const next = entry === null ? start : withEntry(draft.state, entry);
  if (entry !== null) for (const { answer } of decided) giveReceipt(answer, entry);
  const batch: Batch = {
    lotId: start.lotId,
    auctionId: start.auctionId,
    expectedSequence: start.sequence,
    follows,
    recordVersion: record.version,
    stampUs: nowUs,
    validUntilUs: boundaryUs(start, record, nowUs),
    entry,
    next,
    dueUs: nextDueUs(next, record),
    keys: keysOf(decided),
    limits: [...draft.limits.values()],
    exposure: exposureChanges(start, next),
  };
  return { decided, unknown, unregistered, needHistory, broken, batch, start, next };
}

/** Filled in place: the answers are of this batch alone, and nobody has seen them yet. */
function giveReceipt(answer: Answer, { hash, previousHash }: SealedEntry): void {
  if (answer.kind !== 'bid') return;
  const receipt: { -readonly [Field in 'hash' | 'previousHash']: string } = answer;
  receipt.hash = hash;
  receipt.previousHash = previousHash;
}

function keysOf(decided: readonly Decided[]): KeyedAnswer[] {
  const keys: KeyedAnswer[] = [];
  for (const { ask, answer } of decided) {
    if (ask.key !== null) keys.push({ field: ask.key.field, value: remember(ask.key, answer) });
  }
  return keys;
}

/**
 * The moment from which the same commands would be decided otherwise, judged on the lot as the batch found it, once it has taken
 * over what its auction has changed since.
 */
function boundaryUs(start: LotState, record: AuctionRecord, nowUs: number): number | null {
  const state = caughtUp(start, record, nowUs);
  if (!isOpen(state) || pausedSinceUs(record) !== null) return null;
  if (nowUs < state.startsAtUs) return state.startsAtUs;
  return record.type === 'timed' && !isOver(state, record, nowUs) ? state.endsAtUs : null;
}

function ceilingOn(state: LotState, key: string): number {
  return isOpen(state) && state.leader?.key === key ? state.leader.ceilingCents : 0;
}

function exposureChanges(start: LotState, next: LotState): ExposureChange[] {
  const keys = new Set<string>();
  if (start.leader !== null) keys.add(start.leader.key);
  if (next.leader !== null) keys.add(next.leader.key);
  const changes: ExposureChange[] = [];
  for (const key of keys) {
    const deltaCents = ceilingOn(next, key) - ceilingOn(start, key);
    if (deltaCents !== 0) changes.push({ key, deltaCents });
  }
  return changes;
}
