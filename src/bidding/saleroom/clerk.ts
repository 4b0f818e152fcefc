/**
 * What the clerk of a saleroom does to the lot on the block: floor bids by paddle, the hammer, voiding the last floor
 * bid, and fair warning. Each is handled like an event of a simulcast platform, in order of arrival among the online
 * bids; callers check first who may be the clerk.
 */

import type { Journal } from '../../../engine/actor/journal.ts';
import type { CommandResult } from '../../../engine/actor/pending-command.ts';
import { calledCents, formatOf, memberIds } from '../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { usFromIso } from '../../../engine/time.ts';
import { readOffer } from '../../shared/group-offers.ts';
import { InputError } from '../../shared/input-error.ts';
import { newBidId, newSalt } from '../../shared/node-crypto.ts';
import { invalid, invalidTransition, Refusal } from '../../shared/refusal.ts';
import type { BidView } from '../bids/bid-views.ts';
import type { Announcements } from '../live/announcements.ts';
import { newRow } from '../simulcast/floor-commands.ts';
import { type FloorParts, takeEvents } from '../simulcast/floor-events.ts';
import type { FoundLot } from '../simulcast/lot-finder.ts';
import type { FloorAnswer } from '../simulcast/simulcast.schema.ts';
import { type VoidParts, voidBid } from '../staff/void-bid.ts';
import { moveBlock, noteHammer, noteWarning } from './block.ts';
import { HOUSE_FLOOR } from './paddles.ts';

export interface ClerkParts extends VoidParts {
  readonly journal: Journal;
  readonly floor: Omit<FloorParts, 'admission'>;
  readonly announcements: Pick<Announcements, 'fairWarning' | 'blockMoved'>;
}

export interface FloorCall {
  readonly lot: FoundLot;
  readonly paddle: string;
  readonly amountCents: number;
  /** The lots that it is for together, of parcels; absent: the lot alone. */
  readonly lotIds?: readonly number[];
  /** Of parcels: it is to stand also where it does not lead. */
  readonly standing?: boolean;
  /** The call's own id: sent twice, it counts once. */
  readonly callId: string;
}

/**
 * A bid from the floor, of a paddle that the auction knows. Says nothing but that it was taken: what answered it is the
 * new price, which everybody sees. Throws
 * what the rules refuse, with a sentence for the clerk.
 */
export async function callBid(
  parts: ClerkParts,
  { lot, paddle, amountCents, lotIds, standing, callId }: FloorCall,
): Promise<void> {
  const { floor } = parts;
  if ((await parts.engine.findPaddle(lot.auctionId, paddle)) === null) throw refusalOf('paddle_unknown');
  const event = {
    event_id: callId,
    sequence: parts.journal.nowUs(),
    lot_id: lot.lotId,
    amount: formatCents(amountCents, lot.decimals),
    channel: 'floor' as const,
    bidder: { paddle },
    ...(lotIds === undefined ? null : { lot_ids: [...lotIds] }),
    ...(standing === true ? { standing } : null),
  };
  const admission = { refusal: () => null };
  const [answer] = await takeEvents({ ...floor, admission }, HOUSE_FLOOR, [event]);
  if (answer?.status === 'applied' || answer?.status === 'outbid' || answer?.status === 'duplicate') return;
  throw callRefusal(answer);
}

/** Of a set a call is refused as a bid is, with what would lead. */
function callRefusal(answer: FloorAnswer | null | undefined): Refusal {
  const code = answer?.code ?? answer?.status ?? 'lot_closed';
  const { price_to_lead: price, errors } = answer ?? {};
  if (code === 'validation_failed') return invalid(errors ?? {});
  if (code === 'combinations_not_open') return new Refusal(code, { message: SENTENCES[code] });
  if (price === undefined || (code !== 'bid_not_leading' && code !== 'bid_too_low')) return refusalOf(code);
  const low = `The bid is too low for this set: ${price} would lead.`;
  const message = code === 'bid_too_low' ? low : `The bid would not lead: that takes ${price}.`;
  return new Refusal(code, { message, data: { price_to_lead: price } });
}

/** How long `Sold` and `Pass` may be taken back; invoices and mails wait for the end of it. */
const HELD_US = 5_000_000;

export interface HammerFall {
  readonly lot: FoundLot;
  readonly result: 'sold' | 'passed';
  /** The price that the clerk saw: a bid that came in since is shown first. */
  readonly seenCents: number;
  /** The numbers of the lots that the buyer takes, of a group that is offered together; none: nothing is said. */
  readonly choice?: readonly number[];
  /** Sent twice, it falls once; null: whoever asks does not ask again. */
  readonly callId: string | null;
}

/** Sells the lot to the leader, at the current bid, or passes it. Throws what the rules refuse. */
export async function fallHammer(parts: ClerkParts, fall: HammerFall): Promise<void> {
  const { lot, result, seenCents, callId, choice = [] } = fall;
  const state = await parts.journal.load(lot.auctionId, lot.lotId);
  if (state === null || !isOpen(state)) throw refusalOf('lot_closed');
  const priceCents = calledCents(state);
  if (priceCents !== seenCents) {
    const message = `A bid has come in: the lot is now at ${formatCents(priceCents, state.decimals)}.`;
    throw invalidTransition(message);
  }
  const { leader, hasBids } = leadOf(state, priceCents);
  if (result === 'sold' && !hasBids) throw refusalOf('lot_without_bids');
  const isSold = result === 'sold';
  const answered = await parts.engine.submit(
    lot.lotId,
    {
      type: 'record_sale',
      bidId: newBidId(),
      salt: newSalt(),
      result: isSold ? 'sold' : hasBids ? 'passed' : 'unsold',
      hammerCents: isSold ? priceCents : null,
      winner: isSold ? leader : null,
      currency: null,
      floor: { platform: HOUSE_FLOOR, sequence: parts.journal.nowUs() },
      auctionRuns: false,
      heldUs: HELD_US,
      ...(choice.length === 0 || !isSold ? null : { choice, rows: choice.map(newRow) }),
    },
    callId === null ? null : { field: `@${HOUSE_FLOOR}|${callId}`, fingerprint: '' },
  );
  const refusal = refusalIn(answered);
  if (refusal !== null && refusal !== 'floor_duplicate') throw refusalOf(refusal);
  await noteHammer(parts.knex, lot.auctionId, lot.lotId);
}

