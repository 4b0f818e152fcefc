/** The page of one settlement under `/office/money`, with approving, paying and reopening it. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { Team } from '../../accounts/models/team.model.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { Settlement } from '../../billing/settlements/settlement.model.ts';
import {
  approveSettlement,
  paySettlement,
  reopenSettlement,
} from '../../billing/settlements/settlement-decisions.ts';
import { totalsOf } from '../../billing/settlements/settlement-lines.ts';
import { waitingFor } from '../../billing/settlements/settlements.ts';
import { Id } from '../../shared/fields.schema.ts';
import { judge } from '../../shared/policy/policy.ts';
import { SETTLEMENT_POLICY } from '../../shared/policy/settlement-policy.ts';
import type { SettlementStatus } from '../../shared/statuses/billing-statuses.ts';
import { MONEY } from './money-lists.ts';
import type { Cell, OfficePage, OfficeParts } from './office.ts';
import type { Action, Subject } from './office-action.ts';

const SettlementParams = Type.Object({ settlement: Id });

export function settlementSubject(parts: OfficeParts): Subject<Settlement, typeof SettlementParams> {
  const action = (
    name: 'approve' | 'pay' | 'reopen',
    words: Pick<Action<Settlement>, 'title' | 'button' | 'notice' | 'danger'>,
    move: (knex: Knex, id: number, reason: string) => Promise<Settlement>,
  ): Action<Settlement> => ({
    ...words,
    operationId: `${name}SettlementInOffice`,
    name,
    blockedBy: ({ status }) =>
      // A draft shows what it waits for, and moves on once nothing is outstanding.
      isDecidable(name, status) || status === 'draft' ? null : `The settlement is ${status}.`,
    isOffered: ({ status }) => isDecidable(name, status) || name === 'approve',
    async act(knex, { id, team_id, statement_number }, { reason }) {
      await move(knex, id, reason);
      return { teamId: team_id, detail: { statement_number } };
    },
  });
  return {
    path: `${MONEY}/settlements/{settlement}`,
    operationId: 'officeSettlementPage',
    summary: 'One settlement',
    params: SettlementParams,
    async find(knex, params) {
      const query = Settlement.query(knex).findById(params.settlement);
      return (await query.withGraphFetched({ lines: true, adjustments: true })) ?? null;
    },
    show: (found) => settlementPage(parts.knex, found),
    actions: [
      action(
        'approve',
        {
          title: 'Approve',
          button: 'Approve settlement',
          notice: 'The settlement is approved: it can be paid.',
        },
        approveSettlement,
      ),
      action(
        'pay',
        {
          title: 'Pay',
          button: 'Pay settlement',
          notice: 'The pay-out is booked, and the auction is settled.',
        },
        paySettlement,
      ),
      action(
        'reopen',
        {
          title: 'Reopen',
          button: 'Reopen settlement',
          danger: true,
          notice: 'The lines were recalculated.',
        },
        reopenSettlement,
      ),
    ],
  };
}

const isDecidable = (name: 'approve' | 'pay' | 'reopen', status: SettlementStatus): boolean =>
  judge(SETTLEMENT_POLICY, name, status, 'staff') === 'allowed';

async function settlementPage(knex: Knex, found: Settlement): Promise<OfficePage> {
  const { currency } = found;
  const money = (cents: number | bigint): Cell => ({ cents, currency });
  const lines = (found.lines ?? []).toSorted((a, b) => a.lot_number - b.lot_number);
  const adjustments = found.adjustments ?? [];
  const totals = totalsOf(lines, adjustments);
  const [team, auction, waiting] = await Promise.all([
    Team.query(knex).findById(found.team_id).throwIfNotFound(),
    Auction.query(knex).findById(found.auction_id).throwIfNotFound(),
    found.status === 'draft' ? waitingFor(knex, found) : [],
  ]);
  return {
    section: 'money',
    heading: `Settlement ${found.statement_number}`,
    crumbs: [[`${MONEY}/settlements`, 'Settlements']],
    facts: [
      ['State', { pill: found.status }],
      ['Seller', { href: `/office/sellers/${found.team_id}`, text: team.name }],
      ['Auction', { href: `/office/lots?auction=${found.auction_id}`, text: auction.title }],
      ['Hammer', money(totals.hammerCents)],
      ['Commission', money(totals.commissionCents)],
      ['Fees', money(totals.feesCents)],
      ['Adjustments', money(totals.adjustmentCents)],
      ['Net', money(totals.netCents)],
      ['Pay-out', found.payout_cents === null ? null : money(found.payout_cents)],
      ['Waits for', waiting.length === 0 ? 'nothing' : waiting.join(', ')],
    ],
    tables: [
      {
        heading: 'Lines',
        columns: ['Lot', 'Title', 'Hammer', 'Commission', 'Adjustment', 'Net'],
        rows: [
          ...lines.map((line): Cell[] => [
            { href: `/office/lots/${line.lot_id}`, text: String(line.lot_number) },
            line.title,
            money(line.hammer_cents),
            money(line.commission_cents),
            money(line.adjustment_cents),
            money(line.net_cents),
          ]),
          ...adjustments.map((one): Cell[] => [
            null,
            one.description,
            money(0),
            money(one.commission_cents),
            money(one.amount_cents),
            money(one.amount_cents - one.commission_cents),
          ]),
        ],
        empty: 'Nothing was sold.',
      },
    ],
  };
}
