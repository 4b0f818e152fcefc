/**
 * Whether the answers are correct: every acknowledged bid is in the log once, at the stated position and between
 * request and answer; one key never makes two bids and never gets two answers; and every request to a process that
 * survived was answered.
 */
import { canonicalJson } from '../../engine/canonical.ts';
import type { Answer } from '../../engine/lot/answers.ts';
import type { LoggedEntry } from './check-run.ts';
import { type MadeBid, madeBy } from './formats/made-bids.ts';
import type { Attempt, History, Operation } from './history.ts';
import type { World } from './world.ts';

interface Placed extends LoggedEntry {
  readonly bid: MadeBid;
}

/** All that came under one key, or a single request without one. */
type Group = readonly { readonly operation: Operation; readonly attempt: Attempt }[];

export function checkAnswers({ trace, plan }: World, history: History, logged: readonly LoggedEntry[]): void {
  const fail = (what: string) => trace.fail(what);
  // What the clerk sells for another price than was bid has a row that nobody has bid.
  const called = plan.auctions.filter(({ type }) => type === 'simulcast');
  const rooms = new Set(called.map(({ auctionId }) => auctionId));
  const placed = placedBids(fail, logged, rooms);
  const seen = new Set<string>();
  // Of lots that are offered together one has all bids, and another one later.
  const together = plan.auctions.flatMap(({ choiceGroups = [] }) => choiceGroups);
  const hostOf = new Map(
    plan.lots.map(({ lotId, hostId }) => [
      lotId,
      together.find(({ lotIds }) => lotIds.includes(lotId))?.lotIds[0] ?? hostId,
    ]),
  );
  for (const group of groupsOf(history)) {
    for (const { operation, attempt } of group) {
      const { bidId } = attempt.command;
      seen.add(bidId);
      const found = placed.get(bidId);
      if (found !== undefined && hostOf.get(found.entry.lotId) !== hostOf.get(operation.lotId))
        fail(`bid ${bidId} was made on lot ${operation.lotId} and stands on lot ${found.entry.lotId}`);
      checkResult(fail, operation, attempt, placed, firstSubmitted(group));
    }
    const committed = group.filter(({ attempt }) => placed.has(attempt.command.bidId));
    if (committed.length > 1)
      fail(
        `key ${group[0]!.operation.key} made ${committed.length} bids: ` +
          committed.map(({ attempt }) => attempt.command.bidId).join(),
      );
    checkSame(fail, group);
    for (const { operation, attempt } of group)
      if (committed.length > 0 && attempt.result?.kind === 'answer' && isFinal(attempt.result.answer))
        fail(`operation ${operation.id} was refused, and its bid stands: ${JSON.stringify(attempt.result)}`);
  }
  for (const bidId of placed.keys()) if (!seen.has(bidId)) fail(`nobody made bid ${bidId}`);
}

/** Those who asked a process that is still the same must have an answer. */
export function checkSettled({ trace }: World, history: History, lives: ReadonlyMap<string, number>): void {
  const found = unanswered(history, lives);
  if (found !== null) trace.fail(found);
}

/** A bidder whose request to one of these processes, in its current life, has no answer; null if there is none. */
export function unanswered(history: History, lives: ReadonlyMap<string, number>): string | null {
  for (const { id, attempts } of history.operations)
    for (const { machine, life, answered } of attempts)
      if (answered === null && lives.get(machine) === life)
        return `operation ${id} never got an answer from ${machine}`;
  return null;
}

/** The length of the log when the first request under a key was sent. */
export function firstSubmitted(group: Group): number {
  return Math.min(...group.map(({ attempt }) => attempt.submitted.frames));
}

export function groupsOf(history: History): Group[] {
  const groups = new Map<string, { operation: Operation; attempt: Attempt }[]>();
  for (const operation of history.operations) {
    const name = operation.key ?? `#${operation.id}`;
    const group = groups.get(name) ?? [];
    for (const attempt of operation.attempts) group.push({ operation, attempt });
    groups.set(name, group);
  }
  return [...groups.values()];
}

function placedBids(
  fail: (what: string) => void,
  logged: readonly LoggedEntry[],
  rooms: ReadonlySet<number>,
): Map<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const one of logged)
    for (const event of one.events) {
      const bid = madeBy(event);
      if (bid === null || (rooms.has(one.entry.auctionId) && bid.outcome === 'won')) continue;
      if (placed.has(bid.bidId)) fail(`bid ${bid.bidId} stands twice`);
      placed.set(bid.bidId, { ...one, bid });
    }
  return placed;
}

function checkResult(
  fail: (what: string) => void,
  { id }: Operation,
  { command, result, submitted: seen, answered }: Attempt,
  placed: ReadonlyMap<string, Placed>,
  firstFrames: number,
): void {
  if (result === null || result.kind === 'key_reused') return;
  if (result.kind !== 'answer' || result.answer.kind === 'done') {
    fail(`operation ${id} got ${JSON.stringify(result)}`);
    return;
  }
  const { answer, replayed } = result;
  if (answer.kind !== 'bid') return;
  const found = placed.get(answer.bidId);
  if (found === undefined) {
    fail(`operation ${id} was told of bid ${answer.bidId}, which does not stand`);
    return;
  }
  const { bid, entry, frame } = found;
  if (!replayed && answer.bidId !== command.bidId) fail(`operation ${id} was told of somebody else's bid`);
  const described = [
    answer.sequence,
    answer.hash,
    answer.previousHash,
    answer.placedAtUs,
    answer.listedCents,
    answer.outcome,
  ];
  const committed = [
    bid.sequence,
    entry.hash,
    entry.previousHash,
    entry.recordedAtUs,
    // Of a sealed bid only its bidder knows what it is.
    bid.listedCents ??
      (command.type === 'place_bid' && !replayed ? command.straightCents : answer.listedCents),
    bid.outcome,
  ];
  if (described.join() !== committed.join())
    fail(`operation ${id} was told ${described}, but ${committed} stands`);
  const after = replayed ? firstFrames : seen.frames;
  if (frame < after || frame >= answered!.frames)
    fail(`operation ${id} stands at ${frame} of the log, not between ${after} and ${answered!.frames}`);
}

/** All answers that are kept under a key are one answer, and belong to one request. */
function checkSame(fail: (what: string) => void, group: Group): void {
  if (group[0]?.operation.key == null) return;
  let first: { text: string; fingerprint: string } | null = null;
  const fingerprints = new Set(group.map(({ operation }) => operation.fingerprint));
  for (const { operation, attempt } of group) {
    const { result } = attempt;
    if (result === null) continue;
    if (result.kind === 'key_reused' && fingerprints.size < 2)
      fail(`operation ${operation.id} was told that its key is somebody else's`);
    if (result.kind !== 'answer' || !isKept(result.answer)) continue;
    const text = canonicalJson(result.answer);
    first ??= { text, fingerprint: operation.fingerprint };
    if (first.fingerprint !== operation.fingerprint)
      fail(`operation ${operation.id} was answered under a key that was used for another request`);
    else if (first.text !== text)
      fail(`operation ${operation.id} got two answers under one key: ${first.text} and ${text}`);
  }
}

function isFinal(answer: Answer): boolean {
  return answer.kind === 'refused' && isKept(answer);
}

function isKept(answer: Answer): boolean {
  return answer.kind !== 'refused' || answer.code !== 'bid_confirmation_required';
}
