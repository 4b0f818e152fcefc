/**
 * Writes the plans, cross-listing platforms and Help Center of an import file; what has the same slug is updated. Runs
 * inside the import's transaction.
 */

import type { Knex } from 'knex';
import { firstOf } from '../../../engine/first-of.ts';
import { type Decimals, decimalsOf, parseCents } from '../../../engine/money.ts';
import type { ImportDocument } from './import.schema.ts';

export async function loadDirectory(
  trx: Knex,
  document: ImportDocument,
  wrote: (rows: number) => void,
): Promise<void> {
  for (const plan of document.plans ?? []) {
    const decimals = decimalsOf(plan.currency?.toLowerCase() ?? 'usd');
    await upsert(trx, 'plans', ['slug'], {
      slug: plan.slug,
      name: plan.name.trim(),
      price_monthly_cents: cents(plan.price_monthly, decimals) ?? undefined,
      price_yearly_cents: cents(plan.price_yearly, decimals),
      currency: plan.currency?.toLowerCase(),
      features: plan.features && JSON.stringify(plan.features),
      limits: plan.limits && JSON.stringify(plan.limits),
      commission_bps: cents(plan.commission_percentage, 2) ?? undefined,
    });
    wrote(1);
  }
  for (const platform of document.platforms ?? []) {
    await upsert(trx, 'cross_listing_platforms', ['slug'], { ...platform, name: platform.name.trim() });
    wrote(1);
  }
  for (const { articles = [], ...category } of document.help ?? []) {
    const id = await upsert(trx, 'help_categories', ['slug'], category);
    for (const [position, article] of articles.entries()) {
      await upsert(trx, 'help_articles', ['help_category_id', 'slug'], {
        ...article,
        help_category_id: id,
        position,
      });
    }
    wrote(1 + articles.length);
  }
}

function cents(value: string | number | null | undefined, decimals: Decimals): number | null | undefined {
  return value === undefined || value === null ? value : parseCents(value, decimals);
}

/** Inserts, or updates what was given; the rest keeps its value or gets its default. */
async function upsert(trx: Knex, table: string, key: readonly string[], columns: object): Promise<number> {
  const present = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  const rows: { id: number }[] = await trx(table)
    .insert(present)
    .onConflict([...key])
    .merge(Object.keys(present))
    .returning('id');
  return firstOf(rows).id;
}
