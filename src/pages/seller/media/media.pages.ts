/**
 * Pictures and documents of lots and auctions, by plain forms: one file at a time, and an order by buttons. Where there
 * is JavaScript, `media-drop.js` calls the API's own endpoints for the same.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import type { OperationAnswer } from '../../../../adapters/http/operations.ts';
import { MAX_DOCUMENT_BYTES } from '../../../media/upload-media.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { chosenFile } from '../../chosen-file.ts';
import { PAGE } from '../../page.ts';
import { type Refusal, submit } from '../forms/desk-form.ts';
import { type Desk, found, type Visit } from '../frame/desk.ts';

const Owner = { model_type: oneOf(['lot', 'auction']), model_id: Id };

interface MediaOwner {
  readonly model_type: 'lot' | 'auction';
  readonly model_id: number;
}

export function mediaDeskPages(desk: Desk): Endpoint[] {
  return [upload(desk), order(desk), remove(desk)];
}

function pathOf({ model_type, model_id }: MediaOwner): string {
  return `/seller/${model_type}s/${model_id}#media`;
}

/**
 * Does something to the files of a lot or an auction, whose page follows; what is refused has its own page, an upload
 * with its form.
 */
function sendAbout(
  desk: Desk,
  visit: Visit,
  owner: MediaOwner,
  work: () => Promise<OperationAnswer | null>,
  isUpload = false,
): Promise<Reply> {
  const back = pathOf(owner);
  const refuse = ({ status, errors }: Refusal) =>
    desk.html(visit, {
      title: 'Pictures and documents',
      template: 'seller/media/refused',
      status,
      data: { back, sentences: Object.values(errors).flat(), owner, isUpload },
    });
  return submit(desk, work, refuse, () => back);
}

function upload(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/media',
    operationId: 'uploadMediaOnPage',
    summary: 'Attaches a picture or a document',
    body: {
      multipart: { fields: Type.Object(Owner), files: { file: { maxBytes: MAX_DOCUMENT_BYTES } } },
    },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { fields } = request.body;
        const send = async () => {
          const file = chosenFile(request.body);
          const body = { fields: { ...fields }, files: file === null ? {} : { file } };
          return visit.perform('uploadMedia', { body });
        };
        return sendAbout(desk, visit, fields, send, true);
      }),
  });
}

function order(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/media/order',
    operationId: 'reorderMediaOnPage',
    summary: 'Moves a picture or a document one place',
    body: { form: Type.Object({ ...Owner, media_id: Id, move: oneOf(['earlier', 'later']) }) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { media_id: mediaId, move, ...owner } = request.body;
        const ids: number[] = await desk
          .knex('media')
          .where(`${owner.model_type}_id`, owner.model_id)
          .orderBy(['position', 'id'])
          .pluck('id');
        const at = ids.indexOf(mediaId);
        const to = move === 'earlier' ? at - 1 : at + 1;
        found(ids[at], 'file');
        return sendAbout(desk, visit, owner, async () => {
          // One that is at the end stays: whose it is, is judged all the same.
          if (to >= 0 && to < ids.length) ids.splice(to, 0, ...ids.splice(at, 1));
          return visit.perform('reorderMedia', { body: { media_ids: ids } });
        });
      }),
  });
}

function remove(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/media/delete',
    operationId: 'deleteMediaOnPage',
    summary: 'Deletes a picture or a document',
    body: { form: Type.Object({ ...Owner, media_id: Id }) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { media_id: media, ...owner } = request.body;
        return sendAbout(desk, visit, owner, () => visit.perform('deleteMedia', { params: { media } }));
      }),
  });
}
