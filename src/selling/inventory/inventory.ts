/**
 * A team's inventory: items as they stand, new ones, and how long they have been lying there. What became of an item
 * that was put into an auction is read from its lot, so that nothing has to be kept in step with sales.
 */
import type { Knex } from 'knex';
import { isoFromUs, usFromIso } from '../../../engine/time.ts';
import type { AddError } from '../../shared/add-error.ts';
import { UNSOLD_LOT_SQL } from '../../shared/states/lot-states.ts';
import { checkCategory, checkCustomFields } from '../categories-of-input.ts';
import { requireValid } from '../require-valid.ts';
import { BUCKETS, type ItemStatus, type NewItemBody } from './inventory.schema.ts';

export interface ItemRow {
  readonly id: number;
  readonly sku: string;
  readonly title: string;
  readonly description: string | null;
  readonly category_id: number | null;
  readonly quantity: number;
  readonly condition: string | null;
  readonly warehouse: string | null;
  readonly bin: string | null;
  readonly cost_cents: number | null;
  readonly estimated_value_cents: number | null;
  readonly status: ItemStatus;
  readonly received_at: string;
  readonly age_days: number;
  readonly lot_id: number | null;
  readonly custom_fields: Record<string, unknown>;
  readonly created_at: string;
}

/** How an item stands, of `inventory_items i LEFT JOIN lots l`. */
export const STANDING = `CASE WHEN i.status <> 'lotted' THEN i.status WHEN l.status = 'sold' THEN 'sold'
  WHEN l.id IS NULL OR l.status IN ${UNSOLD_LOT_SQL} THEN 'available' ELSE 'lotted' END`;

const AGE = `greatest(0, (now() AT TIME ZONE 'UTC')::date - (i.received_at AT TIME ZONE 'UTC')::date)`;

/** A team's items, for paging or for one. */
export function itemsOf(knex: Knex, teamId: number): Knex.QueryBuilder {
  return knex('inventory_items as i')
    .leftJoin('lots as l', 'l.id', 'i.lot_id')
    .where('i.team_id', teamId)
    .select('i.*', knex.raw(`${STANDING} AS status`), knex.raw(`${AGE} AS age_days`));
}

export function presentItem(row: ItemRow) {
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

/** Tolerates clocks that are a little ahead of ours. */
const FUTURE_US = 300_000_000;

/**
 * Takes an item into the team's inventory. Throws 422 for fields that do not fit and for a SKU that the team has
 * already.
 */
export async function createItem(knex: Knex, teamId: number, body: NewItemBody): Promise<ItemRow> {
  const receivedUs = receivedUsOf(body.received_at);
  await requireValid(async (addError) => {
    checkReceived(receivedUs, addError);
    await checkCategory(knex, body.category_id, addError);
    await checkCustomFields(knex, body.category_id ?? null, body.custom_fields ?? {}, addError);
  });
  const { location, custom_fields, received_at: _given, ...plain } = body;
  const inserted: { id: number }[] = await knex('inventory_items')
    .insert({
      ...plain,
      title: body.title.trim(),
      team_id: teamId,
      warehouse: location?.warehouse ?? null,
      bin: location?.bin ?? null,
      custom_fields: JSON.stringify(custom_fields ?? {}),
      ...(receivedUs == null ? {} : { received_at: isoFromUs(receivedUs) }),
    })
    .onConflict(['team_id', 'sku'])
    .ignore()
    .returning('id');
  const made = inserted[0];
  await requireValid((addError) => {
    if (made === undefined) addError('sku', 'is taken by another item of the team');
  });
  return itemsOf(knex, teamId).where('i.id', made!.id).first();
}

/** The moment that a `received_at` says: undefined where it says none, null where it is none. */
export function receivedUsOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return usFromIso(text.length === 10 ? `${text}T00:00:00Z` : text);
}

/** Adds an error for a moment that is none, or not of the past. */
export function checkReceived(receivedUs: number | null | undefined, addError: AddError): void {
  if (receivedUs === undefined) return;
  if (receivedUs === null) addError('received_at', 'must be a date or a time that exists');
  else if (receivedUs > Date.now() * 1_000 + FUTURE_US) addError('received_at', 'must not be in the future');
  else if (receivedUs < 0) addError('received_at', 'must not be before 1970-01-01');
}

interface AgeRow {
  readonly bucket: number;
  readonly count: number;
  readonly value_cents: number;
  readonly days: number;
}

/** How long what is in the warehouse has been there, by buckets; sold and returned items are not there any more. */
export async function agingSummary(knex: Knex, teamId: number) {
  const { rows } = await knex.raw<{ rows: AgeRow[] }>(
    `SELECT width_bucket(age, ?::int[]) - 1 AS bucket, count(*) AS count, sum(age)::bigint AS days,
       sum(coalesce(estimated_value_cents, 0))::bigint AS value_cents
     FROM (SELECT ${AGE} AS age, i.estimated_value_cents
       FROM inventory_items i LEFT JOIN lots l ON l.id = i.lot_id
       WHERE i.team_id = ? AND ${STANDING} IN ('available', 'reserved', 'lotted')) items
     GROUP BY 1`,
    [BUCKETS.map(({ min }) => min), teamId],
  );
  const total = (pick: (row: AgeRow) => number) => rows.reduce((sum, row) => sum + pick(row), 0);
  const count = total((row) => row.count);
  return {
    as_of: isoFromUs(Date.now() * 1_000),
    total_items: count,
    total_value_cents: total((row) => row.value_cents),
    average_age_days: count === 0 ? 0 : Math.round((total((row) => row.days) / count) * 100) / 100,
    buckets: BUCKETS.map(({ key, min, max }, index) => {
      const found = rows.find((row) => row.bucket === index);
      return {
        key,
        min_days: min,
        max_days: max,
        count: found?.count ?? 0,
        value_cents: found?.value_cents ?? 0,
      };
    }),
  };
}
