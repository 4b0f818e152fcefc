/**
 * The invoices of lots that were sold, made in the very transaction that writes the sale: the projection calls it
 * once for the lots that have just closed. Exactly one for each sold lot whose winner has an account; `lot.sold` then
 * names its number.
 */
import type { Knex } from 'knex';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { itemAt } from '../../../engine/first-of.ts';
import { faceOf, lotView } from '../../../engine/formats/formats.ts';
import { objectIn } from '../../../engine/objects.ts';
import { approvedTaxNumberSql } from '../../accounts/tax-numbers/tax-numbers.ts';
import type { ClosedLot, ClosedSale } from '../../bidding/projection/pending-writes.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { type UnitColumns, unitCountText } from '../../shared/lot-units.ts';
import { formatTaxPpm, type SaleAmounts, saleTexts, sumOfSales } from '../../shared/sale-amounts.ts';
import { LIVE_INVOICE_SQL } from '../../shared/statuses/billing-statuses.ts';
import { createInvoices, type NewInvoice } from './create-invoices.ts';
import type { InvoiceLine } from './invoice.model.ts';

interface SaleRow extends UnitColumns {
  readonly lot_id: number;
  readonly user_id: number;
  readonly auction_id: number;
  readonly team_id: number;
  readonly title: string;
  readonly lot_number: number;
  readonly payment_due_days: number | null;
  readonly conditions_version: number | null;
  /** Takes the tax off. */
  readonly tax_number_id: number | null;
  readonly invoice_number: string | null;
  /** Only where a lot has several buyers. */
  readonly bid_id: string | null;
  /** How many pieces the lot has. */
  readonly quantity: number;
}

/** Makes the invoices of these lots and writes their numbers into the lots' events. Returns the facts to append. */
export async function invoiceClosedLots(
  trx: Knex.Transaction,
  lots: readonly ClosedLot[],
): Promise<OutboxEvent[]> {
  const sold = lots.filter((lot) => lot.status === 'sold' && lot.hammerCents !== null);
  for (const lot of sold) lot.eventData['invoice_number'] = null;
  const owed = sold.flatMap((lot) =>
    lot.sales.flatMap((sale) => (sale.winner.userId === null ? [] : [{ lot, sale }])),
  );
  if (owed.length === 0) return [];
  const rows = new Map((await readSales(trx, owed)).map((row) => [saleKey(row), row]));
  const wanted: NewInvoice[] = [];
  const numbered: Owed[] = [];
  for (const one of owed) {
    const { lot, sale } = one;
    const row = rows.get(saleKey(namesOf(one)));
    if (row === undefined) continue;
    if (row.invoice_number !== null) lot.eventData['invoice_number'] = row.invoice_number;
    else {
      if (row.tax_number_id !== null) takeTaxOff(one);
      const set = setOf(lot);
      const amounts = { ...sale, taxPpm: lot.terms.taxPpm, share: shareText(lot, set) };
      wanted.push({ ...winnerInvoice(row, amounts, lot.currency), set });
      numbered.push(one);
    }
  }
  const { invoices, facts } = await createInvoices(trx, wanted);
  const bids = new Map<unknown, string | null>();
  for (const [index, { lot, sale }] of numbered.entries()) {
    const { invoice_number } = itemAt(invoices, index);
    // One number stands for the lot where one buyer has all of it.
    if (lot.sales.length === 1) lot.eventData['invoice_number'] = invoice_number;
    bids.set(invoice_number, sale.bidId);
  }
  return facts.map((fact) => withBid(fact, bids.get(fact.data['invoice_number']) ?? null));
}

/** What it was bought with, where lots are sold in any combination. */
function setOf({ state }: ClosedLot): unknown {
  const sight = { viewer: null, increments: DEFAULT_INCREMENTS, nowUs: state.recordedAtUs };
  return lotView(state, sight).fields?.['set'] ?? null;
}

/** Of what was bought with others, which these are, and for how much together. */
function shareText({ state }: ClosedLot, bought: unknown): string {
  const { lot_ids: ids, amount, total = amount } = objectIn(bought);
  if (!Array.isArray(ids) || ids.length < 2) return '';
  const numbers = ids.map((id) => faceOf(state, Number(id)).lotNumber);
  return `, its share of lots ${numbers.join(', ')} as one set for ${String(total)}`;
}

interface Owed {
  readonly lot: ClosedLot;
  readonly sale: ClosedSale;
}

