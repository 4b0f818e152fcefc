/** Opens the file storage that the configuration names; web and worker both come here. */
import { FolderStorage } from '../../../adapters/storage/folder.ts';
import { S3Storage } from '../../../adapters/storage/s3.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import type { MediaStorage } from '../config/config.ts';

export function openStorage(configured: MediaStorage): Storage {
  return configured.kind === 'file' ? new FolderStorage(configured.folder) : new S3Storage(configured);
}
