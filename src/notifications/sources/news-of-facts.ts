/**
 * What the outbox's facts mean to people: bids that beat somebody, lots that were sold or not, auctions that ended,
 * invoices and their payments. Reads a run of facts behind the last position, once over all workers; a run that fails
 * is retried.
 */
import type { Knex } from 'knex';
import { type Fact, isFactBehind, readFactRun } from '../../events/read-events.ts';
import type { Inbox, News } from '../inbox/inbox.ts';

const TYPES = [
  'lot.sold',
  'lot.passed',
  'auction.ended',
  'offer.created',
  'invoice.created',
  'invoice.paid',
  'invoice.payment_failed',
] as const;

const AT_ONCE = 5_000;

/** Whether there is anything for a run to read. A run that finds nothing is dearer: it writes and is synced. */
export function isAnyFactNew(knex: Knex): Promise<boolean> {
  return isFactBehind(knex, 'notification_position', TYPES);
}

/** One run. Returns whether there may be more facts, and whose notifications have changed. */
export async function notifyFacts(knex: Knex, inbox: Inbox): Promise<{ more: boolean; notified: number[] }> {
  return knex.transaction(async (trx) => {
    // SQL: the one row of the reading position, under a lock that others pass by.
    const position = await trx('notification_position').forUpdate().skipLocked().first('tx', 'id');
    // Another worker is at it.
    if (position === undefined) return { more: false, notified: [] };
    const run = await readFactRun(trx, position, TYPES, AT_ONCE);
    if (run.seen === 0) return { more: false, notified: [] };
    const outbid = await inbox.putOutbid(trx, { after: position, upTo: run.position }, run.bids);
    const notified = [...outbid, ...(await inbox.put(trx, await newsOf(trx, run.facts)))];
    await trx('notification_position').update(run.position);
    return { more: run.seen === AT_ONCE, notified: [...new Set(notified)] };
  });
}

async function newsOf(trx: Knex, facts: readonly Fact[]): Promise<News[]> {
  const of = (...types: string[]) => facts.filter(({ type }) => types.includes(type));
  return [
    ...(await closingNews(trx, of('lot.sold', 'lot.passed'))),
    ...(await endedNews(trx, of('auction.ended'))),
    ...(await offerNews(trx, of('offer.created'))),
    ...(await invoiceNews(trx, of('invoice.created', 'invoice.paid', 'invoice.payment_failed'))),
  ];
}

interface LotNewsRow {
  readonly user_id: number;
  readonly lot_id: number;
  readonly title: string;
  readonly currency: string;
  readonly amount: string;
}

interface ClosingRow extends LotNewsRow {
  readonly role: 'winner' | 'bidder' | 'seller';
  readonly status: string;
}

async function closingNews(trx: Knex, facts: readonly Fact[]): Promise<News[]> {
  const lotIds = [...new Set(facts.flatMap(({ lot_id }) => lot_id ?? []))];
  if (lotIds.length === 0) return [];
  // SQL: many lots’ news with those whom it concerns, in one statement.
  const { rows } = await trx.raw<{ rows: ClosingRow[] }>(
    `SELECT l.id AS lot_id, l.title, l.status, a.currency, p.user_id, p.role,
       (coalesce(l.hammer_price_cents, l.current_bid_cents) / 100.0)::numeric(15, 2)::text AS amount
     FROM lots l JOIN auctions a ON a.id = l.auction_id
     JOIN LATERAL (
       SELECT l.winner_user_id AS user_id, 'winner' AS role WHERE l.winner_user_id IS NOT NULL
       UNION ALL
       SELECT DISTINCT b.user_id, 'bidder' FROM bids b WHERE b.lot_id = l.id AND b.user_id IS NOT NULL AND NOT b.voided
         AND b.user_id IS DISTINCT FROM l.winner_user_id
       UNION ALL
       SELECT m.user_id, 'seller' FROM memberships m WHERE m.team_id = a.team_id) p ON true
     WHERE l.id = ANY(?::bigint[])`,
    [lotIds],
  );
  const kinds = { winner: 'won', bidder: 'lost' } as const;
  const sources = new Map(facts.map((fact) => [fact.lot_id, sourceOf(fact)]));
  return rows.map((row) => {
    const kind =
      row.role === 'seller' ? (row.status === 'sold' ? 'lot_sold' : 'lot_unsold') : kinds[row.role];
    return {
      userId: row.user_id,
      kind,
      key: `${kind}-${row.lot_id}`,
      lotId: row.lot_id,
      data: { title: row.title, amount: row.amount, currency: row.currency },
      ...sources.get(row.lot_id),
    };
  });
}

