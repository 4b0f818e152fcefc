/** How the viewer of a lot’s page is on the lot: leading, outbid, won or lost, with their paddle and their invoice. */
import type { Knex } from 'knex';
import type { Journal } from '../../../engine/actor/journal.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { biddingSince, decodeSnapshot, lotView } from '../../../engine/formats/formats.ts';
import type { Channel } from '../../../engine/lot/channels.ts';
import type { OwnPosition } from '../../../engine/lot/sight.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { type Standing, standingOf } from '../../bidding/bids/my-standing.ts';
import { readOutcomes } from '../../bidding/records/sale-outcomes.ts';
import { onLotSql } from '../../bidding/records/sale-units.ts';
import { withGroupsBidding } from '../../shared/group-offers.ts';
import type { SignedIn } from '../page.ts';

export interface VoidedBid {
  readonly amount_cents: number;
  readonly void_reason: string | null;
}

export interface WinnerInvoice {
  readonly number: string;
  readonly status: string;
  readonly amount_due_cents: number;
}

/** How a viewer is on a lot. */
export interface OwnOnLot {
  /** Null where they have not bid. */
  readonly standing: Standing | null;
  /** The viewer’s newest bid, where all that they have bid here was voided. */
  readonly voidedBid: VoidedBid | null;
  /** Where their newest bid came from. */
  readonly channel: Channel;
  /** Their paddle in this auction, by which the script knows their bids. */
  readonly paddle: string | null;
  readonly invoice: WinnerInvoice | null;
}

export const NOTHING_OWN: OwnOnLot = {
  standing: null,
  voidedBid: null,
  channel: 'online',
  paddle: null,
  invoice: null,
};

interface Parts {
  readonly knex: Knex;
  readonly journal: Journal;
}

interface LotIds {
  readonly lotId: number;
  readonly auctionId: number;
}

/** How somebody who is signed in is on a lot; `bidsOn` is the lot whose journal has its bids. */
export async function readOwn(
  parts: Parts,
  lotIds: LotIds,
  { userId }: SignedIn,
  bidsOn: number,
): Promise<OwnOnLot> {
  const { knex } = parts;
  const [state, paddle, bids, invoice, outcomes] = await Promise.all([
    readState(parts, lotIds),
    readPaddle(parts, lotIds.auctionId, userId),
    knex('bids as b')
      // SQL: the lot by a value; of lots that are sold together a bid is of the one that hosts them.
      .joinRaw('JOIN lots l ON l.id = ?', [bidsOn])
      .where('b.user_id', userId)
      .whereRaw(onLotSql('b', 'l'))
      .orderBy('b.voided')
      .orderBy('b.sequence', 'desc')
      .limit(1)
      .select<(VoidedBid & { voided: boolean; channel: Channel; sequence: number })[]>(
        'b.voided',
        'b.sequence',
        'b.amount_cents',
        'b.void_reason',
        'b.channel',
      ),
    knex('invoices')
      .where({ lot_id: lotIds.lotId, user_id: userId, kind: 'winner' })
      .whereNot('status', 'voided')
      .orderBy('id', 'desc')
      .first('invoice_number as number', 'status', 'amount_due_cents'),
    readOutcomes(knex, userId, [lotIds.lotId]),
  ]);
  const [bid] = bids;
  const voidedBid = bid?.voided ? bid : null;
  const rest = { voidedBid, channel: bid?.channel ?? 'online', paddle, invoice: invoice ?? null };
  if (state === null) return { standing: null, ...rest };
  const standing = standingOf(state, userId, outcomes.get(lotIds.lotId) ?? null);
  // Of lots that are offered together, what was bid before the hammer last fell is over.
  const isNow = bid?.voided === false && (!isOpen(state) || bid.sequence > biddingSince(state));
  const isIn = isNow || standing === 'leading' || standing === 'won';
  return { standing: isIn ? standing : null, ...rest };
}

/** The lot's state: from the journal, or as it was projected once it has left it or while it is unavailable. */
export async function readState(
  { knex, journal }: Parts,
  { lotId, auctionId }: LotIds,
): Promise<LotState | null> {
  const live = await journal.load(auctionId, lotId).catch(() => null);
  if (live !== null) return withGroupsBidding(journal, live).catch(() => live);
  const row = await knex('lot_states')
    .where('lot_id', lotId)
    .first<{ snapshot: string } | undefined>('snapshot');
  return row === undefined ? null : decodeSnapshot(row.snapshot);
}

/** The paddle that somebody bids with in an auction; null before their first bid there. */
export async function readPaddle(
  { journal }: Pick<Parts, 'journal'>,
  auctionId: number,
  userId: number,
): Promise<string | null> {
  const key = userKey(userId);
  const found = await journal.loadBidders(auctionId, [key]).catch(() => null);
  return found?.get(key)?.bidder?.paddle ?? null;
}

/** Somebody's position on an open lot; null on one that is not. */
export function ownPosition(state: LotState, userId: number): OwnPosition | null {
  if (!isOpen(state)) return null;
  const sight = { viewer: userKey(userId), increments: DEFAULT_INCREMENTS, nowUs: state.recordedAtUs };
  return lotView(state, sight).own;
}
