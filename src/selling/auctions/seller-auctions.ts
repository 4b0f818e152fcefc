/**
 * What sellers do to their auctions: make them as drafts, change them, and move them. Drafts are plain rows; from
 * publishing on, settings and status belong to the auction's record in the journal, and reach Postgres through the
 * projection.
 */
import type { Knex } from 'knex';
import { isOneOf, namesIn } from '../../../engine/objects.ts';
import { Team } from '../../accounts/models/team.model.ts';
import { requirePlanRoom } from '../../accounts/teams/plan-limits.ts';
import { type Seller, whosOf } from '../../accounts/teams/seller.ts';
import { Auction, type StoredAuction } from '../../bidding/records/auction.model.ts';
import { cancelDraftIn, changeRecord, liveAuctionOf, moved } from '../../bidding/records/auction-changes.ts';
import {
  type AuctionColumns,
  auctionColumns,
  type CheckTerms,
  checkAuction,
  decimalsIn,
} from '../../bidding/records/auction-columns.ts';
import type { LiveParts } from '../../bidding/records/auction-lots.ts';
import { conditionsOf, settingsOfRecord } from '../../bidding/records/auction-rows.ts';
import { requireAuctionMove } from '../../bidding/records/auction-status.ts';
import { bringUp, publishIn } from '../../bidding/records/publish-draft.ts';
import { checkPlatforms } from '../../bidding/simulcast/platform-registry.ts';
import type { AuctionInput } from '../../shared/auction.schema.ts';
import { AUCTION_FORMAT_FIELDS } from '../../shared/auction-format-fields.ts';
import { AUCTION_POLICY, auctionState } from '../../shared/policy/auction-policy.ts';
import { requireAllowed } from '../../shared/policy/policy.ts';
import type { Who } from '../../shared/policy/who.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { requireValid } from '../../shared/require-valid.ts';
import { withDefaults } from '../../shared/sale-defaults.ts';
import { plainSaleTermColumns } from '../../shared/sale-terms.ts';
import { firstFree, lockSlugs, slugify, takenSlugs } from '../../shared/slug.ts';
import { AUCTION_STATUSES, type AuctionStatus } from '../../shared/statuses/auction-statuses.ts';
import { checkCategory } from '../categories-of-input.ts';
import { settingsIn, withSettings } from './auction-settings.ts';
import { lockedAuction, patchDraft, requireNothingOwed, requireSameDecimals } from './currency-changes.ts';
import type { AuctionChangeBody, NewAuctionBody } from './seller-auction.schema.ts';
import { type SellerAuctionRow, sellerAuctions } from './seller-auction-view.ts';
import { changedBeside, guardTerms, noteTouchedTerms, type TouchedTerms } from './touched-terms.ts';

/** The present state of one of the team's auctions. Throws 404 where the team has no such auction. */
export async function readSellerAuction(
  parts: LiveParts,
  teamId: number,
  auctionId: number,
): Promise<SellerAuctionRow> {
  const row = await stored(parts, teamId, auctionId);
  const live = await liveAuctionOf(parts, auctionId).catch(() => null);
  if (live === null) return row;
  const settings = live.record === null ? {} : settingsOfRecord(live.record);
  return { ...row, ...settings, status: live.status };
}

async function stored(parts: LiveParts, teamId: number, auctionId: number): Promise<SellerAuctionRow> {
  const [row] = await sellerAuctions(parts.knex, teamId).where('auctions.id', auctionId);
  if (row === undefined) throw notFound('There is no such auction.');
  return row;
}

/** What making and changing an auction needs beside the engine. */
export interface AuctionParts extends LiveParts {
  /** Whether the payment provider takes a currency. */
  readonly takesCurrency: (currency: string) => boolean;
  /** The hosts that a stream may be at; none without it. */
  readonly streamHosts?: readonly string[];
}

