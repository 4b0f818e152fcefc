/** The entries of a printed catalog: a picture where there is one, what the lot is, and what it may come to. */
import { BOLD, REGULAR } from './fonts.ts';
import type { PdfFile } from './pdf-file.ts';

export interface CatalogEntry {
  /** `Lot 12` */
  readonly name: string;
  readonly title: string;
  readonly facts: readonly string[];
  readonly text: string;
  /** A JPEG; null: none. Bytes, as a path that was drawn before would be drawn again. */
  readonly picture: Buffer | null;
}

const PICTURE = 120;
const GAP = 14;
const AFTER = 16;
/** Longer texts are cut: who wants all of it reads the lot's page. */
const MAX_TEXT = 150;

/** Draws one where the page is, or on the next where it does not fit. */
export function drawEntry(file: PdfFile, entry: CatalogEntry): void {
  const { pdf } = file;
  const { margins, width } = pdf.page;
  const indent = entry.picture === null ? 0 : PICTURE + GAP;
  const across = width - margins.left - margins.right - indent;
  const height = Math.max(heightOf(pdf, entry, across), entry.picture === null ? 0 : PICTURE);
  file.need(height + AFTER);
  const { y: top } = pdf;
  const left = margins.left + indent;
  if (entry.picture !== null)
    pdf.image(entry.picture, margins.left, top, {
      fit: [PICTURE, PICTURE],
      valign: 'center',
      align: 'center',
    });
  pdf.font(BOLD).fontSize(9).fillColor('#666666').text(entry.name, left, top, { width: across });
  pdf.fontSize(11.5).fillColor('black').text(entry.title, { width: across });
  pdf.font(REGULAR).fontSize(9);
  for (const fact of entry.facts) pdf.text(fact, { width: across });
  if (entry.text !== '') {
    pdf.y += 3;
    pdf.fillColor('#333333').text(entry.text, { width: across, height: MAX_TEXT, ellipsis: true });
  }
  pdf.fillColor('black');
  pdf.x = margins.left;
  pdf.y = top + height + AFTER;
}

function heightOf(pdf: PDFKit.PDFDocument, entry: CatalogEntry, width: number): number {
  const measured = (text: string, font: string, size: number) =>
    pdf.font(font).fontSize(size).heightOfString(text, { width });
  const facts = entry.facts.reduce((sum, fact) => sum + measured(fact, REGULAR, 9), 0);
  const text = entry.text === '' ? 0 : Math.min(MAX_TEXT, measured(entry.text, REGULAR, 9)) + 3;
  return measured(entry.name, BOLD, 9) + measured(entry.title, BOLD, 11.5) + facts + text;
}