/** What a mail about a fact continues with. */
function sourceOf({ trace, data }: Fact): Pick<News, 'trace' | 'bidId'> {
  const { bid_id: bidId } = data;
  return { trace, ...(typeof bidId === 'string' ? { bidId } : {}) };
}

async function endedNews(trx: Knex, facts: readonly Fact[]): Promise<News[]> {
  const auctionIds = facts.flatMap(({ auction_id }) => auction_id ?? []);
  if (auctionIds.length === 0) return [];
  // SQL: many facts in one statement, of tables that belong to other contexts.
  const rows: { id: number; title: string; slug: string; user_id: number }[] = await trx('auctions as a')
    .join('memberships as m', 'm.team_id', 'a.team_id')
    .whereRaw('a.id = any(?::bigint[])', [auctionIds])
    .select('a.id', 'a.title', 'a.slug', 'm.user_id');
  return rows.map(({ id, title, slug, user_id }) => ({
    userId: user_id,
    kind: 'auction_ended',
    key: `auction-ended-${id}`,
    lotId: null,
    data: { title, slug },
  }));
}

async function offerNews(trx: Knex, facts: readonly Fact[]): Promise<News[]> {
  const ids = facts.flatMap(({ data }) => (typeof data['offer_id'] === 'number' ? [data['offer_id']] : []));
  if (ids.length === 0) return [];
  // SQL: many facts in one statement, of tables that belong to other contexts.
  const rows: OfferNewsRow[] = await trx('offers as o')
    .join('lots as l', 'l.id', 'o.lot_id')
    .join('auctions as a', 'a.id', 'o.auction_id')
    .whereRaw('o.id = any(?::bigint[])', [ids])
    .select('o.id', 'o.user_id', 'o.lot_id', 'o.amount_cents', 'l.title', 'a.currency');
  return rows.map(({ id, user_id: userId, lot_id: lotId, amount_cents: cents, title, currency }) => {
    const data = { title, currency, amount: (cents / 100).toFixed(2) };
    return { userId, kind: 'offer', key: `offer-${id}`, lotId, data };
  });
}

interface OfferNewsRow {
  readonly id: number;
  readonly user_id: number;
  readonly lot_id: number;
  readonly amount_cents: number;
  readonly title: string;
  readonly currency: string;
}

async function invoiceNews(trx: Knex, facts: readonly Fact[]): Promise<News[]> {
  const ids = facts.flatMap(({ data }) =>
    typeof data['invoice_id'] === 'number' ? [data['invoice_id']] : [],
  );
  if (ids.length === 0) return [];
  // SQL: many facts in one statement, of tables that belong to other contexts.
  const rows: InvoiceNewsRow[] = await trx('invoices')
    .whereRaw('id = any(?::bigint[])', [ids])
    .select('id', 'user_id', 'kind', 'status', 'invoice_number', 'currency', 'lot_id', 'amount_due_cents');
  const byId = new Map(rows.map((row) => [row.id, row]));
  return facts.flatMap((fact): News[] => {
    const row = byId.get(Number(fact.data['invoice_id']));
    // A seller's fee is a draft until its settlement is approved.
    if (row === undefined || row.status === 'draft') return [];
    const { user_id: userId, invoice_number, currency, lot_id: lotId } = row;
    const failed = fact.type === 'invoice.payment_failed';
    const kind = fact.type === 'invoice.created' ? 'invoice' : 'payment';
    const amount = (row.amount_due_cents / 100).toFixed(2);
    const data = { invoice_number, amount, currency, ...(failed ? { failed } : {}) };
    const key = `${fact.type}-${failed ? fact.id : row.id}`;
    return [{ userId, kind, key, lotId, data, ...sourceOf(fact) }];
  });
}

interface InvoiceNewsRow {
  readonly id: number;
  readonly user_id: number;
  readonly kind: string;
  readonly status: string;
  readonly invoice_number: string;
  readonly currency: string;
  readonly lot_id: number | null;
  readonly amount_due_cents: number;
}
