/** `/seller/auctions/new` and `/seller/auctions/{id}/edit`: an auction's form. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { languageOf, PAGE } from '../../page.ts';
import { zoneOf } from '../../shown-text.ts';
import { changeResource, idIn, type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import { bodyOf, type FormTexts, marksOf, readMarks, textsOf } from '../forms/form-values.ts';
import { knownZone } from '../forms/local-times.ts';
import { auctionAt, type Desk, type SellersAuction, shownFor, type Visit } from '../frame/desk.ts';
import { auctionFormOptions, auctionSchema, newAuctionTexts } from './auction-form.ts';

const Params = Type.Object({ id: Id });

export function auctionEditPages(desk: Desk): Endpoint[] {
  return [newPage(desk), create(desk), editPage(desk), save(desk)];
}

/** The form, for a new auction or for one that is there. */
async function draw(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction | null,
  texts: FormTexts,
  marks: string,
  refused: Refusal | null,
): Promise<Reply> {
  const schema = auctionSchema(desk, auction === null, texts['format']);
  const options = await auctionFormOptions(
    desk.knex,
    knownZone(texts['timezone']),
    texts['currency'] ?? 'usd',
  );
  return desk.html(visit, {
    title: auction === null ? 'New auction' : `Change ${auction.title}`,
    template: 'seller/auctions/edit',
    status: refused?.status ?? 200,
    data: {
      auction,
      marks,
      form: formView(schema, texts, { ...options, language: languageOf(visit.request) }, refused?.errors),
      action: auction === null ? '/seller/auctions' : `/seller/auctions/${auction.id}/edit`,
      modules: ['seller-desk.js'],
    },
  });
}

function newPage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/new',
    operationId: 'newSellerAuctionPage',
    summary: 'The form of a new auction',
    handle: (request) =>
      desk.at(request, (visit) =>
        draw(desk, visit, null, newAuctionTexts(zoneOf(request.headers.cookie)), '', null),
      ),
  });
}

function create(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions',
    operationId: 'createSellerAuctionOnPage',
    summary: 'Creates an auction',
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const texts = textsIn(request.body);
        const zone = knownZone(texts['timezone']);
        const body = bodyOf(auctionSchema(desk, true, texts['format']), texts, {
          marks: null,
          ...shownFor(request, zone),
        });
        return submit(
          desk,
          () => visit.perform('createSellerAuction', { body }),
          (refused) => draw(desk, visit, null, texts, '', refused),
          (data) => `/seller/auctions/${idIn(data)}?done=created`,
        );
      }),
  });
}

function editPage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}/edit',
    operationId: 'editSellerAuctionPage',
    summary: 'The form of an auction',
    params: Params,
    handle: (request) =>
      desk.at(request, async (visit) => {
        const auction = await auctionAt(visit, request.params.id);
        const { format } = auction;
        const texts = textsOf(
          auctionSchema(desk, false, format),
          objectIn(auction),
          shownFor(request, knownZone(auction.timezone)),
        );
        return draw(desk, visit, auction, texts, marksOf(texts), null);
      }),
  });
}

function save(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/edit',
    operationId: 'changeSellerAuctionOnPage',
    summary: 'Changes an auction',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await auctionAt(visit, id);
        const texts = textsIn(request.body);
        const marks = readMarks(texts['_marks']);
        const zone = knownZone(texts['timezone']);
        // Another zone moves what its clocks say.
        const moved =
          marks['timezone'] === texts['timezone'] ? marks : without(marks, 'start_time', 'end_time');
        const body = bodyOf(auctionSchema(desk, false, texts['format']), texts, {
          marks: moved,
          ...shownFor(request, zone),
        });
        return submit(
          desk,
          () => changeResource(visit, 'changeSellerAuction', id, body),
          (refused) => draw(desk, visit, auction, texts, texts['_marks'] ?? '', refused),
          () => `/seller/auctions/${id}?done=saved`,
        );
      }),
  });
}

function without(marks: FormTexts, ...names: readonly string[]): FormTexts {
  return Object.fromEntries(Object.entries(marks).filter(([name]) => !names.includes(name)));
}
