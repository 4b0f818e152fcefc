/** Turning and cropping a picture, by API. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { success } from '../../adapters/http/envelope.ts';
import { PictureEdit } from '../catalog/media.model.ts';
import { MediaItem, presentMedia } from '../catalog/media-presentation.ts';
import { Id } from '../shared/fields.schema.ts';
import { bodyOf } from '../shared/paging/page.schema.ts';
import type { MediaParts } from './media.endpoints.ts';
import { editPicture, readPicture } from './picture-edits.ts';

const EditedPicture = Type.Object(
  { media: MediaItem, edit: PictureEdit },
  { $id: 'EditedPicture', additionalProperties: false },
);

const head = {
  path: '/api/v1/media/{media}/edit',
  tags: ['Media'],
  access: { kind: 'ability', ability: 'write' },
  params: Type.Object({ media: Id }),
  notFound: true,
  responses: { 200: { description: 'The picture, and what was done to it.', schema: bodyOf(EditedPicture) } },
} as const;

export function pictureEditEndpoints(parts: MediaParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'GET',
      operationId: 'getPictureEdit',
      summary: 'How a picture was turned and cropped',
      codes: ['media_not_owned', 'two_factor_required'],
      async handle({ params, principal, baseUrl }) {
        const row = await readPicture(parts, params.media, principal);
        return success({ media: presentMedia(row, baseUrl), edit: row.edit ?? { turn: 0, crop: null } });
      },
    }),
    endpoint({
      ...head,
      method: 'PUT',
      operationId: 'editPicture',
      summary: 'Turn and crop a picture',
      description:
        'It is made anew from its original, which is kept: `turn` 0 with `crop` null is the original again. The ' +
        'files get new addresses. Once a lot has bids its pictures change by an amendment only.',
      codes: ['media_not_owned', 'two_factor_required', 'lot_locked', 'overloaded', 'journal_unavailable'],
      body: PictureEdit,
      async handle({ params, principal, body, baseUrl }) {
        const { row, unused } = await editPicture(parts, params.media, body, principal);
        const deleted = await Promise.allSettled(unused.map((key) => parts.storage.delete(key)));
        const failed = deleted.find((one) => one.status === 'rejected');
        if (failed !== undefined)
          parts.log.warn({ err: failed.reason, keys: unused }, 'files are left for the sweep');
        return success({ media: presentMedia(row, baseUrl), edit: row.edit ?? { turn: 0, crop: null } });
      },
    }),
  ];
}
