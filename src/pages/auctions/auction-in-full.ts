/**
 * An auction as its page shows it, in every status that its viewer may see: its terms, its seller, and how the viewer
 * is in it.
 */
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { houseIncrements } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { formatOfAuction } from '../../../engine/formats/formats.ts';
import { premiumTermsOf } from '../../bidding/records/auction-rows.ts';
import { conditionsSql } from '../../catalog/auctions/auction-list.ts';
import { openLotsSql } from '../../catalog/auctions/open-lots.ts';
import { type SaleChange, saleHistorySql } from '../../catalog/auctions/sale-history.ts';
import type { Language } from '../../shared/language.ts';
import { sentencesIn } from '../../shared/languages/phrasebook.ts';
import { notFound } from '../../shared/refusal.ts';
import { formatTaxPpm, type SaleTerms } from '../../shared/sale-amounts.ts';
import {
  type Conditions,
  type SaleTermColumns,
  type ShownSaleTerms,
  shownSaleTerms,
} from '../../shared/sale-terms.ts';
import type { Translations } from '../../shared/translations.ts';
import { seesAuction } from '../../shared/visibility/visibility.ts';
import {
  type AuctionFactsRow,
  auctionFactsOf,
  auctionFactsSql,
  relationOf,
} from '../../shared/visibility/visibility-sql.ts';
import { WAITING_SENTENCES } from '../components/registration-step.ts';
import { type PremiumInParts, premiumInParts } from './terms-in-words.ts';

export interface AuctionInFull {
  readonly id: number;
  readonly title: string;
  readonly slug: string;
  readonly description: string | null;
  readonly language: Language | null;
  readonly translations: Translations;
  readonly status: string;
  readonly type: 'timed' | 'simulcast';
  /** All of its lots are sold as one, in any combination. */
  readonly isOneSale: boolean;
  readonly format: string;
  readonly privacy: string;
  readonly currency: string;
  readonly startTime: string;
  readonly endTime: string;
  /** Lots that have not closed. */
  readonly openLots: number;
  readonly staggerSeconds: number;
  readonly category: { readonly id: number; readonly name: string } | null;
  readonly seller: AuctionSeller;
  readonly premiumPercentage: string;
  readonly taxPercentage: string;
  /** What a sale’s amounts are worked out by. */
  readonly terms: SaleTerms;
  readonly saleTerms: ShownSaleTerms;
  readonly premium: PremiumInParts;
  readonly conditions: Conditions | null;
  readonly softClose: { windowSeconds: number; extensionSeconds: number; maxExtensions: number | null };
  /** Prices in cents, each with the step from there on. */
  readonly increments: readonly { fromCents: number; incrementCents: number }[];
  readonly registration: {
    readonly mode: 'open' | 'approval' | 'deposit';
    readonly depositCents: number | null;
    readonly requireVerified: boolean;
    readonly limitCents: number | null;
  };
  /** Changes of its terms while an open lot had bids, the newest first. */
  readonly history: readonly (SaleChange & { readonly sentences: readonly string[] })[];
  readonly isOwn: boolean;
}

/** Who sells, as its auctions and lots show it. */
export interface AuctionSeller {
  readonly name: string;
  readonly slug: string;
  readonly teamId: number;
  /** The last line of its address. */
  readonly location: string | null;
  readonly since: string;
}

interface Row extends AuctionFactsRow, Omit<SaleTermColumns, 'conditions'> {
  id: number;
  title: string;
  slug: string;
  description: string | null;
  language: Language | null;
  translations: Translations;
  status: string;
  type: 'timed' | 'simulcast';
  format: string;
  currency: string;
  start_time: string;
  end_time: string;
  open_lots: number;
  history: SaleChange[];
  stagger_seconds: number;
  category_id: number | null;
  category: string | null;
  team_id: number;
  seller: string;
  seller_slug: string;
  seller_address: string | null;
  seller_since: string;
  shown_conditions: Conditions | null;
  buyer_premium_bps: number;
  sales_tax_ppm: number;
  soft_close_window_seconds: number | null;
  soft_close_extension_seconds: number | null;
  soft_close_max_extensions: number | null;
  increments: { from_cents: number; increment_cents: number }[] | null;
  registration_mode: 'open' | 'approval' | 'deposit';
  registration_deposit_cents: number | null;
  registration_require_verified: boolean;
  registration_bid_limit_cents: number | null;
}

/** By id or slug; null where there is none, or it is not for this viewer. */
export async function readAuctionInFull(
  knex: Knex,
  idOrSlug: string,
  viewer: Principal | null,
): Promise<AuctionInFull | null> {
  const row = await readRow(knex, idOrSlug, viewer);
  return row !== undefined && seesAuction(auctionFactsOf(row), relationOf(row)) ? present(row, viewer) : null;
}

/** The auction of a lot that the viewer sees. */
export async function readAuctionOfLot(
  knex: Knex,
  auctionId: number,
  viewer: Principal | null,
): Promise<AuctionInFull> {
  const row = await readRow(knex, String(auctionId), viewer);
  if (row === undefined) throw notFound('There is no such auction.');
  return present(row, viewer);
}

