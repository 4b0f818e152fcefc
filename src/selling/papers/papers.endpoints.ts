/** Papers by API: ordering one, following it, fetching its file. */
import { type Static, Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint, type Reply } from '../../../adapters/http/endpoint.ts';
import { success } from '../../../adapters/http/envelope.ts';
import type { Storage } from '../../../adapters/storage/storage.ts';
import { actingSeller, type Seller } from '../../accounts/teams/seller.ts';
import { TEAM_CODES, TeamHeaders } from '../../accounts/teams/team-context.ts';
import { Auction } from '../../bidding/records/auction.model.ts';
import { dispositionOf } from '../../media/file-names.ts';
import { Id, orNull, Time } from '../../shared/fields.schema.ts';
import { readersLanguage } from '../../shared/language.ts';
import { bodyOf } from '../../shared/paging/page.schema.ts';
import { PAPER_TYPES } from '../../shared/paper-kinds.ts';
import { notFound } from '../../shared/refusal.ts';
import { orderPaper, papersOf, readPaper } from './order-papers.ts';
import {
  PaperFormatSchema,
  PaperKindSchema,
  PaperLanguageSchema,
  PaperStatusSchema,
  SalePaper,
} from './paper.model.ts';
import { MAX_PAPER_ROWS } from './paper-content.ts';

const PaperBody = Type.Object(
  {
    id: Type.Integer(),
    auction_id: Type.Integer(),
    kind: PaperKindSchema,
    format: PaperFormatSchema,
    language: PaperLanguageSchema,
    status: PaperStatusSchema,
    progress: Type.Integer({ description: 'Per cent.' }),
    problem: orNull(Type.String(), { description: 'Why it failed.' }),
    size: orNull(Type.Integer(), { description: 'Bytes of the file, once it is done.' }),
    url: orNull(Type.String(), { description: 'Where its file is, once it is done.' }),
    created_at: Time,
    done_at: orNull(Time),
    expires_at: Time,
  },
  { $id: 'Paper' },
);

const NewPaper = Type.Object(
  {
    kind: PaperKindSchema,
    format: PaperFormatSchema,
    language: Type.Optional(PaperLanguageSchema),
  },
  {
    $id: 'NewPaper',
    additionalProperties: false,
    examples: [
      { kind: 'labels', format: 'pdf' },
      { kind: 'picking_lists', format: 'xlsx', language: 'de' },
    ],
  },
);

const head = {
  tags: ['Papers'],
  access: { kind: 'ability', ability: 'seller' },
  headers: TeamHeaders,
  codes: TEAM_CODES,
} as const;
const OfAuction = Type.Object({ id: Id });
const PaperParams = Type.Object({ paper: Id });
const ONE = '/api/v1/seller/papers/{paper}';

export interface PaperEndpointParts {
  readonly knex: Knex;
  readonly storage: Storage;
}

export function paperEndpoints(parts: PaperEndpointParts): Endpoint[] {
  return [create(parts), list(parts), one(parts), file(parts), remove(parts)];
}

function create({ knex }: PaperEndpointParts): Endpoint {
  return endpoint({
    ...head,
    method: 'POST',
    path: '/api/v1/seller/auctions/{id}/papers',
    operationId: 'createPaper',
    summary: 'Have a paper of an auction made',
    description:
      'A worker makes it: follow `progress` at `GET /api/v1/seller/papers/{paper}` until `status` is `done`, then ' +
      'fetch the file at `url`. `catalog` and `labels` have all lots but withdrawn ones, each label with a code that ' +
      'leads to its lot; `paddles` everybody who has one; `picking_lists` what was bought, by buyer; ' +
      '`realised_prices` what each lot came to, without names; `invoices` those to buyers. Ordered again while it ' +
      `is being made, it is the same (200). A paper has at most ${MAX_PAPER_ROWS} rows and is kept for a week; ` +
      '`language` is by default the account’s, or the one that `Accept-Language` likes best.',
    params: OfAuction,
    body: NewPaper,
    notFound: true,
    responses: {
      202: { description: 'The paper, which is going to be made.', schema: bodyOf(PaperBody) },
      200: { description: 'The same, which is being made already.', schema: bodyOf(PaperBody) },
    },
    async handle(request) {
      const { params, body, principal, headers, baseUrl } = request;
      const seller = await actingSeller(knex, request);
      const { kind, format } = body;
      const language = body.language ?? readersLanguage(principal.language, headers['accept-language']);
      const { paper, isNew } = await orderPaper(knex, seller, params.id, { kind, format, language, baseUrl });
      return success(shown(paper, baseUrl), { status: isNew ? 202 : 200 });
    },
  });
}

