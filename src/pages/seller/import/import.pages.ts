/**
 * `/seller/auctions/{id}/import`: lots from a CSV file. The file is shown first, with the field of each column; nothing
 * is imported until every row is valid.
 */
import { readFile } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { readJoinedSchemas } from '../../../catalog/categories/joined-schemas.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { InputError } from '../../../shared/input-error.ts';
import { inLanguage } from '../../../shared/languages/phrasebook.ts';
import { invalid, Refusal } from '../../../shared/refusal.ts';
import { chosenFile } from '../../chosen-file.ts';
import { languageOf, PAGE } from '../../page.ts';
import { TextForm, textsIn } from '../forms/desk-form.ts';
import { auctionAt, type Desk, type SellersAuction, type Visit } from '../frame/desk.ts';
import { cellSentence, columnLabel } from './import-words.ts';
import { guessColumns, type LotImporter } from './lot-importer.ts';
import { type ImportRow, insertImport, readImport, requestCancel } from './lot-imports.ts';
import type { ImportRuns } from './run-import.ts';

export interface ImportPageParts {
  readonly desk: Desk;
  readonly importer: LotImporter;
  readonly runs: ImportRuns;
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_SHOWN_ROWS = 5;
/** With more columns, a list of all fields for each would be most of the page: their names are typed. */
const MAX_CHOSEN = 30;
const MAX_NAME = 120;
const Params = Type.Object({ id: Id });
const ImportParams = Type.Object({ id: Id, import: Id });

export function importPages(parts: ImportPageParts): Endpoint[] {
  return [start(parts), template(parts), upload(parts), show(parts), act(parts)];
}

function start({ desk, importer }: ImportPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}/import',
    operationId: 'importLotsPage',
    summary: 'The form to upload a file of lots',
    params: Params,
    handle: (request) =>
      desk.at(request, async (visit) =>
        drawStart(desk, visit, await auctionAt(visit, request.params.id), importer),
      ),
  });
}

function drawStart(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction,
  { columns }: LotImporter,
  wrong: string | null = null,
): Reply {
  return desk.html(visit, {
    title: 'Import lots',
    template: 'seller/import/start',
    status: wrong === null ? 200 : 422,
    data: { auction, columns, wrong, columnLabel },
  });
}

/** What columns of this auction's file may be: the fields of lots, and those of its category. */
async function fieldsOf(desk: Desk, { category_id: categoryId }: SellersAuction, importer: LotImporter) {
  const own = importer.columns.map(({ name }) => name);
  if (categoryId === null) return own;
  const schema = (await readJoinedSchemas(desk.knex, [categoryId])).get(categoryId) ?? {};
  return [...own, ...Object.keys(schema['properties'] ?? {}).map((name) => `custom_fields.${name}`)];
}

function template({ desk, importer }: ImportPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}/import/template.csv',
    operationId: 'lotsTemplateFile',
    summary: 'A template file with all columns',
    params: Params,
    responses: { 200: { description: 'The file.', contentType: 'text/csv' } },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const fields = await fieldsOf(desk, await auctionAt(visit, request.params.id), importer);
        return {
          status: 200,
          raw: `${fields.join(',')}\r\n`,
          contentType: 'text/csv; charset=utf-8',
          headers: { 'Content-Disposition': 'attachment; filename="lots-template.csv"' },
        };
      }),
  });
}

function upload({ desk, importer }: ImportPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/import',
    operationId: 'uploadLotsFileOnPage',
    summary: 'Uploads a file of lots for preview',
    params: Params,
    body: { multipart: { fields: Type.Object({}), files: { file: { maxBytes: MAX_BYTES } } } },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const auction = await auctionAt(visit, request.params.id);
        try {
          const file = chosenFile(request.body);
          if (file === null) throw invalid({ file: ['Choose a file first.'] });
          const text = await readFile(file.path, 'utf8');
          const measured = await importer.measure(text, MAX_SHOWN_ROWS);
          const language = languageOf(request);
          const columns = guessColumns(measured.header, await fieldsOf(desk, auction, importer), (field) => [
            columnLabel(field),
            inLanguage(language, columnLabel(field)),
          ]);
          const row = { teamId: visit.team.id, auctionId: auction.id, userId: visit.who.userId };
          const made = { ...row, fileName: file.fileName, text, columns, measured };
          return desk.go(`/seller/auctions/${auction.id}/import/${await insertImport(desk.knex, made)}`);
        } catch (error) {
          const wrong = wrongWith(error);
          if (wrong === null) throw error;
          return drawStart(desk, visit, auction, importer, wrong);
        }
      }),
  });
}

/** What its field says of a file that cannot be read; null: it is another matter. */
function wrongWith(error: unknown): string | null {
  if (error instanceof Refusal) return error.errors?.['file']?.join(' ') ?? null;
  return error instanceof InputError ? `${error.message.replace(/^file: /, 'The file ')}.` : null;
}

function show(parts: ImportPageParts): Endpoint {
  const { desk } = parts;
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: '/seller/auctions/{id}/import/{import}',
    operationId: 'lotsImportPage',
    summary: 'An uploaded file of lots: its columns, errors and progress',
    params: ImportParams,
    handle: (request) =>
      desk.at(request, async (visit) => {
        const auction = await auctionAt(visit, request.params.id);
        return draw(
          parts,
          visit,
          auction,
          await readImport(desk.knex, visit.team.id, auction.id, request.params.import),
        );
      }),
  });
}

async function draw(
  { desk, importer }: ImportPageParts,
  visit: Visit,
  auction: SellersAuction,
  row: ImportRow,
): Promise<Reply> {
  const isRunning = row.status === 'checking' || row.status === 'importing';
  const used = row.columns.filter((name) => name !== null);
  const fields = [...new Set([...(await fieldsOf(desk, auction, importer)), ...used])];
  return desk.html(visit, {
    title: 'Import lots',
    template: 'seller/import/import',
    data: {
      ...{ auction, isRunning, fields, file: row, columnLabel },
      sentenceOf: (column: string, sentence: string) =>
        cellSentence(column, sentence, languageOf(visit.request)),
      isChosen: row.header.length <= MAX_CHOSEN,
      missing: ['title', 'starting_bid'].filter((name) => !used.includes(name)),
      modules: ['lots-import.js'],
    },
  });
}

/** Checks, imports or cancels, as the button says. */
function act(parts: ImportPageParts): Endpoint {
  const { desk, runs } = parts;
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: '/seller/auctions/{id}/import/{import}',
    operationId: 'importLotsOnPage',
    summary: 'Checks or imports an uploaded file of lots, or stops the import',
    params: ImportParams,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id, import: importId } = request.params;
        const auction = await auctionAt(visit, id);
        const row = await readImport(desk.knex, visit.team.id, auction.id, importId);
        const texts = textsIn(request.body);
        if (texts['action'] === 'cancel') await requestCancel(desk.knex, importId);
        else {
          const columns = row.columns.map((guess, index) => {
            const typed = texts[`column-${index}`];
            return typed === undefined ? guess : typed.trim() === '' ? null : typed.trim().slice(0, MAX_NAME);
          });
          await runs.begin(row, columns, texts['action'] === 'check');
        }
        return desk.go(`/seller/auctions/${id}/import/${importId}`);
      }),
  });
}
