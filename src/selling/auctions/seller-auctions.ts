/**
 * What sellers do to their auctions: make them as drafts, change them, and move them. Drafts are plain rows; from publishing on,
 * settings and status belong to the auction's record in the journal, and Postgres hears of them through the projection.
 */
import { notFound, refuse } from '../../../adapters/http/problem.ts';
import type { Auction } from '../../bidding/records/auction.model.ts';
import { moveAuction, requireNoBids, standingOf } from '../../bidding/records/auction-changes.ts';
import { type AuctionColumns, auctionColumns, checkAuction } from '../../bidding/records/auction-columns.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { settingsOfRecord } from '../../bidding/records/auction-rows.ts';
import { requireMove } from '../../bidding/records/auction-status.ts';
import type { AuctionInput } from '../../shared/auction.schema.ts';
import { firstFree, lockSlugs, slugify, takenSlugs } from '../../shared/slug.ts';
import { AUCTION_STATES, type AuctionStatus } from '../../shared/states/auction-states.ts';
import { checkCategory } from '../categories-of-input.ts';
import { refuseMistakes } from '../mistakes-to-problem.ts';
import { changeSettings, settingsIn } from './auction-settings.ts';
import type { AuctionChangeBody, NewAuctionBody } from './seller-auction.schema.ts';
import { type SellerAuctionRow, sellerAuctions } from './seller-auction-view.ts';

/** One of the team's auctions as it stands now. Throws 404 where the team has no such auction. */
export async function readSellerAuction(
  parts: LiveParts,
  teamId: number,
  auctionId: number,
): Promise<SellerAuctionRow> {
  const row = await stored(parts, teamId, auctionId);
  const standing = await standingOf(parts, auctionId).catch(() => null);
  if (standing === null) return row;
  const settings = standing.record === null ? {} : settingsOfRecord(standing.record);
  return { ...row, ...settings, status: standing.status } as SellerAuctionRow;
}

async function stored(parts: LiveParts, teamId: number, auctionId: number): Promise<SellerAuctionRow> {
  const row: SellerAuctionRow | undefined = await sellerAuctions(parts.knex, teamId)
    .where('auctions.id', auctionId)
    .first();
  if (row === undefined) throw notFound('There is no such auction.');
  return row;
}

/** Makes an auction of the team; with `status: scheduled` it is published at once. */
export async function createAuction(
  parts: LiveParts,
  teamId: number,
  body: NewAuctionBody,
): Promise<SellerAuctionRow> {
  const { category_id: categoryId, status, ...input } = body;
  await check(parts, input, categoryId);
  if (status !== undefined && status !== 'draft') await requirePublishable(parts, teamId, status);
  const auctionId = await insertDraft(parts, teamId, {
    ...auctionColumns(input),
    category_id: categoryId ?? null,
  });
  if (status === 'scheduled') await moveAuction(parts, auctionId, 'scheduled');
  return readSellerAuction(parts, teamId, auctionId);
}

async function requirePublishable({ knex }: LiveParts, teamId: number, status: string): Promise<void> {
  requireMove('draft', readStatus(status, 'draft'));
  const team = await knex('teams').where('id', teamId).first<{ approved_at: string | null }>('approved_at');
  if (status === 'scheduled' && team.approved_at === null) throw refuse('seller_not_approved');
}

function check(
  parts: LiveParts,
  input: Partial<AuctionInput>,
  categoryId: number | null | undefined,
): Promise<void> {
  return refuseMistakes(async (complain) => {
    checkAuction(input, complain);
    await checkCategory(parts.knex, categoryId, complain);
  });
}

function insertDraft(
  { knex }: LiveParts,
  teamId: number,
  columns: AuctionColumns & { readonly category_id: number | null },
): Promise<number> {
  return knex.transaction(async (trx) => {
    await lockSlugs(trx, 'auctions');
    const base = slugify(columns.title!, 'auction');
    const slug = firstFree(base, await takenSlugs(trx, 'auctions', base));
    const team = await trx('teams')
      .where('id', teamId)
      .first<{ personal_user_id: number | null }>('personal_user_id');
    const row = {
      ...forStorage(columns),
      slug,
      team_id: teamId,
      user_id: team.personal_user_id,
      status: 'draft',
    };
    const [made] = await trx('auctions').insert(row).returning('id');
    return (made as { id: number }).id;
  });
}

/** `jsonb` columns go as text: the driver would send a list as a Postgres array. */
function forStorage(columns: object): Record<string, unknown> {
  const { increments } = columns as { increments?: unknown };
  return increments ? { ...columns, increments: JSON.stringify(increments) } : { ...columns };
}

/** Changes fields, then moves the auction where `status` asks for it. */
export async function changeAuction(
  parts: LiveParts,
  { teamId, isAdmin }: { readonly teamId: number; readonly isAdmin: boolean },
  auctionId: number,
  body: AuctionChangeBody,
): Promise<SellerAuctionRow> {
  const row = await stored(parts, teamId, auctionId);
  const { category_id: categoryId, status, ...input } = body;
  await check(parts, input, categoryId);
  // A move that is not allowed is refused before anything is changed.
  const to = status === undefined ? null : readStatus(status, row.status);
  if (to !== null) {
    const { status: from } = await standingOf(parts, auctionId);
    if (to !== from) requireMove(from, to);
    if (to === 'cancelled' && to !== from && row.status !== 'draft' && !isAdmin)
      await requireNoBids(parts, auctionId);
  }
  const columns = auctionColumns(input);
  if (categoryId !== undefined) Object.assign(columns, { category_id: categoryId });
  const asDraft = row.status === 'draft' && (await changeDraft(parts, row, columns));
  const settings = asDraft || Object.keys(columns).length === 0 ? {} : await changeLive(parts, row, columns);
  if (to !== null) await moveAuction(parts, auctionId, to, { byAdmin: isAdmin });
  return { ...(await readSellerAuction(parts, teamId, auctionId)), ...settings } as SellerAuctionRow;
}

/** Whether it was still a draft, and so has been changed as one. */
async function changeDraft(
  { knex }: LiveParts,
  { id, start_time, end_time }: Auction,
  columns: AuctionColumns,
): Promise<boolean> {
  if (Object.keys(columns).length === 0) return true;
  await refuseMistakes((complain) => {
    if ((columns.end_time ?? end_time) <= (columns.start_time ?? start_time))
      complain('end_time', 'must be after start_time');
  });
  return (await knex('auctions').where({ id, status: 'draft' }).update(forStorage(columns))) === 1;
}

/** Settings go through the journal; what no bid is judged by is a plain row. Gives the columns that Postgres hears of later. */
async function changeLive(
  parts: LiveParts,
  row: Auction,
  columns: AuctionColumns,
): Promise<Partial<Auction>> {
  const settings = settingsIn(row, columns);
  if (Object.keys(settings).length > 0) await changeSettings(parts, row.id, settings);
  const plain = Object.fromEntries(
    Object.entries(columns).filter(([column]) => (PLAIN as readonly string[]).includes(column)),
  );
  if (Object.keys(plain).length > 0) await parts.knex('auctions').where('id', row.id).update(plain);
  return columns as Partial<Auction>;
}

const PLAIN = ['title', 'description', 'category_id', 'timezone', 'registration_deposit_cents'] as const;

/** A status that is none cannot be moved to either. */
function readStatus(status: string, from: AuctionStatus): AuctionStatus {
  if (AUCTION_STATES.isState(status)) return status;
  const message = `There is no status "${status}".`;
  throw refuse('validation_failed', {
    errors: { status: [message] },
    data: { allowed: AUCTION_STATES.byHand(from) },
  });
}
