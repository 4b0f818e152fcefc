import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { makeMediumImages } from '../../../src/media/medium-images.ts';
import { sweepOrphans } from '../../../src/media/orphan-sweep.ts';
import { uploadMedia } from '../../../src/media/upload-media.ts';
import { aLot, aUser } from '../../support/builders.ts';
import { aPdf, aPicture } from '../../support/media.ts';
import { type MigratedDatabase, migratedDatabase } from '../../support/migrated-database.ts';

const HOUR_MS = 3_600_000;

describe('the upkeep of media', () => {
  let own: MigratedDatabase;
  let folder: string;
  let storage: FolderStorage;
  let lotId: number;
  let errors: unknown[] = [];
  const workshop = new ImageWorkshop();
  const log = { error: (...args: unknown[]) => void errors.push(args), info: () => {} };
  before(async () => {
    own = await migratedDatabase();
    lotId = (await aLot(own.db)).id;
  });
  beforeEach(async () => {
    errors = [];
    folder = await mkdtemp(join(tmpdir(), 'rostrum-upkeep-'));
    storage = new FolderStorage(join(folder, 'kept'));
  });
  afterEach(async () => {
    await own.db.knex('media').delete();
    await rm(folder, { recursive: true, force: true });
  });
  after(async () => {
    workshop.close();
    await own.drop();
  });

  const parts = () => ({ knex: own.db.knex, storage, workshop, log, isFixed: async () => false });
  const admin = async () => {
    const { id } = await aUser(own.db);
    return {
      userId: id,
      isAdmin: true,
      email: '',
      name: '',
      abilities: new Set<never>(),
      suspended: false,
      verified: true,
      confirmed: true,
      teamIds: [],
      lockedTeamIds: [],
      language: null,
      leftTeamIds: [],
      via: 'token' as const,
      tokenId: 1,
      currentTeamId: null,
    };
  };
  async function upload(bytes: Uint8Array, through: Partial<ReturnType<typeof parts>> = {}) {
    const path = join(folder, 'sent');
    await writeFile(path, bytes);
    const file = { path, fileName: 'a.jpg', mimeType: 'image/jpeg', sizeBytes: bytes.length };
    return uploadMedia({ ...parts(), ...through }, { type: 'lot', id: lotId }, file, await admin());
  }
  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of storage.list()) found.push(key);
    return found;
  }
  const rowIds = () => own.db.knex('media').orderBy('id').pluck('id');
  const aged = async (...ids: number[]) => {
    await own.db
      .knex('media')
      .whereIn('id', ids)
      .update({ created_at: new Date(Date.now() - 2 * HOUR_MS).toISOString() });
  };
  const agedFile = async (key: string) => {
    const then = new Date(Date.now() - 2 * HOUR_MS);
    await utimes(join(folder, 'kept', key.slice(0, 2), key), then, then);
  };
  async function putFile(key: string): Promise<void> {
    await writeFile(join(folder, 'stray'), 'x');
    await storage.put(key, join(folder, 'stray'));
  }

  it('makes a medium size, once; what is small is its own', async () => {
    const large = await upload(await aPicture('jpeg', 2_000, 1_000));
    const small = await upload(await aPicture('png', 300, 200));
    await upload(aPdf());
    expect(await makeMediumImages(parts())).to.equal(2);
    expect(await makeMediumImages(parts())).to.equal(0);
    const rows = await own.db.knex('media').orderBy('id').select('id', 'file_key', 'medium_key', 'kind');
    expect(rows[0].medium_key).to.equal(large.file_key.replace('.jpg', '-medium.webp'));
    expect(rows[1].medium_key).to.equal(small.file_key);
    expect(rows[2].medium_key).to.equal(null);
    const made = await sharp(join(folder, 'kept', large.file_key.slice(0, 2), rows[0].medium_key)).metadata();
    expect(made).to.include({ width: 1_200, height: 600, format: 'webp' });
  });

  it('is not held up by an image whose file is gone', async () => {
    const { file_key } = await upload(await aPicture('jpeg', 2_000, 10));
    await storage.delete(file_key);
    const later = await upload(await aPicture('jpeg', 2_000, 10));
    await makeMediumImages(parts());
    expect(await makeMediumImages(parts())).to.equal(0);
    const row = await own.db.knex('media').where('id', later.id).first('medium_key');
    expect(row.medium_key).to.match(/-medium\.webp$/);
  });

  it('sweeps what a crash between files and row leaves, and nothing that is in progress', async () => {
    // The process dies when the files are kept: no row is made, and nothing is taken back.
    const put: string[] = [];
    const dying = Object.assign(Object.create(storage), {
      put: (key: string, path: string) => storage.put(key, path).then(() => put.push(key)),
      delete: async () => {},
    });
    const closed = { ...parts(), storage: dying, knex: crashingAtInsert() };
    const error = await upload(await aPicture('jpeg'), closed).catch((err: unknown) => err);
    expect(error).to.be.instanceOf(Error);
    expect(put).to.have.length(2);
    const left = await keys();
    expect(left).to.have.length(2);
    const kept = await upload(aPdf());
    expect(await sweepOrphans(parts())).to.deep.equal({ files: 0, rows: 0 });
    for (const key of [...left, kept.file_key]) await agedFile(key);
    expect(await sweepOrphans(parts())).to.deep.equal({ files: 2, rows: 0 });
    expect(await keys()).to.deep.equal([kept.file_key]);
  });

  it('sweeps what a killed writer leaves alongside a file', async () => {
    await putFile(`ab${'0'.repeat(16)}.part`);
    await agedFile(`ab${'0'.repeat(16)}.part`);
    expect(await sweepOrphans(parts())).to.deep.equal({ files: 1, rows: 0 });
  });

  it('sweeps rows whose file is gone, with what is left of their files', async () => {
    const lost = await upload(await aPicture('jpeg'));
    const young = await upload(await aPicture('jpeg'));
    const whole = await upload(await aPicture('jpeg'));
    await storage.delete(lost.file_key);
    await storage.delete(young.file_key);
    await aged(lost.id, whole.id);
    expect(await sweepOrphans(parts())).to.deep.equal({ files: 0, rows: 1 });
    expect(await rowIds()).to.deep.equal([young.id, whole.id]);
    expect(await keys()).not.to.include(lost.thumb_key);
    expect(await keys()).to.include.members([whole.file_key, whole.thumb_key, young.thumb_key]);
  });

  it('walks many files and rows side by side', async () => {
    const stems = Array.from({ length: 1_203 }, (_, n) => n.toString(16).padStart(32, '0'));
    await Promise.all(stems.filter((_, n) => n % 3 !== 0).map((stem) => putFile(`${stem}.pdf`)));
    const rows = stems
      .filter((_, n) => n % 3 !== 1)
      .map((stem) => ({
        lot_id: lotId,
        kind: 'document',
        file_key: `${stem}.pdf`,
        file_name: 'a.pdf',
        mime_type: 'application/pdf',
        size: 1,
        created_at: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
      }));
    await own.db.knex.batchInsert('media', rows, 500);
    expect(await sweepOrphans(parts(), 0)).to.deep.equal({ files: 401, rows: 401 });
    const left: string[] = await own.db.knex('media').pluck('file_key');
    expect(left.sort()).to.deep.equal(await keys());
    expect(left).to.have.length(401);
  });

  it('deletes no rows where all files seem to be gone', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({
      lot_id: lotId,
      kind: 'document',
      file_key: `${n}`.padStart(32, 'f'),
      file_name: 'a.pdf',
      mime_type: 'application/pdf',
      size: 1,
      created_at: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
    }));
    await own.db.knex('media').insert(rows);
    expect(await sweepOrphans(parts())).to.deep.equal({ files: 0, rows: 0 });
    expect(await rowIds()).to.have.length(30);
    expect(errors).to.have.length(1);
  });

  /** Answers what comes before the files, and dies at the transaction that makes the row. */
  function crashingAtInsert(): typeof own.db.knex {
    const { knex } = own.db;
    return new Proxy(knex, {
      get: (target, name) =>
        name === 'transaction'
          ? () => Promise.reject(new Error('killed'))
          : Reflect.get(target, name, target),
    });
  }
});
