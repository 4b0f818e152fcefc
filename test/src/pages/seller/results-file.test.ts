/** The file of results: what people typed into it is text for programs for tables, and comes out as it was. */
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { csvOf } from '../../../../src/shared/csv.ts';

const SIGNS = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
const BEFORE = ['', ' ', '\t', '\r', '\n', '\u00a0', '\r\n ', '\ufeff'];
const AFTER = ['1+1', "cmd|' /C calc'!A0", '"quoted", with, commas', 'two\nlines', 'x,=1+1', ';=1+1', ''];
const HARMLESS = [
  '40 acres',
  'a=b',
  'x@example.com',
  '1 - 2',
  '"',
  ',',
  "it's",
  'été',
  '\u{1f33e} =1',
  'two\n=lines',
];

const read = (text: string): string[][] =>
  parse(text, { bom: true, relaxQuotes: false, recordDelimiter: '\r\n' });

describe('The file of results', () => {
  it('has no cell that begins a formula, in any column, and loses none of its text', () => {
    const cells = SIGNS.flatMap((sign) =>
      BEFORE.flatMap((before) => AFTER.map((after) => before + sign + after)),
    );
    cells.push('\tplain', '\rplain', '\nplain');
    const rows = cells.flatMap((cell) => [
      [cell, 'next'],
      ['first', cell],
    ]);
    const found = read(csvOf(['one', 'two'], rows)).slice(1);
    expect(found).to.have.length(rows.length);
    for (const [at, row] of rows.entries())
      expect(found[at]).to.deep.equal(row.map((cell) => (cells.includes(cell) ? `'${cell}` : cell)));
    for (const cell of found.flat())
      expect(cell).not.to.match(/^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/);
  });

  it('leaves other texts and numbers as they are', () => {
    const rows = HARMLESS.map((cell, at) => [cell, -at, null]);
    const found = read(csvOf(['=head', 'two', 'three'], rows));
    expect(found[0]).to.deep.equal(["'=head", 'two', 'three']);
    expect(found.slice(1)).to.deep.equal(rows.map(([cell, number]) => [cell, String(number), '']));
  });
});
