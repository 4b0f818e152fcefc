/**
 * What the engine needs of a lot, as plain rows: the terms it is offered on and its position in the auction. The
 * wiring of the engine reads these when a lot's journal is opened; nothing here writes.
 */
import type { Knex } from 'knex';
import type { LotTerms } from '../../../engine/lot/state.ts';
import { type UnitColumns, unitsOf } from '../../shared/lot-units.ts';
import type { LotRowStatus } from '../../shared/statuses/lot-statuses.ts';

export interface LotRow extends LotTerms {
  readonly lotId: number;
  readonly auctionId: number;
  readonly lotNumber: number;
  readonly title: string;
  readonly closeGroup: string | null;
  readonly slug: string;
  readonly status: LotRowStatus;
  /** Whether the lot has a journal already. */
  readonly journalOpened: boolean;
  /** The version up to which these columns follow the journal. */
  readonly sequence: number;
}

const COLUMNS = {
  lotId: 'id',
  auctionId: 'auction_id',
  lotNumber: 'lot_number',
  title: 'title',
  closeGroup: 'close_group',
  slug: 'slug',
  status: 'status',
  startingBidCents: 'starting_bid_cents',
  reserveCents: 'reserve_price_cents',
  buyNowCents: 'buy_now_price_cents',
  consignorUserId: 'consignor_id',
  journalOpened: 'journal_opened',
  sequence: 'sequence',
  units: 'units',
  unit_name: 'unit_name',
  bid_per: 'bid_per',
} as const;

/** All lots of an auction by lot number; with `statuses`, only those in one of them. */
export async function readLotRowsOfAuction(
  knex: Knex,
  auctionId: number,
  statuses?: readonly LotRowStatus[],
): Promise<LotRow[]> {
  const query = knex('lots').where('auction_id', auctionId).orderBy('lot_number').select(COLUMNS);
  if (statuses) query.whereRaw('status = any(?)', [[...statuses]]);
  const rows: (Omit<LotRow, 'units'> & UnitColumns)[] = await query;
  return rows.map(({ units, unit_name, bid_per, ...row }) => ({
    ...row,
    units: unitsOf({ units, unit_name, bid_per }),
  }));
}
