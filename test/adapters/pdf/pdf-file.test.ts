/** A PDF whose file is abandoned, or cannot be written: nobody but who draws it hears of that. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { FileTooLarge, PdfFile } from '../../../adapters/pdf/pdf-file.ts';

describe('a long PDF', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rostrum-pdf-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const open = (name: string, maxBytes = 1_000_000) =>
    PdfFile.open({ path: join(folder, name), title: 'A paper', language: 'en', maxBytes });
  const draw = ({ pdf }: PdfFile, pages: number) => {
    for (let page = 0; page < pages; page += 1) pdf.addPage().text('words '.repeat(300));
  };

  it('is whole once it is finished, and no larger than it may be', async () => {
    const file = await open('whole.pdf');
    draw(file, 3);
    await file.breathe();
    await file.finish();
    expect((await readFile(join(folder, 'whole.pdf'), 'latin1')).trimEnd()).to.match(/^%PDF-[\s\S]+%%EOF$/);
    const large = await open('large.pdf', 1_000);
    draw(large, 3);
    expect(await large.finish().catch((error: unknown) => error)).to.be.instanceOf(FileTooLarge);
  });

  // An error that nobody takes would end the process: mocha fails the test then.
  it('is let go at any moment', async () => {
    for (let at = 0; at < 60; at += 1) {
      const file = await open(`${at}.pdf`);
      draw(file, 1 + (at % 4));
      if (at % 2 === 0) file.pdf.end();
      for (let turn = 0; turn < at % 5; turn += 1) await file.breathe();
      file.abandon();
    }
    await sleep(100);
  });

  it('says why its file cannot be written', async () => {
    const file = await open(join('nowhere', 'x.pdf'));
    draw(file, 3);
    await sleep(50);
    for (const what of [file.breathe(), file.finish()])
      expect(await what.catch(({ code }: NodeJS.ErrnoException) => code)).to.equal('ENOENT');
  });
});
