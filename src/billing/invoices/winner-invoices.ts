/**
 * The invoices of lots that were sold, made in the very transaction that writes the sale: the projection calls it
 * once for the lots that have just closed. Exactly one for each sold lot whose winner has an account; `lot.sold` then
 * names its number.
 */
import type { Knex } from 'knex';
import { itemAt } from '../../../engine/first-of.ts';
import { approvedTaxNumberSql } from '../../accounts/tax-numbers/tax-numbers.ts';
import type { ClosedLot } from '../../bidding/projection/pending-writes.ts';
import type { OutboxEvent } from '../../events/outbox.ts';
import { formatTaxPpm, type SaleAmounts, saleTexts, untaxed } from '../../shared/sale-amounts.ts';
import { LIVE_INVOICE_SQL } from '../../shared/statuses/billing-statuses.ts';
import { createInvoices, type NewInvoice } from './create-invoices.ts';
import type { InvoiceLine } from './invoice.model.ts';

interface SaleRow {
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
}

/** Makes the invoices of these lots and writes their numbers into the lots' events. Returns the facts to append. */
export async function invoiceClosedLots(
  trx: Knex.Transaction,
  lots: readonly ClosedLot[],
): Promise<OutboxEvent[]> {
  const sold = lots.filter((lot) => lot.status === 'sold' && lot.hammerCents !== null);
  for (const lot of sold) lot.eventData['invoice_number'] = null;
  const owed = sold.filter((lot) => lot.winner?.userId != null);
  if (owed.length === 0) return [];
  const rows = new Map((await readSales(trx, owed)).map((row) => [row.lot_id, row]));
  const wanted: NewInvoice[] = [];
  const numbered: ClosedLot[] = [];
  for (const lot of owed) {
    const row = rows.get(lot.lotId);
    if (row === undefined) continue;
    if (row.invoice_number !== null) lot.eventData['invoice_number'] = row.invoice_number;
    else {
      if (row.tax_number_id !== null) takeTaxOff(lot);
      wanted.push(winnerInvoice(row, lot, lot.currency));
      numbered.push(lot);
    }
  }
  const { invoices, facts } = await createInvoices(trx, wanted);
  for (const [index, lot] of numbered.entries()) {
    lot.eventData['invoice_number'] = itemAt(invoices, index).invoice_number;
  }
  return facts.map((fact) => withBid(fact, numbered));
}

/** What the lot's event says is what its invoice says. */
function takeTaxOff(lot: ClosedLot): void {
  const { hammerCents, premiumCents } = lot;
  const amounts = untaxed({ hammerCents: hammerCents ?? 0, premiumCents });
  lot.taxCents = 0;
  Object.assign(lot.eventData, saleTexts(amounts, lot.state.decimals));
}

/** An invoice's fact names the bid that won, so that it can be followed up to here. */
function withBid(fact: OutboxEvent, lots: readonly ClosedLot[]): OutboxEvent {
  const bidId = lots.find(({ lotId }) => lotId === fact.lotId)?.eventData['bid_id'];
  return bidId === undefined ? fact : { ...fact, data: { ...fact.data, bid_id: bidId } };
}

/** What a sale comes to, with the tax rate that its line names. */
export interface BilledAmounts extends Pick<SaleAmounts, 'premiumCents' | 'taxCents'> {
  readonly hammerCents: number | null;
  readonly taxPpm: number;
}

/** What a winner owes: hammer, premium where there is one, and tax on both where the auction has one. */
export function winnerInvoice(
  sale: Omit<SaleRow, 'invoice_number'>,
  { hammerCents, premiumCents, taxCents, taxPpm }: BilledAmounts,
  currency: string,
): NewInvoice {
  const name = `Lot ${sale.lot_number}: ${sale.title}`;
  const lines: InvoiceLine[] = [{ kind: 'hammer', description: name, amount_cents: hammerCents ?? 0 }];
  if (premiumCents > 0)
    lines.push({ kind: 'premium', description: 'Buyer’s premium', amount_cents: premiumCents });
  if (taxCents > 0) {
    lines.push({ kind: 'tax', description: `Sales tax ${formatTaxPpm(taxPpm)}%`, amount_cents: taxCents });
  }
  return {
    kind: 'winner',
    userId: sale.user_id,
    teamId: sale.team_id,
    auctionId: sale.auction_id,
    lotId: sale.lot_id,
    currency,
    lines,
    termsDays: sale.payment_due_days,
    conditionsVersion: sale.conditions_version,
    taxNumberId: sale.tax_number_id,
  };
}

/** Lots and winners that Postgres knows; the journal may name others, and they hold nothing up. */
async function readSales(trx: Knex.Transaction, lots: readonly ClosedLot[]): Promise<SaleRow[]> {
  const pairs = lots.map((lot) => ({ lot_id: lot.lotId, user_id: lot.winner?.userId }));
  // SQL: hundreds of lots in one statement of the projection, and users and lots that may not be there.
  const { rows } = await trx.raw<{ rows: SaleRow[] }>(
    `SELECT l.id AS lot_id, u.id AS user_id, a.id AS auction_id, a.team_id, l.title, l.lot_number,
       a.payment_due_days, coalesce(r.conditions_version, a.conditions_version) AS conditions_version, i.invoice_number,
       ${approvedTaxNumberSql('u.id')} AS tax_number_id
     FROM json_to_recordset(?::json) AS n (lot_id bigint, user_id bigint)
     JOIN lots l ON l.id = n.lot_id
     JOIN auctions a ON a.id = l.auction_id
     JOIN users u ON u.id = n.user_id
     LEFT JOIN registrations r ON r.auction_id = a.id AND r.user_id = u.id
     LEFT JOIN invoices i ON i.lot_id = l.id AND i.kind = 'winner' AND i.status IN ${LIVE_INVOICE_SQL}`,
    [JSON.stringify(pairs)],
  );
  return rows;
}
