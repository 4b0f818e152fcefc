import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import S3rver from 's3rver';
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { S3Storage } from '../../../adapters/storage/s3.ts';
import { type Storage, StorageUnavailable } from '../../../adapters/storage/storage.ts';

interface Opened {
  readonly storage: Storage;
  close(): Promise<void>;
}

const KEY = `${'a1'.repeat(16)}.jpg`;

async function text(storage: Storage, key: string, range?: { start: number; end: number }) {
  const stream = await storage.get(key, range);
  if (stream === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function keysOf(storage: Storage): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list()) keys.push(key);
  return keys;
}

/** What every storage promises. */
function storageContract(name: string, openStorage: (folder: string) => Promise<Opened>): void {
  describe(`storage: ${name}`, () => {
    let folder: string;
    let opened: Opened;
    let storage: Storage;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rostrum-storage-'));
      opened = await openStorage(join(folder, 'kept'));
      storage = opened.storage;
    });
    after(async () => {
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    });
    const put = async (key: string, content: string) => {
      const path = join(folder, 'source');
      await writeFile(path, content);
      await storage.put(key, path, 'text/plain');
    };

    it('has nothing at first', async () => {
      expect(await storage.head(KEY)).to.equal(null);
      expect(await storage.get(KEY)).to.equal(null);
      expect(await keysOf(storage)).to.deep.equal([]);
      await storage.delete(KEY);
    });

    it('gives back what was put, whole and in parts', async () => {
      await put(KEY, '0123456789');
      expect(await text(storage, KEY)).to.equal('0123456789');
      expect(await text(storage, KEY, { start: 0, end: 1 })).to.equal('01');
      expect(await text(storage, KEY, { start: 3, end: 5 })).to.equal('345');
      expect(await text(storage, KEY, { start: 8, end: 9 })).to.equal('89');
    });

    it('knows size and age', async () => {
      const found = await storage.head(KEY);
      expect(found?.sizeBytes).to.equal(10);
      expect(Math.abs(Date.now() - (found?.modifiedAtMs ?? 0))).to.be.lessThan(10_000);
    });

    it('replaces what is under a key', async () => {
      await put(KEY, 'other');
      expect(await text(storage, KEY)).to.equal('other');
    });

    it('keeps large files as they are', async () => {
      const large = 'x'.repeat(3_000_000);
      await put('large.bin', large);
      expect((await storage.head('large.bin'))?.sizeBytes).to.equal(3_000_000);
      expect((await text(storage, 'large.bin')) === large).to.equal(true);
      await storage.delete('large.bin');
    });

    it('lists everything in byte order, without what was deleted', async () => {
      const keys = ['b2.pdf', 'B1.pdf', 'a1-thumb.webp', 'a1.jpg', 'a0.png'];
      for (const key of keys) await put(key, key);
      expect(await keysOf(storage)).to.deep.equal([...keys, KEY].sort((a, b) => (a < b ? -1 : 1)));
      for (const key of [...keys, KEY]) await storage.delete(key);
      expect(await keysOf(storage)).to.deep.equal([]);
      expect(await storage.get(KEY)).to.equal(null);
    });

    it('puts nothing where the source cannot be read', async () => {
      const error = await storage.put(KEY, join(folder, 'absent'), 'text/plain').catch((err: unknown) => err);
      expect(error).to.be.instanceOf(Error);
      expect(await storage.head(KEY)).to.equal(null);
      expect(await keysOf(storage)).to.deep.equal([]);
    });

    it('refuses keys that could escape the folder', async () => {
      for (const key of [
        '',
        '../x',
        '..',
        '.hidden',
        'a/../../x',
        'a\\b',
        'a b',
        'a\0b',
        '/etc/passwd',
        'ä.jpg',
      ]) {
        for (const call of [
          () => storage.get(key),
          () => storage.head(key),
          () => storage.delete(key),
          () => put(key, 'x'),
        ]) {
          const error = await call().catch((err: unknown) => err);
          expect(error, key).to.be.instanceOf(TypeError);
        }
      }
    });
  });
}

storageContract('local folder', async (folder) => ({
  storage: new FolderStorage(folder),
  close: async () => {},
}));

async function openS3(folder: string, prefix: string): Promise<Opened> {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'media', configs: [] }],
  });
  const { port } = await server.run();
  const storage = new S3Storage({ ...s3Address(port), prefix });
  return {
    storage,
    async close() {
      storage.close();
      await server.close();
    },
  };
}

function s3Address(port: number) {
  return {
    bucket: 'media',
    prefix: '',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  };
}

storageContract('S3', (folder) => openS3(folder, ''));
storageContract('S3 under a prefix', (folder) => openS3(folder, 'rostrum/files'));

describe('storage: S3 that does not answer', () => {
  it('is unavailable, and not empty', async () => {
    const storage = new S3Storage(s3Address(9));
    for (const call of [() => storage.head(KEY), () => storage.get(KEY), () => keysOf(storage)]) {
      const error = await call().catch((err: unknown) => err);
      expect(error).to.be.instanceOf(StorageUnavailable);
      expect(error).to.have.property('status', 503);
    }
    storage.close();
  });
});
