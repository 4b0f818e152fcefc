/**
 * `/account/collections`: what one has paid and can collect, booking a time for it, and the slip with the code for the
 * gate.
 */
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { toString as drawQrCode } from 'qrcode';
import { type Endpoint, endpoint, type HttpRequest, type Reply } from '../../../adapters/http/endpoint.ts';
import {
  bookCollection,
  type FullCollection,
  listCollectionSlots,
  listOwnCollections,
  readCollection,
  salesToCollect,
} from '../../sales/collections/collections.ts';
import { Id, Moment } from '../../shared/fields.schema.ts';
import type { Language } from '../../shared/language.ts';
import { notFound, Refusal } from '../../shared/refusal.ts';
import { inReadersWords } from '../../shared/translations.ts';
import { languageOf, PAGE, type Pages, type SignedIn } from '../page.ts';

export interface CollectionPageParts {
  readonly knex: Knex;
  readonly pages: Pages;
}

const PATH = '/account/collections';
const MAX_TIMES = 200;

export function collectionPages(parts: CollectionPageParts): Endpoint[] {
  return [list(parts), book(parts), slip(parts)];
}

function list(parts: CollectionPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'collectionsPage',
    summary: 'What the session’s user can collect, and when',
    handle: (request) => parts.pages.forSignedIn(request, (who) => draw(parts, request, who, null)),
  });
}

function book(parts: CollectionPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'bookCollectionOnPage',
    summary: 'Books a time for collecting',
    body: { form: Type.Object({ auction_id: Id, from: Moment }) },
    handle: (request) =>
      parts.pages.forSignedIn(request, async (who) => {
        const { auction_id: auctionId, from } = request.body;
        try {
          const { row } = await bookCollection(parts.knex, who.userId, auctionId, from);
          return parts.pages.go(`${PATH}/${row.id}`);
        } catch (error) {
          if (!(error instanceof Refusal) || error.code === 'not_found') throw error;
          return draw(parts, request, who, error);
        }
      }),
  });
}

async function draw(
  { knex, pages }: CollectionPageParts,
  request: HttpRequest,
  who: SignedIn,
  refused: Refusal | null,
): Promise<Reply> {
  const [booked, sales] = await Promise.all([
    listOwnCollections(knex, who.userId),
    salesToCollect(knex, who.userId),
  ]);
  const open = await Promise.all(
    sales.map(async (sale) => {
      const slots = await listCollectionSlots(knex, sale.id, who);
      return {
        ...inReadersWords(sale, languageOf(request)),
        lots: sale.lots.map((lot) => inReadersWords(lot, languageOf(request))),
        slots: slots.filter(({ free }) => free).slice(0, MAX_TIMES),
      };
    }),
  );
  const text = refused?.errors?.['from']?.[0] ?? refused?.message;
  return pages.html(request, {
    title: 'Collections',
    template: 'account/collections',
    status: refused === null ? 200 : (pages.problemOf(refused)?.status ?? 409),
    data: {
      booked: booked.map((one) => inWordsOf(one, languageOf(request))),
      sales: open,
      notice: text === undefined ? null : { kind: 'bad', text },
    },
  });
}

/** Its sale and its lots as a reader of the language is shown them. */
function inWordsOf(collection: FullCollection, language: Language): FullCollection {
  const { auction, lots } = collection;
  return {
    ...collection,
    auction: inReadersWords(auction, language),
    lots: lots.map((lot) => inReadersWords(lot, language)),
  };
}

/** To print, or to show on a phone: its QR code leads the seller to the page of the gate. */
function slip({ knex, pages }: CollectionPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: `${PATH}/{collection}`,
    operationId: 'collectionPage',
    summary: 'The slip for collecting, with its code',
    params: Type.Object({ collection: Id }),
    handle: (request) =>
      pages.forSignedIn(request, async (who) => {
        const found = await readCollection(knex, { id: request.params.collection });
        if (found?.row.user_id !== who.userId) throw notFound('There is no such collection.');
        const gate = `${request.baseUrl}/seller/collections/${found.row.code}`;
        const qrCode = await drawQrCode(gate, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
        const seller = await sellerOf(knex, found.row.auction_id);
        const data = { ...inWordsOf(found, languageOf(request)), qrCode, seller };
        return pages.html(request, {
          title: ['Collection {0}', found.row.code],
          template: 'account/collection',
          data,
        });
      }),
  });
}

async function sellerOf(knex: Knex, auctionId: number): Promise<string | null> {
  const row = await knex('auctions as a')
    .join('teams as t', 't.id', 'a.team_id')
    .where('a.id', auctionId)
    .first<{ name: string } | undefined>('t.name');
  return row?.name ?? null;
}