function readRow(knex: Knex, idOrSlug: string, viewer: Principal | null): Promise<Row | undefined> {
  const isId = /^[1-9][0-9]{0,14}$/.test(idOrSlug);
  return knex('auctions as a')
    .leftJoin('categories as c', 'c.id', 'a.category_id')
    .join('teams as t', 't.id', 'a.team_id')
    .leftJoin('users as u', 'u.id', 'a.user_id')
    .where(isId ? { 'a.id': Number(idOrSlug) } : { 'a.slug': idOrSlug })
    .first<Row | undefined>(
      'a.*',
      'c.name as category',
      't.slug as seller_slug',
      't.postal_address as seller_address',
      't.created_at as seller_since',
      // SQL: a name that is worked out, and the facts that visibility is judged by.
      knex.raw('coalesce(u.name, t.name) as seller'),
      knex.raw(`${openLotsSql('a')} as open_lots, ${conditionsSql('a')} as shown_conditions`),
      knex.raw(`${saleHistorySql('a')} as history`),
      knex.raw(auctionFactsSql('CAST(:user AS bigint)'), { user: viewer?.userId ?? null }),
    );
}

function present(row: Row, viewer: Principal | null): AuctionInFull {
  const saleTerms = shownSaleTerms(row);
  const premiumPercentage = plain(row.buyer_premium_bps / 100);
  return {
    id: row.id,
    title: row.title,
    slug: row.slug,
    description: row.description,
    language: row.language,
    translations: row.translations,
    status: row.status,
    type: row.type,
    isOneSale: formatOfAuction(row).members !== undefined,
    format: row.format,
    privacy: row.privacy_setting,
    currency: row.currency,
    startTime: row.start_time,
    endTime: row.end_time,
    openLots: row.open_lots,
    history: row.history.map((one) => ({ ...one, sentences: sentencesIn(one.sentence) })),
    staggerSeconds: row.stagger_seconds,
    category:
      row.category_id === null || row.category === null ? null : { id: row.category_id, name: row.category },
    seller: {
      name: row.seller,
      slug: row.seller_slug,
      teamId: row.team_id,
      location: row.seller_address?.trim().split('\n').at(-1)?.trim() || null,
      since: row.seller_since,
    },
    premiumPercentage,
    taxPercentage: plain(Number(formatTaxPpm(row.sales_tax_ppm))),
    terms: { ...premiumTermsOf(row), taxPpm: row.sales_tax_ppm },
    saleTerms,
    premium: premiumInParts(saleTerms, premiumPercentage, row.currency),
    conditions: row.shown_conditions,
    // No window: there is no soft close.
    softClose: {
      windowSeconds: row.soft_close_window_seconds ?? 0,
      extensionSeconds: row.soft_close_extension_seconds ?? 0,
      maxExtensions: row.soft_close_max_extensions,
    },
    increments:
      row.increments?.map((band) => ({ fromCents: band.from_cents, incrementCents: band.increment_cents })) ??
      houseIncrements(row.currency),
    registration: {
      mode: row.registration_mode,
      depositCents: row.registration_deposit_cents,
      requireVerified: row.registration_require_verified,
      limitCents: row.registration_bid_limit_cents,
    },
    isOwn: viewer?.teamIds.includes(row.team_id) === true,
  };
}

/** `15`, `8.25`: percentages without zeros that say nothing. */
function plain(percentage: number): string {
  return String(percentage);
}

/** Somebody's registration in an auction. */
export interface OwnRegistration {
  readonly status: string;
  /** What they are told about it while it keeps them from bidding. */
  readonly sentence: string | null;
  readonly paddle: string | null;
  readonly limitCents: number | null;
  readonly reason: string | null;
  /** The version of the conditions that they accepted last. */
  readonly conditionsVersion: number | null;
  /** The deposit's invoice, where there is one. */
  readonly deposit: { readonly number: string; readonly status: string } | null;
}

/** The journal's status, and Postgres' while it is unavailable; null for who has not registered. */
export async function readOwnRegistration(
  parts: { readonly knex: Knex; readonly journal: Pick<Journal, 'loadBidders'> },
  auctionId: number,
  userId: number,
): Promise<OwnRegistration | null> {
  const key = userKey(userId);
  const [row, found, invoice] = await Promise.all([
    parts.knex('registrations').where({ auction_id: auctionId, user_id: userId }).first(),
    parts.journal.loadBidders(auctionId, [key]).catch(() => null),
    parts
      .knex('invoices')
      .where({ kind: 'deposit', auction_id: auctionId, user_id: userId })
      .orderBy('id', 'desc')
      .first('invoice_number as number', 'status'),
  ]);
  const bidder = found?.get(key)?.bidder ?? null;
  if (row === undefined && bidder === null) return null;
  const status = bidder?.status ?? row.status;
  return {
    status,
    sentence: WAITING_SENTENCES[status] ?? null,
    paddle: bidder?.paddle ?? row?.paddle_number ?? null,
    limitCents: bidder?.limitCents ?? row?.bid_limit_cents ?? null,
    reason: row?.reason ?? null,
    conditionsVersion: bidder?.conditionsVersion ?? row?.conditions_version ?? null,
    deposit: invoice ?? null,
  };
}
