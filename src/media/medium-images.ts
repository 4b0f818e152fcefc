/**
 * Makes the medium size of images that came without it, in the background. A round that was cut off leaves at most a
 * file without a row, which the sweep deletes; the next round makes the image again.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { MEDIUM_PIXELS } from '../../adapters/images/image-work.ts';
import type { ImageWorkshop } from '../../adapters/images/image-workshop.ts';
import type { Storage } from '../../adapters/storage/storage.ts';
import { Media } from '../catalog/media.model.ts';

export interface MediumParts {
  readonly knex: Knex;
  readonly storage: Storage;
  readonly workshop: Pick<ImageWorkshop, 'resize'>;
}

const PER_ROUND = 50;

/**
 * One round; how many images got their medium size. Throws where storage, database or image process are unavailable.
 */
export async function makeMediumImages(parts: MediumParts): Promise<number> {
  const rows = await Media.query(parts.knex)
    .where('kind', 'image')
    .whereNull('medium_key')
    .orderBy('id')
    .limit(PER_ROUND);
  for (const row of rows) await makeMedium(parts, row);
  return rows.length;
}

async function makeMedium(parts: MediumParts, row: Media): Promise<void> {
  const mediumKey = row.file_key.replace(/\.[a-z]+$/, '-medium.webp');
  const isMade =
    Math.max(row.width ?? 0, row.height ?? 0) > MEDIUM_PIXELS && (await drawMedium(parts, row, mediumKey));
  // An image that is small already, or that nobody can make smaller, is its own medium size.
  // One that was turned or cropped meanwhile has another file, and gets its own.
  const changed = await Media.query(parts.knex)
    .where({ id: row.id, file_key: row.file_key })
    .patch({ medium_key: isMade ? mediumKey : row.file_key });
  if (changed === 0 && isMade) await parts.storage.delete(mediumKey);
}

async function drawMedium(
  { storage, workshop }: MediumParts,
  row: Media,
  mediumKey: string,
): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-medium-'));
  try {
    const source = await storage.get(row.file_key);
    if (source === null) return false;
    const input = join(folder, 'input');
    const output = join(folder, 'output');
    await pipeline(source, createWriteStream(input));
    const { kind } = await workshop.resize({ input, output, maxPixels: MEDIUM_PIXELS });
    if (kind === 'broken') return false;
    await storage.put(mediumKey, output, 'image/webp');
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
