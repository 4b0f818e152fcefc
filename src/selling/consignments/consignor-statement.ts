/**
 * What a consignor sees by their link: their lots with this team, what each was sold for, and the statement:
 * commission, what is left, and what is paid since when. Nothing of buyers, of bids, or of lots that are another's.
 */
import type { Knex } from 'knex';
import { totalCents } from '../../../engine/money.ts';
import { commissionOn } from '../../billing/settlements/commission.ts';
import { LIVE_INVOICE_SQL } from '../../shared/statuses/billing-statuses.ts';
import { findConsignorLink } from './consignor-links.ts';

export interface ConsignedRow {
  readonly id: number;
  /** As the catalog has it. */
  readonly number: string;
  readonly title: string;
  readonly status: string;
  readonly auction_id: number;
  readonly auction: string;
  readonly currency: string;
  readonly ends_at: string | null;
  /** It has a page for everybody. */
  readonly is_public: boolean;
  readonly hammer_cents: number | null;
  /** Null until the auction is settled. */
  readonly commission_cents: number | null;
  readonly other_cents: number | null;
  readonly net_cents: number | null;
  /** The sale fell through. */
  readonly is_void: boolean;
  /** Since when all have paid, where several have bought a part of it. */
  readonly buyer_paid_at: string | null;
  readonly paid_out_at: string | null;
}

interface StatementTotal {
  readonly currency: string;
  readonly lots: number;
  readonly hammerCents: bigint;
  readonly commissionCents: bigint;
  readonly netCents: bigint;
  readonly paidOutCents: bigint;
}

export interface ConsignorStatement {
  readonly name: string;
  readonly team: string;
  readonly rows: readonly ConsignedRow[];
  readonly totals: readonly StatementTotal[];
}

const MAX_ROWS = 5_000;

/** By the link's secret; null where there is none any more. */
export async function readConsignorStatement(knex: Knex, token: string): Promise<ConsignorStatement | null> {
  const link = await findConsignorLink(knex, token);
  if (link === undefined) return null;
  const { team_id: teamId, consignor_id: consignorId, id: linkId } = link;
  // SQL: each lot with its line of the auction's settlement and its buyer's payment.
  const { rows } = await knex.raw<{ rows: (ConsignedRow & { team: string })[] }>(
    `SELECT l.id, coalesce(l.catalog_number, l.lot_number::text) AS number, l.title, l.status, l.auction_id, a.title AS auction, a.currency,
       coalesce(l.live_end_time, a.end_time) AS ends_at, t.name AS team,
       (l.published_at IS NOT NULL AND a.privacy_setting <> 'private') AS is_public,
       CASE WHEN l.status = 'sold' THEN coalesce(n.hammer_cents, l.hammer_price_cents) END AS hammer_cents,
       n.commission_cents, n.adjustment_cents - coalesce((SELECT sum((fee->>'amount_cents')::bigint)
         FROM jsonb_array_elements(n.fees) fee), 0)::bigint AS other_cents, n.net_cents,
       coalesce(n.settled_by = 'nobody', false) AS is_void, i.paid_at AS buyer_paid_at, s.paid_at AS paid_out_at
     FROM lots l JOIN auctions a ON a.id = l.auction_id JOIN teams t ON t.id = l.team_id
     LEFT JOIN settlements s ON s.auction_id = a.id AND s.team_id = l.team_id AND s.kind = 'auction'
     LEFT JOIN settlement_lines n ON n.settlement_id = s.id AND n.lot_id = l.id
     LEFT JOIN LATERAL (SELECT max(p.paid_at) AS paid_at FROM invoices p WHERE p.lot_id = n.lot_id AND p.kind = 'winner'
       AND p.status IN ${LIVE_INVOICE_SQL} HAVING bool_and(p.status = 'paid')) i ON true
     WHERE l.team_id = :teamId AND (coalesce(l.named_consignor_id, l.consignor_id) = :consignorId
       OR EXISTS (SELECT FROM consignor_link_lots o WHERE o.link_id = :linkId AND o.lot_id = l.id))
     ORDER BY a.start_time DESC, a.id DESC, l.lot_number, l.id LIMIT ${MAX_ROWS}`,
    { teamId, consignorId, linkId },
  );
  const shown = rows.map(({ team: _team, ...row }) => withTerms(row, link.commission_bps));
  const [first] = rows;
  const team = first?.team ?? '';
  return { name: link.name, team, rows: shown, totals: totalsOf(shown) };
}

/** By the commission that the house has agreed with this consignor, where the link says one. */
function withTerms(row: ConsignedRow, commissionBps: number | null): ConsignedRow {
  const { hammer_cents: hammer, is_void, net_cents: settled } = row;
  if (is_void)
    return { ...row, hammer_cents: null, commission_cents: null, other_cents: null, net_cents: null };
  if (commissionBps === null || hammer === null) return row;
  const commission_cents = commissionOn(hammer, commissionBps);
  const other = settled === null ? 0 : (row.other_cents ?? 0);
  return { ...row, commission_cents, other_cents: other, net_cents: hammer - commission_cents + other };
}

function totalsOf(rows: readonly ConsignedRow[]): StatementTotal[] {
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const sold = rows.filter((row) => row.currency === currency && row.hammer_cents !== null);
    return {
      currency,
      lots: sold.length,
      hammerCents: totalCents(sold, (row) => row.hammer_cents ?? 0),
      commissionCents: totalCents(sold, (row) => row.commission_cents ?? 0),
      netCents: totalCents(sold, (row) => row.net_cents ?? 0),
      paidOutCents: totalCents(sold, (row) => (row.paid_out_at === null ? 0 : (row.net_cents ?? 0))),
    };
  });
}
