/**
 * `/seller/auctions/{id}/table`: the lots of an auction as a table that is filled in like a spreadsheet. Every row is a
 * form of its own, so that it works without JavaScript; with it a row is saved when one leaves it, what is pasted fills
 * the cells, and every change can be undone. What somebody else has changed meanwhile is said and not overwritten.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn } from '../../../../engine/objects.ts';
import { Id, oneOf } from '../../../shared/fields.schema.ts';
import { languageOf, PAGE } from '../../page.ts';
import { changeResource, idIn, TextForm, textsIn } from '../forms/desk-form.ts';
import { bodyOf, type FormTexts, marksOf, readMarks, textsOf } from '../forms/form-values.ts';
import { auctionAt, type Desk, found, type SellersAuction, shownFor, type Visit } from '../frame/desk.ts';
import { type ConsignorNames, consignorNames } from './consignor-names.ts';
import { type LotForm, lotForm } from './lot-form.ts';
import {
  isWrong,
  type Located,
  located,
  PLACE_FIELD,
  placedRow,
  placeText,
  placeTexts,
} from './lot-location.ts';
import { cellsIn, changedMeanwhile, isChanged } from './table-cells.ts';
import { type Column, columnsOf, errorsOf } from './table-columns.ts';

const PATH = '/seller/auctions/{id}/table';
const Params = Type.Object({ id: Id });
const ROWS = 50;

export function lotTablePages(desk: Desk): Endpoint[] {
  return [tablePage(desk), addRow(desk), saveRow(desk), orderRows(desk)];
}

/** A row as it is shown: the texts of its cells, and what is wrong with them. */
interface Row {
  readonly lot: { readonly id: number; readonly number: number; readonly pictures: number } | null;
  readonly texts: FormTexts;
  /** What its place is made of. */
  readonly location: FormTexts;
  readonly marks: string;
  readonly errors: Readonly<Record<string, string>>;
}

interface Table {
  readonly auction: SellersAuction;
  readonly form: LotForm;
  readonly consignors: ConsignorNames;
  readonly columns: readonly Column[];
}

async function tableOf(desk: Desk, visit: Visit, auctionId: number): Promise<Table> {
  const auction = await auctionAt(visit, auctionId);
  const form = await lotForm(desk, visit.team.id, false, { auction_id: String(auction.id) });
  const consignors = await consignorNames(visit);
  return { auction, form, consignors, columns: columnsOf(form, { consignor: consignors.all }) };
}

function rowOf(table: Table, visit: Visit, data: unknown): Row {
  const { id, lot_number: number, media, ...lot } = objectIn(data);
  const consignor = table.consignors.of(lot['consignor_id']);
  const shown = textsOf(table.form.schema, { ...lot, consignor }, shownFor(visit.request));
  const all: FormTexts = { ...shown, [PLACE_FIELD]: placeText(shown) };
  const texts: FormTexts = Object.fromEntries(table.columns.map(({ name }) => [name, all[name] ?? '']));
  const pictures = Array.isArray(media) ? media.length : 0;
  return {
    lot: { id: Number(id), number: Number(number), pictures },
    texts,
    location: placeTexts(shown),
    marks: marksOf(texts),
    errors: {},
  };
}

const EMPTY: Row = { lot: null, texts: {}, location: {}, marks: '', errors: {} };

interface Drawn {
  readonly changed?: Row;
  readonly status?: number;
  readonly page?: number;
}

async function draw(desk: Desk, visit: Visit, table: Table, drawn: Drawn = {}): Promise<Reply> {
  const { changed, status = 200, page: wanted = 1 } = drawn;
  const { auction, columns } = table;
  const isFragment = visit.request.headers['x-fragment'] === 'row';
  if (isFragment && changed !== undefined)
    return desk.html(visit, {
      title: ['{0}', auction.title],
      template: 'seller/lots/table-row',
      status,
      data: { auction, columns, row: changed },
    });
  const ids = await orderOf(desk, auction.id);
  const page = changed?.lot == null ? wanted : pageOf(ids, changed.lot.id);
  const shown = ids.slice((page - 1) * ROWS, page * ROWS);
  const answers = await Promise.all(shown.map((id) => visit.perform('getSellerLot', { params: { id } })));
  const listed = answers.map(({ data }) => rowOf(table, visit, data));
  const rows = listed.map((row) => (row.lot?.id === changed?.lot?.id ? (changed ?? row) : row));
  const fresh = changed?.lot === null ? changed : EMPTY;
  return desk.html(visit, {
    title: ['Lots as a table: {0}', auction.title],
    template: 'seller/lots/table',
    status,
    data: {
      ...{ auction, columns, rows, fresh, page, firstNumber: (page - 1) * ROWS + 1 },
      lastPage: Math.max(1, Math.ceil(ids.length / ROWS)),
      modules: ['lot-table.js'],
    },
  });
}

/** The auction's lots by their ids, in their order. */
async function orderOf({ knex }: Desk, auctionId: number): Promise<number[]> {
  return knex('lots').where('auction_id', auctionId).orderBy('lot_number').pluck('id');
}

/** Which page of the table a lot is on. */
function pageOf(order: readonly number[], lotId: number): number {
  return Math.floor(Math.max(0, order.indexOf(lotId)) / ROWS) + 1;
}

function goToRow(desk: Desk, auctionId: number, order: readonly number[], lotId: number): Reply {
  const page = pageOf(order, lotId);
  return desk.go(`/seller/auctions/${auctionId}/table${page > 1 ? `?page=${page}` : ''}#lot-${lotId}`);
}

