/**
 * Serves the stored files under addresses that nobody guesses and that never change their content. What is served is
 * named by the row, never by the file or the caller; documents are served as downloads, and nothing in a file is
 * executed.
 */
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import fresh from 'fresh';
import type { Knex } from 'knex';
import parseRange from 'range-parser';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../adapters/http/endpoint.ts';
import { ErrorEnvelope } from '../../adapters/http/openapi-answers.ts';
import { notFound, Problem } from '../../adapters/http/problem.ts';
import type { ByteRange, Storage } from '../../adapters/storage/storage.ts';
import { MEDIA_PATH } from '../catalog/media-presentation.ts';
import { dispositionOf } from './file-names.ts';
import { findServed, type ServedFile } from './media-rows.ts';

export interface FileParts {
  readonly knex: Knex;
  readonly storage: Storage;
}

const Key = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{2,126}$' });
const BYTES = { schema: Type.String(), contentType: 'application/octet-stream' };

export function mediaFileEndpoint(parts: FileParts): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${MEDIA_PATH}{key}`,
    operationId: 'getMediaFile',
    summary: 'A stored image or document',
    description:
      'With range requests. The address is unguessable and its content never changes; files of private ' +
      'auctions are for those who may see them, by token or session.',
    tags: ['Media'],
    access: { kind: 'public', session: true },
    rateLimit: false,
    params: Type.Object({ key: Key }),
    responses: {
      200: { description: 'The file, with its own content type.', ...BYTES },
      206: { description: 'The requested range.', ...BYTES },
      416: { description: 'The file does not have this range.', schema: ErrorEnvelope },
    },
    async handle(request) {
      const { key } = request.params;
      const served = await findServed(parts.knex, key, request.principal);
      if (served === null) throw notFound();
      return fileReply(parts.storage, key, served, request);
    },
  });
}

async function fileReply(
  storage: Storage,
  key: string,
  served: ServedFile,
  request: HttpRequest,
): Promise<Reply> {
  const etag = `"${key}"`;
  const headers: Record<string, string> = {
    ETag: etag,
    'Cache-Control': served.is_private ? 'private, max-age=600' : 'public, max-age=31536000, immutable',
  };
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag })) return { status: 304, headers };
  const file = await storage.head(key);
  if (file === null) throw notFound();
  const { sizeBytes } = file;
  const range = rangeOf(request, sizeBytes, etag);
  const length = range === null ? sizeBytes : range.end - range.start + 1;
  const stream =
    request.method === 'HEAD'
      ? Readable.from([])
      : await storage.get(key, range === null ? undefined : range);
  if (stream === null) throw notFound();
  return {
    status: range === null ? 200 : 206,
    raw: stream,
    contentType: served.is_original ? served.mime_type : 'image/webp',
    headers: {
      ...headers,
      ...guards(served),
      'Accept-Ranges': 'bytes',
      'Content-Length': String(length),
      ...(range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
    },
  };
}

function guards({ kind, file_name, mime_type, is_original }: ServedFile): Record<string, string> {
  const disposition = kind === 'document' ? 'attachment' : 'inline';
  return {
    // Besides the policy of all answers; browsers keep to both. That nothing is sniffed is said of every answer.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Disposition': dispositionOf(file_name, is_original ? mime_type : 'image/webp', disposition),
  };
}

/** The range requested, or null for all of it. Throws 416 where there is no such part. */
function rangeOf(request: HttpRequest, sizeBytes: number, etag: string): ByteRange | null {
  const { range, 'if-range': ifRange } = request.headers;
  if (range === undefined || request.method !== 'GET') return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const ranges = parseRange(sizeBytes, range);
  if (ranges === -1) {
    const headers = { 'Content-Range': `bytes */${sizeBytes}` };
    throw new Problem(416, null, 'The file does not have this range.', { headers });
  }
  // Several parts at once are answered with the whole, as anybody may.
  const [first] = ranges === -2 ? [] : ranges;
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return first ?? null;
}
