/** Opens the file storage that the configuration names; web and worker both come here. */
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import type { MediaStorage } from '../config/config.ts';

export async function openStorage(configured: MediaStorage): Promise<Storage> {
  if (configured.kind === 'file') return new FolderStorage(configured.folder);
  // Amazon's SDK is a megabyte of code, which most processes can do without.
  const { S3Storage } = await import('../../../adapters/storage/s3.ts');
  return new S3Storage(configured);
}
