/** Papers as PDFs, in the language of whoever ordered them; names and what was sold stay as they are. */
import type { Knex } from 'knex';
import { drawLabels, drawPaddles } from '../../../adapters/pdf/cards.ts';
import { drawEntry } from '../../../adapters/pdf/catalog-pages.ts';
import { drawPaper } from '../../../adapters/pdf/paper-pdf.ts';
import { drawHeading, PdfFile } from '../../../adapters/pdf/pdf-file.ts';
import { drawTable } from '../../../adapters/pdf/pdf-table.ts';
import { decimalsOf, formatCents, totalCents } from '../../../engine/money.ts';
import { invoicePaper } from '../../billing/invoices/invoice-paper.ts';
import { findInvoice } from '../../billing/invoices/invoice-rows.ts';
import { readParties } from '../../billing/invoices/parties.ts';
import type { LotResult } from '../../sales/results/lot-results.ts';
import { type Language, LOCALES } from '../../shared/language.ts';
import { inLanguage } from '../../shared/languages/phrasebook.ts';
import { perUnitText, unitCountText } from '../../shared/lot-units.ts';
import { moneyText } from '../../shared/money-text.ts';
import { PAPER_KINDS, type PaperKind } from '../../shared/paper-kinds.ts';
import { paperIn } from '../../shared/papers/paper-reply.ts';
import { inReadersWords } from '../../shared/translations.ts';
import {
  type CatalogLot,
  MAX_PAPER_ROWS,
  type PaperSale,
  readCatalogLots,
  readPaddleHolders,
  readRealisedLots,
  readSaleInvoices,
  readSoldLots,
} from './paper-content.ts';
import { byBuyer, lotLink } from './paper-sheets.ts';

export interface PrintParts extends PaperSale {
  readonly knex: Knex;
  readonly baseUrl: string;
  readonly language: Language;
  /** Where the file is written. */
  readonly path: string;
  readonly maxBytes: number;
  readonly operatorName: string;
  /** A stored picture as a JPEG; null where there is none any more. */
  picture(key: string): Promise<Buffer | null>;
  /** So many of so many entries are drawn. */
  onProgress(done: number, total: number): Promise<void>;
}

/** More rows than a paper may have. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';
}

/** With more lots a catalog has no pictures. */
const MAX_PICTURED = 2_000;

/** Draws the paper of this kind. Throws `TooManyRows` and `FileTooLarge`. */
export async function printPaper(kind: PaperKind, parts: PrintParts): Promise<void> {
  const isCatalog = kind === 'catalog' || kind === 'labels';
  const { path, maxBytes, language } = parts;
  const auction = isCatalog ? inReadersWords(parts.auction, language) : parts.auction;
  const title = `${say(parts, PAPER_KINDS[kind])} – ${auction.title}`;
  const isCut = kind === 'labels' || kind === 'paddles';
  const file = await PdfFile.open({
    ...{ path, title, language, maxBytes },
    ...(isCut ? { margin: 0 } : kind === 'invoices' ? { margin: 56 } : { foot: title }),
  });
  try {
    await PRINTS[kind](file, { ...parts, auction });
    await file.finish();
  } catch (error) {
    file.abandon();
    throw error;
  }
}

const PRINTS: Readonly<Record<PaperKind, (file: PdfFile, parts: PrintParts) => Promise<void>>> = {
  catalog: printCatalog,
  labels: printLabels,
  paddles: printPaddles,
  picking_lists: printPickingLists,
  realised_prices: printRealised,
  invoices: printInvoices,
};

async function printCatalog(file: PdfFile, parts: PrintParts): Promise<void> {
  const lots = bounded(await readCatalogLots(parts.knex, parts.auction.id, parts.language));
  drawHeading(file.pdf, parts.auction.title, [parts.seller, ...timesOf(parts)]);
  if (lots.length === 0) file.pdf.text(say(parts, 'There are no lots.'));
  const hasPictures = lots.length <= MAX_PICTURED;
  const count = counter(parts, lots.length);
  for (const lot of lots) {
    const picture = hasPictures && lot.picture_key !== null ? await parts.picture(lot.picture_key) : null;
    drawEntry(file, {
      name: say(parts, `Lot ${numberOf(lot)}`),
      title: lot.title,
      facts: factsOf(parts, lot),
      text: (lot.description ?? '').trim(),
      picture,
    });
    await file.breathe();
    await count();
  }
}

