/** `/seller/lots/new` and `/seller/lots/{id}`: a lot's form, its pictures and its moves. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { namesIn, objectIn } from '../../../../engine/objects.ts';
import { isKeeper } from '../../../accounts/models/team.model.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { isUnsoldLot, LOT_STATUSES } from '../../../shared/statuses/lot-statuses.ts';
import { languageOf, PAGE } from '../../page.ts';
import { changeResource, idIn, type Refusal, submit, TextForm, textsIn } from '../forms/desk-form.ts';
import { formView } from '../forms/form-fields.ts';
import { bodyOf, type FormTexts, marksOf, readMarks, textsOf } from '../forms/form-values.ts';
import { type Desk, found, shownFor, type Visit } from '../frame/desk.ts';
import { consignorNames } from './consignor-names.ts';
import { lotForm } from './lot-form.ts';
import { isAboutMap, isWrong, located, placePicture } from './lot-location.ts';

const Params = Type.Object({ id: Id });
const DONE = {
  created: 'The lot has been created. Add its pictures below.',
  saved: 'The lot has been saved.',
  moved: 'The lot’s status has been changed.',
  relisted: 'The lot is listed again: this is the new draft.',
} as const;
const MOVES: Readonly<Record<string, string>> = { scheduled: 'Put up', withdrawn: 'Withdraw' };

export function lotEditPages(desk: Desk): Endpoint[] {
  return [newPage(desk), create(desk), lotPage(desk), save(desk), move(desk)];
}

/** A lot as the API shows it, with the category that is its own. */
interface SellersLot extends Readonly<Record<string, unknown>> {
  readonly id: number;
  readonly title: string;
  readonly status: string;
}

async function lotAt(desk: Desk, visit: Visit, id: number): Promise<SellersLot> {
  const { data } = await visit.perform('getSellerLot', { params: { id } });
  const { title, status, ...rest } = objectIn(data);
  const row = await desk.knex('lots').where('id', id).first<{ category_id: number | null }>('category_id');
  const { category_id } = found(row, 'lot');
  const consignor = (await consignorNames(visit)).of(rest['consignor_id']);
  return { ...rest, id, title: String(title), status: String(status), category_id, consignor };
}

interface Drawn {
  readonly lot: SellersLot | null;
  readonly texts: FormTexts;
  readonly marks: string;
  readonly refused?: Refusal;
  readonly done?: string | null;
}

async function draw(desk: Desk, visit: Visit, drawn: Drawn): Promise<Reply> {
  const { lot, texts, marks, refused, done = null } = drawn;
  const { schema, options } = await lotForm(desk, visit.team.id, lot === null, texts);
  const suggestions = { consignor: (await consignorNames(visit)).all };
  const moves = lot === null ? [] : LOT_STATUSES.byHand(lot.status);
  return desk.html(visit, {
    title: lot === null ? 'New lot' : ['{0}', lot.title],
    template: 'seller/lots/edit',
    status: refused?.status ?? 200,
    data: {
      ...{ lot, marks, moves, moveNames: MOVES },
      form: formView(
        schema,
        texts,
        {
          ...options,
          suggestions,
          pictures: { location: placePicture(texts) },
          language: languageOf(visit.request),
        },
        refused?.errors,
      ),
      hasOwnButtons: true,
      action: lot === null ? '/seller/lots' : `/seller/lots/${lot.id}`,
      auctionId: texts['auction_id'] ?? '',
      mayDelete: lot?.status === 'draft' && isKeeper(visit.team.role),
      isOver: lot !== null && isUnsoldLot(lot.status),
      auctions: options.choices?.['auction_id'] ?? [],
      notice: done === null ? null : { kind: 'good', text: done },
      modules: ['seller-desk.js', 'lot-place.js', 'media-drop.js'],
    },
  });
}

/** The texts with the place worked out; `isDrawn`: the form is only drawn anew with them. */
function readPlace(sent: FormTexts, marks: string) {
  const where = located(sent, readMarks(marks));
  const { texts, errors } = where;
  const isDrawn = isWrong(where) || sent['step'] === 'fields' || isAboutMap(sent);
  return { texts, isDrawn, refused: isWrong(where) ? { refused: { status: 422, errors } } : {} };
}

