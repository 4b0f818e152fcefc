/**
 * Reads uploaded files and re-encodes images, with file-type and sharp. Only the image process imports this:
 * strangers' bytes are decoded there and nowhere else, and its memory is not the web process's.
 */
import { open, stat } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';
import sharp, { type Sharp } from 'sharp';
import {
  type ImageEdit,
  MAX_IMAGE_PIXELS,
  type Prepared,
  type PrepareWork,
  type Resized,
  type ResizeWork,
  THUMBNAIL_PIXELS,
} from './image-work.ts';

const TIMEOUT_S = 30;

// One image at a time is decoded, and none is seen twice.
sharp.cache(false);
// Whatever else libvips can read, nobody may send.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'],
});

interface ImageKind {
  readonly mimeType: string;
  readonly extension: string;
  readonly format: string;
  write(image: Sharp): Sharp;
}

const JPEG: ImageKind = {
  mimeType: 'image/jpeg',
  extension: 'jpg',
  format: 'jpeg',
  write: (image) => image.jpeg({ quality: 90 }),
};
const PNG: ImageKind = {
  mimeType: 'image/png',
  extension: 'png',
  format: 'png',
  write: (image) => image.png({ compressionLevel: 6 }),
};
const WEBP: ImageKind = {
  mimeType: 'image/webp',
  extension: 'webp',
  format: 'webp',
  write: (image) => image.webp({ quality: 90, effort: 3 }),
};

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** By the type that the bytes speak of. Of moving images the first picture is kept. */
const IMAGE_KINDS: ReadonlyMap<string, ImageKind> = new Map([
  ['image/jpeg', JPEG],
  ['image/png', PNG],
  ['image/apng', PNG],
  ['image/webp', WEBP],
]);

export async function prepare(work: PrepareWork): Promise<Prepared> {
  const mimeType = await typeOf(work.input);
  if (mimeType === 'application/pdf') return { kind: 'document', mimeType, extension: 'pdf' };
  const kind = IMAGE_KINDS.get(mimeType);
  if (kind === undefined) return { kind: 'unsupported' };
  const { size } = await stat(work.input);
  if (size > work.maxImageBytes) return { kind: 'too_large' };
  try {
    const { format, width, height } = await sharp(work.input, { limitInputPixels: false }).metadata();
    if (format !== kind.format) return { kind: 'broken', reason: 'unreadable' };
    if (width * height > MAX_IMAGE_PIXELS) return { kind: 'broken', reason: 'pixels' };
  } catch {
    return { kind: 'broken', reason: 'unreadable' };
  }
  return drawn(work, kind);
}

/** Of a PNG the signature decides: file-type also reads its chunks, and has no name for one whose chunks are broken. */
async function typeOf(path: string): Promise<string> {
  const type = await fileTypeFromFile(path);
  if (type !== undefined) return type.mime;
  return (await startsWith(path, PNG_SIGNATURE)) ? PNG.mimeType : '';
}

async function startsWith(path: string, expected: Buffer): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(expected.length), 0, expected.length, 0);
    return buffer.equals(expected);
  } finally {
    await file.close();
  }
}

async function drawn(work: PrepareWork, kind: ImageKind): Promise<Prepared> {
  const { mimeType, extension } = kind;
  try {
    const upright = opened(work.input).autoOrient();
    const image = work.edit === undefined ? upright : await edited(work.input, work.edit);
    const { width, height } = await kind.write(image).toFile(work.main);
    await small(work.main, THUMBNAIL_PIXELS).toFile(work.thumb);
    return { kind: 'image', mimeType, extension, width, height };
  } catch (error) {
    return brokenOrThrow(error);
  }
}

/** Of an image that lies upright already, as all that are kept do. */
async function edited(path: string, { turn, crop }: ImageEdit): Promise<Sharp> {
  const turned = opened(path).rotate(turn);
  if (crop === null) return turned;
  const { width, height } = await opened(path).metadata();
  const [wide, high] = turn % 180 === 0 ? [width, height] : [height, width];
  const left = Math.min(wide - 1, Math.round(crop.left * wide));
  const top = Math.min(high - 1, Math.round(crop.top * high));
  return turned.extract({
    left,
    top,
    width: Math.max(1, Math.min(wide - left, Math.round(crop.width * wide))),
    height: Math.max(1, Math.min(high - top, Math.round(crop.height * high))),
  });
}

export async function resize(work: ResizeWork): Promise<Resized> {
  try {
    const drawn = small(work.input, work.maxPixels);
    // A JPEG has no transparency: behind it is paper.
    await (work.form === 'jpeg'
      ? drawn.flatten({ background: '#ffffff' }).jpeg({ quality: 78 })
      : drawn
    ).toFile(work.output);
    return { kind: 'resized' };
  } catch (error) {
    return brokenOrThrow(error);
  }
}

function opened(path: string): Sharp {
  return sharp(path, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', sequentialRead: true }).timeout({
    seconds: TIMEOUT_S,
  });
}

function small(path: string, maxPixels: number): Sharp {
  return opened(path)
    .resize({ width: maxPixels, height: maxPixels, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80, effort: 3 });
}

/** What sharp cannot draw is broken; a full disk is not the image's fault. */
function brokenOrThrow(error: unknown): { kind: 'broken'; reason: 'unreadable' } {
  if (/no space|permission|system error|unable to open for write/i.test(String(error))) throw error;
  return { kind: 'broken', reason: 'unreadable' };
}