function tablePage(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'lotTablePage',
    summary: 'The lots of an auction as a table',
    params: Params,
    query: Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })) }),
    handle: (request) =>
      desk.at(request, async (visit) =>
        draw(desk, visit, await tableOf(desk, visit, request.params.id), { page: request.query.page ?? 1 }),
      ),
  });
}

function addRow(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'createLotRowOnPage',
    summary: 'Creates a lot from a row of the table',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const table = await tableOf(desk, visit, request.params.id);
        const texts = cellsIn(table, textsIn(request.body));
        const placed = located(texts, {});
        if (isWrong(placed)) return refusePlace(desk, visit, table, { ...EMPTY, texts }, placed);
        const schema = desk.operations.bodySchema('createSellerLot');
        const whole = {
          ...table.form.schema,
          properties: { ...schema.properties, ...table.form.schema.properties },
        };
        const body = {
          ...bodyOf(whole, placed.texts, { marks: null, ...shownFor(request) }),
          auction_id: table.auction.id,
        };
        try {
          const { data } = await visit.perform('createSellerLot', { body });
          return await done(desk, visit, table, Number(idIn(data)));
        } catch (error) {
          return refuse(desk, visit, table, { ...EMPTY, texts }, error);
        }
      }),
  });
}

function saveRow(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{lot}`,
    operationId: 'changeLotRowOnPage',
    summary: 'Changes a lot by its row in the table',
    params: Type.Object({ id: Id, lot: Id }),
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id, lot: lotId } = request.params;
        const table = await tableOf(desk, visit, id);
        const { data } = await visit.perform('getSellerLot', { params: { id: lotId } });
        found(objectIn(data)['auction_id'] === id ? data : null, 'lot');
        const present = rowOf(table, visit, data);
        const sent = textsIn(request.body);
        const texts = cellsIn(table, sent);
        const marks = readMarks(sent['_marks']);
        const row = { ...present, texts: { ...present.texts, ...texts } };
        const wrong = changedMeanwhile(table, present.texts, texts, marks);
        if (Object.keys(wrong).length > 0)
          return draw(desk, visit, table, { changed: { ...row, errors: wrong }, status: 409 });
        // What this row did not change stays as it is now.
        const wanted = Object.fromEntries(
          table.columns.map(({ name }) => [
            name,
            isChanged(texts, marks, name) ? (texts[name] ?? '') : (present.texts[name] ?? ''),
          ]),
        );
        const placed = placedRow(wanted, present.texts, present.location);
        if (isWrong(placed))
          return refusePlace(desk, visit, table, { ...row, marks: sent['_marks'] ?? '' }, placed);
        const reading = {
          marks: readMarks(marksOf({ ...present.texts, ...present.location })),
          ...shownFor(request),
        };
        const body = bodyOf(table.form.schema, placed.texts, reading);
        try {
          await changeResource(visit, 'changeSellerLot', lotId, body);
          return await done(desk, visit, table, lotId);
        } catch (error) {
          return refuse(desk, visit, table, { ...row, marks: sent['_marks'] ?? '' }, error);
        }
      }),
  });
}

function orderRows(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/lot-order',
    operationId: 'orderLotsOnPage',
    summary: 'Moves a lot in its auction’s order',
    params: Params,
    body: {
      form: Type.Object({
        lot_id: Type.Optional(Id),
        move: Type.Optional(oneOf(['earlier', 'later'])),
        ids: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,9999}$' })),
      }),
    },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const table = await tableOf(desk, visit, id);
        const { lot_id: lotId, move, ids } = request.body;
        const order = await orderOf(desk, id);
        const wanted =
          ids === undefined
            ? moved(order, lotId ?? 0, move === 'earlier' ? -1 : 1)
            : inOrderOf(order, ids.split(',').map(Number));
        try {
          await visit.perform('orderSellerLots', { params: { id }, body: { lot_ids: wanted } });
          return goToRow(desk, id, wanted, lotId ?? 0);
        } catch (error) {
          return refuse(desk, visit, table, EMPTY, error);
        }
      }),
  });
}

function moved(order: readonly number[], lotId: number, by: number): number[] {
  const at = order.indexOf(lotId);
  const to = at + by;
  if (at < 0 || to < 0 || to >= order.length) return [...order];
  return order.toSpliced(at, 1).toSpliced(to, 0, lotId);
}

/** The lots of one page in their new order: together they stand where they stood, and the others stay. */
function inOrderOf(order: readonly number[], named: readonly number[]): number[] {
  const waiting = [...named];
  const own = new Set(named);
  const placed = order.map((id) => (own.has(id) ? (waiting.shift() ?? id) : id));
  // What is left is not of the auction, or named twice: that is refused.
  return [...placed, ...waiting];
}

async function done(desk: Desk, visit: Visit, table: Table, lotId: number): Promise<Reply> {
  if (visit.request.headers['x-fragment'] !== 'row')
    return goToRow(desk, table.auction.id, await orderOf(desk, table.auction.id), lotId);
  const { data } = await visit.perform('getSellerLot', { params: { id: lotId } });
  return draw(desk, visit, table, { changed: rowOf(table, visit, data) });
}

function refuse(desk: Desk, visit: Visit, table: Table, row: Row, error: unknown): Promise<Reply> {
  const { status, errors, message } = desk.refusalIn(error);
  const wrong = errorsOf(table.columns, errors ?? { '': [message] }, languageOf(visit.request));
  return draw(desk, visit, table, { changed: { ...row, errors: wrong }, status });
}

function refusePlace(
  desk: Desk,
  visit: Visit,
  table: Table,
  row: Row,
  { errors }: Located,
): Reply | Promise<Reply> {
  const wrong = errorsOf(table.columns, errors, languageOf(visit.request));
  return draw(desk, visit, table, { changed: { ...row, errors: wrong }, status: 422 });
}