function factsOf(parts: PrintParts, lot: CatalogLot): string[] {
  const money = (amount: string) => moneyText(amount, parts.auction.currency, parts.language);
  const estimates = [lot.estimate_low, lot.estimate_high].filter((one) => one !== null).map(money);
  const lines = [[lot.city, lot.state].filter((one) => one !== null && one !== '').join(', ')];
  if (lot.condition !== null) lines.push(`${say(parts, 'Condition')}: ${lot.condition}`);
  if (estimates.length > 0) lines.push(`${say(parts, 'Estimate')}: ${estimates.join(' – ')}`);
  const starting = formatCents(lot.starting_bid_cents, decimalsOf(parts.auction.currency));
  const [per, count] = [perUnitText(lot), unitCountText(lot)];
  lines.push(`${say(parts, 'Starting bid')}: ${money(starting)}${per === '' ? '' : ` ${say(parts, per)}`}`);
  if (count !== null) lines.push(say(parts, count));
  return lines.filter((one) => one !== '');
}

async function printLabels(file: PdfFile, parts: PrintParts): Promise<void> {
  const lots = bounded(await readCatalogLots(parts.knex, parts.auction.id, parts.language));
  const labels = lots.map((lot) => ({
    name: say(parts, `Lot ${numberOf(lot)}`),
    title: lot.title,
    line: parts.auction.title,
    // The shorter it is, the farther away a phone reads it.
    link: lotLink(parts.baseUrl, String(lot.id)),
  }));
  noneYet(file, parts, labels, 'There are no lots.');
  await drawLabels(file, labels, counter(parts, labels.length));
}

async function printPaddles(file: PdfFile, parts: PrintParts): Promise<void> {
  const holders = bounded(await readPaddleHolders(parts.knex, parts.auction.id));
  const line = `${parts.seller} · ${parts.auction.title}`;
  const paddles = holders.map(({ paddle, name }) => ({ number: paddle, name, line }));
  noneYet(file, parts, paddles, 'Nobody has a paddle yet.');
  await drawPaddles(file, paddles, counter(parts, paddles.length));
}

async function printPickingLists(file: PdfFile, parts: PrintParts): Promise<void> {
  const sold = bounded(await readSoldLots(parts.knex, parts.auction.id));
  const buyers = byBuyer(sold);
  const count = counter(parts, sold.length);
  if (buyers.length === 0) drawHeading(file.pdf, parts.auction.title, [say(parts, 'Nothing is sold yet.')]);
  for (const [index, { lots }] of buyers.entries()) {
    // A sheet for each buyer, as each goes to another table.
    if (index > 0) file.pdf.addPage();
    const [first] = lots;
    if (first === undefined) continue;
    drawHeading(file.pdf, first.buyer ?? say(parts, 'From the floor'), buyerLines(parts, first));
    const rows = lots.map((lot) => [
      ...['☐', numberOf(lot), titleWithPieces(parts, lot), lot.shelf ?? '', lot.sku ?? ''],
      say(parts, stateOf(lot)),
    ]);
    await drawTable(
      file,
      [
        { heading: '', share: 0.4 },
        { heading: say(parts, 'Lot'), share: 0.8, align: 'right' },
        { heading: say(parts, 'Title'), share: 5 },
        { heading: say(parts, 'Shelf'), share: 1.4 },
        { heading: say(parts, 'SKU'), share: 1.4 },
        { heading: say(parts, 'Status'), share: 1.6 },
      ],
      rows,
      count,
    );
  }
}

function stateOf({ collected_at, invoice_status }: LotResult): string {
  if (collected_at !== null) return 'Collected';
  if (invoice_status === 'paid') return 'Paid';
  return invoice_status === null ? 'From the floor' : 'Not paid';
}

