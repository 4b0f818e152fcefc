/** Papers as tables: a row for each thing, with columns of the same names as the API's fields. */
import type { Knex } from 'knex';
import type { XlsxCell } from '../../../adapters/sheets/xlsx-work.ts';
import { decimalsOf, formatCents } from '../../../engine/money.ts';
import type { PaperKind } from '../../shared/paper-kinds.ts';
import {
  type PaperSale,
  readCatalogLots,
  readPaddleHolders,
  readRealisedLots,
  readSaleInvoices,
  readSoldLots,
} from './paper-content.ts';

export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly XlsxCell[])[];
}

interface SheetParts extends PaperSale {
  readonly knex: Knex;
  readonly baseUrl: string;
}

type Columns<T> = readonly (readonly [name: string, value: (row: T) => XlsxCell])[];

/** The whole table of a kind; at most `MAX_PAPER_ROWS` and one more. */
export async function sheetOf(kind: PaperKind, parts: SheetParts): Promise<Sheet> {
  const { knex, auction, baseUrl } = parts;
  const amount = amountsIn(auction.currency);
  const linkTo = ({ slug }: { slug: string }) => lotLink(baseUrl, slug);
  switch (kind) {
    case 'catalog':
      return catalogSheet(parts);
    case 'labels':
      return tableOf(await readCatalogLots(knex, auction.id), [
        ['lot_number', (lot) => lot.lot_number],
        ['title', (lot) => lot.title],
        ['sku', (lot) => lot.sku],
        ['url', linkTo],
        ['catalog_number', (lot) => lot.catalog_number],
      ]);
    case 'paddles':
      return tableOf(await readPaddleHolders(knex, auction.id), [
        ['paddle_number', (holder) => holder.paddle],
        ['name', (holder) => holder.name],
        ['contact', (holder) => holder.contact],
        ['from', (holder) => (holder.from_floor ? 'floor' : 'registration')],
      ]);
    case 'picking_lists':
      return pickingSheet(parts);
    case 'realised_prices':
      return tableOf(await readRealisedLots(knex, auction.id), [
        ['lot_number', (lot) => lot.lot_number],
        ['title', (lot) => lot.title],
        ['status', (lot) => lot.status],
        ['estimate_low', (lot) => plainAmount(lot.estimate_low)],
        ['estimate_high', (lot) => plainAmount(lot.estimate_high)],
        ['hammer_price', (lot) => amount(lot.hammer_price_cents)],
        ['currency', () => auction.currency],
        ['catalog_number', (lot) => lot.catalog_number],
      ]);
    case 'invoices':
      return invoiceSheet(parts);
  }
}

async function catalogSheet({ knex, auction, baseUrl }: SheetParts): Promise<Sheet> {
  const amount = amountsIn(auction.currency);
  return tableOf(await readCatalogLots(knex, auction.id), [
    ['lot_number', (lot) => lot.lot_number],
    ['title', (lot) => lot.title],
    ['description', (lot) => lot.description],
    ['category', (lot) => lot.category],
    ['condition', (lot) => lot.condition],
    ['quantity', (lot) => lot.quantity],
    ['sku', (lot) => lot.sku],
    ['city', (lot) => lot.city],
    ['state', (lot) => lot.state],
    ['estimate_low', (lot) => plainAmount(lot.estimate_low)],
    ['estimate_high', (lot) => plainAmount(lot.estimate_high)],
    ['starting_bid', (lot) => amount(lot.starting_bid_cents)],
    ['currency', () => auction.currency],
    ['status', (lot) => lot.status],
    ['url', ({ slug }) => lotLink(baseUrl, slug)],
    ['catalog_number', (lot) => lot.catalog_number],
    ['units', (lot) => lot.units],
    ['unit_name', (lot) => lot.unit_name],
    ['bid_per', (lot) => lot.bid_per],
  ]);
}

async function pickingSheet({ knex, auction }: SheetParts): Promise<Sheet> {
  return tableOf(
    byBuyer(await readSoldLots(knex, auction.id)).flatMap(({ lots }) => lots),
    [
      ['buyer', (lot) => lot.buyer],
      ['paddle_number', (lot) => lot.paddle],
      ['email', (lot) => lot.buyer_email],
      ['phone', (lot) => lot.buyer_phone],
      ['lot_number', (lot) => lot.lot_number],
      ['title', (lot) => lot.title],
      ['pieces', (lot) => lot.take],
      ['sku', (lot) => lot.sku],
      ['shelf', (lot) => lot.shelf],
      ['invoice_number', (lot) => lot.invoice_number],
      ['invoice_status', (lot) => lot.invoice_status],
      ['collection_at', (lot) => lot.collection_at],
      ['collection_code', (lot) => lot.collection_code],
      ['collected_at', (lot) => lot.collected_at],
      ['catalog_number', (lot) => lot.catalog_number],
    ],
  );
}

async function invoiceSheet({ knex, auction }: SheetParts): Promise<Sheet> {
  const amount = amountsIn(auction.currency);
  return tableOf(await readSaleInvoices(knex, auction.id), [
    ['invoice_number', (row) => row.invoice_number],
    ['status', (row) => row.status],
    ['created_at', (row) => row.created_at],
    ['due_at', (row) => row.due_at],
    ['paid_at', (row) => row.paid_at],
    ['buyer', (row) => row.buyer],
    ['email', (row) => row.email],
    ['lot_number', (row) => row.lot_number],
    ['title', (row) => row.title],
    ['hammer', (row) => amount(row.hammer_cents)],
    ['premium', (row) => amount(row.premium_cents)],
    ['tax', (row) => amount(row.tax_cents)],
    ['amount_due', (row) => amount(row.amount_due_cents)],
    ['amount_paid', (row) => amount(row.amount_paid_cents)],
    ['amount_refunded', (row) => amount(row.amount_refunded_cents)],
    ['owed', (row) => amount(Math.max(0, row.owed_cents))],
    ['currency', () => auction.currency],
  ]);
}

function tableOf<T>(rows: readonly T[], columns: Columns<T>): Sheet {
  return {
    columns: columns.map(([name]) => name),
    rows: rows.map((row) => columns.map(([, value]) => value(row))),
  };
}

/** Where a lot's page is, by its slug or its id. */
export function lotLink(baseUrl: string, name: string): string {
  return `${baseUrl}/lots/${name}`;
}

function amountsIn(currency: string): (cents: number | null) => XlsxCell {
  return (cents) => (cents === null ? null : { amount: formatCents(cents, decimalsOf(currency)) });
}

const plainAmount = (amount: string | null): XlsxCell => (amount === null ? null : { amount });

interface Bought {
  readonly buyer_id: number | null;
  readonly buyer: string | null;
  readonly paddle: string | null;
  readonly lot_number: number;
}

export interface Picked<T> {
  readonly lots: readonly T[];
}

/** What was bought by buyers, in the order of their names; whoever has no account by their paddle. */
export function byBuyer<T extends Bought>(lots: readonly T[]): Picked<T>[] {
  const buyers = new Map<string, T[]>();
  for (const lot of lots) {
    const key = lot.buyer_id === null ? `paddle ${lot.paddle ?? ''}` : `user ${lot.buyer_id}`;
    const known = buyers.get(key);
    if (known === undefined) buyers.set(key, [lot]);
    else known.push(lot);
  }
  const nameOf = ([lot]: readonly T[]) => lot?.buyer ?? `\uffff${lot?.paddle ?? ''}`;
  return [...buyers.values()]
    .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))
    .map((of) => ({ lots: of }));
}
