/** Files of lots that are as large as they may be, or larger: nobody else waits while they are read. */
import { expect } from 'chai';
import { measureCsv, readCsvLots } from '../../../src/selling/lots/csv-lots.ts';

const TYPES = () => new Map<string, string>();
/** Characters of four bytes, so that pieces end within one. */
const ROW = `"${'🌾'.repeat(101)}, a field",1.00`;
const file = (rows: number) => `title,starting_bid\n${`${ROW}\n`.repeat(rows)}`;

/** How often everything else had its turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

describe('a large file of lots', () => {
  it('has as many rows as an auction has lots, and is refused before all of it is read', async () => {
    expect((await measureCsv(file(10_000), 0)).total).to.equal(10_000);
    const refused = await measureCsv(`${file(10_001)}"no CSV`, 0).catch((error: Error) => error.message);
    expect(refused).to.equal('file: has more than 10000 rows, as many lots as an auction may have');
  });

  it('is read in chunks that may split a character or a row', async () => {
    const text = file(10_000);
    const turns = await turnsDuring(async () => {
      const { rows, total } = await readCsvLots(text, TYPES);
      const titles = new Set<unknown>();
      let last = 0;
      for await (const { line, fields } of rows) {
        titles.add(fields['title']);
        last = line;
      }
      expect([...titles]).to.deep.equal([`${'🌾'.repeat(101)}, a field`]);
      expect([total, last]).to.deep.equal([10_000, 10_001]);
    });
    expect(turns).to.be.above(50);
  });

  it('is measured with its first rows', async () => {
    const { header, rows, total } = await measureCsv(file(10_000), 3);
    expect([header, rows.map(({ line }) => line), total]).to.deep.equal([
      ['title', 'starting_bid'],
      [2, 3, 4],
      10_000,
    ]);
    expect((await measureCsv('title', 3)).rows).to.deep.equal([]);
  });

  it('has at most 200 columns, in every row', async () => {
    const wide = (count: number) => Array.from({ length: count }, (_, n) => `column ${n}`).join(',');
    expect((await measureCsv(wide(200), 0)).header).to.have.length(200);
    for (const [text, line] of [
      [wide(50_000), 1],
      [`title,starting_bid\n${wide(201)}`, 2],
    ] as const) {
      const turns = measureCsv(text, 0).catch((error: Error) => error.message);
      expect(await turns).to.equal(
        `file: line ${line}: has more than 200 columns, as many as a file may have`,
      );
    }
  });
});
