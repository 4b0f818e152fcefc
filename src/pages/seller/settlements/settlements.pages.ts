/** `/seller/settlements`: the team's statements with their totals, each as a page to print. */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { NET_SQL } from '../../../billing/settlements/settlement-lines.ts';
import { statusesOf } from '../../../shared/statuses/billing-statuses.ts';
import { PAGE } from '../../page.ts';
import { type Desk, found } from '../frame/desk.ts';
import { statusFilters, statusQuery } from '../frame/tables.ts';

const PATH = '/seller/settlements';
const STATUSES = statusesOf('settlement');
const StatementParams = Type.Object({ number: Type.String({ pattern: '^SET-[0-9]{4}-[0-9]{5,9}$' }) });

export function settlementPages(desk: Desk): Endpoint[] {
  return [list(desk), statement(desk)];
}

function list(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerSettlementsPage',
    summary: 'The team’s settlement statements',
    query: statusQuery(STATUSES),
    handle: (request) =>
      desk.at(request, async (visit) => {
        const [{ data, meta }, totals, titles] = await Promise.all([
          visit.perform('listSettlements', { query: { ...request.query, per_page: 25 } }),
          readTotals(desk.knex, visit.team.id),
          readTitles(desk.knex, visit.team.id),
        ]);
        return desk.html(visit, {
          title: 'Settlements',
          template: 'seller/settlements/settlements',
          data: {
            ...{ settlements: data, totals, titles },
            ...statusFilters(STATUSES, request.query, meta),
          },
        });
      }),
  });
}

function statement(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${PATH}/{number}`,
    operationId: 'sellerSettlementPage',
    summary: 'A settlement statement, to read and to print',
    params: StatementParams,
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { number } = request.params;
        const row = await desk
          .knex('settlements')
          .where({ statement_number: number, team_id: visit.team.id })
          .first<{ id: number; auction_id: number } | undefined>('id', 'auction_id');
        const { id, auction_id: auctionId } = found(row, 'settlement');
        const { data } = await visit.perform('listSettlements', {
          query: { auction_id: auctionId, per_page: 100 },
        });
        const all: unknown[] = Array.isArray(data) ? data : [];
        const settlement = found(
          all.find((one) => objectIn(one)['id'] === id),
          'settlement',
        );
        const titles = await readTitles(desk.knex, visit.team.id);
        const shown = { settlement, payee: visit.team, auctionTitle: titles[auctionId] ?? '' };
        return desk.html(visit, { title: number, template: 'seller/settlements/statement', data: shown });
      }),
  });
}

interface Total {
  readonly currency: string;
  readonly status: string;
  readonly count: number;
  readonly net_cents: bigint;
}

/** The statements' totals, by currency and state. */
async function readTotals(knex: Knex, teamId: number): Promise<Total[]> {
  // SQL: sums over sums, by currency and state.
  const { rows } = await knex.raw<{ rows: (Omit<Total, 'net_cents'> & { net_cents: string })[] }>(
    `SELECT s.currency, s.status, count(*)::int AS count, sum(${NET_SQL})::text AS net_cents
     FROM settlements s WHERE s.team_id = ? GROUP BY s.currency, s.status ORDER BY s.currency, s.status`,
    [teamId],
  );
  return rows.map((row) => ({ ...row, net_cents: BigInt(row.net_cents) }));
}

async function readTitles(knex: Knex, teamId: number): Promise<Record<number, string>> {
  const rows: { id: number; title: string }[] = await knex('auctions')
    .where('team_id', teamId)
    .select('id', 'title');
  return Object.fromEntries(rows.map(({ id, title }) => [id, title]));
}
