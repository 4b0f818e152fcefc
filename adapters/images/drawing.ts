/**
 * Turns drawings of our own (SVG) into WebP: for the pictures of the demo marketplace. Never for what strangers send.
 */
import sharp from 'sharp';

/** The drawing at this width, as WebP. */
export function renderDrawing(svg: string, width: number): Promise<Buffer> {
  return sharp(Buffer.from(svg)).resize({ width }).webp({ quality: 76, effort: 2 }).toBuffer();
}
