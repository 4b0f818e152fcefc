/** Rows that actions of the office are tried on. */
import type { Knex } from 'knex';
import { sendTaxNumber } from '../../src/accounts/tax-numbers/tax-numbers.ts';
import { sendApplication } from '../../src/accounts/teams/applications.ts';

export async function planId(knex: Knex): Promise<number> {
  const slug = `plan-${Math.random().toString(36).slice(2)}`;
  return (await knex('plans').insert({ slug, name: 'Small' }).returning('id'))[0].id;
}

export async function helpIds(
  knex: Knex,
): Promise<{ category: string; categoryId: number; article: number }> {
  const slug = `help-${Math.random().toString(36).slice(2)}`;
  const [row] = await knex('help_categories').insert({ slug, name: 'Bidding' }).returning('id');
  const article = { slug: `${slug}-a`, title: 'How', body: 'So.', help_category_id: row.id };
  const [made] = await knex('help_articles').insert(article).returning('id');
  return { category: slug, categoryId: row.id, article: made.id };
}

export async function addedPlatform(knex: Knex): Promise<string> {
  const slug = `floor-${Math.random().toString(36).slice(2)}`;
  await knex('simulcast_platforms').insert({ slug, sealed_secret: 'none' });
  return slug;
}

/** What the form on a tax number that waits is filled with. */
export async function taxNumber(knex: Knex, userId: number): Promise<{ tax_number: string }> {
  const { id } = await sendTaxNumber(knex, userId, { kind: 'vat', number: 'DE1', region: 'DE' });
  return { tax_number: String(id) };
}

/** An application of somebody's that waits. */
export async function application(knex: Knex, userId: number): Promise<number> {
  const told = {
    legal_name: 'Prairie Gate LLC',
    address: '12 Main Street',
    sells: 'Tractors',
    phone: '555 0134',
  };
  return (await sendApplication(knex, userId, { name: 'Prairie Gate', ...told, sales_per_year: '5_to_20' }))
    .id;
}
