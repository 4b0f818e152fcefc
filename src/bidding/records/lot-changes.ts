/**
 * Changing a lot: putting it up for sale, withdrawing it, and what it is offered for. A lot that is under the engine
 * is changed by a command to its actor; one that is not yet there is a plain row. Refusals are `Refusal`s.
 */
import type { Knex } from 'knex';
import { JournalUnavailable, Overloaded } from '../../../engine/actor/journal.ts';
import type { Done } from '../../../engine/lot/answers.ts';
import type { ChangeTerms, Command } from '../../../engine/lot/commands.ts';
import { isOneOf } from '../../../engine/objects.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { sellsTogether } from '../../shared/format-fields.ts';
import { newSalt } from '../../shared/node-crypto.ts';
import { AUCTION_POLICY } from '../../shared/policy/auction-policy.ts';
import { LOT_POLICY, type LotAction, type LotState } from '../../shared/policy/lot-policy.ts';
import { judge, requireAllowed, type Verdict } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { invalidTransition, notFound, Refusal, type RefusalDetail } from '../../shared/refusal.ts';
import { LOT_STATUSES, type LotRowStatus } from '../../shared/statuses/lot-statuses.ts';
import { refusalOf } from '../refusals.ts';
import { liveAuctionOf } from './auction-changes.ts';
import type { LiveParts } from './auction-lots.ts';
import { publishAuction } from './publishing.ts';
import { requireSealing } from './sealing-keys.ts';

/** A lot after a change; `sequence` is 0 where it is not under the engine. */
export interface ChangedLot {
  readonly status: LotRowStatus;
  readonly sequence: number;
}

/** Prices in cents. Absent fields stay. */
export type Terms = Omit<ChangeTerms, 'type' | 'salt'>;

interface MovedLotRow {
  readonly id: number;
  readonly auction_id: number;
  readonly status: LotRowStatus;
  readonly auction_status: string;
  readonly journal_opened: boolean;
}

/** A change that is made together with a move, in the move's own transaction. */
export type InSameStep = (trx: Knex.Transaction) => Promise<void>;

/**
 * Moves a draft lot of `auctionId` to `scheduled`; in an auction that is live already it goes under the engine at
 * once. `before` comes first in the same transaction, and may have made the lot, or moved it there. Throws what that
 * throws, 409 `invalid_transition` for a lot that is no draft and for an auction that is over, and the journal's
 * faults.
 */
export async function scheduleLot<Made extends number>(
  parts: LiveParts,
  seller: Seller,
  auctionId: number,
  before: (trx: Knex.Transaction) => Promise<Made>,
): Promise<Made> {
  // A live auction that is over by the journal, though Postgres does not have it yet, takes no new lots.
  const { status } = await liveAuctionOf(parts, auctionId);
  const lotId = await parts.knex.transaction(async (trx) => {
    const who = await whosOf(trx, seller, { lock: true });
    requireAllowed(AUCTION_POLICY, 'publish_lot', status, who, noMoreLots(status));
    const auction = await trx('auctions').where('id', auctionId).forUpdate().first('status', 'format');
    if (auction === undefined) throw notFound('There is no such auction.');
    requireAllowed(AUCTION_POLICY, 'publish_lot', auction.status, who, noMoreLots(auction.status));
    requireSealing(parts.engine, auction.format);
    if (auction.status !== 'draft' && sellsTogether(auction.format)) {
      const message = 'The auction’s lots are sold together, and it is published.';
      throw new Refusal('auction_locked', { message, data: { fields: [] } });
    }
    const id = await before(trx);
    const moved = await trx('lots')
      .where({ id, auction_id: auctionId, status: 'draft' })
      .update({ status: 'scheduled' });
    if (moved === 1) return id;
    throw await wrongMove(parts, await requireLot(trx, id), 'scheduled');
  });
  try {
    await publishAuction(parts, auctionId);
  } catch (fault) {
    // A worker puts it under the engine as soon as the journal answers again.
    if (!(fault instanceof JournalUnavailable || fault instanceof Overloaded)) throw fault;
  }
  return lotId;
}

export interface Withdrawal {
  readonly reason: string;
  /** A lot that has a bid is withdrawn by an admin only. */
  readonly byAdmin: boolean;
}

/**
 * Withdraws a scheduled or active lot. `before` is for one of a draft auction, which is a plain row. Throws 404, 409
 * `invalid_transition`, and the journal's faults.
 */
export async function withdrawLot(
  parts: LiveParts,
  lotId: number,
  withdrawal: Withdrawal,
  before?: InSameStep,
): Promise<ChangedLot> {
  const row = await requireLot(parts.knex, lotId);
  if (row.status === 'draft') throw await wrongMove(parts, row, 'withdrawn');
  if (row.auction_status === 'draft') {
    await parts.knex.transaction(async (trx) => {
      // Somebody may be publishing it: from then on the lot belongs to its actor.
      const auction = await trx('auctions').where('id', row.auction_id).forUpdate().first('status');
      if (auction?.status !== 'draft')
        throw new Refusal('lot_locked', { message: 'The auction has just been published.' });
      await before?.(trx);
      const moved = await trx('lots')
        .where({ id: lotId, status: 'scheduled', journal_opened: false })
        .update({ status: 'withdrawn' });
      if (moved === 0) throw wrongLotMove(row.status, 'withdrawn');
    });
    return { status: 'withdrawn', sequence: 0 };
  }
  const done = await requestChange(parts, row, { type: 'withdraw', ...withdrawal });
  return { status: done.status, sequence: done.sequence };
}

