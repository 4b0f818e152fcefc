/**
 * One lot in full: what Postgres holds of it and its auction, with the live fields laid over, for whoever may see it.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../adapters/http/endpoint.ts';
import { userKey } from '../../engine/auction/record.ts';
import type { Journal } from '../../engine/journal.ts';
import type { Increment } from '../../engine/lot/increments.ts';
import type { LotState } from '../../engine/lot/state.ts';
import { formatCents } from '../../engine/money.ts';
import { mediaSql } from '../media/media-presentation.ts';
import { type LiveColumns, liveFields, readLive } from './live.ts';

interface DetailRow extends LiveColumns {
  id: number;
  auction_id: number;
  lot_number: number;
  title: string;
  slug: string;
  sku: string | null;
  description: string | null;
  condition: string | null;
  quantity: number;
  address: string | null;
  city: string | null;
  county: string | null;
  state: string | null;
  postal_code: string | null;
  country: string | null;
  lat: number | null;
  lng: number | null;
  acres: string | null;
  apn: string | null;
  zoning: string | null;
  road_access: boolean | null;
  utilities: string[];
  water_access: boolean | null;
  mineral_rights: boolean | null;
  custom_fields: Record<string, unknown>;
  category_id: number | null;
  category_name: string | null;
  consignor_id: number | null;
  leader_user_id: number | null;
  auction_title: string;
  auction_slug: string;
  auction_status: string;
  privacy_setting: string;
  team_id: number;
  currency: string;
  buyer_premium_bps: number;
  increments: { from_cents: number; increment_cents: number }[] | null;
  start_time: string;
  end_time: string;
  media: unknown[];
  watching: boolean;
  registered: boolean;
}

export interface LotReading {
  readonly detail: Record<string, unknown>;
  readonly stale: boolean;
}

/** Reads a lot for a viewer; null where it is not there or not theirs to see. `baseUrl` goes before the paths of media. */
export async function readLotDetail(
  knex: Knex,
  journal: Pick<Journal, 'load'>,
  lotId: number,
  viewer: Principal | null,
  baseUrl = '',
): Promise<LotReading | null> {
  const row = await readRow(knex, lotId, viewer?.userId ?? null, baseUrl);
  if (row === undefined || !isVisible(row, viewer)) return null;
  const live = await readLive(journal, [{ lotId, auctionId: row.auction_id }]);
  const state = live.states.get(lotId);
  const detail = {
    ...plainFields(row),
    ...liveFields(row, state, { ...row, increments: row.increments?.map(bandOf) ?? null }),
  };
  if (viewer === null) return { detail, stale: live.stale };
  const leads =
    state === undefined ? row.leader_user_id === viewer.userId : state.leader?.key === userKey(viewer.userId);
  const ceiling = leads && state?.leader ? formatCents(state.leader.ceilingCents) : null;
  return {
    detail: { ...detail, viewer: { is_watching: row.watching, is_high_bidder: leads, max_amount: ceiling } },
    stale: live.stale,
  };
}

/** The lot in full as it stood at a state of its journal, whoever asks: what a stream shows. Null: there is no such lot. */
export async function presentLotAt(knex: Knex, state: LotState): Promise<Record<string, unknown> | null> {
  const row = await readRow(knex, state.lotId, null);
  if (row === undefined) return null;
  return {
    ...plainFields(row),
    ...liveFields(row, state, { ...row, increments: row.increments?.map(bandOf) ?? null }),
  };
}

/** The auction of a lot that this viewer may see, or null. */
export async function findVisibleLot(
  knex: Knex,
  lotId: number,
  viewer: Principal | null,
): Promise<number | null> {
  const row = await readRow(knex, lotId, viewer?.userId ?? null);
  return row !== undefined && isVisible(row, viewer) ? row.auction_id : null;
}

/** Drafts are there for their team alone; private auctions for their team and approved bidders. */
function isVisible(row: DetailRow, viewer: Principal | null): boolean {
  if (viewer !== null && (viewer.teamIds.includes(row.team_id) || viewer.userId === row.consignor_id))
    return true;
  if (row.status === 'draft' || row.auction_status === 'draft') return false;
  return row.privacy_setting !== 'private' || row.registered;
}

function bandOf(band: { from_cents: number; increment_cents: number }): Increment {
  return { fromCents: band.from_cents, incrementCents: band.increment_cents };
}

function plainFields(row: DetailRow): Record<string, unknown> {
  return {
    id: row.id,
    auction_id: row.auction_id,
    lot_number: row.lot_number,
    title: row.title,
    slug: row.slug,
    sku: row.sku,
    description: row.description,
    condition: row.condition,
    quantity: row.quantity,
    media: row.media,
    category: row.category_id === null ? null : { id: row.category_id, name: row.category_name },
    currency: row.currency,
    location: {
      address: row.address,
      city: row.city,
      county: row.county,
      state: row.state,
      postal_code: row.postal_code,
      country: row.country,
      lat: row.lat,
      lng: row.lng,
    },
    land: {
      acres: row.acres === null ? null : Number(row.acres),
      apn: row.apn,
      zoning: row.zoning,
      road_access: row.road_access,
      utilities: row.utilities,
      water_access: row.water_access,
      mineral_rights: row.mineral_rights,
    },
    custom_fields: row.custom_fields,
    buyer_premium_percentage: formatCents(row.buyer_premium_bps),
    auction: {
      id: row.auction_id,
      title: row.auction_title,
      slug: row.auction_slug,
      status: row.auction_status,
    },
  };
}

function readRow(
  knex: Knex,
  lotId: number,
  viewerId: number | null,
  baseUrl = '',
): Promise<DetailRow | undefined> {
  return knex('lots')
    .join('auctions', 'auctions.id', 'lots.auction_id')
    .leftJoin('categories', 'categories.id', knex.raw('coalesce(lots.category_id, auctions.category_id)'))
    .where('lots.id', lotId)
    .first<DetailRow | undefined>(
      'lots.*',
      'categories.id as category_id',
      'categories.name as category_name',
      'auctions.title as auction_title',
      'auctions.slug as auction_slug',
      'auctions.status as auction_status',
      'auctions.privacy_setting',
      'auctions.team_id',
      'auctions.currency',
      'auctions.buyer_premium_bps',
      'auctions.increments',
      'auctions.start_time',
      'auctions.end_time',
      knex.raw(`${mediaSql('lot_id', 'lots.id', '?')} AS media`, [baseUrl, baseUrl]),
      knex.raw('EXISTS (SELECT 1 FROM watchlist w WHERE w.lot_id = lots.id AND w.user_id = ?) AS watching', [
        viewerId,
      ]),
      knex.raw(
        "EXISTS (SELECT 1 FROM registrations r WHERE r.auction_id = auctions.id AND r.user_id = ? AND r.status = 'approved') AS registered",
        [viewerId],
      ),
    );
}
