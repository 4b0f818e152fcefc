/**
 * A long PDF, written to a file as its pages are drawn: what has been drawn is no longer in memory. Between entries
 * it gives others their turn, and it ends where the file grows beyond its bound.
 */
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { BOLD, REGULAR } from './fonts.ts';

/** The file would be larger than it may be. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

export interface PdfFileOptions {
  readonly path: string;
  readonly title: string;
  /** What it is written in, as a code. */
  readonly language: string;
  readonly maxBytes: number;
  /** In points; default 48. */
  readonly margin?: number;
  /** Printed at the foot of each page, before its number; without it there is no foot. */
  readonly foot?: string;
}

const MARGIN = 48;
const FOOT_POINTS = 22;

export class PdfFile {
  readonly pdf: PDFKit.PDFDocument;
  readonly #file: WriteStream;
  readonly #maxBytes: number;
  #bytes = 0;
  #pages = 0;

  private constructor(pdf: PDFKit.PDFDocument, { path, maxBytes, foot }: PdfFileOptions) {
    this.pdf = pdf;
    this.#maxBytes = maxBytes;
    this.#file = createWriteStream(path, { mode: 0o600 });
    // What goes wrong is thrown by `breathe` and `finish`; what was under way when it was abandoned is of no interest.
    this.#file.on('error', () => undefined);
    pdf.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
    });
    pdf.pipe(this.#file);
    pdf.on('pageAdded', () => {
      this.#pages += 1;
      if (foot !== undefined) drawFoot(pdf, foot, this.#pages);
    });
    pdf.addPage();
  }

  /** Opens it with its first page. */
  static async open(options: PdfFileOptions): Promise<PdfFile> {
    const { default: PDFDocument } = await import('pdfkit');
    const { title, language, margin = MARGIN } = options;
    const pdf = new PDFDocument({
      size: 'A4',
      margin,
      autoFirstPage: false,
      lang: language,
      displayTitle: true,
      info: { Title: title },
    });
    return new PdfFile(pdf, options);
  }

  /** To be awaited after each entry. Throws `FileTooLarge`, and why the file could not be written. */
  async breathe(): Promise<void> {
    if (this.#file.errored) throw this.#file.errored;
    if (this.#bytes > this.#maxBytes) throw new FileTooLarge();
    await turn();
  }

  /** How far down the page may be drawn, in points. */
  get bottom(): number {
    const { height, margins } = this.pdf.page;
    return height - margins.bottom;
  }

  /** Begins another page where less than so much is left of this one; says whether it did. */
  need(points: number): boolean {
    if (this.pdf.y + points <= this.bottom) return false;
    this.pdf.addPage();
    return true;
  }

  /** Writes what is left; the file is whole then. Throws `FileTooLarge`. */
  async finish(): Promise<void> {
    this.pdf.end();
    await finished(this.#file);
    if (this.#bytes > this.#maxBytes) throw new FileTooLarge();
  }

  /** Lets go of what is half written. */
  abandon(): void {
    this.pdf.unpipe(this.#file);
    this.#file.destroy();
  }
}

function drawFoot(pdf: PDFKit.PDFDocument, foot: string, page: number): void {
  const { width, height, margins } = pdf.page;
  const { bottom } = margins;
  const y = height - bottom + 10;
  // Below the margin a text would begin another page.
  margins.bottom = 0;
  const across = width - margins.left - margins.right;
  pdf.font(REGULAR).fontSize(7.5).fillColor('#666666');
  pdf.text(foot, margins.left, y, { width: across - 60, height: 9, ellipsis: true, lineBreak: false });
  pdf.text(String(page), margins.left, y, { width: across, align: 'right', lineBreak: false });
  margins.bottom = Math.max(bottom, FOOT_POINTS);
  pdf.fillColor('black').fontSize(9.5);
  pdf.x = margins.left;
  pdf.y = margins.top;
}

/** A heading over what follows, with lines below it. */
export function drawHeading(pdf: PDFKit.PDFDocument, title: string, lines: readonly string[]): void {
  pdf.font(BOLD).fontSize(18).text(title).moveDown(0.3);
  pdf.font(REGULAR).fontSize(9.5).fillColor('#444444');
  for (const line of lines) pdf.text(line);
  pdf.fillColor('black').moveDown(1);
}
