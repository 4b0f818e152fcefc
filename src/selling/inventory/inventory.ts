/**
 * A team's inventory: items as they are, and how long they have been lying there. What became of an item that was put
 * into an auction is read from its lot, so that nothing has to be kept in step with sales.
 */
import type { Knex } from 'knex';
import { totalCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { UNSOLD_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { STORED_ITEM_SQL } from '../../shared/statuses/selling-statuses.ts';
import { BUCKETS } from './inventory.schema.ts';
import type { StoredItem } from './item.model.ts';

/** An item's present state: its status follows from its lot. */
export type AgedItem = StoredItem & { readonly age_days: number };

/** The status of an item, of `inventory_items i LEFT JOIN lots l`. */
export const ITEM_STATUS_SQL = `CASE WHEN i.status <> 'lotted' THEN i.status WHEN l.status = 'sold' THEN 'sold'
  WHEN l.id IS NULL OR l.status IN ${UNSOLD_LOT_SQL} THEN 'available' ELSE 'lotted' END`;

const AGE = `greatest(0, (now() AT TIME ZONE 'UTC')::date - (i.received_at AT TIME ZONE 'UTC')::date)`;

/** A team's items, for paging or for one. */
export function itemsOf(knex: Knex, teamId: number): Knex.QueryBuilder<AgedItem, AgedItem[]> {
  // SQL: a list that the desk reads often; by relations a page took more processor time.
  return knex('inventory_items as i')
    .leftJoin('lots as l', 'l.id', 'i.lot_id')
    .where('i.team_id', teamId)
    .select('i.*', knex.raw(`${ITEM_STATUS_SQL} AS status`), knex.raw(`${AGE} AS age_days`));
}

export function presentItem(row: AgedItem) {
  const { warehouse, bin } = row;
  return {
    id: row.id,
    sku: row.sku,
    title: row.title,
    description: row.description,
    category_id: row.category_id,
    quantity: row.quantity,
    condition: row.condition,
    location: { warehouse, bin },
    cost_cents: row.cost_cents,
    estimated_value_cents: row.estimated_value_cents,
    status: row.status,
    received_at: row.received_at,
    age_days: row.age_days,
    lot_id: row.lot_id,
    custom_fields: row.custom_fields,
    created_at: row.created_at,
  };
}

interface AgeRow {
  readonly bucket: number;
  readonly count: number;
  readonly value_cents: string;
  readonly days: number;
}

/** How long items have been in the warehouse, by buckets; without sold and returned ones. */
export async function agingSummary(knex: Knex, teamId: number) {
  // SQL: five buckets with their sums in one statement, which reads each item once.
  const { rows } = await knex.raw<{ rows: AgeRow[] }>(
    `SELECT width_bucket(age, ?::int[]) - 1 AS bucket, count(*) AS count, sum(age)::bigint AS days,
       sum(coalesce(estimated_value_cents, 0))::text AS value_cents
     FROM (SELECT ${AGE} AS age, i.estimated_value_cents
       FROM inventory_items i LEFT JOIN lots l ON l.id = i.lot_id
       WHERE i.team_id = ? AND ${ITEM_STATUS_SQL} IN ${STORED_ITEM_SQL}) items
     GROUP BY 1`,
    [BUCKETS.map(({ min }) => min), teamId],
  );
  const total = (pick: (row: AgeRow) => number) => rows.reduce((sum, row) => sum + pick(row), 0);
  const count = total((row) => row.count);
  return {
    as_of: isoFromUs(Date.now() * 1_000),
    total_items: count,
    total_value_cents: totalCents(rows, (row) => BigInt(row.value_cents)),
    average_age_days: count === 0 ? 0 : Math.round((total((row) => row.days) / count) * 100) / 100,
    buckets: BUCKETS.map(({ key, min, max }, index) => {
      const found = rows.find((row) => row.bucket === index);
      return {
        key,
        min_days: min,
        max_days: max,
        count: found?.count ?? 0,
        value_cents: BigInt(found?.value_cents ?? 0),
      };
    }),
  };
}
