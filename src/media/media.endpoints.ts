/** Media of lots and auctions: upload, order, delete. With a token or with a browser session. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { done, success } from '../../adapters/http/envelope.ts';
import { ErrorEnvelope } from '../../adapters/http/openapi-answers.ts';
import { MediaItem, presentMedia } from '../catalog/media-presentation.ts';
import { Id } from '../shared/fields.schema.ts';
import type { Log } from '../shared/log.ts';
import { bodyOf } from '../shared/paging/page.schema.ts';
import { invalid } from '../shared/refusal.ts';
import { reorderMedia } from './media-order.ts';
import { deleteMediaRow } from './media-rows.ts';
import { MAX_DOCUMENT_BYTES, type UploadParts, uploadMedia } from './upload-media.ts';

export interface MediaParts extends UploadParts {
  readonly knex: Knex;
  readonly log: Log;
}

const head = {
  tags: ['Media'],
  access: { kind: 'ability', ability: 'write', session: true },
} as const;
const id = Id;
const MAX_REORDERED = 1_000;
const Done = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function mediaEndpoints(parts: MediaParts): Endpoint[] {
  return [upload(parts), reorder(parts), remove(parts)];
}

function upload(parts: MediaParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/media',
    operationId: 'uploadMedia',
    summary: 'Attach an image or a document to a lot or an auction',
    description:
      'JPEG, PNG and WebP up to 10 MiB and 100 megapixels; PDF up to 25 MiB. The type is read from the ' +
      'bytes. Images are turned ' +
      'upright and lose their metadata; of animated images only the first frame is kept. What is attached to a ' +
      'lot with bids is shown once an amendment names it.',
    codes: ['media_not_owned', 'two_factor_required', 'plan_limit', 'overloaded', 'journal_unavailable'],
    notFound: true,
    body: {
      multipart: {
        fields: Type.Object({
          model_type: Type.Union([Type.Literal('lot'), Type.Literal('auction')]),
          model_id: id,
        }),
        files: { file: { maxBytes: MAX_DOCUMENT_BYTES, description: 'The image or document.' } },
      },
    },
    responses: {
      201: { description: 'The media item.', schema: bodyOf(MediaItem) },
      400: { description: 'The form cannot be read, or has too many parts.', schema: ErrorEnvelope },
    },
    async handle(request) {
      const { fields, files } = request.body;
      if (files['file'] === undefined) throw invalid({ file: ['The file field is required.'] });
      const owner = { type: fields.model_type, id: fields.model_id };
      const row = await uploadMedia(parts, owner, files['file'], request.principal);
      return success(presentMedia(row, request.baseUrl), { status: 201, message: 'Media uploaded.' });
    },
  });
}

function reorder(parts: MediaParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/media/reorder',
    operationId: 'reorderMedia',
    summary: 'Set the order of a lot’s or an auction’s media',
    description: 'The named media come first, in the given order; the others follow in their present order.',
    codes: ['media_not_owned', 'two_factor_required', 'lot_locked', 'journal_unavailable'],
    notFound: true,
    body: Type.Object({
      media_ids: Type.Array(id, { minItems: 1, maxItems: MAX_REORDERED, uniqueItems: true }),
    }),
    responses: { 200: { description: 'The order is saved.', schema: Done } },
    async handle({ body, principal }) {
      await reorderMedia(parts.knex, body.media_ids, principal, parts.isFixed);
      return done('Media reordered.');
    },
  });
}

function remove(parts: MediaParts): Endpoint {
  return endpoint({
    ...head,
    method: 'DELETE',
    path: '/api/media/{media}',
    operationId: 'deleteMedia',
    summary: 'Delete an image or a document with its files',
    codes: ['media_not_owned', 'two_factor_required', 'lot_locked', 'journal_unavailable'],
    params: Type.Object({ media: id }),
    responses: { 200: { description: 'The media item is deleted.', schema: Done } },
    async handle({ params, principal }) {
      const keys = await deleteMediaRow(parts.knex, params.media, principal, parts.isFixed);
      const deleted = await Promise.allSettled(keys.map((key) => parts.storage.delete(key)));
      const failed = deleted.find((one) => one.status === 'rejected');
      if (failed !== undefined) parts.log.warn({ err: failed.reason, keys }, 'files are left for the sweep');
      return done('Media deleted.');
    },
  });
}
