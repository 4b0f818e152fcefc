/**
 * Money in tests: sales by the floor's word, projected by hand with their invoices, and payment events as the
 * provider's own library signs them.
 */
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import type { Database } from '../../adapters/postgres/database.ts';
import type { OpenLink } from '../../adapters/redis/link.ts';
import type { Engine } from '../../engine/actor/engine.ts';
import { userKey } from '../../engine/auction/record.ts';
import type { User } from '../../src/accounts/models/user.model.ts';
import type { Auction } from '../../src/bidding/records/auction.model.ts';
import { readShard } from '../../src/bidding/records/auction-shards.ts';
import type { Lot } from '../../src/bidding/records/lot.model.ts';
import { publishAuction } from '../../src/bidding/records/publishing.ts';
import type { Invoice } from '../../src/billing/invoices/invoice.model.ts';
import { invoiceClosedLots } from '../../src/billing/invoices/winner-invoices.ts';
import { aLot, anAuction, aUser } from './builders.ts';
import type { Answer, Service } from './service.ts';
import { ShardProjector } from './shard-projector.ts';

export const stripe = new Stripe('sk_test_none');

/** Projects all that the journal holds of this auction, with the invoices of what was sold. */
export async function projectAuction(database: Database, redis: OpenLink, auctionId: number): Promise<void> {
  const parts = { database, redis, onLotClosed: [invoiceClosedLots] };
  const projector = new ShardProjector(await readShard(database.knex, auctionId), parts);
  while ((await projector.step()).messages > 0);
}

let sequence = 0;

/** Closes a lot by the floor's word; `winner` null: a floor bidder without an account. */
export async function sell(
  engine: Engine,
  lotId: number,
  winner: User | null,
  hammerCents: number,
): Promise<void> {
  sequence += 1;
  const floorBidder = { key: `x:floor:${sequence}`, userId: null, paddle: '900' };
  const result = await engine.submit(lotId, {
    type: 'record_sale',
    bidId: `hammer-${sequence}`,
    salt: `salt-${sequence}`,
    auctionRuns: true,
    result: 'sold',
    hammerCents,
    winner: winner === null ? floorBidder : { key: userKey(winner.id), userId: winner.id, paddle: null },
    currency: null,
    floor: { platform: 'floor', sequence },
  });
  if (result.kind !== 'answer') throw new Error(`the sale was not taken: ${JSON.stringify(result)}`);
}

export interface Sale {
  readonly auction: Auction;
  readonly lot: Lot;
  readonly buyer: User;
  readonly invoice: Invoice;
}

/** A lot of its own auction, sold to somebody, with its invoice. */
export async function aSale(
  service: Service,
  hammerCents: number,
  columns: Parameters<typeof anAuction>[1] & { sales_tax_ppm?: number } = {},
): Promise<Sale> {
  const { sales_tax_ppm, ...rest } = columns;
  const auction = await anAuction(service.database, rest);
  if (sales_tax_ppm !== undefined) {
    await service.database.knex('auctions').where('id', auction.id).update({ sales_tax_ppm });
  }
  const lot = await aLot(service.database, { auction_id: auction.id, title: 'Forty <b>acres</b>' });
  const buyer = await aUser(service.database);
  await publishAuction(service.backends, auction.id);
  await sell(service.backends.engine, lot.id, buyer, hammerCents);
  await projectAuction(service.database, service.backends.redis, auction.id);
  const invoice = await service.database.knex('invoices').where('lot_id', lot.id).first<Invoice>();
  return { auction, lot, buyer, invoice: invoice! };
}

export interface EventFields {
  readonly id?: string;
  readonly type?: string;
  readonly created?: number;
  readonly object: Record<string, unknown>;
}

/** The body of an event. */
export function eventBody({ id, type, created, object }: EventFields): string {
  return JSON.stringify({
    id: id ?? `evt_${randomUUID()}`,
    type: type ?? 'payment_intent.succeeded',
    created: created ?? Math.floor(Date.now() / 1_000),
    data: { object },
  });
}

/** A payment of an invoice; the amount is what is due unless it is given. */
export function paymentOf(invoice: Invoice, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: `pi_${randomUUID()}`,
    amount: invoice.amount_due_cents,
    currency: invoice.currency,
    metadata: { invoice_number: invoice.invoice_number },
    ...more,
  };
}

/** Sends a body as the provider's library signs it. */
export function sendSigned(service: Service, body: string, timestamp?: number): Promise<Answer> {
  const header = stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: service.config.paymentWebhookSecret,
    ...(timestamp === undefined ? {} : { timestamp }),
  });
  return sendRaw(service, body, { 'payment-signature': header });
}

/** Sends exactly these bytes. */
export async function sendRaw(
  service: Service,
  body: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(`${service.url}/webhooks/payment`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Sends an event and gives what became of it. */
export async function report(
  service: Service,
  fields: EventFields,
): Promise<{ status: string; code?: string }> {
  const answer = await sendSigned(service, eventBody(fields));
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.data;
}

/** An invoice as it is now. */
export async function invoiceNow(database: Database, invoice: Pick<Invoice, 'id'>): Promise<Invoice> {
  return (await database.knex('invoices').where('id', invoice.id).first<Invoice>())!;
}

/** Reports a dispute over a payment, in the provider's own shape. */
export function reportDispute(
  service: Service,
  payment: Record<string, unknown>,
  kind: 'created' | 'closed',
  more: object,
) {
  const object = {
    id: `dp_${payment['id']}`,
    payment_intent: payment['id'],
    amount: 1,
    currency: 'usd',
    ...more,
  };
  return report(service, { type: `charge.dispute.${kind}`, object });
}
