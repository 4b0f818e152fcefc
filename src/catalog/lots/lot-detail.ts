/**
 * One lot in full: what Postgres holds of it and its auction, with the live fields laid over, for anyone who may see
 * it.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import { readPrepared } from '../../../adapters/postgres/prepared.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { lotView, shownHead } from '../../../engine/formats/formats.ts';
import { NO_SEALS, type Seals } from '../../../engine/lot/seals.ts';
import type { OwnPosition } from '../../../engine/lot/sight.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';

import type { Language } from '../../shared/language.ts';
import { fieldColumnsSql, shownFields } from '../../shared/lot-field-lists.ts';
import type { LotFieldColumns } from '../../shared/lot-fields.ts';
import { formatTaxPpm } from '../../shared/sale-amounts.ts';
import { type SealedPosition, sealedPosition } from '../../shared/sealed-position.ts';

import { seesLot } from '../../shared/visibility/visibility.ts';
import {
  type LotFactsRow,
  lotFactsOf,
  lotFactsSql,
  relationOf,
} from '../../shared/visibility/visibility-sql.ts';

import { type MediaItem, mediaSql } from '../media-presentation.ts';
import {
  bandOf,
  keptState,
  type LiveColumns,
  type LiveJournal,
  liveFields,
  readLive,
  SNAPSHOT_SQL,
} from './live.ts';
import { LOT_CATEGORY_JOIN } from './lot-item.ts';

export interface DetailRow extends Omit<LiveColumns, 'status'>, LotFactsRow, LotFieldColumns {
  id: number;
  auction_id: number;
  lot_number: number;
  title: string;
  slug: string;
  custom_fields: Record<string, unknown>;
  category_id: number | null;
  category_name: string | null;
  leader_user_id: number | null;
  auction_title: string;
  language: Language | null;
  auction_slug: string;
  auction_type: 'timed' | 'simulcast';
  format: string;
  currency: string;
  buyer_premium_bps: number;
  sales_tax_ppm: number;
  increments: { from_cents: number; increment_cents: number }[] | null;
  start_time: string;
  end_time: string;
  media: MediaItem[];
  amendments: Amended[];
  watching: boolean;
  snapshot: string | null;
}

/** What a lot with bids was said to be before, and is said to be since. */
export interface Amended {
  readonly at: string;
  readonly reason: string;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}

/** What is public of a lot. */
export type ShownLot = ReturnType<typeof detailOf>;

/** What a viewer is shown of a lot besides. */
export interface ShownToViewer {
  readonly is_watching: boolean;
  readonly is_high_bidder: boolean;
  readonly max_amount: string | null;
  /** Of sealed bids their own, until all are opened; only on lots that have them. */
  readonly bid?: SealedPosition['bid'];
  readonly in_final_round?: boolean;
}

export interface LotReading {
  readonly detail: ShownLot & { readonly viewer?: ShownToViewer };
  readonly stale: boolean;
  /** How far the lot's journal was; null where it could not be read, or has no such lot. */
  readonly sequence: number | null;
}

interface DetailParts {
  readonly knex: Knex;
  readonly journal: LiveJournal;
  /** Without it nobody is shown their own sealed bid. */
  readonly seals?: Seals;
}

/**
 * Reads a lot for a viewer; null where it is not there or not theirs to see. `baseUrl` goes before the paths of
 * media.
 */
export async function readLotDetail(
  { knex, journal, seals = NO_SEALS }: DetailParts,
  lotId: number,
  viewer: Principal | null,
  baseUrl = '',
): Promise<LotReading | null> {
  const row = await readRow(knex, lotId, viewer?.userId ?? null, baseUrl);
  if (row === undefined || !isSeen(row)) return null;
  const live = await readLive(journal, [{ lotId, auctionId: row.auction_id }]);
  const state = live.states.get(lotId);
  const detail = detailOf(row, state, live.nowUs);
  const reading = { stale: live.stale, sequence: state === undefined ? null : shownHead(state).sequence };
  if (viewer === null) return { detail, ...reading };
  const own = state === undefined ? null : ownPosition(row, state, viewer.userId, live.nowUs);
  const leads = own === null ? row.leader_user_id === viewer.userId : own.leads;
  const ceiling =
    own === null || own.ceilingCents === null
      ? null
      : formatCents(own.ceilingCents, decimalsOf(row.currency));
  const sealed = state === undefined ? null : sealedPosition(state, viewer.userId, seals);
  const shown = { is_watching: row.watching, is_high_bidder: leads, max_amount: ceiling };
  return {
    detail: { ...detail, viewer: { ...shown, ...sealed } },
    ...reading,
  };
}

