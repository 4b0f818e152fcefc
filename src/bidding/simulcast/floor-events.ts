/**
 * Takes simulcast events to the lots' actors: bids and sales in the order in which they came, each decided once. The
 * event's id is its key and its sequence is checked by the lot itself, so both are in the same commit as what they
 * caused.
 */

import { shardOwner } from '../../../adapters/redis/event-claims.ts';
import type { AuctionCache } from '../../../engine/actor/auction-cache.ts';
import type { Engine } from '../../../engine/actor/engine.ts';
import type { CommandResult } from '../../../engine/actor/pending-command.ts';
import { itemAt } from '../../../engine/first-of.ts';
import type { Refused } from '../../../engine/lot/answers.ts';
import type { BidderIdentity } from '../../../engine/lot/commands.ts';
import { findLot, isReady, type LotMatch, type MatchParts, type Ready } from './floor-commands.ts';
import type { FoundLot } from './lot-finder.ts';
import type { FloorAnswer, FloorBid, FloorSale } from './simulcast.schema.ts';

/** Whose an event's id is: the owner that it is claimed for, or the one that came with it before. */
export interface EventOwners {
  claim(id: string, owner: string): Promise<string>;
}

export interface FloorParts extends MatchParts {
  readonly claims: EventOwners;
  /** Whether the journal's commits claim the ids of their events themselves. */
  readonly commitsClaim: () => boolean;
  /** The shard of an auction's lots. */
  readonly shardOf: (auctionId: number) => number | Promise<number>;
  readonly engine: Engine;
  /** The last sequence applied for a platform on a lot; null: none. */
  readonly lastSequence: (lot: FoundLot, platform: string) => Promise<number | null>;
}

/** Decides events of one platform in their order. `answers[i]` is null where the event's lot is unknown. */
export async function takeEvents(
  parts: FloorParts,
  platform: string,
  events: readonly (FloorBid | FloorSale)[],
): Promise<readonly (FloorAnswer | null)[]> {
  const matches = together(events.map((event) => findLot(parts, platform, event)));
  return takeMatched(parts, platform, events, matches instanceof Promise ? await matches : matches);
}

/** The same for a body of one event: where all that it needs is at hand, nothing is waited for but its commit. */
export async function takeEvent(
  parts: FloorParts,
  platform: string,
  event: FloorBid | FloorSale,
): Promise<FloorAnswer | null> {
  const match = findLot(parts, platform, event);
  if (!(match instanceof Promise) && isReady(match) && isAtHand(parts, match))
    return decideEvent(parts, platform, event, match, true);
  const [answer] = await takeMatched(parts, platform, [event], [await match]);
  return answer ?? null;
}

function isAtHand({ engine, commitsClaim }: FloorParts, { lot, bidder }: Ready): boolean {
  return (
    commitsClaim() &&
    engine.isResident(lot.lotId) &&
    (bidder === null || isKnown(engine.auctionCache(lot.auctionId), bidder))
  );
}

async function takeMatched(
  parts: FloorParts,
  platform: string,
  events: readonly (FloorBid | FloorSale)[],
  found: readonly LotMatch[],
): Promise<readonly (FloorAnswer | null)[]> {
  const strangers = ensureBidders(parts.engine, found);
  if (strangers !== null) await strangers;
  const unread = readRecords(parts.engine, found);
  if (unread !== null) await unread;
  // A lot knows the ids of its own shard only; an id that has come for another lot is a duplicate here.
  const isFirst = isClaimedByCommits(parts, found) ? null : await claimAll(parts, platform, events, found);
  let grouped: Promise<unknown> | null = null;
  const answers = found.map((ready, index): FloorAnswer | null | Promise<FloorAnswer | null> => {
    const event = itemAt(events, index);
    if (ready === null) return null;
    if (!isReady(ready)) return notTaken(event, ready);
    if (isFirst?.[index] === false) return { event_id: event.event_id, status: 'duplicate' };
    const decide = () => decideEvent(parts, platform, event, ready, isFirst === null);
    if (!hasGroups(parts.engine, ready.lot)) return decide();
    // Several lots of a group are one to the floor: which of them decides, each event may change.
    const decided = grouped === null ? decide() : grouped.then(decide, decide);
    grouped = decided;
    return decided;
  });
  return Promise.all(answers);
}