/** Makes an auction of the team; with `status: scheduled` it is published at once. */
export async function createAuction(
  parts: AuctionParts,
  seller: Seller,
  body: NewAuctionBody,
): Promise<SellerAuctionRow> {
  const { teamId } = seller;
  const { category_id: categoryId, status, ...fields } = body;
  const team = await Team.query(parts.knex).findById(teamId).select('sale_defaults').throwIfNotFound();
  const input = withDefaults(fields, team.sale_defaults);
  await check(parts, input, { currency: 'usd' }, categoryId);
  if (status !== undefined && status !== 'draft') {
    requireAuctionMove('draft', readStatus(status, 'draft'), await whosOf(parts.knex, seller));
  }
  const columns = {
    ...auctionColumns(input, decimalsIn(input, 'usd')),
    title: input.title.trim(),
    category_id: categoryId ?? null,
  };
  // A refused publication leaves no draft behind.
  const auctionId = await parts.knex.transaction(async (trx) => {
    const made = await insertDraft(trx, teamId, columns);
    if (status === 'scheduled') await publishIn(trx, parts, seller, made);
    return made;
  });
  if (status === 'scheduled') await bringUp(parts, auctionId);
  return readSellerAuction(parts, teamId, auctionId);
}

function check(
  { knex, takesCurrency, streamHosts = [] }: AuctionParts,
  input: Partial<AuctionInput>,
  terms: Omit<CheckTerms, 'takes' | 'streamHosts'>,
  categoryId: number | null | undefined,
): Promise<void> {
  return requireValid(async (addError) => {
    checkAuction(input, { ...terms, takes: takesCurrency, streamHosts }, addError);
    await checkCategory(knex, categoryId, addError);
    await checkPlatforms(knex, input.simulcast_platforms, addError);
  });
}

async function insertDraft(
  trx: Knex.Transaction,
  teamId: number,
  columns: AuctionColumns & { readonly title: string; readonly category_id: number | null },
): Promise<number> {
  await requirePlanRoom(trx, teamId, 'auctions', 1);
  await lockSlugs(trx, 'auctions');
  const base = slugify(columns.title, 'auction');
  const slug = firstFree(base, await takenSlugs(trx, 'auctions', base));
  const team = await Team.query(trx).findById(teamId).select('personal_user_id').throwIfNotFound();
  const { id } = await Auction.query(trx).insert({
    ...columns,
    slug,
    team_id: teamId,
    user_id: team.personal_user_id,
    status: 'draft',
  });
  return id;
}

/** Changes fields and moves the auction where `status` requests it: both, or, where either is refused, neither. */
export async function changeAuction(
  parts: AuctionParts,
  seller: Seller,
  auctionId: number,
  body: AuctionChangeBody,
): Promise<SellerAuctionRow> {
  const { teamId } = seller;
  const row = await stored(parts, teamId, auctionId);
  const { category_id: categoryId, status, reason, ...input } = body;
  const { format = row.format, type = row.type } = input;
  await check(parts, input, { currency: row.currency, format, type }, categoryId);
  const wanted = status === undefined ? null : readStatus(status, row.status);
  const { status: from } = wanted === null ? row : await liveAuctionOf(parts, auctionId);
  const to = wanted === from ? null : wanted;
  if (to !== null) {
    requireAuctionMove(auctionState(from, row.published_at !== null), to, await whosOf(parts.knex, seller));
  }
  const columns = auctionColumns(input, decimalsIn(input, row.currency));
  if (categoryId !== undefined) Object.assign(columns, { category_id: categoryId });
  if (row.status === 'draft' && (await changeDraft(parts, seller, row, columns, to))) {
    return readSellerAuction(parts, teamId, auctionId);
  }
  await changeLive(parts, { seller, row, columns, to, reason: reason?.trim() ?? null });
  return readSellerAuction(parts, teamId, auctionId);
}

/** Whether it was still a draft, and so has been changed as one. */
async function changeDraft(
  parts: LiveParts,
  seller: Seller,
  { id, start_time, end_time, currency }: StoredAuction,
  columns: AuctionColumns,
  to: AuctionStatus | null,
): Promise<boolean> {
  await requireValid((addError) => {
    if ((columns.end_time ?? end_time) <= (columns.start_time ?? start_time))
      addError('end_time', 'must be after start_time');
  });
  const changed = await parts.knex.transaction(async (trx) => {
    const draft = await lockedAuction(trx, id);
    if (draft?.status !== 'draft') return false;
    const message = 'The currency has just been changed.';
    if (draft.currency !== currency) throw new Refusal('auction_locked', { message, data: { fields: [] } });
    await patchDraft(trx, draft, columns);
    if (to === 'scheduled') await publishIn(trx, parts, seller, id);
    else if (to !== null) await cancelDraftIn(trx, id);
    return true;
  });
  if (changed && to === 'scheduled') await bringUp(parts, id);
  return changed;
}