function newPage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/lots/new',
    operationId: 'newSellerLotPage',
    summary: 'The form of a new lot',
    query: Type.Object({ auction_id: Type.Optional(Id), done: Type.Optional(Type.Literal('another')) }),
    handle: (request) =>
      desk.at(request, (visit) => {
        const { auction_id: auctionId, done } = request.query;
        const texts = {
          quantity: '1',
          ...(auctionId === undefined ? {} : { auction_id: String(auctionId) }),
        };
        const notice = done === undefined ? null : 'The lot has been created. Here is the form for another.';
        return draw(desk, visit, { lot: null, texts, marks: '', done: notice });
      }),
  });
}

function create(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/lots',
    operationId: 'createSellerLotOnPage',
    summary: 'Creates a lot',
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { texts, isDrawn, refused: where } = readPlace(textsIn(request.body), '');
        if (isDrawn) return draw(desk, visit, { lot: null, texts, marks: '', ...where });
        const { schema } = await lotForm(desk, visit.team.id, true, texts);
        const body = bodyOf(schema, texts, { marks: null, ...shownFor(request) });
        return submit(
          desk,
          () => visit.perform('createSellerLot', { body }),
          (refused) => draw(desk, visit, { lot: null, texts, marks: '', refused }),
          (data) =>
            texts['step'] === 'another'
              ? `/seller/lots/new?done=another&auction_id=${encodeURIComponent(texts['auction_id'] ?? '')}`
              : `/seller/lots/${idIn(data)}?done=created`,
        );
      }),
  });
}

function lotPage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/lots/{id}',
    operationId: 'sellerLotPage',
    summary: 'One of the team’s lots',
    params: Params,
    query: Type.Object({ done: Type.Optional(oneOf(namesIn(DONE))) }),
    handle: (request) =>
      desk.at(request, async (visit) => {
        const lot = await lotAt(desk, visit, request.params.id);
        const { done } = request.query;
        const texts = await textsOfLot(desk, visit, lot);
        const notice = done === undefined ? null : DONE[done];
        return draw(desk, visit, { lot, texts, marks: marksOf(texts), done: notice });
      }),
  });
}

async function textsOfLot(desk: Desk, visit: Visit, lot: SellersLot): Promise<FormTexts> {
  const chosen = { auction_id: String(lot['auction_id']), category_id: String(lot['category_id'] ?? '') };
  const { schema } = await lotForm(desk, visit.team.id, false, chosen);
  return textsOf(schema, lot, shownFor(visit.request));
}

function save(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/lots/{id}',
    operationId: 'changeSellerLotOnPage',
    summary: 'Changes a lot',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const lot = await lotAt(desk, visit, id);
        const marks = textsIn(request.body)['_marks'] ?? '';
        const { texts, isDrawn, refused: where } = readPlace(textsIn(request.body), marks);
        if (isDrawn) return draw(desk, visit, { lot, texts, marks, ...where });
        const { schema } = await lotForm(desk, visit.team.id, false, texts);
        const body = bodyOf(schema, texts, { marks: readMarks(marks), ...shownFor(request) });
        return submit(
          desk,
          () => changeResource(visit, 'changeSellerLot', id, body),
          (refused) => draw(desk, visit, { lot, texts, marks, refused }),
          () => `/seller/lots/${id}?done=saved`,
        );
      }),
  });
}

/** Moves, deletes or puts a lot up again, as the button says. */
function move(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/lots/{id}/status',
    operationId: 'moveSellerLotOnPage',
    summary: 'Schedules or withdraws a lot, deletes a draft, or lists an unsold lot again',
    params: Params,
    body: {
      form: Type.Object({
        status: oneOf(['scheduled', 'withdrawn', 'deleted', 'relisted']),
        auction_id: Type.Optional(Id),
      }),
    },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const { status, auction_id: auctionId } = request.body;
        const lot = await lotAt(desk, visit, id);
        const work = () => {
          if (status === 'deleted') return visit.perform('deleteSellerLot', { params: { id } });
          if (status !== 'relisted') return changeResource(visit, 'changeSellerLot', id, { status });
          return visit.perform('relistSellerLot', { params: { id }, body: { auction_id: auctionId } });
        };
        const redraw = async (refused: Refusal) => {
          const texts = await textsOfLot(desk, visit, lot);
          return draw(desk, visit, { lot, texts, marks: marksOf(texts), refused });
        };
        return submit(desk, work, redraw, (data) => {
          if (status === 'deleted')
            return `/seller/lots?auction_id=${String(lot['auction_id'])}&done=deleted`;
          if (status !== 'relisted') return `/seller/lots/${id}?done=moved`;
          return `/seller/lots/${idIn(data)}?done=relisted`;
        });
      }),
  });
}
