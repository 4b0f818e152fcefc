/**
 * A process that takes an upload in or deletes one, and is stalled between file and row until somebody kills it:
 * `dying-process.ts upload|delete DATABASE_URL FOLDER LOT_OR_MEDIA_ID USER_ID`. Says `between` when it is there.
 */
import { join } from 'node:path';
import type { HttpRequest } from '../../../adapters/http/endpoint.ts';
import { ImageWorkshop } from '../../../adapters/images/image-workshop.ts';
import { openDatabase } from '../../../adapters/postgres/database.ts';
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { mediaEndpoints } from '../../../src/media/media.endpoints.ts';
import { uploadMedia } from '../../../src/media/upload-media.ts';
import { openLog } from '../../../src/shared/log.ts';
import { principal } from '../../adapters/http/test-endpoints.ts';

const [what, databaseUrl = '', folder = '', id = '', userId = ''] = process.argv.slice(2);
const { knex } = openDatabase(databaseUrl);
const kept = new FolderStorage(join(folder, 'kept'));
const caller = principal(Number(userId), [], { isAdmin: true });

function never(): Promise<never> {
  process.stdout.write('between\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
}

let puts = 0;
const storage = Object.assign(Object.create(kept) as FolderStorage, {
  async put(key: string, path: string) {
    await kept.put(key, path);
    puts += 1;
    // The image and its thumbnail.
    if (puts === 2) await never();
  },
  delete: never,
});
const parts = {
  knex,
  storage,
  workshop: new ImageWorkshop(),
  log: openLog('silent', 'test'),
  isFixed: async () => false,
};

if (what === 'upload') {
  const file = { path: join(folder, 'sent'), fileName: 'a.jpg', mimeType: 'image/jpeg', sizeBytes: 1 };
  await uploadMedia(parts, { type: 'lot', id: Number(id) }, file, caller);
} else {
  const route = mediaEndpoints(parts).find(({ operationId }) => operationId === 'deleteMedia')!;
  await route.handle({ params: { media: Number(id) }, principal: caller } as unknown as HttpRequest);
}
