/**
 * `/seller/auctions/{id}/photos`: photographs for many lots at once. A picture or a ZIP archive by a plain form; with
 * JavaScript many files by drag and drop, and a choice of the lot for each that has found none.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { MAX_PHOTO_UPLOAD_BYTES } from '../../../media/lot-photos.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { invalid, sentencesOf } from '../../../shared/refusal.ts';
import { chosenFile } from '../../chosen-file.ts';
import { PAGE } from '../../page.ts';
import { auctionAt, type Desk, type SellersAuction, type Visit } from '../frame/desk.ts';

const PATH = '/seller/auctions/{id}/photos';
const Params = Type.Object({ id: Id });

export function photoPages(desk: Desk): Endpoint[] {
  return [
    endpoint({
      ...PAGE,
      method: 'GET',
      path: PATH,
      operationId: 'lotPhotosPage',
      summary: 'Photographs for many lots',
      params: Params,
      handle: (request) =>
        desk.at(request, async (visit) =>
          draw(desk, visit, await auctionAt(visit, request.params.id), { photos: [], refused: null }),
        ),
    }),
    endpoint({
      ...PAGE,
      method: 'POST',
      path: PATH,
      operationId: 'uploadLotPhotosOnPage',
      summary: 'Attaches photographs to the lots that their files are named after',
      params: Params,
      body: {
        multipart: {
          fields: Type.Object({ lot_id: Type.Optional(Type.String({ pattern: '^([1-9][0-9]{0,14})?$' })) }),
          files: { file: { maxBytes: MAX_PHOTO_UPLOAD_BYTES } },
        },
      },
      handle: (request) =>
        desk.at(request, async (visit) => {
          const auction = await auctionAt(visit, request.params.id);
          const { lot_id: lotId } = request.body.fields;
          try {
            const file = chosenFile(request.body);
            if (file === null) throw invalid({ file: ['Choose a picture or a ZIP archive.'] });
            const body = { fields: lotId ? { lot_id: Number(lotId) } : {}, files: { file } };
            const { data } = await visit.perform('uploadLotPhotos', { params: { id: auction.id }, body });
            return await draw(desk, visit, auction, { photos: objectIn(data)['photos'], refused: null });
          } catch (error) {
            const refusal = desk.refusalIn(error);
            const refused = sentencesOf(refusal);
            return draw(desk, visit, auction, { photos: [], refused }, refusal.status);
          }
        }),
    }),
  ];
}

interface Outcome {
  readonly photos: unknown;
  readonly refused: string | null;
}

async function draw(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction,
  outcome: Outcome,
  status = 200,
): Promise<Reply> {
  const isFragment = visit.request.headers['x-fragment'] === 'photos';
  return desk.html(visit, {
    title: ['Photographs: {0}', auction.title],
    template: isFragment ? 'seller/photos/taken' : 'seller/photos/photos',
    status,
    data: {
      ...{ auction, ...outcome, modules: ['photos-drop.js'] },
      // Of one file among many only what became of it is said.
      lots: isFragment ? [] : await readLots(desk, auction.id),
    },
  });
}

function readLots({ knex }: Desk, auctionId: number) {
  return knex('lots as l')
    .where('auction_id', auctionId)
    .whereNot('status', 'withdrawn')
    .orderBy('lot_number')
    .select(
      ...['id', 'lot_number', 'catalog_number', 'title'],
      // SQL: a count alongside each row.
      knex.raw("(SELECT count(*)::int FROM media m WHERE m.lot_id = l.id AND m.kind = 'image') AS pictures"),
    );
}
