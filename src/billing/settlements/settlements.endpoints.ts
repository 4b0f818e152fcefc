/** A team's settlement statements. Amounts are JSON numbers in whole units of the currency, as on invoices. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { ListMeta } from '../invoices/invoice.schema.ts';
import type { SettlementLine } from './settlement-lines.ts';
import { totalsOf } from './settlement-lines.ts';
import type { Settlement } from './settlements.ts';

const STATUSES = ['draft', 'pending', 'approved', 'paid'] as const;
const Status = Type.Union(STATUSES.map((status) => Type.Literal(status)));
const TimeOrNull = Type.Union([Type.String(), Type.Null()]);

const Line = Type.Object({
  lot_id: Type.Integer(),
  lot_number: Type.Integer(),
  title: Type.String(),
  hammer: Type.Number(),
  commission_rate: Type.Number({ description: 'Per cent.' }),
  commission: Type.Number(),
  fees: Type.Array(Type.Object({ name: Type.String(), amount: Type.Number() })),
  net: Type.Number(),
  buyer_paid: Type.Boolean(),
  settled_by: Type.String({
    description:
      '`invoice`: the buyer pays us; `platform`: a floor bidder without an account pays where they bid; `nobody`: the sale fell through.',
  }),
});

const SettlementBody = Type.Object(
  {
    id: Type.Integer(),
    statement_number: Type.String({ example: 'SET-2026-00001' }),
    auction_id: Type.Integer(),
    status: Status,
    currency: Type.String(),
    lines: Type.Array(Line),
    totals: Type.Object({
      hammer: Type.Number(),
      commission: Type.Number(),
      fees: Type.Number(),
      net: Type.Number(),
    }),
    payout: Type.Union([Type.Number(), Type.Null()], {
      description: 'What was paid out: the net, and what had been paid of the platform fee’s invoice before.',
    }),
    approved_at: TimeOrNull,
    paid_at: TimeOrNull,
    created_at: Type.String(),
  },
  { $id: 'Settlement' },
);

export function settlementEndpoints(knex: Knex): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/settlements',
      operationId: 'listSettlements',
      summary: 'The team’s settlement statements, newest first',
      tags: ['Settlements'],
      access: { kind: 'ability', ability: 'seller' },
      headers: TeamHeaders,
      codes: TEAM_CODES,
      query: Type.Object({
        status: Type.Optional(Status),
        auction_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        per_page: Type.Integer({ minimum: 1, maximum: 100, default: 15 }),
        page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
      }),
      responses: {
        200: {
          description: 'One page of them.',
          schema: Type.Object({
            success: Type.Literal(true),
            data: Type.Array(SettlementBody),
            meta: ListMeta,
          }),
        },
      },
      async handle(request) {
        const { page, per_page: perPage, ...filter } = request.query;
        const where = { team_id: await actingTeam(knex, request), ...filter };
        const [count] = await knex('settlements').where(where).count<{ n: number }[]>({ n: '*' });
        const rows: Settlement[] = await knex('settlements')
          .where(where)
          .orderBy('id', 'desc')
          .limit(perPage)
          .offset((page - 1) * perPage);
        return listOf(await presentSettlements(knex, rows), { page, perPage, total: Number(count?.n ?? 0) });
      },
    }),
  ];
}

interface LineRow extends SettlementLine {
  readonly settlement_id: number;
  readonly invoice_status: string | null;
}

/** Settlements as the API shows them. Whether a buyer has paid is read from the invoice as it is now. */
export async function presentSettlements(knex: Knex, rows: readonly Settlement[]) {
  const lines: LineRow[] = await knex('settlement_lines as n')
    .leftJoin('invoices as i', 'i.id', 'n.invoice_id')
    .whereRaw('n.settlement_id = any(?::bigint[])', [rows.map((row) => row.id)])
    .orderBy(['n.settlement_id', 'n.lot_number'])
    .select('n.*', 'i.status as invoice_status');
  return rows.map((row) =>
    present(
      row,
      lines.filter((line) => line.settlement_id === row.id),
    ),
  );
}

function present(settlement: Settlement, lines: readonly LineRow[]) {
  const totals = totalsOf(lines);
  return {
    id: settlement.id,
    statement_number: settlement.statement_number,
    auction_id: settlement.auction_id,
    status: settlement.status,
    currency: settlement.currency,
    lines: lines.map((line) => ({
      lot_id: line.lot_id,
      lot_number: line.lot_number,
      title: line.title,
      hammer: line.hammer_cents / 100,
      commission_rate: settlement.commission_bps / 100,
      commission: line.commission_cents / 100,
      fees: line.fees.map((fee) => ({ name: fee.name, amount: fee.amount_cents / 100 })),
      net: line.net_cents / 100,
      buyer_paid: line.settled_by === 'platform' || line.invoice_status === 'paid',
      settled_by: line.settled_by,
    })),
    totals: {
      hammer: totals.hammerCents / 100,
      commission: totals.commissionCents / 100,
      fees: totals.feesCents / 100,
      net: totals.netCents / 100,
    },
    payout: settlement.payout_cents === null ? null : settlement.payout_cents / 100,
    approved_at: settlement.approved_at,
    paid_at: settlement.paid_at,
    created_at: settlement.created_at,
  };
}
