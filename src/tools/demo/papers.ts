/**
 * The demo's documents: one page of PDF each, written here, with a drawing of the parcel where there is land. Only
 * the fonts that every reader has are named, so that a page takes two kilobytes.
 */
import type { Dice } from './dice.ts';

const PAGE = { width: 612, height: 792 } as const;
const LEFT = 64;
const LINE = 18;

export interface Paper {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** What a parcel's paper says, by name; rows without a value are left out. */
export interface ParcelFacts {
  readonly title: string;
  readonly lotNumber: number;
  readonly rows: readonly (readonly [name: string, value: string | null])[];
}

export function parcelSummary({ title, lotNumber, rows }: ParcelFacts, dice: Dice): Paper {
  const texts = [
    ...heading('Parcel summary', `Lot ${lotNumber}: ${title}`),
    ...table(rows, 660),
    ...paragraph(
      ['Sketch, not a survey. Boundaries as recorded with the county; buyers should inspect.'],
      120,
    ),
  ];
  return { fileName: 'parcel-summary.pdf', bytes: pdfOf([...texts, sketch(dice)]) };
}

export function conditionReport(title: string, lotNumber: number, condition: string): Paper {
  const texts = [
    ...heading('Condition report', `Lot ${lotNumber}: ${title}`),
    ...table([['Condition', condition] as const, ['Seen', 'in daylight, by the house'] as const], 660),
    ...paragraph(
      [
        'Wear is as one would expect of its age and use. No parts are known to be missing.',
        'The lot is sold as it stands; inspection by appointment before the sale.',
      ],
      590,
    ),
  ];
  return { fileName: 'condition-report.pdf', bytes: pdfOf(texts) };
}

const text = (font: 'F1' | 'F2', size: number, y: number, words: string, x = LEFT): string =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${escaped(words)}) Tj ET`;

function heading(name: string, about: string): string[] {
  return [
    '0.11 0.35 0.25 rg',
    text('F2', 22, 720, name),
    '0 g',
    text('F1', 12, 696, about),
    `0.8 G ${LEFT} 682 m ${PAGE.width - LEFT} 682 l S`,
  ];
}

function table(rows: ParcelFacts['rows'], top: number): string[] {
  const present = rows.filter(([, value]) => value !== null && value !== '');
  return present.flatMap(([name, value], index) => [
    text('F1', 11, top - index * LINE, name),
    text('F2', 11, top - index * LINE, value ?? '', 220),
  ]);
}

function paragraph(lines: readonly string[], top: number): string[] {
  return lines.map((line, index) => text('F1', 10, top - index * LINE, line));
}

/** A parcel between a road and its neighbours, with an arrow to the north. */
function sketch(dice: Dice): string {
  const corners = [
    [130 + dice.int(-20, 20), 170 + dice.int(-12, 12)],
    [430 + dice.int(-30, 30), 160 + dice.int(-12, 12)],
    [460 + dice.int(-30, 20), 400 + dice.int(-20, 20)],
    [150 + dice.int(-20, 30), 420 + dice.int(-20, 10)],
  ].map((point) => point.join(' '));
  const [start, ...others] = corners;
  const lines = [`${start} m`, ...others.map((corner) => `${corner} l`)].join(' ');
  return [
    `0.9 0.95 0.91 rg 0.11 0.35 0.25 RG 2 w ${lines} b`,
    '0.5 G 6 w 64 146 m 540 140 l S 1 w',
    '0 G 520 380 m 520 440 l S 514 428 m 520 440 l 526 428 l S 0 g',
    text('F2', 11, 446, 'N', 516),
  ].join('\n');
}

/** Characters that Helvetica's standard encoding has; typographic ones become plain ones. */
function escaped(words: string): string {
  return words
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll('×', 'x')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll(/[\\()]/g, (character) => `\\${character}`);
}

function pdfOf(operators: readonly string[]): Buffer {
  const content = operators.join('\n');
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Contents 4 0 R
/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
  ];
  let file = '%PDF-1.4\n';
  const objectRows = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${objectRows.join('')}${trailer}`,
    'latin1',
  );
}