/** Whether lots of the auction are offered together, as far as its record is at hand. */
function hasGroups(engine: Engine, { auctionId }: FoundLot): boolean {
  return engine.auctionCache(auctionId).record?.choiceGroups !== undefined;
}

function notTaken({ event_id }: FloorBid | FloorSale, why: Exclude<LotMatch, Ready | null>): FloorAnswer {
  if (typeof why === 'string') return { event_id, status: 'rejected', code: why };
  return { event_id, status: 'rejected', code: 'validation_failed', errors: why.errors };
}

/** Whether the commits of these events' lots claim their ids. */
function isClaimedByCommits({ engine, commitsClaim }: FloorParts, found: readonly LotMatch[]): boolean {
  return commitsClaim() && found.every((ready) => !isReady(ready) || engine.isResident(ready.lot.lotId));
}

function claimAll(
  parts: FloorParts,
  platform: string,
  events: readonly (FloorBid | FloorSale)[],
  found: readonly LotMatch[],
): Promise<readonly (boolean | null)[]> {
  return Promise.all(
    found.map((ready, index) =>
      isReady(ready) ? isOfLot(parts, eventField(platform, itemAt(events, index)), ready.lot) : null,
    ),
  );
}

async function decideEvent(
  parts: FloorParts,
  platform: string,
  event: FloorBid | FloorSale,
  { lot, command }: Ready,
  claimedByCommit: boolean,
): Promise<FloorAnswer | null> {
  const { engine } = parts;
  const id = eventField(platform, event);
  const result = await engine.submit(lot.lotId, command, { field: `@${id}`, fingerprint: '', brief: true });
  // It has left the journal meanwhile, so that no commit has claimed the id.
  const mayHaveLeft = claimedByCommit && !engine.isResident(lot.lotId) && !hasGroups(engine, lot);
  if (mayHaveLeft && !(await isOfLot(parts, id, lot)))
    return { event_id: event.event_id, status: 'duplicate' };
  const answer = answerOf(event.event_id, result);
  return answer?.status === 'stale' ? withLast(parts, platform, lot, answer) : answer;
}

/** A platform that counts from too low learns where to continue. */
async function withLast(
  parts: FloorParts,
  platform: string,
  lot: FoundLot,
  answer: FloorAnswer,
): Promise<FloorAnswer> {
  const last = await parts.lastSequence(lot, platform);
  return last === null ? answer : { ...answer, last_sequence: last };
}

/** An event's id over all platforms. */
function eventField(platform: string, { event_id: eventId }: FloorBid | FloorSale): string {
  return `${platform}|${eventId}`;
}

async function isOfLot({ claims, shardOf, engine }: FloorParts, id: string, lot: FoundLot): Promise<boolean> {
  const shard = shardOwner(await shardOf(lot.auctionId));
  // Which lot of a group decides is found out on the way.
  const owner = hasGroups(engine, lot) ? shard : String(lot.hostId ?? lot.lotId);
  const found = await claims.claim(id, owner);
  // Of a rebuilt journal only the shard is known; the rest follows from its own keys.
  return found === owner || found === shard;
}

/** Nearly everything is known already, and is not waited for one by one. */
function together<T>(values: readonly (T | Promise<T>)[]): readonly T[] | Promise<readonly T[]> {
  return isAllKnown(values) ? values : Promise.all(values);
}

function isAllKnown<T>(values: readonly (T | Promise<T>)[]): values is readonly T[] {
  return !values.some((value) => value instanceof Promise);
}