/** A sale by lot and buyer, and by its bid where others have bought of the lot too. */
function namesOf({ lot: { lotId }, sale }: Owed) {
  return { lot_id: lotId, user_id: sale.winner.userId, bid_id: sale.take === undefined ? null : sale.bidId };
}

function saleKey({
  lot_id,
  user_id,
  bid_id,
}: Pick<SaleRow, 'lot_id' | 'bid_id'> & { user_id: number | null }) {
  return `${lot_id}|${user_id}|${bid_id ?? ''}`;
}

/** What the lot's event says is what its invoices say. */
function takeTaxOff({ lot, sale }: Owed): void {
  sale.taxCents = 0;
  Object.assign(lot.eventData, saleTexts(sumOfSales(lot.sales), lot.state.decimals));
}

/** An invoice's fact names the bid that won, so that it can be followed up to here. */
function withBid(fact: OutboxEvent, bidId: string | null): OutboxEvent {
  return bidId === null ? fact : { ...fact, data: { ...fact.data, bid_id: bidId } };
}

/** What a sale comes to, with the tax rate that its line names. */
export interface BilledAmounts extends Pick<SaleAmounts, 'premiumCents' | 'taxCents'> {
  readonly hammerCents: number | null;
  readonly taxPpm: number;
  /** How many pieces of the lot; absent: all of it. */
  readonly take?: number;
  /** What the lot's name is followed by, where it was bought with others. */
  readonly share?: string;
}

/** What a winner owes: hammer, premium where there is one, and tax on both where the auction has one. */
export function winnerInvoice(
  sale: Omit<SaleRow, 'invoice_number' | 'bid_id'> & { readonly bid_id?: string | null },
  { hammerCents, premiumCents, taxCents, taxPpm, take, share = '' }: BilledAmounts,
  currency: string,
): NewInvoice {
  const name = `Lot ${sale.lot_number}: ${sale.title}${piecesText(sale, take)}${share}`;
  const lines: InvoiceLine[] = [{ kind: 'hammer', description: name, amount_cents: hammerCents ?? 0 }];
  if (premiumCents > 0)
    lines.push({ kind: 'premium', description: 'Buyer’s premium', amount_cents: premiumCents });
  if (taxCents > 0) {
    lines.push({ kind: 'tax', description: `Sales tax ${formatTaxPpm(taxPpm)}%`, amount_cents: taxCents });
  }
  const { user_id, team_id, auction_id, lot_id, bid_id = null, conditions_version, tax_number_id } = sale;
  return {
    ...{ kind: 'winner', user_id, team_id, auction_id, lot_id, bid_id, conditions_version, tax_number_id },
    ...{ take: take ?? null, currency, lines, terms_days: sale.payment_due_days },
  };
}

/** How much of a lot this is: of several pieces those that were bought, of what was sold by the unit all of it. */
function piecesText(sale: Pick<SaleRow, 'quantity'> & UnitColumns, take: number | undefined): string {
  if (take !== undefined) return sale.quantity === 1 ? '' : `, ${take} of ${sale.quantity} pieces`;
  const count = sale.bid_per === 'unit' ? unitCountText(sale) : null;
  return count === null ? '' : `, ${count}`;
}

/** Lots and winners that Postgres knows; the journal may name others, and they hold nothing up. */
async function readSales(trx: Knex.Transaction, owed: readonly Owed[]): Promise<SaleRow[]> {
  const sales = owed.map(namesOf);
  // SQL: hundreds of lots in one statement of the projection, and users and lots that may not be there.
  const { rows } = await trx.raw<{ rows: SaleRow[] }>(
    `SELECT l.id AS lot_id, u.id AS user_id, a.id AS auction_id, a.team_id, l.title, l.lot_number, l.quantity,
       l.units, l.unit_name, l.bid_per,
       a.payment_due_days, coalesce(r.conditions_version, a.conditions_version) AS conditions_version,
       i.invoice_number, n.bid_id, ${approvedTaxNumberSql('u.id')} AS tax_number_id
     FROM json_to_recordset(?::json) AS n (lot_id bigint, user_id bigint, bid_id text)
     JOIN lots l ON l.id = n.lot_id
     JOIN auctions a ON a.id = l.auction_id
     JOIN users u ON u.id = n.user_id
     LEFT JOIN registrations r ON r.auction_id = a.id AND r.user_id = u.id
     LEFT JOIN invoices i ON i.lot_id = l.id AND i.kind = 'winner' AND i.status IN ${LIVE_INVOICE_SQL}
       AND i.bid_id IS NOT DISTINCT FROM n.bid_id`,
    [JSON.stringify(sales)],
  );
  return rows;
}
