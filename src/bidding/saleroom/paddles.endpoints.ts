/** The clerk's paddles by API: handing one out, and who has which. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { actingTeam, TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { line, nullable, orNull, Time } from '../../shared/fields.schema.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { SellerAuctionParams } from '../registrations/registration.schema.ts';
import { requireTeamsAuction } from '../registrations/registrations.ts';
import { handOutPaddle, type PaddleParts, readPaddles } from './paddles.ts';

/** The number of a paddle, as it is called. */
export const PaddleNumber = Type.String({
  pattern: '^[0-9]{1,6}$',
  'x-message': 'must be a number of at most six digits',
});

const NewPaddleFields = {
  paddle: Type.Optional(nullable(PaddleNumber)),
  name: line(200),
  contact: Type.Optional(nullable(line(300))),
};
const NewPaddleBody = Type.Object(NewPaddleFields, {
  $id: 'NewPaddle',
  additionalProperties: false,
  examples: [
    { name: 'Ann Miller', contact: '+1 555 0100' },
    { paddle: '88', name: 'Ann Miller' },
  ],
});
const FloorPaddleBody = Type.Object(
  { paddle: Type.String(), name: Type.String(), contact: orNull(Type.String()), handed_out_at: Time },
  { $id: 'FloorPaddle' },
);

const head = {
  path: '/api/v1/seller/auctions/{id}/paddles',
  tags: ['Registration'],
  access: { kind: 'ability', ability: 'seller' },
  params: SellerAuctionParams,
  headers: TeamHeaders,
} as const;

export function paddleEndpoints(parts: PaddleParts): Endpoint[] {
  return [
    endpoint({
      ...head,
      method: 'POST',
      operationId: 'handOutPaddle',
      summary: 'Hand out a paddle',
      description:
        'To somebody in the saleroom; without `paddle` it is the lowest number that is free. The clerk can call only ' +
        'paddles that were handed out or belong to a registered bidder.',
      codes: [...TEAM_CODES, 'paddle_taken', 'invalid_transition', 'journal_unavailable'],
      body: NewPaddleBody,
      responses: { 201: { description: 'The paddle.', schema: bodyOf(FloorPaddleBody) } },
      async handle(request) {
        const { params, body, principal } = request;
        await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), params.id);
        const { paddle = null, name, contact = null } = body;
        const made = await handOutPaddle(parts, params.id, { paddle, name, contact }, principal.userId);
        return success(made, { status: 201, message: `Paddle ${made.paddle} is handed out.` });
      },
    }),
    endpoint({
      ...head,
      method: 'GET',
      operationId: 'listPaddles',
      summary: 'The paddles that were handed out, the newest first',
      query: Type.Object(pagingQuery),
      codes: [...TEAM_CODES],
      responses: { 200: { description: 'A page of paddles.', schema: listBody(FloorPaddleBody) } },
      async handle(request) {
        const { params, query } = request;
        await requireTeamsAuction(parts.knex, await actingTeam(parts.knex, request), params.id);
        const { page, per_page: perPage } = query;
        const { rows, total } = await readPaddles(parts.knex, params.id, { page, perPage });
        return listOf(rows, { page, perPage, total });
      },
    }),
  ];
}
