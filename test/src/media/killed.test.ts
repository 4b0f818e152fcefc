/**
 * A process that is killed with SIGKILL between a file and its row: after one sweep neither is left without the
 * other.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { sweepOrphans } from '../../../src/media/orphan-sweep.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { aPicture } from '../../support/media.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';

const DYING = fileURLToPath(new URL('./dying-process.ts', import.meta.url));
const KEY = 'd'.repeat(32);

describe('media whose process is killed between file and row', () => {
  let own: MigratedDatabase;
  let folder: string;
  let storage: FolderStorage;
  let userId: number;
  let lotId: number;

  before(async () => {
    own = await migratedDatabase();
    userId = (await aUser(own.db)).id;
    lotId = (await aLot(own.db)).id;
    folder = await mkdtemp(join(tmpdir(), 'rostrum-killed-media-'));
    storage = new FolderStorage(join(folder, 'kept'));
    await writeFile(join(folder, 'sent'), await aPicture('jpeg'));
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await own.drop();
  });

  async function dieBetween(what: 'upload' | 'delete', id: number): Promise<void> {
    const args = ['--import', 'tsx', DYING, what, own.databaseUrl, folder, String(id), String(userId)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(said[0])).to.equal('between\n');
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const rows = () => own.db.knex('media').select('id', 'file_key', 'thumb_key');
  async function files(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of storage.list()) found.push(key);
    return found.sort();
  }
  const sweep = (minAgeMs?: number) =>
    sweepOrphans({ knex: own.db.knex, storage, log: { error: () => {}, info: () => {} } }, minAgeMs);
  async function aDocument(): Promise<number> {
    await storage.put(`${KEY}.pdf`, join(folder, 'sent'));
    const row = { lot_id: lotId, kind: 'document', file_key: `${KEY}.pdf`, file_name: 'a.pdf' };
    const [made] = await own.db
      .knex('media')
      .insert({ ...row, mime_type: 'application/pdf', size: 1 })
      .returning('id');
    return made.id;
  }

  it('leaves files of an upload without a row for one sweep only', async () => {
    await dieBetween('upload', lotId);
    expect(await files()).to.have.length(2);
    expect(await rows()).to.have.length(0);
    expect(await sweep(), 'what may still be in hand stays').to.deep.equal({ files: 0, rows: 0 });
    expect(await sweep(0)).to.deep.equal({ files: 2, rows: 0 });
    expect(await files()).to.deep.equal([]);
  });

  it('leaves the file of a row that is deleted for one sweep only', async () => {
    const id = await aDocument();
    await dieBetween('delete', id);
    expect(await rows()).to.have.length(0);
    expect(await files()).to.deep.equal([`${KEY}.pdf`]);
    expect(await sweep(0)).to.deep.equal({ files: 1, rows: 0 });
    expect(await files()).to.deep.equal([]);
  });
});
