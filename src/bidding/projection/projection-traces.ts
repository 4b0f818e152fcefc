/**
 * The projection's part in traces: each bid that is followed gets a span for being written, a sale continues with the
 * trace of the bid that won, and an invoice with that of its sale. The facts take the contexts along. Spans end with
 * the transaction; those of one that was rolled back are never sent.
 */
import type { Knex } from 'knex';
import type { Span, Tracing } from '../../../adapters/tracing/tracing.ts';
import type { EntryTrace } from '../../../engine/lot/entry.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import type { ClosedLot, PendingWrites } from './pending-writes.ts';

export class ProjectionTraces {
  readonly #tracing: Tracing;
  #open: Span[] = [];
  #sales = new Map<number, string | null>();

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  /** A transaction begins, perhaps once more. */
  begin(): void {
    this.#open = [];
    this.#sales.clear();
  }

  /** It is committed. */
  committed(): void {
    for (const span of this.#open) span.end();
    this.begin();
  }

  /** Follows the bids and sales of what is pending, once its entries and bids are written. */
  async follow(trx: Knex, pending: PendingWrites): Promise<void> {
    const traces = new Map<number, EntryTrace[]>();
    for (const { lot_id, traces: own } of pending.entries)
      if (own !== null) traces.set(lot_id, [...(traces.get(lot_id) ?? []), ...own]);
    for (const event of pending.events) {
      if (!('bids' in event)) continue;
      const { lotId, bids } = event;
      for (const bid of bids) {
        const parent = contextAt(traces.get(lotId), bid.sequence);
        const about = { 'rostrum.lot_id': lotId, 'rostrum.bid_id': bid.bidId };
        if (parent !== null) bid.trace = this.#span('projection', parent, about);
      }
    }
    const sold = pending.closed.filter(({ status }) => status === 'sold');
    if (sold.length > 0) await this.#followSales(trx, sold, pending.events);
  }

  /** Follows what was made of the sales. */
  followInvoices(facts: readonly OutboxEvent[]): void {
    for (const fact of facts) {
      const parent = fact.lotId === null ? null : (this.#sales.get(fact.lotId) ?? null);
      if (parent === null || fact.type !== 'invoice.created') continue;
      const about = {
        'rostrum.lot_id': fact.lotId ?? 0,
        'rostrum.invoice': String(fact.data['invoice_number']),
      };
      fact.trace = this.#span('invoice', parent, about);
    }
  }

  async #followSales(trx: Knex, sold: readonly ClosedLot[], events: PendingWrites['events']): Promise<void> {
    const parents = await readWinningTraces(trx, sold);
    for (const { lotId, eventData } of sold) {
      const parent = parents.get(lotId);
      if (parent === undefined) continue;
      const context = this.#span('sale', parent, { 'rostrum.lot_id': lotId, ...bidOf(eventData) });
      this.#sales.set(lotId, context);
      for (const event of events) if ('data' in event && event.data === eventData) event.trace = context;
    }
  }

  #span(name: string, parent: string, attributes: Record<string, string | number>): string | null {
    const span = this.#tracing.begin(name, { parent, attributes });
    this.#open.push(span);
    return span.context;
  }
}

function bidOf(data: Readonly<Record<string, unknown>>): Record<string, string> {
  return typeof data['bid_id'] === 'string' ? { 'rostrum.bid_id': data['bid_id'] } : {};
}

/** The context of the command that an event came of: the last that begins at its sequence or before it. */
function contextAt(traces: readonly EntryTrace[] | undefined, sequence: number): string | null {
  return traces?.findLast(([from]) => from <= sequence)?.[1] ?? null;
}

/** The contexts of the bids that won, by lot; they may have been written long ago. */
async function readWinningTraces(trx: Knex, sold: readonly ClosedLot[]): Promise<Map<number, string>> {
  const bids = sold.flatMap(({ eventData }) => Object.values(bidOf(eventData)));
  if (bids.length === 0) return new Map();
  // SQL: each bid's own entry by the index, for any number of lots at once.
  const { rows } = await trx.raw<{ rows: { lot_id: number; sequence: number; traces: EntryTrace[] }[] }>(
    `SELECT b.lot_id, b.sequence, e.traces FROM bids b
     JOIN LATERAL (SELECT traces FROM journal_entries j WHERE j.lot_id = b.lot_id AND j.sequence >= b.sequence
       ORDER BY j.sequence LIMIT 1) e ON e.traces IS NOT NULL
     WHERE b.bid_id = ANY(?::text[])`,
    [bids],
  );
  const found = new Map<number, string>();
  for (const { lot_id, sequence, traces } of rows) {
    const context = contextAt(traces, sequence);
    if (context !== null) found.set(lot_id, context);
  }
  return found;
}
