/**
 * Staff suspend somebody who may lead on open lots: what becomes of these bids is decided with the suspension. Left
 * ones stand, and win at the close; voided ones are gone as if they had never been placed.
 */

import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { userKey } from '../../../engine/auction/record.ts';
import type { User } from '../../accounts/models/user.model.ts';
import { requireUser, suspendUser } from '../../accounts/people/accounts.ts';
import { InputError } from '../../shared/input-error.ts';
import { listMyBids } from '../bids/my-bids.ts';
import type { LotIds, NewestParts } from '../bids/newest.ts';
import { readHistory } from '../journal/archived-history.ts';
import { type VoidParts, voidBid } from './void-bid.ts';

export type SuspendParts = NewestParts & VoidParts;

export const LEADING_BIDS = ['leave', 'void'] as const;

export interface SuspendOrder {
  readonly email: string;
  /** Null: not chosen, which is refused where the person leads somewhere. */
  readonly leadingBids: (typeof LEADING_BIDS)[number] | null;
  readonly reason: string | null;
  /** Tells every process, so that no further bid of theirs is taken. */
  readonly announce: (userId: number) => Promise<void>;
}

export interface SuspendedBidder {
  readonly user: User;
  /** The open lots on which they led. */
  readonly lots: readonly number[];
}

const AT_ONCE = 500;
const ROUNDS = 20;
const MAX_REASON = 1_000;

/**
 * Suspends the person, then voids what they lead with if that was chosen. Throws `InputError` for an unknown address, a
 * reason that is too long, and a choice that is missing though they lead; and the journal's faults. Safe to repeat.
 */
export async function suspendBidder(parts: SuspendParts, order: SuspendOrder): Promise<SuspendedBidder> {
  const { leadingBids, announce } = order;
  const reason = order.reason?.trim() || null;
  if ((reason?.length ?? 0) > MAX_REASON)
    throw new InputError(`reason: must have at most ${MAX_REASON} characters`);
  const { id, email } = await requireUser(parts.knex, order.email);
  const led = await leadsOf(parts, id);
  if (leadingBids === null && led.length > 0) {
    const named = led.map(({ lotId }) => lotId).join(', ');
    throw new InputError(`leading_bids: this person leads on open lots (${named}): choose "leave" or "void"`);
  }
  const leads = leadingBids === null ? null : leadingBids === 'void' ? 'voided' : 'left';
  const user = await suspendUser(parts.knex, email, { reason, leads });
  await announce(id);
  if (leadingBids === 'void') {
    await voidLeads(parts, id);
    await voidSealed(parts, id);
  }
  return { user, lots: led.map(({ lotId }) => lotId) };
}

/** The open lots on which somebody leads, by the journal. Throws where it is unavailable. */
async function leadsOf(parts: NewestParts, userId: number): Promise<LotIds[]> {
  const lots = new Map<number, LotIds>();
  for (let page = 1; ; page += 1) {
    const found = await listMyBids(parts, userId, { status: 'leading', page, perPage: AT_ONCE });
    if (found.stale) throw new JournalUnavailable('the newest bids cannot be read');
    for (const { state } of found.rows) {
      lots.set(state.lotId, { lotId: state.lotId, auctionId: state.auctionId });
    }
    if (page * AT_ONCE >= found.total) return [...lots.values()];
  }
}

/** A bid that was on its way when the account was suspended is found in the next round. */
async function voidLeads(parts: SuspendParts, userId: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const lots = await leadsOf(parts, userId);
    if (lots.length === 0) return;
    for (const lotIds of lots) await voidAllOf(parts, userId, lotIds);
  }
}

/** Sealed bids go unseen: nobody is told that there were any. */
async function voidSealed(parts: SuspendParts, userId: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const query = { status: 'sealed', page: 1, perPage: AT_ONCE } as const;
    const { rows } = await listMyBids(parts, userId, query);
    if (rows.length === 0) return;
    for (const { bid } of rows)
      await voidBid(parts, bid.bid_id, 'The bidder may no longer bid.').catch((error: unknown) => {
        if (!(error instanceof InputError)) throw error;
      });
  }
}

/** All of somebody's bids on a lot, the oldest first: so the lead goes once, with the last of them. */
async function voidAllOf(parts: SuspendParts, userId: number, lotIds: LotIds): Promise<void> {
  const history = await readHistory(parts, lotIds);
  const gone = new Set(history.events.flatMap((event) => (event.type === 'bid_voided' ? [event.bidId] : [])));
  for (const item of history.events) {
    if (item.type !== 'bid_placed' || item.bidder.key !== userKey(userId) || gone.has(item.bidId)) continue;
    try {
      await voidBid(parts, item.bidId, 'The bidder may no longer bid.', { onLotId: lotIds.lotId });
    } catch (error) {
      // Another command of staff was quicker, or the lot has closed meanwhile.
      if (!(error instanceof InputError)) throw error;
      return;
    }
  }
}
