/** What a simulcast event is to a lot: the lot that it means, whether it counts there, its bidder, and the command. */
import type { BidderIdentity, Command, RowName } from '../../../engine/lot/commands.ts';
import { parseCents } from '../../../engine/money.ts';
import { NO_AMOUNT_OF } from '../../shared/money-text.ts';
import { newBidId, newSalt } from '../../shared/node-crypto.ts';
import type { FieldErrors } from '../../shared/refusal.ts';
import type { Admission, NotAdmitted } from './admission.ts';
import type { CalledAmount, FloorBidders } from './floor-bidders.ts';
import type { FoundLot, LotFinder, LotNaming, LotSought } from './lot-finder.ts';
import type { FloorBid, FloorSale } from './simulcast.schema.ts';

export interface MatchParts {
  readonly lots: LotFinder;
  readonly bidders: FloorBidders;
  /** Whether a sale may still change how a lot that is over has ended: while its auction runs. */
  readonly mayReopen: (lot: FoundLot) => Promise<boolean>;
  /** Where the platform may speak. */
  readonly admission: Pick<Admission, 'refusal'>;
}

/** An event with everything found up, ready to be submitted. */
export interface Ready {
  readonly lot: FoundLot;
  readonly command: Command;
  readonly bidder: BidderIdentity | null;
}

/** A code: the event is not taken; null: no such lot. */
export type LotMatch = Ready | NotAdmitted | 'ambiguous_lot' | WrongEvent | null;

/** What is wrong with an event, or missing, for the lot that it names. */
export interface WrongEvent {
  readonly errors: FieldErrors;
}

export function isReady(found: LotMatch): found is Ready {
  return typeof found === 'object' && found !== null && 'command' in found;
}

/** The id of the lot that an event names, where it names one by that: of several the first. */
export function namedLot(event: FloorBid | FloorSale): number | undefined {
  return event.lot_id ?? ('lot_ids' in event ? event.lot_ids?.[0] : undefined);
}

/** The event with its lot and bidder; at once where both are known. */
export function findLot(
  parts: MatchParts,
  platform: string,
  event: FloorBid | FloorSale,
): LotMatch | Promise<LotMatch> {
  const lot = parts.lots.find(platform, namingOf(event));
  if (lot instanceof Promise) return lot.then((found) => admit(parts, platform, event, found));
  return admit(parts, platform, event, lot);
}

/** How a lot is named by an event of a set, which need not say which of its lots stands for it. */
function namingOf(event: FloorBid | FloorSale): LotNaming {
  if (!('lot_ids' in event) || event.lot_ids === undefined || isNamedAlone(event)) return event;
  const lotId = namedLot(event);
  return lotId === undefined ? event : { lot_id: lotId };
}

function isNamedAlone({ lot_id, lot_number, sku }: LotNaming): boolean {
  return (lot_id ?? lot_number ?? sku) !== undefined;
}

function admit(
  parts: MatchParts,
  platform: string,
  event: FloorBid | FloorSale,
  lot: LotSought,
): LotMatch | Promise<LotMatch> {
  if (lot === null) return null;
  if (lot === 'ambiguous') return 'ambiguous_lot';
  const refusal = parts.admission.refusal(platform, lot.auctionId, 'result' in event);
  if (refusal instanceof Promise)
    return refusal.then((refused) => refused ?? prepareEvent(parts, platform, event, lot));
  return refusal ?? prepareEvent(parts, platform, event, lot);
}

function wrongAmount(event: FloorBid | FloorSale, { decimals }: FoundLot): WrongEvent | null {
  const isSale = 'result' in event;
  const amount = isSale ? (event.hammer_price ?? null) : event.amount;
  if (amount === null || parseCents(amount, decimals) !== null) return null;
  return { errors: { [isSale ? 'hammer_price' : 'amount']: [`The amount ${NO_AMOUNT_OF[decimals]}.`] } };
}

