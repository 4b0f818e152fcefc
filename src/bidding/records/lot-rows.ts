/**
 * What the engine needs of a lot, as plain rows: the terms it is offered on and its position in the auction. The
 * wiring of the engine reads these when a lot's journal is opened; nothing here writes.
 */
import type { Knex } from 'knex';
import type { LotToOpen } from '../../../engine/actor/opening.ts';
import { type Decimals, decimalsOf, formatCents } from '../../../engine/money.ts';
import { AUCTION_FORMAT_FIELDS } from '../../shared/auction-format-fields.ts';
import { formatSettings, saleSettings } from '../../shared/format-fields.ts';
import { LOT_FIELD_COLUMNS, LOTS_BY_AUCTION } from '../../shared/lot-field-lists.ts';
import type { LotFieldColumns } from '../../shared/lot-fields.ts';
import { unitsOf } from '../../shared/lot-units.ts';
import { newSalt } from '../../shared/node-crypto.ts';
import type { LotRowStatus } from '../../shared/statuses/lot-statuses.ts';

/** A lot with what of its auction the journal's first entry needs. */
export interface LotRow extends LotFieldColumns {
  readonly id: number;
  readonly auction_id: number;
  readonly lot_number: number;
  readonly status: LotRowStatus;
  readonly starting_bid_cents: number;
  readonly reserve_price_cents: number | null;
  readonly buy_now_price_cents: number | null;
  readonly consignor_id: number | null;
  /** Of a lot that is sold with others: whose journal it is in; null: its own. */
  readonly host_id: number | null;
  /** Whether the lot has a journal already. */
  readonly journal_opened: boolean;
  readonly format: string;
  readonly currency: string;
  /** What the auction says for all of its lots, by the field's name. */
  readonly auctions_fields: Readonly<Record<string, unknown>>;
}

/** The columns of a `LotRow`, of `lots` and `auctions`. */
export const LOT_ROW_COLUMNS: readonly string[] = [
  ...['lots.id', 'lots.auction_id', 'lots.lot_number', 'lots.status', 'lots.starting_bid_cents'],
  ...['lots.reserve_price_cents', 'lots.buy_now_price_cents', 'lots.consignor_id', 'lots.journal_opened'],
  'lots.host_id',
  ...LOT_FIELD_COLUMNS.map((name) => `lots.${name}`),
  ...['auctions.format', 'auctions.currency'],
];

/** What an auction says for all of its lots, as one column. */
export const AUCTIONS_FIELDS_SQL = `json_build_object(${AUCTION_FORMAT_FIELDS.map((name) => `'${name}', auctions.${name}${name === 'whole_reserve' ? '::text' : ''}`).join()}) AS auctions_fields`;

/** All lots of an auction by lot number; with `statuses`, only those in one of them. */
export async function readLotRowsOfAuction(
  knex: Knex,
  auctionId: number,
  statuses?: readonly LotRowStatus[],
): Promise<LotRow[]> {
  const query = knex('lots')
    .join('auctions', 'auctions.id', 'lots.auction_id')
    .where('auction_id', auctionId)
    .orderBy('lot_number')
    .select<LotRow[]>(
      ...LOT_ROW_COLUMNS,
      // SQL: several columns as one object.
      knex.raw(AUCTIONS_FIELDS_SQL),
    );
  if (statuses) query.whereRaw('lots.status = any(?)', [[...statuses]]);
  return query;
}

/** What a lot does not say itself, its auction may. */
function withAuctions(row: LotRow): LotFieldColumns {
  const unset = LOTS_BY_AUCTION.filter((name) => row[name] === null);
  return { ...row, ...Object.fromEntries(unset.map((name) => [name, row.auctions_fields[name] ?? null])) };
}

/** What is on its way into the journal: each lot by itself, or those of one sale by the one that hosts it. */
export function allToOpen(rows: readonly LotRow[]): LotToOpen[] {
  return rows
    .filter(({ id, host_id: hostId }) => hostId === null || hostId === id)
    .map((row) => toOpenOf(row, row.host_id === null ? [] : rows.filter((one) => one.host_id === row.id)));
}

/** A lot on its way into the journal. `members`: all lots of the sale that it hosts. */
function toOpenOf(row: LotRow, members: readonly LotRow[]): LotToOpen {
  const units = unitsOf(row);
  const decimals = decimalsOf(row.currency);
  const settings =
    members.length > 0
      ? saleSettings(
          row.auctions_fields,
          members.map((lot) => memberSettings(lot, decimals)),
        )
      : formatSettings(row.format, withAuctions(row), decimals);
  return {
    lotId: row.id,
    lotNumber: row.lot_number,
    salt: newSalt(),
    startingBidCents: row.starting_bid_cents,
    reserveCents: row.reserve_price_cents,
    buyNowCents: row.buy_now_price_cents,
    consignorUserId: row.consignor_id,
    ...(units === null ? {} : { units }),
    ...(settings === undefined ? {} : { settings }),
  };
}

/** What the first entry of a sale has of one of its lots. */
function memberSettings(row: LotRow, decimals: Decimals): Readonly<Record<string, unknown>> {
  const { reserve_price_cents: reserveCents } = row;
  return {
    lot_id: row.id,
    lot_number: row.lot_number,
    starting_bid: formatCents(row.starting_bid_cents, decimals),
    reserve_price: reserveCents === null ? null : formatCents(reserveCents, decimals),
    units: row.units,
    unit_name: row.unit_name,
    bid_per: row.bid_per,
    consignor_user_id: row.consignor_id,
  };
}