/**
 * Changes what a lot under the engine is offered for: starting bid, reserve, buy-now price, consignor. After the first
 * bid only the reserve may change, and only downwards; a reserve that the leader covers is met at once. Throws 404, 409
 * `lot_locked`, and the journal's faults. Drafts are plain rows: change them there (`isUnderEngine` says which they
 * are).
 */
export async function changeTerms(parts: LiveParts, lotId: number, terms: Terms): Promise<ChangedLot> {
  const row = await requireLot(parts.knex, lotId);
  const done = await requestChange(parts, row, { type: 'change_terms', salt: newSalt(), ...terms });
  return { status: done.status, sequence: done.sequence };
}

/**
 * Whether a lot's price and status belong to its actor: it is scheduled or further, in an auction that is published.
 */
export function isUnderEngine(lotStatus: LotRowStatus, auctionStatus: string): boolean {
  return lotStatus !== 'draft' && auctionStatus !== 'draft';
}

async function requestChange(parts: LiveParts, row: MovedLotRow, command: Command): Promise<Done> {
  const result = await parts.engine.submit(row.id, command);
  if (result.kind === 'no_lot') throw notFound('There is no such lot.');
  if (result.kind !== 'answer' || result.answer.kind === 'bid')
    throw new Error('a lot gave another command’s answer');
  const { answer } = result;
  if (answer.kind === 'done') return answer;
  if (answer.code === 'admin_required') {
    const message = 'The lot has a bid: only an admin can withdraw it.';
    throw invalidTransition(message);
  }
  if (answer.code === 'lot_closed' && command.type === 'change_terms') throw new Refusal('lot_locked');
  if (command.type === 'withdraw') throw await wrongMove(parts, row, 'withdrawn');
  throw refusalOf(answer);
}

async function wrongMove(parts: LiveParts, row: MovedLotRow, to: LotRowStatus): Promise<Error> {
  const { status } = await present(parts, row, row.status);
  return wrongLotMove(status, to);
}

/** 409 `invalid_transition` with the moves that may be requested from `status`. */
function wrongLotMove(status: string, to: string): Error {
  const message = `A lot cannot be moved from ${status} to ${to}.`;
  return new Refusal('invalid_transition', {
    message,
    data: { status, allowed: LOT_STATUSES.byHand(status) },
  });
}

/** The detail of the refusal of an auction that takes no more lots. */
export function noMoreLots(status: string): (verdict: Verdict) => RefusalDetail {
  return (verdict) =>
    verdict === 'invalid_transition'
      ? { message: `The auction is ${status}.`, data: { status, allowed: [] } }
      : {};
}

/** What it takes to bring a lot into a state by hand; into the others nobody brings it. */
const MOVES: Partial<Record<string, LotAction>> = { scheduled: 'schedule', withdrawn: 'withdraw' };

/** Throws the refusal of the table: 409 `invalid_transition` with the moves that are allowed, or the caller's own. */
export function requireLotMove(from: LotState, to: string, who: readonly Who[]): void {
  const action = MOVES[to];
  if (action === undefined) throw wrongLotMove(from, to);
  const verdict = judge(LOT_POLICY, action, from, who);
  if (verdict === 'invalid_transition') throw wrongLotMove(from, to);
  requireAllowed(LOT_POLICY, action, from, who);
}

/** The status by the journal, or `otherwise` for a lot that it does not have. */
async function present(parts: LiveParts, row: MovedLotRow, otherwise: LotRowStatus): Promise<ChangedLot> {
  try {
    const state = await parts.journal.load(row.auction_id, row.id);
    if (state !== null) return { status: state.status, sequence: state.sequence };
  } catch (fault) {
    if (!(fault instanceof JournalUnavailable)) throw fault;
  }
  return { status: otherwise, sequence: 0 };
}

async function requireLot(knex: Knex, lotId: number): Promise<MovedLotRow> {
  const row = await knex('lots')
    .join('auctions', 'auctions.id', 'lots.auction_id')
    .where('lots.id', lotId)
    .first<MovedLotRow | undefined>(
      'lots.id',
      'lots.auction_id',
      'lots.status',
      'lots.journal_opened',
      'auctions.status as auction_status',
    );
  if (row === undefined) throw notFound('There is no such lot.');
  return row;
}

/** Throws 409 `invalid_transition` unless a lot can be created with this status: a draft, or published at once. */
export function requireNewLotStatus(status: string | undefined): void {
  if (status !== undefined && status !== 'draft' && !isOneOf(LOT_STATUSES.byHand('draft'), status))
    throw wrongLotMove('draft', status);
}
