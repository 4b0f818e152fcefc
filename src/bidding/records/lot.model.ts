/**
 * A lot's row. From `journal_opened` on it is what the projection copies from the lot's journal, and nothing else
 * ever writes it; the rest is the seller's. Money is integer cents, times ISO 8601 UTC with microseconds, acres a
 * decimal string.
 */
import { belongsTo, Row, type RowWith } from '../../../adapters/postgres/model.ts';
import type { LotFieldColumns } from '../../shared/lot-fields.ts';
import type { LotRowStatus } from '../../shared/statuses/lot-statuses.ts';
import { Auction } from './auction.model.ts';

// Cast: the columns come with each row; no class can declare what a list only names at run time.
const Described = Row as RowWith<LotFieldColumns>;

export class Lot extends Described {
  static override tableName = 'lots';

  static override get jsonAttributes(): string[] {
    return ['custom_fields', 'translations'];
  }

  static override relationMappings = () => ({
    auction: belongsTo(Auction, 'lots.auction_id'),
  });

  declare auction?: Auction;

  declare auction_id: number;
  /** Its auction's; the database sees to it. */
  declare team_id: number;
  declare category_id: number | null;
  /** The consignor, as the lot's journal says. */
  declare consignor_id: number | null;
  /** Whom the seller named; the consignor once they have accepted. */
  declare named_consignor_id: number | null;
  declare consignment_accepted: boolean;
  declare lot_number: number;
  declare title: string;
  declare slug: string;
  declare starting_bid_cents: number;
  declare reserve_price_cents: number | null;
  declare buy_now_price_cents: number | null;
  declare custom_fields: Record<string, unknown>;
  declare status: LotRowStatus;
  /** The lot that this one puts up again. */
  declare relisted_from: number | null;
  /** Of a lot that is sold with others: the one whose journal it is in. */
  declare host_id: number | null;
  declare created_at: string;

  /** When it was first for others than its team; the database sees to it. */
  declare published_at: string | null;
  /** Whether the lot has an actor: from then on its journal is the truth. */
  declare journal_opened: boolean;
  declare current_bid_cents: number;
  declare bid_count: number;
  declare minimum_next_bid_cents: number | null;
  declare reserve_met: boolean;
  declare leader_key: string | null;
  declare leader_user_id: number | null;
  declare live_end_time: string | null;
  declare original_end_time: string | null;
  declare extension_count: number;
  declare hammer_price_cents: number | null;
  declare winner_user_id: number | null;
  declare sequence: number;
  declare head_hash: string | null;
  declare closed_at: string | null;
}
