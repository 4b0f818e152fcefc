/** `/seller/auctions/{id}/papers`: having papers of an auction made, how far they are, and their files. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { namesIn, objectIn } from '../../../../engine/objects.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { PAPER_FORMATS, PAPER_KINDS, PAPER_TYPES } from '../../../shared/paper-kinds.ts';
import { languageOf, PAGE } from '../../page.ts';
import { type Refusal, submit } from '../forms/desk-form.ts';
import { auctionAt, type Desk, found, type Visit } from '../frame/desk.ts';

export interface PaperPageParts {
  readonly desk: Desk;
  /** A paper's file as an answer, for whoever is at the desk. Throws 404. */
  readonly paperFile: (visit: Visit, paperId: number) => Promise<Reply>;
}

const PATH = '/seller/auctions/{id}/papers';
const Params = Type.Object({ id: Id });
const PaperParams = Type.Object({ id: Id, paper: Id });

/** What each kind has in it, as the page says it. */
const CONTENTS = {
  catalog: 'Every lot with picture, description, estimate and starting bid',
  labels: 'Fourteen to a sheet (99 by 38 mm); the code leads to the lot’s page',
  paddles: 'Numbers to be read across a room, two to a sheet',
  picking_lists: 'A sheet for each buyer: lots, shelf, and what is paid',
  realised_prices: 'What each lot came to, without buyers’ names',
  invoices: 'All invoices to buyers of this sale',
} as const;

export function paperPages(parts: PaperPageParts): Endpoint[] {
  return [page(parts), create(parts), file(parts), remove(parts)];
}

function page({ desk }: PaperPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'sellerPapersPage',
    summary: 'The papers of an auction',
    params: Params,
    handle: (request) => desk.at(request, (visit) => draw(desk, visit, request.params.id)),
  });
}

async function draw(desk: Desk, visit: Visit, id: number, refused: Refusal | null = null): Promise<Reply> {
  const auction = await auctionAt(visit, id);
  const { data } = await visit.perform('listPapers', { params: { id } });
  const papers = Array.isArray(data) ? data.map(objectIn) : [];
  const isUnderWay = papers.some(({ status }) => status === 'waiting' || status === 'working');
  const wrong = refused === null ? null : (Object.values(refused.errors).flat()[0] ?? '');
  return desk.html(visit, {
    title: 'Papers',
    template: 'seller/papers/papers',
    status: refused?.status ?? 200,
    data: {
      ...{ auction, papers, isUnderWay },
      kinds: namesIn(PAPER_KINDS).map((kind) => ({
        kind,
        name: PAPER_KINDS[kind],
        contents: CONTENTS[kind],
      })),
      names: PAPER_KINDS,
      formats: PAPER_FORMATS,
      notice: wrong === null ? null : { kind: 'bad', text: wrong },
      modules: ['papers.js'],
    },
  });
}

function create({ desk }: PaperPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'createPaperOnPage',
    summary: 'Has a paper made',
    params: Params,
    body: { form: Type.Object({ kind: oneOf(namesIn(PAPER_KINDS)), format: oneOf(PAPER_FORMATS) }) },
    handle: (request) =>
      desk.at(request, (visit) => {
        const { id } = request.params;
        const { kind, format } = request.body;
        const body = { kind, format, language: languageOf(request) };
        return submit(
          desk,
          () => visit.perform('createPaper', { params: { id }, body }),
          (refused) => draw(desk, visit, id, refused),
          () => pathOf(id),
        );
      }),
  });
}

function file({ desk, paperFile }: PaperPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${PATH}/{paper}/file`,
    operationId: 'sellerPaperFile',
    summary: 'A paper’s file',
    params: PaperParams,
    responses: { 200: { description: 'The file.', contentType: Object.values(PAPER_TYPES) } },
    handle: (request) =>
      desk.at(request, async (visit) => {
        await requireOfAuction(desk, visit, request.params);
        return paperFile(visit, request.params.paper);
      }),
  });
}

function remove({ desk }: PaperPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{paper}/delete`,
    operationId: 'deletePaperOnPage',
    summary: 'Deletes a paper',
    params: PaperParams,
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id, paper } = request.params;
        await requireOfAuction(desk, visit, request.params);
        await visit.perform('deletePaper', { params: { paper } });
        return desk.go(pathOf(id));
      }),
  });
}

interface PaperPath {
  readonly id: number;
  readonly paper: number;
}

/** Throws 404 for a paper that is of another auction than the path says. */
async function requireOfAuction(desk: Desk, visit: Visit, { id, paper }: PaperPath): Promise<void> {
  await auctionAt(visit, id);
  found(await desk.knex('papers').where({ id: paper, auction_id: id }).first('id'), 'paper');
}

const pathOf = (id: number) => PATH.replace('{id}', String(id));