/** Whom the hammer would fall to. Of several lots that are sold as one each set that leads has its own buyer. */
function leadOf(state: LotState, priceCents: number) {
  if (memberIds(state).length > 1) return { leader: null, hasBids: priceCents > 0 };
  const [leader] = formatOf(state).leadersOf(state);
  if (leader === undefined) return { leader: null, hasBids: false };
  const { key, userId, paddle } = leader;
  return { leader: { key, userId, paddle }, hasBids: true };
}

function refusalIn(result: CommandResult) {
  return result.kind === 'answer' && result.answer.kind === 'refused' ? result.answer.code : null;
}

/** Takes `Sold` or `Pass` back (rule 24), and puts the lot on the block again. Throws what the rules refuse. */
export async function liftHammer(parts: ClerkParts, { auctionId, lotId }: FoundLot): Promise<void> {
  const answered = await parts.engine.submit(lotId, { type: 'lift_hammer' }, null);
  const refusal = refusalIn(answered);
  if (refusal !== null) throw refusalOf(refusal);
  await moveBlock(parts.knex, auctionId, null, lotId);
  await parts.announcements.blockMoved(auctionId, lotId);
}

/**
 * Takes the last call back (rule 18); `placedAt` is when it was taken, in ISO 8601. Throws 422 for a reason that is
 * missing, and 409 where the rules do not let the clerk do it.
 */
export async function undoCall(
  parts: ClerkParts,
  { id: bidId, placed_at: placedAt }: Pick<BidView, 'id' | 'placed_at'>,
  reason: string,
): Promise<void> {
  try {
    await voidBid(parts, bidId, reason, { undoOfCallAtUs: usFromIso(placedAt) ?? 0 });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const sentence = error.message.replace(/^\w+: /, '');
    if (error.message.startsWith('reason:')) throw invalid({ reason: [`The reason ${sentence}.`] });
    throw new Refusal('already_voided', {
      message: `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
    });
  }
}

/**
 * Puts the next open lot, or a named one, on the block, and says so to everybody who follows the auction. Throws where
 * no other lot is open.
 */
export async function putOnBlock(
  parts: ClerkParts,
  { auctionId, lotId }: Pick<FoundLot, 'auctionId' | 'lotId'>,
  toLotId: number | null,
): Promise<void> {
  const moved = await moveBlock(parts.knex, auctionId, lotId, toLotId);
  if (moved === null) throw invalidTransition('No other lot is open.');
  await parts.announcements.blockMoved(auctionId, moved);
}

/** Says to everybody who follows the lot that the hammer is about to fall at this price. */
export async function giveFairWarning(parts: ClerkParts, state: LotState): Promise<void> {
  if (!isOpen(state)) throw refusalOf('lot_closed');
  const { auctionId, lotId, sequence } = state;
  await noteWarning(parts.knex, auctionId, lotId, sequence);
  const warning = { sequence, current_bid: formatCents(calledCents(state), state.decimals) };
  await Promise.all(memberIds(state).map((id) => parts.announcements.fairWarning(id, warning)));
}

/** The lot that is decided on where this one is on the block: of a group, the one that carries its bidding. */
export async function decidedOnBlock(parts: ClerkParts, lot: FoundLot): Promise<FoundLot> {
  const offer = await readOffer(parts.journal, lot);
  return offer === null ? lot : { ...lot, lotId: offer.carrierId };
}

const SENTENCES: Readonly<Record<string, string>> = {
  bid_too_low: 'The bid is too low: the price has moved on.',
  combinations_not_open: 'Several tracts together are not taken yet.',
  lot_without_bids: 'Nobody has bid yet.',
  hammer_not_total: 'A bid has come in: look at what leads now.',
  lot_closed: 'The lot is closed.',
  lot_not_started: 'The lot has not started yet.',
  lot_withdrawn: 'The lot has been withdrawn.',
  auction_paused: 'The auction is paused.',
  seller_cannot_bid: 'This paddle belongs to the seller’s side.',
  bidder_suspended: 'The bidder with this paddle is suspended.',
  paddle_unknown: 'Nobody has this paddle: hand it out first, with a name.',
  registration_required: 'The bidder with this paddle is not registered.',
  registration_pending: 'The bidder with this paddle is waiting for approval.',
  deposit_required: 'The bidder with this paddle has not paid the deposit.',
  verification_required: 'The bidder with this paddle is not verified.',
  bid_limit_exceeded: 'The bid exceeds the bidder’s limit.',
  invalid_transition: 'There is nothing to take back: the lot takes bids.',
  undo_too_late: 'It is too late to take the hammer back: the result is final.',
  lot_already_sold: 'The lot has already been sold.',
  choice_pending: 'The hammer has fallen, and the winner is choosing.',
  choice_unknown: 'Choose among the lots that are offered together.',
  stale: 'Another clerk was quicker. Check the lot again.',
  floor_stale: 'Another clerk was quicker. Check the lot again.',
};

function refusalOf(code: string): Refusal {
  const message = SENTENCES[code] ?? `The action was refused: ${code.replaceAll('_', ' ')}.`;
  return new Refusal('invalid_transition', { message, data: { reason: code, allowed: [] } });
}
