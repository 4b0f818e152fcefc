/** A table that goes over pages: its headings stand above each part, and no row is cut. */
import { BOLD, REGULAR } from './fonts.ts';
import type { PdfFile } from './pdf-file.ts';

export interface PdfColumn {
  readonly heading: string;
  /** A share of the width. */
  readonly share: number;
  readonly align?: 'left' | 'right';
}

const SIZE = 9;
const GAP = 8;
const PADDING = 4;
/** A row is never higher: a longer text is cut. */
const MAX_ROW = 110;

export async function drawTable(
  file: PdfFile,
  columns: readonly PdfColumn[],
  rows: readonly (readonly string[])[],
  onRow: () => Promise<void> = async () => {},
): Promise<void> {
  const cells = placed(file, columns);
  drawHeadings(file, cells);
  for (const row of rows) {
    file.pdf.font(REGULAR).fontSize(SIZE);
    if (file.need(heightOf(file, cells, row))) drawHeadings(file, cells);
    file.pdf.font(REGULAR).fontSize(SIZE);
    drawRow(file, cells, row);
    await file.breathe();
    await onRow();
  }
}

interface Cell extends PdfColumn {
  readonly x: number;
  readonly width: number;
}

function placed({ pdf }: PdfFile, columns: readonly PdfColumn[]): Cell[] {
  const { width, margins } = pdf.page;
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  const across = width - margins.left - margins.right - GAP * (columns.length - 1);
  let x = margins.left;
  return columns.map((column) => {
    const cell = { ...column, x, width: (across * column.share) / shares };
    x += cell.width + GAP;
    return cell;
  });
}

function heightOf({ pdf }: PdfFile, cells: readonly Cell[], row: readonly string[]): number {
  const heights = cells.map(({ width }, index) => pdf.heightOfString(row[index] ?? '', { width }));
  return Math.min(MAX_ROW, Math.max(...heights)) + PADDING * 2;
}

function drawHeadings(file: PdfFile, cells: readonly Cell[]): void {
  file.pdf.font(BOLD).fontSize(SIZE);
  const headings = cells.map(({ heading }) => heading);
  if (file.need(heightOf(file, cells, headings) + 30)) file.pdf.font(BOLD).fontSize(SIZE);
  drawRow(file, cells, headings);
}

function drawRow(file: PdfFile, cells: readonly Cell[], row: readonly string[]): void {
  const { pdf } = file;
  const { y } = pdf;
  const height = heightOf(file, cells, row);
  for (const [index, { x, width, align = 'left' }] of cells.entries()) {
    const text = row[index] ?? '';
    pdf.text(text, x, y + PADDING, { width, align, height: height - PADDING * 2 + 1, ellipsis: true });
  }
  const { width, margins } = pdf.page;
  const line = y + height;
  pdf
    .moveTo(margins.left, line)
    .lineTo(width - margins.right, line)
    .lineWidth(0.5)
    .stroke('#bbbbbb');
  pdf.fillColor('black');
  pdf.x = margins.left;
  pdf.y = line;
}