/** Makes bidders known whom this process has not seen in their auction; null where it has seen all. */
function ensureBidders(engine: Engine, found: readonly LotMatch[]): Promise<unknown> | null {
  let strangers: Map<number, Map<string, BidderIdentity>> | null = null;
  for (const ready of found) {
    if (!isReady(ready) || ready.bidder === null) continue;
    const { auctionId } = ready.lot;
    if (isKnown(engine.auctionCache(auctionId), ready.bidder)) continue;
    strangers ??= new Map();
    const bidders = strangers.get(auctionId) ?? new Map<string, BidderIdentity>();
    strangers.set(auctionId, bidders.set(ready.bidder.key, ready.bidder));
  }
  if (strangers === null) return null;
  return Promise.all(
    [...strangers].map(([auctionId, bidders]) => engine.ensureBidders(auctionId, [...bidders.values()])),
  );
}

/** Reads the auctions' records that this process has not read; null where it has all. */
function readRecords(engine: Engine, found: readonly LotMatch[]): Promise<unknown> | null {
  const auctions = found.flatMap((ready) =>
    isReady(ready) ? [engine.auctionCache(ready.lot.auctionId)] : [],
  );
  const unread = new Set(auctions.filter(({ record }) => record === null));
  return unread.size === 0 ? null : Promise.all([...unread].map((auction) => auction.load()));
}

function isKnown(auction: AuctionCache, { key }: BidderIdentity): boolean {
  return auction.record !== null && auction.bidder(key) != null;
}

function answerOf(eventId: string, result: CommandResult): FloorAnswer | null {
  if (result.kind === 'no_lot') return null;
  if (result.kind === 'repeated') return duplicate(eventId, result.sequence);
  if (result.kind !== 'answer') return duplicate(eventId, null);
  const { answer, replayed } = result;
  if (replayed) return duplicate(eventId, 'sequence' in answer ? answer.sequence : null);
  if (answer.kind === 'refused') return refusedAnswer(eventId, answer);
  const { sequence } = answer;
  if (answer.kind === 'done')
    return { event_id: eventId, status: 'applied', sequence, flags: [...answer.flags] };
  return { event_id: eventId, status: answer.outcome === 'outbid' ? 'outbid' : 'applied', sequence };
}

/** The event has come before; `sequence` is what it caused then. */
function duplicate(eventId: string, sequence: number | null): FloorAnswer {
  const answer = { event_id: eventId, status: 'duplicate' } as const;
  return sequence === null ? answer : { ...answer, sequence };
}

function refusedAnswer(eventId: string, { code, fields }: Refused): FloorAnswer {
  if (code === 'floor_duplicate') return { event_id: eventId, status: 'duplicate' };
  if (code === 'floor_stale') return { event_id: eventId, status: 'stale' };
  const errors = errorsOf(code, fields);
  if (errors !== null) return { event_id: eventId, status: 'rejected', code: 'validation_failed', errors };
  const price = fields?.['price_to_lead'];
  const answer = { event_id: eventId, status: 'rejected', code } as const;
  return typeof price === 'string' ? { ...answer, price_to_lead: price } : answer;
}

/** What the lot makes wrong about an event; null: it is refused for what is said elsewhere. */
function errorsOf(code: Refused['code'], fields: Refused['fields']): Record<string, string[]> | null {
  if (code === 'choice_unknown')
    return { choice: ['The choice must be of lots that are offered together with this one.'] };
  if (code === 'hammer_not_total')
    return { hammer_price: [`The sets that lead come to ${String(fields?.['total'])} together.`] };
  if (code !== 'field_unused') return null;
  const field = String(fields?.['field']);
  // The ceiling of an absentee is a proxy.
  if (field === 'max_amount') return { channel: ['The channel of a bid on parcels must be floor or phone.'] };
  if (field === 'lot_ids')
    return { lot_ids: ['The lot_ids must be lots of one sale of parcels, with the lot that is named.'] };
  return { [field]: [`The ${field} field is not used on this lot.`] };
}
