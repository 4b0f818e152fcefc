/** Papers that are cut up: labels for lots, with a code that a phone reads, and paddles with a number for a room. */
import { create } from 'qrcode';
import { BOLD, REGULAR } from './fonts.ts';
import type { PdfFile } from './pdf-file.ts';

export interface Label {
  /** The large words. */
  readonly name: string;
  readonly title: string;
  readonly line: string;
  /** What the code opens. */
  readonly link: string;
}

const MM = 72 / 25.4;
/** Fourteen to a sheet, 99.1 by 38.1 mm, as labels are sold. */
const LABEL = { width: 99.1 * MM, height: 38.1 * MM, left: 4.65 * MM, top: 15.15 * MM, gap: 2.5 * MM };
const ROWS = 7;
const COLUMNS = 2;
const INSET = 9;

/** Opened with a margin of 0. `onLabel` is awaited after each. */
export async function drawLabels(
  file: PdfFile,
  labels: readonly Label[],
  onLabel: () => Promise<void>,
): Promise<void> {
  const perPage = ROWS * COLUMNS;
  for (const [index, label] of labels.entries()) {
    if (index > 0 && index % perPage === 0) file.pdf.addPage();
    const row = Math.floor((index % perPage) / COLUMNS);
    const column = index % COLUMNS;
    const x = LABEL.left + column * (LABEL.width + LABEL.gap);
    drawLabel(file.pdf, label, x, LABEL.top + row * LABEL.height);
    await file.breathe();
    await onLabel();
  }
}

function drawLabel(pdf: PDFKit.PDFDocument, label: Label, x: number, y: number): void {
  const side = LABEL.height - INSET * 2;
  drawCode(pdf, label.link, x + INSET, y + INSET, side);
  const left = x + INSET + side + 8;
  const width = x + LABEL.width - INSET - left;
  pdf.font(BOLD).fontSize(fitting(pdf, label.name, width, 24));
  pdf.text(label.name, left, y + INSET, { width, height: 30, ellipsis: true, lineBreak: false });
  pdf.font(REGULAR).fontSize(9);
  pdf.text(label.title, left, y + INSET + 32, { width, height: 34, ellipsis: true });
  pdf.fontSize(6.5).fillColor('#555555');
  pdf.text(label.line, left, y + LABEL.height - INSET - 9, { width, height: 9, ellipsis: true });
  pdf.fillColor('black');
}

/** A QR code whose white edge is part of the side. */
function drawCode(pdf: PDFKit.PDFDocument, link: string, x: number, y: number, side: number): void {
  const { modules } = create(link, { errorCorrectionLevel: 'M' });
  const { size, data } = modules;
  const edge = 2;
  const step = side / (size + edge * 2);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; ) {
      let end = column;
      while (end < size && data[row * size + end] === 1) end += 1;
      // A run of dark modules is one rectangle: between single ones a printer leaves lines.
      if (end > column)
        pdf.rect(x + (column + edge) * step, y + (row + edge) * step, (end - column) * step, step);
      column = end + 1;
    }
  }
  pdf.fill('black');
}

export interface PaddleCard {
  readonly number: string;
  readonly name: string;
  readonly line: string;
}

/** Two to a sheet. `onPaddle` is awaited after each. */
export async function drawPaddles(
  file: PdfFile,
  paddles: readonly PaddleCard[],
  onPaddle: () => Promise<void>,
): Promise<void> {
  for (const [index, paddle] of paddles.entries()) {
    if (index > 0 && index % 2 === 0) file.pdf.addPage();
    drawPaddle(file.pdf, paddle, index % 2);
    await file.breathe();
    await onPaddle();
  }
}

function drawPaddle(pdf: PDFKit.PDFDocument, { number, name, line }: PaddleCard, half: number): void {
  const { width, height: whole } = pdf.page;
  const height = whole / 2;
  const top = half * height;
  const across = width - 80;
  if (half === 1) {
    pdf.moveTo(0, top).lineTo(width, top).dash(4, { space: 4 }).lineWidth(0.5).stroke('#999999').undash();
  }
  pdf.fillColor('black').font(BOLD);
  const size = fitting(pdf, number, across, 230);
  pdf.fontSize(size);
  const centre = { width: across, align: 'center', lineBreak: false } as const;
  pdf.text(number, 40, top + (height - size * 1.17) / 2 - 16, centre);
  pdf.fontSize(fitting(pdf, name, across, 16));
  pdf.text(name, 40, top + height - 84, { ...centre, height: 22, ellipsis: true });
  pdf.font(REGULAR).fontSize(9).fillColor('#555555');
  pdf.text(line, 40, top + height - 58, { ...centre, height: 12, ellipsis: true });
  pdf.fillColor('black');
}

const SMALLEST = 0.45;

/** The largest size, up to `most`, at which it takes one line; a text too long for a small one is cut. */
function fitting(pdf: PDFKit.PDFDocument, text: string, width: number, most: number): number {
  const needed = pdf.fontSize(most).widthOfString(text);
  return needed <= width ? most : Math.max(most * SMALLEST, (most * width) / needed);
}
