/**
 * Lots listed on platforms of the directory as well: linked and unlinked by their sellers, kept in step with the lot
 * by a round of the clock. Every change is a `listing.*` fact in the same transaction, which the team's webhook
 * subscriptions get like any other.
 */
import type { Knex } from 'knex';
import { formatCents } from '../../../engine/money.ts';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { isOverLot, type LotRowStatus } from '../../shared/states/lot-states.ts';
import { requireValid } from '../require-valid.ts';

export interface CrossListing {
  readonly id: number;
  readonly lot_id: number;
  readonly platform_id: number;
  readonly status: 'active' | 'ended' | 'removed';
  readonly revision: number;
  readonly told: Told;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly platform: string;
  readonly platform_name: string;
}

/** What a platform is told of a lot. */
export interface Told {
  readonly title: string;
  readonly sku: string | null;
  readonly starting_bid: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: LotRowStatus;
}

/** A lot with what listings of it need. */
interface ListedLot {
  readonly lot_id: number;
  readonly auction_id: number;
  readonly team_id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly sku: string | null;
  readonly starting_bid_cents: number;
  readonly start_time: string;
  readonly end_time: string;
  readonly status: LotRowStatus;
}

const LOT_COLUMNS = `l.id AS lot_id, l.auction_id, a.team_id, l.lot_number, l.title, l.sku, l.starting_bid_cents,
  a.start_time,
  coalesce(l.live_end_time, a.end_time + (l.lot_number - 1) * a.stagger_seconds * interval '1 second') AS end_time,
    l.status`;

/** Platforms in any other state of the directory take no listings. */
const TAKING: ReadonlySet<string> = new Set(['active', 'beta']);

/** A lot's listings, for paging. */
export function listingsOf(knex: Knex, lotId: number): Knex.QueryBuilder {
  return knex('cross_listings as x')
    .join('cross_listing_platforms as p', 'p.id', 'x.platform_id')
    .where('x.lot_id', lotId)
    .select('x.*', 'p.slug as platform', 'p.name as platform_name');
}

/** The team's lot. Throws 404. */
export async function requireTeamsLot(knex: Knex, teamId: number, lotId: number): Promise<ListedLot> {
  const row = await knex('lots as l')
    .join('auctions as a', 'a.id', 'l.auction_id')
    .where({ 'l.id': lotId, 'a.team_id': teamId })
    .first<ListedLot | undefined>(knex.raw(LOT_COLUMNS));
  if (row === undefined) throw notFound('There is no such lot.');
  return row;
}

/**
 * Lists a lot on a platform; one that is listed there already stays as it is (`isNew` false). Throws 404 for foreign
 * lots, 409 for lots that are over, 422 for platforms that are unknown or take nothing.
 */
export async function listLot(
  knex: Knex,
  teamId: number,
  lotId: number,
  slug: string,
): Promise<{ listing: CrossListing; isNew: boolean }> {
  const lot = await requireTeamsLot(knex, teamId, lotId);
  if (isOverLot(lot.status)) {
    throw new Refusal('invalid_transition', { message: `The lot is ${lot.status}.`, data: { allowed: [] } });
  }
  const platform = await knex('cross_listing_platforms')
    .where('slug', slug)
    .first<{ id: number; status: string } | undefined>('id', 'status');
  await requireValid((addError) => {
    if (platform === undefined) addError('platform', 'must be the slug of a platform');
    else if (!TAKING.has(platform.status))
      addError('platform', `names a platform that is ${platform.status}`);
  });
  return knex.transaction(async (trx) => {
    const inserted: { id: number }[] = await trx('cross_listings')
      .insert({ lot_id: lotId, platform_id: platform!.id, told: JSON.stringify(toldOf(lot)) })
      .onConflict(trx.raw("(lot_id, platform_id) WHERE status = 'active'"))
      .ignore()
      .returning('id');
    const isNew = inserted.length > 0;
    const listing: CrossListing = await listingsOf(trx, lotId)
      .where({ 'x.platform_id': platform!.id, 'x.status': 'active' })
      .first();
    if (isNew) await appendEvents(trx, [factOf(listing, lot, 'listing.created')]);
    return { listing, isNew };
  });
}

/** Takes a listing back. Throws 404 where the team's lot has no such active listing. */
export async function unlistLot(knex: Knex, teamId: number, lotId: number, listingId: number): Promise<void> {
  const lot = await requireTeamsLot(knex, teamId, lotId);
  await knex.transaction(async (trx) => {
    const changed = await trx('cross_listings')
      .where({ id: listingId, lot_id: lotId, status: 'active' })
      .update({ status: 'removed', ended_at: trx.fn.now(), revision: trx.raw('revision + 1') });
    if (changed === 0) throw notFound('There is no such listing.');
    const listing: CrossListing = await listingsOf(trx, lotId).where('x.id', listingId).first();
    await appendEvents(trx, [factOf(listing, lot, 'listing.removed')]);
  });
}

const AT_ONCE = 500;

/** What `told` would say now, in SQL: only listings whose lots have moved are looked at further. */
const TOLD_NOW = `jsonb_build_array(l.title, l.sku, l.starting_bid_cents, l.status)`;
const TOLD_BEFORE = `jsonb_build_array(x.told->>'title', x.told->>'sku',
  (replace(x.told->>'starting_bid', '.', ''))::bigint, x.told->>'status')`;

/**
 * Tells what has become of listed lots since: changed ones are `listing.updated`, those that are over
 * `listing.ended`. Done twice or by two at once, each change is told once. Returns how many were told.
 */
export function followListedLots(knex: Knex): Promise<number> {
  return knex.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: (ListedLot & { id: number })[] }>(
      `SELECT x.id, ${LOT_COLUMNS} FROM cross_listings x JOIN lots l ON l.id = x.lot_id
       JOIN auctions a ON a.id = l.auction_id
       WHERE x.status = 'active' AND ${TOLD_NOW} <> ${TOLD_BEFORE}
       ORDER BY x.id LIMIT ${AT_ONCE} FOR UPDATE OF x SKIP LOCKED`,
    );
    const facts: OutboxEvent[] = [];
    for (const { id, ...lot } of rows) {
      const over = isOverLot(lot.status);
      await trx('cross_listings')
        .where('id', id)
        .update({
          told: JSON.stringify(toldOf(lot)),
          revision: trx.raw('revision + 1'),
          ...(over ? { status: 'ended', ended_at: trx.fn.now() } : {}),
        });
      const listing: CrossListing = await listingsOf(trx, lot.lot_id).where('x.id', id).first();
      facts.push(factOf(listing, lot, over ? 'listing.ended' : 'listing.updated'));
    }
    await appendEvents(trx, facts);
    return rows.length;
  });
}

function toldOf(lot: ListedLot): Told {
  const { title, sku, start_time, end_time, status } = lot;
  return { title, sku, starting_bid: formatCents(lot.starting_bid_cents), start_time, end_time, status };
}

type ListingEventType = 'listing.created' | 'listing.updated' | 'listing.ended' | 'listing.removed';

function factOf(listing: CrossListing, lot: ListedLot, type: ListingEventType): OutboxEvent {
  return {
    eventKey: `listing-${listing.id}-${listing.revision}`,
    type,
    teamId: lot.team_id,
    userId: null,
    auctionId: lot.auction_id,
    lotId: lot.lot_id,
    data: {
      listing_id: listing.id,
      platform: listing.platform,
      lot_id: lot.lot_id,
      auction_id: lot.auction_id,
      lot_number: lot.lot_number,
      ...toldOf(lot),
    },
  };
}
