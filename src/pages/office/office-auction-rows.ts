/** Sales as the office lists them: of all sellers and in every state, and who can see each. */
import type { Knex } from 'knex';
import { likeAnywhere } from '../../shared/like-anywhere.ts';
import { isNumber, type RowTable } from './search-list.ts';

export interface AuctionRow {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  readonly status: string;
  readonly type: string;
  readonly currency: string;
  readonly end_time: string;
  readonly team_id: number;
  readonly team_name: string;
  readonly team_approved: boolean;
  readonly published_at: string | null;
  readonly privacy_setting: string;
}

function auctionRows(knex: Knex) {
  return knex('auctions as a')
    .join('teams as t', 't.id', 'a.team_id')
    .select(
      ...['a.id', 'a.title', 'a.slug', 'a.status', 'a.type', 'a.currency', 'a.end_time', 'a.team_id'],
      ...['a.published_at', 'a.privacy_setting', 't.name as team_name'],
      // SQL: a column that is worked out.
      knex.raw('t.approved_at IS NOT NULL as team_approved'),
    );
}

/** Null where there is none. */
export async function findAuctionRow(knex: Knex, auctionId: number): Promise<AuctionRow | null> {
  return (await auctionRows(knex).where('a.id', auctionId).first<AuctionRow | undefined>()) ?? null;
}

/** Sales by words of their title, the end of their address, or their number; newest first. */
export async function searchAuctions(
  knex: Knex,
  q: string,
  limit: number,
): Promise<{ rows: AuctionRow[]; total: number }> {
  const matching = auctionRows(knex).where((own) => {
    void own.whereILike('a.title', likeAnywhere(q)).orWhere('a.slug', q.toLowerCase());
    if (isNumber(q)) void own.orWhere('a.id', Number(q));
  });
  const counted = await matching.clone().clearSelect().count<{ n: string }[]>({ n: '*' });
  const rows = await matching.orderBy('a.id', 'desc').limit(limit).select<AuctionRow[]>();
  return { rows, total: Number(counted[0]?.n ?? 0) };
}

/** What some sales are called, by their ids. */
export async function titlesOfAuctions(
  knex: Knex,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await knex('auctions')
    .whereIn('id', [...ids])
    .select<{ id: number; title: string }[]>('id', 'title');
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** Sales as lists of them show them. */
export const AUCTIONS: RowTable<AuctionRow> = {
  columns: ['Auction', 'Seller', 'State', 'Who can see it', 'Ends'],
  row: (row) => [
    { href: `/office/auctions/${row.id}`, text: `${row.id} · ${row.title}` },
    { href: `/office/sellers/${row.team_id}`, text: row.team_name },
    { pill: row.status },
    whoSees(row),
    { time: row.end_time },
  ],
};

/** Who finds a sale and who can open it, with the reason where not everybody does. */
export function whoSees({
  status,
  published_at,
  privacy_setting: privacy,
  team_approved,
}: AuctionRow): string {
  if (published_at === null)
    return status === 'cancelled'
      ? 'Only its team: it was cancelled before it was published'
      : team_approved
        ? 'Only its team: it is a draft that nobody has published'
        : 'Only its team: it is a draft, and the seller is not approved to publish';
  if (privacy === 'private') return 'Only its team and the bidders it has let in: it is private';
  if (privacy === 'unlisted') return 'Whoever has its address: it is unlisted, so no list or search shows it';
  return status === 'active'
    ? 'Everybody: lists and searches show it'
    : `Whoever has its address: lists show active sales only, and it is ${status}`;
}
