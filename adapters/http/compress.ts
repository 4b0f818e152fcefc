/**
 * Compresses the answers of hot endpoints, which pass koa-compress by; same formats, same bound. `mount.ts` asks
 * for every hot answer, so whoever accepts no compression must cost nothing.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** Smaller answers fit into one packet anyway. */
export const COMPRESSED_FROM_BYTES = 1024;

type Compress = (bytes: Buffer) => Promise<Buffer>;

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const brotli = promisify(brotliCompress);

const FORMATS: Readonly<Record<string, Compress>> = {
  br: (bytes) => brotli(bytes, QUICK),
  gzip: promisify<Buffer, Buffer>(gzip),
  deflate: promisify<Buffer, Buffer>(deflate),
};
const KNOWN = [...Object.keys(FORMATS), 'identity'];

const COMPRESSIBLE = /^(text\/|application\/(.+\+)?json\b)/;

export interface Compressed {
  readonly encoding: string;
  readonly bytes: Buffer;
}

/** The payload as the caller accepts it, or null where it is to go out as it stands. */
export function compressed(
  acceptEncoding: string | undefined,
  contentType: string,
  payload: string | Buffer,
): Promise<Compressed> | null {
  if (acceptEncoding === undefined || payload.length < COMPRESSED_FROM_BYTES) return null;
  if (!COMPRESSIBLE.test(contentType)) return null;
  const given = acceptEncoding === '*' ? 'gzip' : acceptEncoding;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': given } });
  const encoding = negotiator.encoding(KNOWN);
  const format = encoding === undefined ? undefined : FORMATS[encoding];
  if (encoding === undefined || format === undefined) return null;
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  return format(bytes).then((shrunk) => ({ encoding, bytes: shrunk }));
}
