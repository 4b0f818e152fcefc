/**
 * `visibility.ts` as conditions for statements over `auctions a` and `lots l`, and what lists show, which is defined
 * only here. Reads by id select the facts with `auctionFactsSql` or `lotFactsSql` and call the predicate; lists add a
 * condition to their statement.
 */

import { LET_IN } from '../../../engine/auction/record.ts';
import { listSql } from '../statuses/status-table.ts';
import type { AuctionFacts, LotFacts, Relation } from './visibility.ts';

/**
 * Whether the user (an SQL expression; null: nobody) is in the auction's team, admitted as its bidder, the lot's
 * consignor.
 */
const memberSql = (user: string) =>
  `EXISTS (SELECT FROM memberships m WHERE m.team_id = a.team_id AND m.user_id = ${user})`;
const registeredSql = (user: string) =>
  `EXISTS (SELECT FROM registrations r WHERE r.auction_id = a.id AND r.user_id = ${user} AND r.status IN ${listSql(LET_IN)})`;
const consignorSql = (user: string) => `coalesce(l.consignor_id = ${user}, false)`;

const PUBLISHED_SQL = "a.status <> 'draft'";

/** `seesAuction`, over `auctions a`. */
export function seesAuctionSql(user: string): string {
  return `((${PUBLISHED_SQL} AND (a.privacy_setting <> 'private' OR ${registeredSql(user)})) OR ${memberSql(user)})`;
}

/** `seesLot`, over `lots l` and `auctions a`. */
export function seesLotSql(user: string): string {
  return `((l.status <> 'draft' AND ${seesAuctionSql(user)}) OR ${consignorSql(user)} OR ${memberSql(user)})`;
}

/** Whether lists of auctions, and counts, have it: over the auctions under this name. */
export function listsAuctionSql(auctions = 'a'): string {
  return `${auctions}.status = 'active' AND ${auctions}.privacy_setting = 'public'`;
}

/**
 * Whether lists of lots, search and the map have an auction's lots, over `auctions a`: those with one status, or with
 * null all but drafts. Active ones are listed while their auction is.
 */
export function listsLotAuctionSql(status: string | null): string {
  return status === 'active' ? listsAuctionSql() : `${PUBLISHED_SQL} AND a.privacy_setting = 'public'`;
}

/** The columns of `AuctionFactsRow`, over `auctions a`. */
export function auctionFactsSql(user: string): string {
  return `a.status AS auction_status, a.privacy_setting, ${memberSql(user)} AS is_member,
    ${registeredSql(user)} AS is_registered`;
}

/** The columns of `LotFactsRow`, over `lots l` and `auctions a`; each reader selects the lot's status. */
export function lotFactsSql(user: string): string {
  return `${auctionFactsSql(user)}, ${consignorSql(user)} AS is_consignor`;
}

export interface AuctionFactsRow {
  readonly auction_status: string;
  readonly privacy_setting: string;
  readonly is_member: boolean;
  readonly is_registered: boolean;
}

export interface LotFactsRow extends AuctionFactsRow {
  readonly status: string;
  readonly is_consignor: boolean;
}

export function auctionFactsOf(row: AuctionFactsRow): AuctionFacts {
  return {
    auctionStatus: row.auction_status,
    privacy: row.privacy_setting,
  };
}

export function lotFactsOf(row: LotFactsRow): LotFacts {
  return { ...auctionFactsOf(row), lotStatus: row.status };
}

/** `is_consignor` is absent where only an auction was read. */
export function relationOf(row: AuctionFactsRow & { readonly is_consignor?: boolean }): Relation {
  const { is_member: isMember, is_registered: isRegistered, is_consignor: isConsignor = false } = row;
  return { isMember, isRegistered, isConsignor };
}
