/** Photographs for many lots of an auction at once, by API. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { success } from '../../adapters/http/envelope.ts';
import { ErrorEnvelope } from '../../adapters/http/openapi-answers.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../accounts/teams/team-context.ts';
import { SellerAuctionParams } from '../bidding/registrations/registration.schema.ts';
import { requireTeamsAuction } from '../bidding/registrations/registrations.ts';
import { Id, orNull } from '../shared/fields.schema.ts';
import { bodyOf } from '../shared/paging/page.schema.ts';
import { invalid } from '../shared/refusal.ts';
import { MAX_PHOTO_UPLOAD_BYTES, takePhotos } from './lot-photos.ts';
import type { UploadParts } from './upload-media.ts';

const PhotoBody = Type.Object(
  {
    file_name: Type.String(),
    lot_id: orNull(Type.Integer()),
    lot_number: orNull(Type.String(), { description: 'As the catalog has it.' }),
    title: orNull(Type.String()),
    media_id: orNull(Type.Integer(), { description: 'Null: it was not kept.' }),
    problem: orNull(Type.String(), { description: 'Why it was not kept.' }),
  },
  { $id: 'LotPhoto' },
);

export function lotPhotoEndpoints(parts: UploadParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/seller/auctions/{id}/photos',
      operationId: 'uploadLotPhotos',
      summary: 'Attach photographs to the lots that their files are named after',
      description:
        'A JPEG, PNG or WebP up to 10 MiB, or a ZIP archive of up to 500 of them. Each finds its lot by the name of ' +
        'its file: one that the lot’s `photos` name, its number at the beginning (`12.jpg`, `0012-2.jpg`, `Lot 12A ' +
        '(3).jpg`), its SKU, or its title. With `lot_id` all are of that lot. What finds none is told and not kept.',
      tags: ['Media'],
      access: { kind: 'ability', ability: 'seller' },
      params: SellerAuctionParams,
      headers: TeamHeaders,
      codes: [...TEAM_CODES, 'plan_limit', 'overloaded', 'journal_unavailable'],
      notFound: true,
      body: {
        multipart: {
          fields: Type.Object({ lot_id: Type.Optional(Id) }),
          files: { file: { maxBytes: MAX_PHOTO_UPLOAD_BYTES, description: 'The picture or the archive.' } },
        },
      },
      responses: {
        200: {
          description: 'What became of each file.',
          schema: bodyOf(Type.Object({ photos: Type.Array(PhotoBody) })),
        },
        400: { description: 'The form cannot be read, or has too many parts.', schema: ErrorEnvelope },
      },
      async handle(request) {
        const { params, principal } = request;
        await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), params.id);
        const { fields, files } = request.body;
        const { file } = files;
        if (file === undefined) throw invalid({ file: ['The file field is required.'] });
        const upload = { auctionId: params.id, file, lotId: fields.lot_id ?? null };
        return success({ photos: await takePhotos(parts, upload, principal) });
      },
    }),
  ];
}
