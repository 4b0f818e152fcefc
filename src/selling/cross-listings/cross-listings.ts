/**
 * Lots listed on platforms of the directory as well: linked and unlinked by their sellers, kept in step with the lot
 * by a round of the clock. Every change is a `listing.*` fact in the same transaction, which the team's webhook
 * subscriptions get like any other.
 */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { firstOf } from '../../../engine/first-of.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { CrossListingPlatform } from '../../catalog/directory/cross-listing-platform.model.ts';
import { appendEvents, type OutboxEvent } from '../../events/outbox.ts';
import { invalid, invalidTransition, notFound } from '../../shared/refusal.ts';
import { isOverLot } from '../../shared/statuses/lot-statuses.ts';
import { CrossListing, type ListedState } from './cross-listing.model.ts';

/** A listing with the platform that it is on. */
export type ListingOnPlatform = CrossListing & { readonly platform: CrossListingPlatform };

/** A lot with what listings of it need. */
interface ListedLot
  extends Pick<
    Lot,
    'auction_id' | 'team_id' | 'lot_number' | 'title' | 'sku' | 'starting_bid_cents' | 'status'
  > {
  readonly lot_id: number;
  readonly start_time: string;
  readonly end_time: string;
  readonly currency: string;
}

/** The columns of a `ListedLot`, of `lots l JOIN auctions a`. */
const LISTED_SQL = `l.id AS lot_id, l.auction_id, a.team_id, l.lot_number, l.title, l.sku, l.starting_bid_cents, l.status,
  a.currency, a.start_time,
  coalesce(l.live_end_time, a.end_time + (l.lot_number - 1) * a.stagger_seconds * interval '1 second') AS end_time`;

/** Platforms in any other state of the directory take no listings. */
const TAKING: ReadonlySet<string> = new Set(['active', 'beta']);

/** A lot's listings, for paging. */
export function listingsOf(knex: Knex, lotId: number) {
  return CrossListing.query(knex)
    .where('lot_id', lotId)
    .withGraphFetched('platform')
    .castTo<ListingOnPlatform[]>();
}

/** The team's lot. Throws 404. */
export async function requireTeamsLot(knex: Knex, teamId: number, lotId: number): Promise<ListedLot> {
  const [lot] = await Lot.query(knex)
    .alias('l')
    .joinRelated('auction', { alias: 'a' })
    .where({ 'l.id': lotId, 'a.team_id': teamId })
    .select(raw(LISTED_SQL))
    .castTo<ListedLot[]>();
  if (lot === undefined) throw notFound('There is no such lot.');
  return lot;
}

/**
 * Lists a lot on a platform; one that is already listed there is not changed (`isNew` false). Throws 404 for foreign
 * lots, 409 for lots that are over, 422 for platforms that are unknown or take nothing.
 */
export async function listLot(
  knex: Knex,
  teamId: number,
  lotId: number,
  slug: string,
): Promise<{ listing: ListingOnPlatform; isNew: boolean }> {
  const lot = await requireTeamsLot(knex, teamId, lotId);
  if (isOverLot(lot.status)) {
    throw invalidTransition(`The lot is ${lot.status}.`);
  }
  const platform = await requirePlatform(knex, slug);
  return knex.transaction(async (trx) => {
    // Nothing is inserted where the lot is listed there already: then there is no id.
    const made: { readonly id?: number } = await CrossListing.query(trx)
      .insert({ lot_id: lotId, platform_id: platform.id, told: listedState(lot) })
      .onConflict(raw("(lot_id, platform_id) WHERE status = 'active'"))
      .ignore();
    const isNew = made.id !== undefined;
    const listing = firstOf(
      await listingsOf(trx, lotId).where({ platform_id: platform.id, status: 'active' }),
    );
    if (isNew) await appendEvents(trx, [factOf(named(listing), lot, 'listing.created')]);
    return { listing, isNew };
  });
}

