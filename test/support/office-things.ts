/** Rows that actions of the office are tried on. */
import type { Knex } from 'knex';
import { openQueue } from '../../adapters/queue/queue.ts';
import { startQueueWorker } from '../../adapters/queue/queue-worker.ts';
import { packEntry } from '../../adapters/redis/frames.ts';
import { shardOf } from '../../adapters/redis/shards.ts';
import { sendTaxNumber } from '../../src/accounts/tax-numbers/tax-numbers.ts';
import { sendApplication } from '../../src/accounts/teams/applications.ts';
import { moneyParts } from '../../src/app/process/money-parts.ts';
import { queueAddressOf } from '../../src/app/process/queue-address.ts';
import { recordTransfer } from '../../src/billing/staff/record-transfer.ts';
import { staffOf } from './billing.ts';
import { eventually } from './market.ts';
import { aSale } from './money.ts';
import type { Service } from './service.ts';

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

/** A lot that is set aside with an entry which somebody has written since. */
export async function aFailure(service: Service): Promise<number> {
  const { knex } = service.database;
  const { auction, lot } = await aSale(service, 10_000);
  const shard = shardOf(auction.id, null);
  const about = { shard, subject: `lot-${lot.id}`, auction_id: auction.id, lot_id: lot.id };
  const [{ id }] = await knex('projection_failures')
    .insert({ ...about, error: 'too long', reported_at: knex.fn.now() })
    .returning('id');
  const entry = { lotId: lot.id, auctionId: auction.id, firstSequence: 1, sequence: 1, recordedAtUs: 0 };
  const frame = packEntry({ ...entry, hash: '', previousHash: '', publicText: '{}', privateText: '[]' });
  await knex('projection_set_aside').insert({ failure_id: id, frame: JSON.stringify(frame) });
  return id;
}

/** A job that failed for good, by its id in the office. */
export async function failedJob(service: Service): Promise<string> {
  const address = queueAddressOf(service.config, service.redis.redisUrl);
  const queue = openQueue<null>(address, 'media');
  const id = `job-${Math.random().toString(36).slice(2)}`;
  await queue.add('resize', null, { id, attempts: 1 });
  const fails = async () => {
    throw new Error('The disk is full.');
  };
  const worker = startQueueWorker<null>(address, 'media', { handlers: { resize: fails }, onError: () => {} });
  await eventually(async () => (await queue.failedJob(id)) !== null);
  await worker.close();
  await queue.close();
  return `media:${id}`;
}

/** An invoice with work on its money that was set aside, by its number. */
export async function moneySetAside(service: Service): Promise<string> {
  const { knex } = service.database;
  const { invoice } = await aSale(service, 10_000);
  const [next_at, set_aside_at] = [knex.fn.now(), knex.fn.now()];
  const why = { tries: 10, reason: 'The provider is away.' };
  await knex('money_tries').insert({ invoice_id: invoice.id, ...why, next_at, set_aside_at });
  return invoice.invoice_number;
}

/** A bank transfer of which something is to be sent back. */
export async function refundedTransfer(service: Service): Promise<number> {
  const { invoice } = await aSale(service, 10_000);
  const parts = { knex: service.database.knex, ...moneyParts(service.config) };
  const id = `bank-${Math.random().toString(36).slice(2)}`;
  const transfer = { reference: invoice.invoice_number, amount: '100.00', currency: 'usd', id };
  const { payment } = await recordTransfer(parts, transfer);
  await staffOf(service).refund(invoice.invoice_number);
  return payment.id;
}
