/** A team's settlement statements. Amounts are JSON numbers in whole units of the currency, as on invoices. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf } from '../../../adapters/http/envelope.ts';
import { ExactNumber, exactly } from '../../../adapters/http/exact-json.ts';
import { type Decimals, decimalsOf, formatTotal, wholeUnits } from '../../../engine/money.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Id, orNull } from '../../shared/fields.schema.ts';
import { listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { readModelPage } from '../../shared/paging/read-page.ts';
import {
  type Adjustment,
  Settlement,
  type SettlementLineRow,
  SettlementStatusSchema,
} from './settlement.model.ts';
import { totalsOf } from './settlement-lines.ts';
import { waitingFor } from './settlements.ts';

const TimeOrNull = orNull(Type.String());

const Line = Type.Object({
  kind: Type.Union([Type.Literal('sale'), Type.Literal('adjustment')], {
    description: '`adjustment`: a change to an auction that was already settled, or to its fee.',
  }),
  lot_id: orNull(Type.Integer()),
  lot_number: orNull(Type.Integer()),
  auction_id: Type.Integer(),
  title: Type.String(),
  hammer: Type.Number(),
  commission_rate: Type.Number({ description: 'Per cent.' }),
  commission: Type.Number(),
  fees: Type.Array(Type.Object({ name: Type.String(), amount: Type.Number() })),
  adjustment: Type.Number({
    description: 'Added to hammer, commission and fees; negative amounts are subtracted.',
  }),
  net: Type.Number(),
  buyer_paid: Type.Boolean(),
  settled_by: Type.String({
    description:
      '`invoice`: the buyer pays us; `platform`: a floor bidder without an account pays the platform; ' +
      '`nobody`: the sale fell through; `adjustment`: nothing is sold.',
  }),
});

const SettlementBody = Type.Object(
  {
    id: Type.Integer(),
    statement_number: Type.String({ example: 'SET-2026-00001' }),
    auction_id: Type.Integer(),
    status: SettlementStatusSchema,
    currency: Type.String(),
    lines: Type.Array(Line),
    totals: Type.Object({
      hammer: Type.Number(),
      commission: Type.Number(),
      fees: Type.Number(),
      adjustments: Type.Number(),
      net: Type.Number(),
    }),
    waiting_for: Type.Array(Type.String(), {
      description:
        'The winner invoices that a draft waits for: those not yet paid, voided, refunded or defaulted, and ' +
        'those whose payment is disputed.',
    }),
    payout: orNull(Type.Number(), {
      description: 'What was paid out: the net, and what had already been paid on the platform fee invoice.',
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
        status: Type.Optional(SettlementStatusSchema),
        auction_id: Type.Optional(Id),
        ...pagingQuery,
      }),
      responses: {
        200: { description: 'One page of them.', schema: listBody(SettlementBody) },
      },
      async handle(request) {
        const { page, per_page, ...filter } = request.query;
        const own = Settlement.query(knex)
          .where({ team_id: await actingTeam(knex, request), ...filter })
          .withGraphFetched('[lines.invoice, adjustments]');
        const newest = [{ column: 'id', order: 'desc' as const }];
        const { rows, paging } = await readModelPage(own, newest, { page, per_page });
        return exactly(listOf(await presentSettlements(knex, rows), paging));
      },
    }),
  ];
}

/**
 * Settlements with their lines and adjustments as the API shows them. Whether a buyer has paid is read from the present
 * invoice.
 */
export function presentSettlements(knex: Knex, rows: readonly Settlement[]) {
  return Promise.all(
    rows.map(async (row) => present(row, row.status === 'draft' ? await waitingFor(knex, row) : [])),
  );
}

function present(settlement: Settlement, waiting: readonly string[]) {
  const decimals = decimalsOf(settlement.currency);
  const exactTotal = (cents: bigint) => new ExactNumber(formatTotal(cents, decimals));
  const lines = (settlement.lines ?? []).toSorted((a, b) => a.lot_number - b.lot_number);
  const adjustments = (settlement.adjustments ?? []).toSorted((a, b) => a.id - b.id);
  const totals = totalsOf(lines, adjustments);
  return {
    id: settlement.id,
    statement_number: settlement.statement_number,
    auction_id: settlement.auction_id,
    status: settlement.status,
    currency: settlement.currency,
    lines: [
      ...lines.map((line) => saleLine(settlement, line)),
      ...adjustments.map((row) => adjustmentLine(row, decimals)),
    ],
    totals: {
      hammer: exactTotal(totals.hammerCents),
      commission: exactTotal(totals.commissionCents),
      fees: exactTotal(totals.feesCents),
      adjustments: exactTotal(totals.adjustmentCents),
      net: exactTotal(totals.netCents),
    },
    waiting_for: waiting,
    payout: settlement.payout_cents === null ? null : exactTotal(BigInt(settlement.payout_cents)),
    approved_at: settlement.approved_at,
    paid_at: settlement.paid_at,
    created_at: settlement.created_at,
  };
}

function saleLine({ auction_id, commission_bps, currency }: Settlement, line: SettlementLineRow) {
  const decimals = decimalsOf(currency);
  return {
    kind: 'sale' as const,
    lot_id: line.lot_id,
    lot_number: line.lot_number,
    auction_id,
    title: line.title,
    hammer: wholeUnits(line.hammer_cents, decimals),
    commission_rate: commission_bps / 100,
    commission: wholeUnits(line.commission_cents, decimals),
    fees: line.fees.map((fee) => ({ name: fee.name, amount: wholeUnits(fee.amount_cents, decimals) })),
    adjustment: wholeUnits(line.adjustment_cents, decimals),
    net: wholeUnits(line.net_cents, decimals),
    buyer_paid: line.settled_by === 'platform' || line.invoice?.status === 'paid',
    settled_by: line.settled_by,
  };
}

function adjustmentLine(row: Adjustment, decimals: Decimals) {
  return {
    kind: 'adjustment' as const,
    lot_id: row.lot_id,
    lot_number: null,
    auction_id: row.auction_id,
    title: row.description,
    hammer: 0,
    commission_rate: 0,
    commission: wholeUnits(row.commission_cents, decimals),
    fees: [],
    adjustment: wholeUnits(row.amount_cents, decimals),
    net: wholeUnits(row.amount_cents - row.commission_cents, decimals),
    buyer_paid: true,
    settled_by: 'adjustment',
  };
}
