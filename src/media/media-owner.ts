/**
 * Who may attach, order and delete media. For a lot: its consignor, the owner of its auction, an admin; for an auction:
 * any member of the team that owns it, or the user who does, or an admin. Everything that changes media calls this
 * here, inside its transaction, with the owner's row locked: changes of one owner's media come one after the other.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../adapters/http/endpoint.ts';
import { requireUnlocked } from '../accounts/teams/team-context.ts';
import { Auction } from '../bidding/records/auction.model.ts';
import { Lot } from '../bidding/records/lot.model.ts';
import { MEDIA_POLICY, type MediaAction } from '../shared/policy/media-policy.ts';
import { requireAllowed } from '../shared/policy/policy.ts';
import type { Who } from '../shared/policy/who.ts';
import { notFound } from '../shared/refusal.ts';

export interface MediaOwner {
  readonly type: 'lot' | 'auction';
  readonly id: number;
}

export type Caller = Pick<Principal, 'userId' | 'isAdmin' | 'lockedTeamIds'>;

export const ownerColumn = ({ type }: MediaOwner): 'lot_id' | 'auction_id' =>
  type === 'lot' ? 'lot_id' : 'auction_id';

/** The owner of a row of `media`. */
export function ownerOf(row: {
  readonly lot_id: number | null;
  readonly kept_lot_id: number | null;
  readonly auction_id: number | null;
}): MediaOwner {
  if (row.kept_lot_id !== null) return { type: 'lot', id: row.kept_lot_id };
  if (row.lot_id !== null) return { type: 'lot', id: row.lot_id };
  if (row.auction_id !== null) return { type: 'auction', id: row.auction_id };
  throw new Error('media that belong to nothing');
}

/** Whether what a lot is said to be is fixed, pictures too; then they change by an amendment only. */
export type IsFixed = (lotId: number) => Promise<boolean>;

/** Whether an owner's media are fixed. It is asked before a transaction begins: none waits for the journal. */
export async function areMediaFixed(owner: MediaOwner, isFixed: IsFixed): Promise<boolean> {
  return owner.type === 'lot' && isFixed(owner.id);
}

/** Throws 409 `lot_locked` to whose they are, for a lot whose pictures are fixed. */
export function requireNotFixed(action: MediaAction, areFixed: boolean): void {
  requireAllowed(MEDIA_POLICY, action, areFixed ? 'contested' : 'published', 'member', {
    message: 'The lot has a bid: name its pictures in an amendment, with a reason.',
  });
}

/** The team that media of this owner count for. */
export async function teamOf(knex: Knex, { type, id }: MediaOwner): Promise<number> {
  const owner =
    type === 'lot'
      ? await Lot.query(knex).findById(id).throwIfNotFound()
      : await Auction.query(knex).findById(id).throwIfNotFound();
  return owner.team_id;
}

// A user's own auction is in their personal team, whose other members, if any, do not own it.
const OWNS_AUCTION = `CASE WHEN a.user_id IS NULL
  THEN EXISTS (SELECT FROM memberships m WHERE m.team_id = a.team_id AND m.user_id = :userId)
  ELSE a.user_id = :userId END`;

const SELECTS = {
  lot: `SELECT (coalesce(l.consignor_id = :userId, false) OR ${OWNS_AUCTION}) AS owns, a.team_id
    FROM lots l JOIN auctions a ON a.id = l.auction_id WHERE l.id = :id`,
  auction: `SELECT ${OWNS_AUCTION} AS owns, a.team_id FROM auctions a WHERE a.id = :id`,
} as const;
const LOCKS = { lot: 'FOR NO KEY UPDATE OF l', auction: 'FOR NO KEY UPDATE OF a' } as const;

export interface OwnershipOptions {
  /** Keeps the owner's row until the transaction ends. */
  readonly lock: boolean;
}

/**
 * Throws 404 where there is no such lot or auction, 403 `media_not_owned` where it is not the caller's, and
 * `two_factor_required`.
 */
export async function requireOwned(
  knex: Knex,
  owner: MediaOwner,
  caller: Caller,
  action: MediaAction,
  { lock }: OwnershipOptions,
): Promise<void> {
  // SQL: one statement judges and locks, so that what it read is what it holds.
  const { rows } = await knex.raw<{ rows: { owns: boolean; team_id: number }[] }>(
    `${SELECTS[owner.type]} ${lock ? LOCKS[owner.type] : ''}`,
    { id: owner.id, userId: caller.userId },
  );
  const [row] = rows;
  if (row === undefined) throw notFound(`There is no such ${owner.type}.`);
  // Whether they are fixed is judged apart: here it is enough whose they are.
  requireAllowed(MEDIA_POLICY, action, 'published', ownerWho(row.owns, caller));
  if (!caller.isAdmin) requireUnlocked(caller, row.team_id);
}

function ownerWho(owns: boolean, { isAdmin }: Caller): Who {
  if (owns) return 'member';
  return isAdmin ? 'staff' : 'user';
}