/** Throws 422 for platforms that are unknown or take nothing. */
async function requirePlatform(knex: Knex, slug: string): Promise<CrossListingPlatform> {
  const platform = await CrossListingPlatform.query(knex).findOne({ slug });
  if (platform !== undefined && TAKING.has(platform.status)) return platform;
  const wrong =
    platform === undefined ? 'must be the slug of a platform' : `names a platform that is ${platform.status}`;
  throw invalid({ platform: [`The platform field ${wrong}.`] });
}

/** Takes a listing back. Throws 404 where the team's lot has no such active listing. */
export async function unlistLot(knex: Knex, teamId: number, lotId: number, listingId: number): Promise<void> {
  const lot = await requireTeamsLot(knex, teamId, lotId);
  await knex.transaction(async (trx) => {
    const changed = await CrossListing.query(trx)
      .where({ id: listingId, lot_id: lotId, status: 'active' })
      .patch({ status: 'removed', ended_at: NOW, revision: NEXT_REVISION });
    if (changed === 0) throw notFound('There is no such listing.');
    const listing = firstOf(await listingsOf(trx, lotId).where('id', listingId));
    await appendEvents(trx, [factOf(named(listing), lot, 'listing.removed')]);
  });
}

const NOW = raw('now()');
const NEXT_REVISION = raw('revision + 1');

const AT_ONCE = 500;

/** What `told` would hold now, in SQL: only listings whose lots have moved are processed further. */
const LISTED_NOW = `jsonb_build_array(l.title, l.sku, l.starting_bid_cents, l.status)`;
const LISTED_BEFORE = `jsonb_build_array(x.told->>'title', x.told->>'sku',
  (replace(x.told->>'starting_bid', '.', ''))::bigint, x.told->>'status')`;

/**
 * Publishes changes of listed lots: changed ones are `listing.updated`, those that are over `listing.ended`. Repeated
 * or concurrent calls publish each change once. Returns how many were published.
 */
export function followListedLots(knex: Knex): Promise<number> {
  return knex.transaction(async (trx) => {
    // SQL: locks the listings alone and passes over those that another is at, which Objection cannot say of a join.
    const { rows } = await trx.raw<{ rows: (ListedLot & FactListing)[] }>(
      `SELECT x.id, x.revision, p.slug AS platform, ${LISTED_SQL}
       FROM cross_listings x JOIN cross_listing_platforms p ON p.id = x.platform_id
       JOIN lots l ON l.id = x.lot_id JOIN auctions a ON a.id = l.auction_id
       WHERE x.status = 'active' AND ${LISTED_NOW} <> ${LISTED_BEFORE}
       ORDER BY x.id LIMIT ${AT_ONCE} FOR UPDATE OF x SKIP LOCKED`,
    );
    const facts: OutboxEvent[] = [];
    for (const { id, revision: before, platform, ...lot } of rows) {
      const over = isOverLot(lot.status);
      const revision = before + 1;
      await CrossListing.query(trx)
        .findById(id)
        .patch({ told: listedState(lot), revision, ...(over ? { status: 'ended', ended_at: NOW } : {}) });
      facts.push(factOf({ id, revision, platform }, lot, over ? 'listing.ended' : 'listing.updated'));
    }
    await appendEvents(trx, facts);
    return rows.length;
  });
}

function listedState(lot: ListedLot): ListedState {
  const { title, sku, start_time, end_time, status } = lot;
  const starting_bid = formatCents(lot.starting_bid_cents, decimalsOf(lot.currency));
  return { title, sku, starting_bid, start_time, end_time, status };
}

type ListingEventType = 'listing.created' | 'listing.updated' | 'listing.ended' | 'listing.removed';

/** What a fact names of a listing; the platform by its slug. */
interface FactListing extends Pick<CrossListing, 'id' | 'revision'> {
  readonly platform: string;
}

function named({ id, revision, platform }: ListingOnPlatform): FactListing {
  return { id, revision, platform: platform.slug };
}

function factOf(listing: FactListing, lot: ListedLot, type: ListingEventType): OutboxEvent {
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
      ...listedState(lot),
    },
  };
}
