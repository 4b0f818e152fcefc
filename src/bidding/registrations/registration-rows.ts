/**
 * Registrations as Postgres has them, with the bidder; the journal's status of a bidder is laid over when they are
 * shown.
 */
import type { Knex } from 'knex';
import type { BidderStatus } from '../../../engine/auction/record.ts';

export interface RegistrationRow {
  readonly id: number;
  readonly auction_id: number;
  readonly user_id: number;
  readonly status: BidderStatus;
  readonly paddle_number: string | null;
  readonly alias: string | null;
  readonly bid_limit_cents: number | null;
  readonly reason: string | null;
  readonly deposit_waived: boolean;
  readonly floor_paddle: boolean;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly user_name: string;
  readonly user_verified: boolean;
  readonly currency: string;
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
      .join('users as u', 'u.id', 'r.user_id')
      .join('auctions as a', 'a.id', 'r.auction_id')
      .where('r.auction_id', auctionId)
      // SQL: a column that is worked out.
      .select(
        'r.*',
        'u.name as user_name',
        'a.currency',
        knex.raw("u.verification_status = 'verified' AS user_verified"),
      )
  );
}