function prepareEvent(
  { bidders, mayReopen }: MatchParts,
  platform: string,
  event: FloorBid | FloorSale,
  lot: FoundLot,
): LotMatch | Promise<LotMatch> {
  const wrong = wrongAmount(event, lot) ?? missingOf(event, lot);
  if (wrong !== null) return wrong;
  if ('result' in event && lot.hostId !== undefined) return saleOf(platform, event, lot, null, false);
  const called = calledAmount(lot, 'result' in event ? event.hammer_price : event.amount);
  const bidder = event.bidder ? bidders.identify(platform, lot.auctionId, event.bidder, called) : null;
  if ('result' in event) {
    const runs = event.result === 'sold' ? mayReopen(lot) : true;
    return Promise.all([bidder, runs]).then(([found, auctionRuns]) =>
      saleOf(platform, event, lot, found, auctionRuns),
    );
  }
  if (bidder instanceof Promise) return bidder.then((found) => bidOf(platform, event, lot, found));
  return bidOf(platform, event, lot, bidder);
}

/** What a sale lacks: of several lots that are sold as one each set has a buyer and a price of its own. */
function missingOf(event: FloorBid | FloorSale, { hostId }: FoundLot): WrongEvent | null {
  if (!('result' in event) || event.result !== 'sold' || hostId !== undefined) return null;
  const { hammer_price: price, bidder } = event;
  const errors = {
    ...(price == null ? { hammer_price: ['A sale must have a hammer_price.'] } : null),
    ...(bidder?.paddle || bidder?.external_id ? null : { bidder: ['A sale must have a bidder.'] }),
  };
  return Object.keys(errors).length === 0 ? null : { errors };
}

/** What a set is called for says nothing of what somebody has bid on other lots. */
function calledAmount(
  { lotId, hostId, decimals }: FoundLot,
  amount: FloorSale['hammer_price'],
): CalledAmount | null {
  if (hostId !== undefined) return null;
  const cents = parseCents(amount, decimals);
  return cents === null ? null : { lotId, cents };
}

function bidOf(platform: string, event: FloorBid, lot: FoundLot, bidder: BidderIdentity | null): Ready {
  if (bidder === null) throw new Error('the schema lets a bid through that names nobody');
  const floor = { platform, sequence: event.sequence };
  return { lot, bidder, command: bidCommand(event, lot, bidder, floor) };
}

function saleOf(
  platform: string,
  event: FloorSale,
  lot: FoundLot,
  bidder: BidderIdentity | null,
  auctionRuns: boolean,
): Ready {
  const command: Command = {
    type: 'record_sale',
    bidId: newBidId(),
    salt: newSalt(),
    result: event.result,
    hammerCents: event.hammer_price == null ? null : parseCents(event.hammer_price, lot.decimals),
    winner: bidder && { key: bidder.key, userId: bidder.userId, paddle: paddleOf(event, bidder) },
    currency: event.currency?.toLowerCase() ?? null,
    floor: { platform, sequence: event.sequence },
    auctionRuns,
    ...(event.choice === undefined ? null : { choice: event.choice, rows: event.choice.map(newRow) }),
  };
  // A sale registers buyers of the platform alone: a user has registered, or bids under the auction's own rules.
  return { lot, bidder: bidder?.userId === null ? bidder : null, command };
}

/** The name of a row that a sale may add. */
export function newRow(): RowName {
  return { bidId: newBidId(), salt: newSalt() };
}

/** The number as it was called, unless it is that of a user who has not agreed. */
function paddleOf(event: FloorSale, bidder: BidderIdentity): string | null {
  return bidder.userId === null ? bidder.paddle : (event.bidder?.paddle ?? null);
}

function bidCommand(
  event: FloorBid,
  { decimals }: FoundLot,
  bidder: BidderIdentity,
  floor: { readonly platform: string; readonly sequence: number },
): Command {
  const { channel = 'floor', lot_ids: lotIds, standing } = event;
  const cents = parseCents(event.amount, decimals);
  // An absentee bid is a ceiling left with the house; floor and phone bids are what was called out.
  const amounts =
    channel === 'absentee'
      ? { straightCents: null, ceilingCents: cents }
      : { straightCents: cents, ceilingCents: null };
  return {
    type: 'place_bid',
    bidId: newBidId(),
    salt: newSalt(),
    bidder,
    channel,
    currency: event.currency?.toLowerCase() ?? null,
    confirm: true,
    floor,
    ...amounts,
    ...(lotIds === undefined ? null : { lotIds }),
    ...(standing === undefined ? null : { standing }),
  };
}
