/**
 * What a consignor sees by their link: their lots with this team, what each was sold for, and the statement:
 * commission, what is left, and what is paid since when. Nothing of buyers, of bids, or of lots that are another's.
 */
import type { Knex } from 'knex';
import { totalCents } from '../../../engine/money.ts';
import { type SettlementLine, workOutLinesOf } from '../../billing/settlements/settlement-lines.ts';
import { CHARGED_BPS_SQL } from '../../billing/settlements/settlements.ts';
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
  // SQL: each lot with its auction's settlement and its buyer's payment.
  const { rows } = await knex.raw<{ rows: FoundRow[] }>(
    `SELECT l.id, coalesce(l.catalog_number, l.lot_number::text) AS number, l.title, l.status, l.auction_id, a.title AS auction, a.currency,
       coalesce(l.live_end_time, a.end_time) AS ends_at, t.name AS team,
       (l.published_at IS NOT NULL AND a.privacy_setting <> 'private') AS is_public,
       ${CHARGED_BPS_SQL} AS settled_bps, i.paid_at AS buyer_paid_at, ${PAID_OUT_SQL} AS paid_out_at
     FROM lots l JOIN auctions a ON a.id = l.auction_id JOIN teams t ON t.id = l.team_id
     LEFT JOIN settlements s ON s.auction_id = a.id AND s.team_id = l.team_id AND s.kind = 'auction'
     LEFT JOIN LATERAL (SELECT max(p.paid_at) AS paid_at FROM invoices p WHERE p.lot_id = l.id AND p.kind = 'winner'
       AND p.status IN ${LIVE_INVOICE_SQL} HAVING bool_and(p.status = 'paid')) i ON true
     WHERE l.team_id = :teamId AND (coalesce(l.named_consignor_id, l.consignor_id) = :consignorId
       OR EXISTS (SELECT FROM consignor_link_lots o WHERE o.link_id = :linkId AND o.lot_id = l.id))
     ORDER BY a.start_time DESC, a.id DESC, l.lot_number, l.id LIMIT ${MAX_ROWS}`,
    { teamId, consignorId, linkId },
  );
  const rateOf = (row: FoundRow) => link.commission_bps ?? row.settled_bps;
  const lines = await workOutLinesOf(knex, new Map(rows.map((row) => [row.id, rateOf(row) ?? 0])));
  const shown = rows.map((row) => withLine(row, lines.get(row.id), rateOf(row) !== null));
  const [first] = rows;
  const team = first?.team ?? '';
  return { name: link.name, team, rows: shown, totals: totalsOf(shown) };
}

interface FoundRow extends Omit<ConsignedRow, 'is_void' | keyof typeof NO_AMOUNTS> {
  readonly team: string;
  /** In basis points; null until the auction is settled. */
  readonly settled_bps: number | null;
}

const NO_AMOUNTS = { hammer_cents: null, commission_cents: null, other_cents: null, net_cents: null };

/** Once all that the seller is owed for the lot is paid out: what its sale brought later too. */
const PAID_OUT_SQL = `(SELECT CASE WHEN bool_and(p.paid_at IS NOT NULL) THEN max(p.paid_at) END FROM settlements p
  WHERE p.id IN (SELECT s.id UNION ALL SELECT d.settlement_id FROM settlement_adjustments d
    WHERE d.auction_id = l.auction_id AND d.lot_id = l.id AND d.amount_cents > 0))`;

/** `line`: what the settlement says of the lot now, at the commission that is agreed with this consignor. */
function withLine(
  { team: _team, settled_bps: _bps, ...row }: FoundRow,
  line: SettlementLine | undefined,
  hasTerms: boolean,
): ConsignedRow {
  const is_void = line?.settled_by === 'nobody';
  if (line === undefined || is_void) return { ...row, ...NO_AMOUNTS, is_void };
  const { hammer_cents, commission_cents, net_cents } = line;
  if (!hasTerms) return { ...row, ...NO_AMOUNTS, hammer_cents, is_void };
  return {
    ...row,
    ...{ hammer_cents, commission_cents, net_cents, is_void },
    other_cents: net_cents - hammer_cents + commission_cents,
  };
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
