/** Where a backup may go: a folder that cannot be written is refused before anything is read. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type BackupParts, backUp } from '../../../../src/app/backup/back-up.ts';
import { requireWritable } from '../../../../src/app/backup/writable-folder.ts';
import { InputError } from '../../../../src/shared/input-error.ts';

describe('the folder of a backup', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rostrum-backup-folder-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('that cannot be written is refused at once, before anything is read', async () => {
    await writeFile(join(folder, 'a-file'), '');
    // Cast: there is nothing to read in these parts, so nothing is.
    const nothing = {} as BackupParts;
    for (const target of ['/proc/x', '/proc/x/inside', join(folder, 'a-file', 'inside')]) {
      const refused = await backUp(nothing, target).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(InputError);
      expect(refused).to.have.property('message').that.includes(`${target} cannot be written`);
    }
  });

  it('is made for its owner alone, with those above it', async () => {
    const target = join(folder, 'above', 'below');
    await requireWritable(target);
    await requireWritable(target);
    expect((await stat(target)).mode & 0o777).to.equal(0o700);
  });
});