function list({ knex }: PaperEndpointParts): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: '/api/v1/seller/auctions/{id}/papers',
    operationId: 'listPapers',
    summary: 'The papers of an auction that are kept, the newest first',
    params: OfAuction,
    responses: { 200: { description: 'The papers.', schema: bodyOf(Type.Array(PaperBody)) } },
    async handle(request) {
      const found = await papersOf(knex, await actingSeller(knex, request), request.params.id);
      return success(found.map((paper) => shown(paper, request.baseUrl)));
    },
  });
}

function one({ knex }: PaperEndpointParts): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: ONE,
    operationId: 'getPaper',
    summary: 'A paper, and how far it is',
    params: PaperParams,
    responses: { 200: { description: 'The paper.', schema: bodyOf(PaperBody) } },
    async handle(request) {
      const paper = await readPaper(knex, await actingSeller(knex, request), request.params.paper);
      return success(shown(paper, request.baseUrl));
    },
  });
}

function file(parts: PaperEndpointParts): Endpoint {
  return endpoint({
    ...head,
    method: 'GET',
    path: `${ONE}/file`,
    operationId: 'getPaperFile',
    summary: 'A paper’s file',
    params: PaperParams,
    responses: { 200: { description: 'The file.', contentType: Object.values(PAPER_TYPES) } },
    async handle(request) {
      return paperFile(parts, await actingSeller(parts.knex, request), request.params.paper);
    },
  });
}

function remove({ knex, storage }: PaperEndpointParts): Endpoint {
  return endpoint({
    ...head,
    method: 'DELETE',
    path: ONE,
    operationId: 'deletePaper',
    summary: 'Delete a paper, or no longer have it made',
    params: PaperParams,
    responses: { 204: { description: 'It is gone.' } },
    async handle(request) {
      const seller = await actingSeller(knex, request);
      const { id, file_key: key } = await readPaper(knex, seller, request.params.paper, 'print');
      await SalePaper.query(knex).deleteById(id);
      if (key !== null) await storage.delete(key);
      return { status: 204 };
    },
  });
}

/** A paper's file as an answer. Throws 404 where it is not the team's, not done, or its time is over. */
export async function paperFile(
  { knex, storage }: PaperEndpointParts,
  seller: Seller,
  id: number,
): Promise<Reply> {
  const paper = await readPaper(knex, seller, id);
  const { file_key: key, format, kind, auction_id: auctionId } = paper;
  const stored = key === null ? null : await storage.get(key);
  if (stored === null) throw notFound('The paper is not there yet, or no longer.');
  const auction = await Auction.query(knex).findById(auctionId).throwIfNotFound();
  const name = `${kind.replaceAll('_', '-')}-${auction.slug}.${format}`;
  return {
    status: 200,
    raw: stored,
    contentType: PAPER_TYPES[format],
    headers: {
      'Content-Disposition': dispositionOf(name, PAPER_TYPES[format], 'attachment'),
      'Content-Length': String(paper.size_bytes ?? 0),
      'Cache-Control': 'private, no-store',
    },
  };
}

function shown(paper: SalePaper, baseUrl: string): Static<typeof PaperBody> {
  const { id, auction_id, kind, format, language, status, progress, problem, size_bytes: size } = paper;
  const { created_at, done_at, expires_at } = paper;
  const url = status === 'done' ? `${baseUrl}/api/v1/seller/papers/${id}/file` : null;
  const what = { id, auction_id, kind, format, language, status, progress, problem, size, url };
  return { ...what, created_at, done_at, expires_at };
}
