/** A lot as the team whose it is changes it: its row, with what of its auction's row decides about it. */
import type { Knex } from 'knex';
import type { Auction } from '../../bidding/records/auction.model.ts';
import { Lot } from '../../bidding/records/lot.model.ts';
import { FORMAT_FIELDS, type FormatField } from '../../shared/lot-field-lists.ts';
import { notFound } from '../../shared/refusal.ts';
import type { AuctionStatus } from '../../shared/statuses/auction-statuses.ts';

export interface OwnLot
  extends Pick<
    Lot,
    | 'id'
    | 'auction_id'
    | 'status'
    | 'category_id'
    | 'custom_fields'
    | 'consignor_id'
    | 'named_consignor_id'
    | 'consignment_accepted'
    | 'lot_number'
    | 'published_at'
    | 'starting_bid_cents'
    | 'reserve_price_cents'
    | 'buy_now_price_cents'
    | 'units'
    | 'unit_name'
    | 'bid_per'
    | 'close_group'
    | 'choice_group'
    | 'estimate_low'
    | 'estimate_high'
    | 'quantity'
    | FormatField
  > {
  readonly auction_currency: string;
  readonly auction_status: AuctionStatus;
  readonly auction_type: Auction['type'];
  readonly auction_format: string;
  readonly auction_category_id: number | null;
}

/** Throws 404 where the team has no such lot. */
export async function teamsLot(knex: Knex, teamId: number, lotId: number): Promise<OwnLot> {
  const [lot] = await Lot.query(knex)
    .joinRelated('auction')
    .where({ 'lots.id': lotId, 'auction.team_id': teamId })
    .select(
      'lots.id',
      'lots.auction_id',
      'lots.status',
      'lots.category_id',
      'lots.custom_fields',
      'lots.consignor_id',
      'lots.named_consignor_id',
      'lots.consignment_accepted',
      'lots.lot_number',
      'lots.published_at',
      'lots.starting_bid_cents',
      'lots.reserve_price_cents',
      'lots.buy_now_price_cents',
      'lots.units',
      'lots.unit_name',
      'lots.bid_per',
      'lots.close_group',
      'lots.choice_group',
      'lots.estimate_low',
      'lots.estimate_high',
      'lots.quantity',
      ...FORMAT_FIELDS.map((name) => `lots.${name}`),
      'auction.currency as auction_currency',
      'auction.status as auction_status',
      'auction.type as auction_type',
      'auction.format as auction_format',
      'auction.category_id as auction_category_id',
    )
    .castTo<OwnLot[]>();
  if (lot === undefined) throw notFound('There is no such lot.');
  return lot;
}
