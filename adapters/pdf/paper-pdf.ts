/**
 * A paper of ours (an invoice, a credit note) as a PDF, made with pdfkit: A4, with a font that has Latin, Greek,
 * Cyrillic, Armenian, Georgian, Hebrew and Arabic letters; what it has no glyph for is a box. pdfkit is loaded when the
 * first one is made.
 */
import { BOLD, REGULAR } from './fonts.ts';

export interface Paper {
  readonly title: string;
  /** Side by side; each a heading and lines. */
  readonly parties: readonly { readonly heading: string; readonly lines: readonly string[] }[];
  readonly facts: readonly PaperRow[];
  /** What stands over the rows; default: in English. */
  readonly columns?: PaperRow;
  /** What it comes to, line by line. */
  readonly rows: readonly PaperRow[];
  readonly totals: readonly PaperRow[];
}

/** What it is, and its value or amount. */
export type PaperRow = readonly [label: string, value: string];

const COLUMNS: PaperRow = ['Description', 'Amount'];
const RULE = { top: 0, left: 0, right: 0, bottom: 0.5 };
const CELL = {
  border: 0,
  borderColor: '#bbbbbb',
  padding: { top: 4, bottom: 4, left: 0, right: 8 },
} as const;

/** The whole file; `language` is what it is written in, as a code. */
export async function paperPdf(paper: Paper, language = 'en'): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 56,
    lang: language,
    displayTitle: true,
    info: { Title: paper.title },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const whole = new Promise<Buffer>((resolve, reject) => {
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  drawPaper(pdf, paper);
  pdf.end();
  return whole;
}

/** Draws it from where the page is. */
export function drawPaper(
  pdf: PDFKit.PDFDocument,
  { title, parties, facts, columns = COLUMNS, rows, totals }: Paper,
): void {
  pdf.font(BOLD).fontSize(18).text(title).fontSize(9.5).moveDown(1.5);
  const bold = { font: { src: BOLD, size: 9.5 } };
  pdf.font(REGULAR).table({
    defaultStyle: CELL,
    columnStyles: parties.map(() => '*'),
    data: [
      parties.map(({ heading }) => ({ ...bold, text: heading })),
      parties.map(({ lines }) => lines.join('\n')),
    ],
  });
  pdf.moveDown(1).table({
    defaultStyle: { ...CELL, padding: { top: 1, bottom: 1, left: 0, right: 8 } },
    columnStyles: [130, '*'],
    data: facts.map((row) => [...row]),
  });
  const amounts = { columnStyles: ['*', { width: 130, align: { x: 'right', y: 'top' } as const }] };
  const isTotal = (_: PaperRow, index: number) => index > rows.length;
  pdf.moveDown(1.5).table({
    ...amounts,
    defaultStyle: { ...CELL, border: RULE },
    data: [columns, ...rows, ...totals].map((row, index) =>
      row.map((text) => (index === 0 || isTotal(row, index) ? { ...bold, text } : text)),
    ),
  });
}