function ownPosition(row: DetailRow, state: LotState, userId: number, nowUs: number): OwnPosition | null {
  const increments = row.increments?.map(bandOf) ?? DEFAULT_INCREMENTS;
  return lotView(state, { viewer: userKey(userId), increments, nowUs }).own;
}

/**
 * The lot in full as it was at a state of its journal, for any caller: what a stream shows. Null: there is no such lot.
 */
export async function presentLotAt(knex: Knex, state: LotState, nowUs: number): Promise<ShownLot | null> {
  const row = await readRow(knex, state.lotId, null);
  if (row === undefined) return null;
  return detailOf(row, state, nowUs);
}

/** What everybody may know of a lot; `state` is the journal's, where it has the lot. */
export function detailOf(row: DetailRow, state: LotState | undefined, nowUs: number) {
  return {
    ...plainFields(row),
    ...liveFields(row, state ?? keptState(row.snapshot), {
      ...row,
      increments: row.increments?.map(bandOf) ?? null,
      nowUs,
    }),
  };
}

/** Whether the one that the row was read for may see it. */
export function isSeen(row: DetailRow): boolean {
  return seesLot(lotFactsOf(row), relationOf(row));
}

/** The fields of a lot that no bid changes. */
function plainFields(row: DetailRow) {
  return {
    id: row.id,
    auction_id: row.auction_id,
    lot_number: row.lot_number,
    title: row.title,
    language: row.language,
    slug: row.slug,
    ...shownFields('about', row),
    ...shownFields('format', row),
    media: row.media,
    category: row.category_id === null ? null : { id: row.category_id, name: row.category_name },
    currency: row.currency,
    format: row.format,
    location: shownFields('location', row),
    land: shownFields('land', row),
    custom_fields: row.custom_fields,
    amendments: row.amendments,
    buyer_premium_percentage: formatCents(row.buyer_premium_bps, 2),
    sales_tax_percentage: formatTaxPpm(row.sales_tax_ppm),
    auction: {
      id: row.auction_id,
      title: row.auction_title,
      slug: row.auction_slug,
      type: row.auction_type,
      status: row.auction_status,
    },
  };
}

const DETAIL = `SELECT l.id, l.auction_id, l.lot_number, l.title, l.slug, ${fieldColumnsSql('l')},
    l.custom_fields, l.leader_user_id, l.status, l.starting_bid_cents,
    l.reserve_price_cents, l.buy_now_price_cents, l.current_bid_cents, l.bid_count, l.minimum_next_bid_cents,
      l.reserve_met,
    l.live_end_time, l.original_end_time, l.extension_count, l.extended_by_outage, l.hammer_price_cents, c.id AS category_id,
      c.name AS category_name,
    a.title AS auction_title, a.language, a.slug AS auction_slug, a.type AS auction_type, a.format, a.currency, a.buyer_premium_bps, a.sales_tax_ppm, a.increments,
    a.start_time, a.end_time, ${mediaSql('lot_id', 'l.id', '$3')} AS media,
    (SELECT coalesce(json_agg(m.amendment ORDER BY m.sequence), '[]') FROM lot_amendments m WHERE m.lot_id = l.id)
      AS amendments, ${SNAPSHOT_SQL} AS snapshot,
    EXISTS (SELECT 1 FROM watchlist w WHERE w.lot_id = l.id AND w.user_id = $2::bigint) AS watching,
    ${lotFactsSql('$2::bigint')}
  FROM lots l JOIN auctions a ON a.id = l.auction_id ${LOT_CATEGORY_JOIN} WHERE l.id = ANY($1::bigint[])`;

async function readRow(
  knex: Knex,
  lotId: number,
  viewerId: number | null,
  baseUrl = '',
): Promise<DetailRow | undefined> {
  return (await readDetailRows(knex, [lotId], viewerId, baseUrl))[0];
}

/** Lots as rows, in any order; those that are not there are left out. */
export function readDetailRows(
  knex: Knex,
  lotIds: readonly number[],
  viewerId: number | null,
  baseUrl: string,
): Promise<DetailRow[]> {
  return readPrepared<DetailRow>(knex, { text: DETAIL, values: [lotIds, viewerId, baseUrl] });
}