/** A change of an auction that is published. */
interface LiveChange {
  readonly seller: Seller;
  readonly row: StoredAuction;
  readonly columns: AuctionColumns;
  readonly to: AuctionStatus | null;
  readonly reason: string | null;
}

/** Settings and moves go through the journal, in one step; then what no bid is judged by, as a plain row. */
async function changeLive(parts: LiveParts, change: LiveChange): Promise<void> {
  const { seller, row, columns } = change;
  const who = await whosOf(parts.knex, seller);
  requireFormatKept(row, columns);
  if (Object.keys(columns).some((column) => isOneOf(PLAIN, column))) {
    const state = auctionState(row.status, row.published_at !== null);
    requireAllowed(AUCTION_POLICY, 'describe', state, who);
  }
  const { currency, conditions } = columns;
  if (conditions !== undefined && conditions !== row.conditions) {
    // The text's version is in the row before the journal names it; both, or neither.
    await parts.knex.transaction(async (trx) => {
      await lockedAuction(trx, row.id);
      const published = await Auction.query(trx).patchAndFetchById(row.id, { conditions });
      await changeRecord(parts, row.id, (record) => ({
        record: { ...record, conditions: conditionsOf(published).conditions },
      }));
    });
  }
  if (currency === undefined || currency === row.currency) {
    await changeLiveIn(parts, change, who);
    return;
  }
  requireSameDecimals(row.currency, currency);
  // A deposit is asked for in the currency of the row, which is kept until the change is in the journal.
  await parts.knex.transaction(async (trx) => {
    await lockedAuction(trx, row.id);
    await requireNothingOwed(trx, row.id);
    await changeLiveIn(parts, change, who, trx);
    await Auction.query(trx).findById(row.id).patch({ currency });
  });
}

/** How lots are sold is in their journals' first entries, and stays. Throws 409 `auction_locked`. */
function requireFormatKept(row: StoredAuction, columns: AuctionColumns): void {
  const fields = AUCTION_FORMAT_FIELDS.filter(
    (name) => columns[name] !== undefined && columns[name] !== row[name],
  );
  if (fields.length === 0) return;
  throw new Refusal('auction_locked', { message: 'The auction is published.', data: { fields } });
}

async function changeLiveIn(
  parts: LiveParts,
  { seller, row, columns, to, reason }: LiveChange,
  who: readonly Who[],
  knex: Knex = parts.knex,
): Promise<void> {
  const settings = settingsIn(row, columns);
  const changesSettings = Object.keys(settings).length > 0;
  const beside = changedBeside(row, columns);
  let touched: TouchedTerms | null = null;
  if (changesSettings || to !== null || beside !== null) {
    await changeRecord(parts, row.id, async (record, status, nowUs) => {
      const set = changesSettings
        ? await withSettings(parts, settings, who)(record, status, nowUs)
        : { record };
      const next =
        to === null ? set : { ...set, ...(await moved(parts, to, who)(set.record, status, nowUs)) };
      const order = { who, reason, before: row, after: beside ?? row };
      const guarded = await guardTerms(parts, record, next, order);
      touched = guarded.touched;
      return guarded;
    });
  }
  if (touched !== null) await noteTouchedTerms(parts, row.id, seller.userId, touched);
  const plain = Object.fromEntries(Object.entries(columns).filter(([column]) => isOneOf(PLAIN, column)));
  await Auction.query(knex).findById(row.id).patch(plain);
}

const PLAIN = [
  'title',
  'description',
  'language',
  'translations',
  'category_id',
  'timezone',
  'registration_deposit_cents',
  'simulcast_platforms',
  ...namesIn(plainSaleTermColumns),
];

/** A status that is none cannot be moved to either. */
function readStatus(status: string, from: AuctionStatus): AuctionStatus {
  if (AUCTION_STATUSES.isStatus(status)) return status;
  const message = `There is no status "${status}".`;
  throw new Refusal('validation_failed', {
    errors: { status: [message] },
    data: { allowed: AUCTION_STATUSES.byHand(from) },
  });
}
