/**
 * Registrations as Postgres has them, with the bidder; the journal's status of a bidder is laid over when they are
 * shown.
 */
import type { Knex } from 'knex';
import type { BidderStatus } from '../../../engine/auction/record.ts';

export interface RegistrationRow {
  readonly id: number;
  readonly auction_id: number;
  /** Null: an address that waits for its account. */
  readonly user_id: number | null;
  readonly status: BidderStatus;
  readonly paddle_number: string | null;
  readonly alias: string | null;
  readonly bid_limit_cents: number | null;
  readonly reason: string | null;
  readonly deposit_waived: boolean;
  readonly floor_paddle: boolean;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly conditions_version: number | null;
  readonly conditions_accepted_at: string | null;
  /** The address that the seller has invited; null where the bidder has asked by themselves. */
  readonly invited_email: string | null;
  /** They have registered or bid themselves: the seller may read who they are. */
  readonly is_known: boolean;
  readonly user_name: string | null;
  readonly user_verified: boolean;
  readonly registration_mode: string;
  readonly auction_status: string;
  readonly currency: string;
}

/**
 * Over registrations: whether somebody has registered or bid themselves. Until then an invited address is all that its
 * seller knows of them.
 */
export function isKnownSql(r: string): string {
  return `(${r}.invited_email IS NULL OR ${r}.accepted_at IS NOT NULL OR EXISTS (SELECT FROM bids b
    WHERE b.auction_id = ${r}.auction_id AND b.user_id = ${r}.user_id))`;
}

/** The account of a registration that has one. */
export function accountOf({ id, user_id: userId }: RegistrationRow): number {
  if (userId === null) throw new TypeError(`registration ${id} is of an address without an account`);
  return userId;
}

/** One registration of an auction, by its id or by its bidder. */
export async function readRow(
  knex: Knex,
  auctionId: number,
  which: { readonly registrationId: number } | { readonly userId: number },
): Promise<RegistrationRow | null> {
  const query = rowsOf(knex, auctionId);
  if ('userId' in which) query.where('r.user_id', which.userId);
  else query.where('r.id', which.registrationId);
  const row: RegistrationRow | undefined = await query.first();
  return row ?? null;
}

export interface RegistrationFilter {
  readonly status: BidderStatus | null;
  readonly page: number;
  readonly perPage: number;
}

/** A page of an auction's registrations, the oldest request first. */
export async function readRows(
  knex: Knex,
  auctionId: number,
  { status, page, perPage }: RegistrationFilter,
): Promise<{ rows: RegistrationRow[]; total: number }> {
  const counted = knex('registrations').where('auction_id', auctionId);
  const listed = rowsOf(knex, auctionId)
    .orderBy('r.id')
    .limit(perPage)
    .offset((page - 1) * perPage);
  if (status !== null) {
    counted.where('status', status);
    listed.where('r.status', status);
  }
  const [rows, count] = await Promise.all([listed, counted.count('id as total').first<{ total: number }>()]);
  return { rows, total: Number(count?.total ?? 0) };
}

function rowsOf(knex: Knex, auctionId: number) {
  return (
    knex('registrations as r')
      .leftJoin('users as u', 'u.id', 'r.user_id')
      .join('auctions as a', 'a.id', 'r.auction_id')
      .where('r.auction_id', auctionId)
      // SQL: columns that are worked out.
      .select(
        'r.*',
        'u.name as user_name',
        'a.currency',
        'a.registration_mode',
        'a.status as auction_status',
        knex.raw("coalesce(u.verification_status = 'verified', false) AS user_verified"),
        knex.raw(`${isKnownSql('r')} AS is_known`),
      )
  );
}

/** Who asks for themselves is no mere address to the seller any more. */
export async function acceptInvitation(knex: Knex, auctionId: number, userId: number): Promise<void> {
  await knex('registrations')
    .where({ auction_id: auctionId, user_id: userId, accepted_at: null })
    .whereNotNull('invited_email')
    .update({ accepted_at: knex.fn.now() });
}

/** Whether the floor may call the paddle as theirs. */
export async function agreeToFloor(
  knex: Knex,
  auctionId: number,
  userId: number,
  floorPaddle: boolean,
): Promise<void> {
  await knex('registrations')
    .where({ auction_id: auctionId, user_id: userId })
    .update({ floor_paddle: floorPaddle });
}
