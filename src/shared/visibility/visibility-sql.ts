/**
 * `visibility.ts` as conditions for statements over `auctions a` and `lots l`, made from the rows of the same tables,
 * and what lists show. Reads by id select the facts with `auctionFactsSql` or `lotFactsSql` and call the predicate;
 * lists add a condition to their statement.
 */

import { LET_IN } from '../../../engine/auction/record.ts';
import { AUCTION_POLICY, type AuctionState } from '../policy/auction-policy.ts';
import { LOT_POLICY, type LotState } from '../policy/lot-policy.ts';
import { statesFor } from '../policy/policy.ts';
import type { Relation } from '../policy/relations.ts';
import type { Who } from '../policy/who.ts';
import type { AuctionStatus } from '../statuses/auction-statuses.ts';
import type { LotRowStatus } from '../statuses/lot-statuses.ts';
import { listSql } from '../statuses/status-table.ts';
import type { AuctionFacts, LotFacts } from './visibility.ts';

/**
 * Whether the user (an SQL expression; null: nobody) is in the auction's team, admitted as its bidder, the lot's
 * consignor.
 */
const memberSql = (user: string) =>
  `EXISTS (SELECT FROM memberships m WHERE m.team_id = a.team_id AND m.user_id = ${user})`;
const registeredSql = (user: string) =>
  `EXISTS (SELECT FROM registrations r WHERE r.auction_id = a.id AND r.user_id = ${user} AND r.status IN ${listSql(LET_IN)})`;
const consignorSql = (user: string) => `coalesce(l.consignor_id = ${user}, false)`;

/** The states that a row of `auctions a` is in, as SQL; `contested` reads as `active`. */
function auctionInSql(states: readonly AuctionState[]): string {
  return inSql('a', states, { discarded: ['cancelled'], contested: ['active'] });
}

function lotInSql(states: readonly LotState[]): string {
  const hidden = { discarded: ['withdrawn'], prepared: ['scheduled', 'active', 'sold', 'passed', 'unsold'] };
  return inSql('l', states, { ...hidden, contested: ['active'], paused: ['active'] });
}

/** States that are never published, whatever their name, are those of rows without the moment of publication. */
const UNPUBLISHED: readonly string[] = ['draft', 'prepared', 'discarded'];

function inSql(
  alias: string,
  states: readonly string[],
  statusesOf: Readonly<Record<string, readonly string[]>>,
): string {
  const statuses = (published: boolean) => {
    const some = states.filter((state) => UNPUBLISHED.includes(state) !== published);
    return [...new Set(some.flatMap((state) => statusesOf[state] ?? [state]))];
  };
  const [open, kept] = [statuses(true), statuses(false)];
  const ways = [
    ...(open.length === 0
      ? []
      : [`(${alias}.published_at IS NOT NULL AND ${alias}.status IN ${listSql(open)})`]),
    ...(kept.length === 0 ? [] : [`(${alias}.published_at IS NULL AND ${alias}.status IN ${listSql(kept)})`]),
  ];
  return ways.length === 0 ? 'false' : `(${ways.join(' OR ')})`;
}

type Relations = readonly (readonly [who: Who, sql: string | null])[];

/** One way in for each thing that the user may be; what is open to anybody needs no look at the user. */
function waysIn(relations: Relations, seenBy: (who: Who) => string): string {
  return relations
    .map(([who, relation]) => (relation === null ? seenBy(who) : `(${relation} AND ${seenBy(who)})`))
    .filter((sql) => sql !== 'false')
    .join(' OR ');
}

/** `seesAuction`, over `auctions a`. */
export function seesAuctionSql(user: string): string {
  const relations: Relations = [
    ['visitor', null],
    ['registered', registeredSql(user)],
    ['member', memberSql(user)],
  ];
  const ways = (action: 'see' | 'see_private') =>
    waysIn(relations, (who) => auctionInSql(statesFor(AUCTION_POLICY, action, who)));
  return `CASE WHEN a.privacy_setting <> 'private' THEN ${ways('see')} ELSE ${ways('see_private')} END`;
}

/** `seesLot`, over `lots l` and `auctions a`. */
export function seesLotSql(user: string): string {
  const relations: Relations = [
    ['visitor', null],
    ['registered', registeredSql(user)],
    ['consignor', consignorSql(user)],
    ['member', memberSql(user)],
  ];
  const ways = (action: 'see' | 'see_private') =>
    waysIn(relations, (who) => lotInSql(statesFor(LOT_POLICY, action, who)));
  return `CASE WHEN a.privacy_setting <> 'private' THEN ${ways('see')} ELSE ${ways('see_private')} END`;
}

/** Whether lists of auctions, and counts, have it: over the auctions under this name. */
export function listsAuctionSql(auctions = 'a'): string {
  return `${auctions}.status = 'active' AND ${auctions}.privacy_setting = 'public'`;
}

/**
 * Whether lists of lots, search and the map have an auction's lots, over `auctions a`: those with one status, or with
 * null all that were published. Active ones are listed while their auction is.
 */
export function listsLotAuctionSql(status: string | null): string {
  return status === 'active'
    ? listsAuctionSql()
    : "a.published_at IS NOT NULL AND a.privacy_setting = 'public'";
}

/** The same of the lots themselves, over `lots l`, or over `priced_lots l`, which says less of them. */
export function listsLotSql(status: string | null, table: 'lots' | 'priced_lots' = 'lots'): string {
  if (status === 'active') return "l.status = 'active'";
  const published =
    table === 'lots'
      ? 'l.published_at IS NOT NULL'
      : 'EXISTS (SELECT FROM lots o WHERE o.id = l.id AND o.published_at IS NOT NULL)';
  return status === null ? published : `l.status = '${status}' AND ${published}`;
}

/** The columns of `AuctionFactsRow`, over `auctions a`. */
export function auctionFactsSql(user: string): string {
  return `a.status AS auction_status, a.privacy_setting, a.published_at IS NOT NULL AS auction_published,
    ${memberSql(user)} AS is_member, ${registeredSql(user)} AS is_registered`;
}

/** The columns of `LotFactsRow`, over `lots l` and `auctions a`; each reader selects the lot's status. */
export function lotFactsSql(user: string): string {
  return `${auctionFactsSql(user)}, l.published_at IS NOT NULL AS lot_published, ${consignorSql(user)} AS is_consignor`;
}

export interface AuctionFactsRow {
  readonly auction_status: AuctionStatus;
  readonly privacy_setting: string;
  readonly auction_published: boolean;
  readonly is_member: boolean;
  readonly is_registered: boolean;
}

export interface LotFactsRow extends AuctionFactsRow {
  readonly status: LotRowStatus;
  readonly lot_published: boolean;
  readonly is_consignor: boolean;
}

export function auctionFactsOf(row: AuctionFactsRow): AuctionFacts {
  return {
    auctionStatus: row.auction_status,
    privacy: row.privacy_setting,
    auctionPublished: row.auction_published,
  };
}

export function lotFactsOf(row: LotFactsRow): LotFacts {
  return { ...auctionFactsOf(row), lotStatus: row.status, lotPublished: row.lot_published };
}

/** `is_consignor` is absent where only an auction was read. */
export function relationOf(row: AuctionFactsRow & { readonly is_consignor?: boolean }): Relation {
  const { is_member: isMember, is_registered: isRegistered, is_consignor: isConsignor = false } = row;
  return { isMember, isRegistered, isConsignor };
}