function buyerLines(parts: PrintParts, lot: LotResult): string[] {
  const lines = [parts.auction.title];
  if (lot.paddle !== null) lines.push(`${say(parts, 'Paddle')} ${lot.paddle}`);
  const contact = [lot.buyer_email, lot.buyer_phone].filter((one) => one !== null && one !== '');
  if (contact.length > 0) lines.push(contact.join(' · '));
  if (lot.collection_at !== null)
    lines.push(`${say(parts, 'Comes')}: ${when(parts, lot.collection_at)} (${lot.collection_code ?? ''})`);
  return lines;
}

function titleWithPieces(parts: PrintParts, { title, take }: LotResult): string {
  return take === null || take === 1 ? title : `${title} · ${say(parts, `${take} pieces`)}`;
}

async function printRealised(file: PdfFile, parts: PrintParts): Promise<void> {
  const { knex, auction, language } = parts;
  const lots = bounded(await readRealisedLots(knex, auction.id));
  const money = (cents: number | bigint) =>
    moneyText(formatCents(Number(cents), decimalsOf(auction.currency)), auction.currency, language);
  const sold = lots.filter(({ hammer_price_cents: cents }) => cents !== null);
  drawHeading(file.pdf, `${say(parts, 'Realised prices')}: ${auction.title}`, [
    parts.seller,
    ...timesOf(parts),
    `${say(parts, 'Sold')}: ${sold.length} / ${lots.length}`,
    `${say(parts, 'Hammer total')}: ${money(totalCents(sold, (lot) => lot.hammer_price_cents ?? 0))}`,
  ]);
  if (lots.length === 0) {
    file.pdf.text(say(parts, 'No lot is over yet.'));
    return;
  }
  await drawTable(
    file,
    [
      { heading: say(parts, 'Lot'), share: 1, align: 'right' },
      { heading: say(parts, 'Title'), share: 7 },
      { heading: say(parts, 'Hammer price'), share: 2.4, align: 'right' },
    ],
    lots.map((lot) => [
      numberOf(lot),
      lot.title,
      lot.hammer_price_cents === null ? '–' : money(lot.hammer_price_cents),
    ]),
    counter(parts, lots.length),
  );
}

async function printInvoices(file: PdfFile, parts: PrintParts): Promise<void> {
  const { knex, auction, language, operatorName } = parts;
  const invoices = bounded(await readSaleInvoices(knex, auction.id));
  const count = counter(parts, invoices.length);
  if (invoices.length === 0) drawHeading(file.pdf, auction.title, [say(parts, 'There are no invoices yet.')]);
  let drawn = 0;
  for (const { id } of invoices) {
    const row = await findInvoice(knex, String(id));
    if (row !== null) {
      if (drawn > 0) file.pdf.addPage();
      drawPaper(file.pdf, paperIn(language, invoicePaper(row, await readParties(knex, row, operatorName))));
      drawn += 1;
    }
    await file.breathe();
    await count();
  }
}

function noneYet(file: PdfFile, parts: PrintParts, rows: readonly unknown[], sentence: string): void {
  if (rows.length === 0) file.pdf.fontSize(12).text(say(parts, sentence), 56, 56);
}

function say({ language }: PrintParts, text: string): string {
  return inLanguage(language, text);
}

/** As buyers know the lot. */
function numberOf(lot: { readonly lot_number: number; readonly catalog_number: string | null }): string {
  return lot.catalog_number ?? String(lot.lot_number);
}

function timesOf(parts: PrintParts): string[] {
  const { start_time, end_time } = parts.auction;
  return [`${when(parts, start_time)} – ${when(parts, end_time)}`];
}

/** By the clock of the sale. */
function when({ language, auction }: PrintParts, iso: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: auction.timezone } as const;
  return new Intl.DateTimeFormat(LOCALES[language], format).format(new Date(iso));
}

function bounded<T>(rows: T[]): T[] {
  if (rows.length > MAX_PAPER_ROWS) throw new TooManyRows();
  return rows;
}

function counter({ onProgress }: PrintParts, total: number): () => Promise<void> {
  let done = 0;
  return () => {
    done += 1;
    return onProgress(done, total);
  };
}
