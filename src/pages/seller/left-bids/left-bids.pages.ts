/**
 * `/seller/auctions/{id}/left-bids`: absentee and telephone bids of a saleroom's sale, entered before it line by line;
 * the clerk's console plays them.
 */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint, type Reply } from '../../../../adapters/http/endpoint.ts';
import { objectIn, objectsIn } from '../../../../engine/objects.ts';
import { holdersOf } from '../../../bidding/saleroom/paddles.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { notFound } from '../../../shared/refusal.ts';
import { OPEN_LOTS } from '../../../shared/statuses/lot-statuses.ts';
import { PageNumber } from '../../lists.ts';
import { languageOf, PAGE } from '../../page.ts';
import { attempt, TextForm, textsIn } from '../forms/desk-form.ts';
import type { FormTexts } from '../forms/form-values.ts';
import { auctionAt, type Desk, type SellersAuction, type Visit } from '../frame/desk.ts';
import { type LeftBidLine, leftBidLines } from './left-bid-lines.ts';

const PATH = '/seller/auctions/{id}/left-bids';
const Params = Type.Object({ id: Id });
const PER_PAGE = 100;

export function leftBidPages(desk: Desk): Endpoint[] {
  return [page(desk), enter(desk), remove(desk)];
}

const pathOf = ({ id }: SellersAuction): string => `/seller/auctions/${id}/left-bids`;

/** Throws 404. */
async function saleAt(visit: Visit, id: number): Promise<SellersAuction> {
  const auction = await auctionAt(visit, id);
  if (auction.type !== 'simulcast') throw notFound('This auction has no saleroom: it is timed.');
  return auction;
}

interface Wrong {
  /** Null: it is about no line. */
  readonly of: LeftBidLine | null;
  readonly sentence: string;
}

interface Drawn {
  readonly page?: number;
  readonly texts?: FormTexts;
  readonly status?: number;
  readonly wrong?: readonly Wrong[];
}

async function draw(
  desk: Desk,
  visit: Visit,
  auction: SellersAuction,
  { page: wanted = 1, texts = {}, status = 200, wrong = [] }: Drawn,
): Promise<Reply> {
  const query = { page: wanted, per_page: PER_PAGE };
  const { data, meta } = await visit.perform('listLeftBids', { params: { id: auction.id }, query });
  const bids = objectsIn(data);
  const paddles = bids.map((bid) => String(bid['paddle']));
  const [titles, holders] = await Promise.all([
    lotTitles(desk, bids),
    holdersOf(desk.knex, auction.id, paddles),
  ]);
  const paging = objectIn(meta);
  return desk.html(visit, {
    title: ['Left bids: {0}', auction.title],
    template: 'seller/left-bids/left-bids',
    status,
    data: {
      ...{
        auction,
        texts,
        bids,
        titles,
        holders,
        address: pathOf(auction),
        wrong,
        page: wanted,
        pagerQuery: '',
      },
      lastPage: Number(paging['last_page'] ?? 1),
    },
  });
}

function page(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: PATH,
    operationId: 'leftBidsPage',
    summary: 'Absentee and telephone bids of a sale',
    params: Params,
    query: Type.Object({ page: PageNumber }),
    handle: (request) =>
      desk.at(request, async (visit) =>
        draw(desk, visit, await saleAt(visit, request.params.id), { page: request.query.page }),
      ),
  });
}

function enter(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: PATH,
    operationId: 'leaveBidsOnPage',
    summary: 'Enters absentee and telephone bids',
    params: Params,
    body: { form: TextForm },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const { id } = request.params;
        const auction = await saleAt(visit, id);
        const texts = textsIn(request.body);
        const { absentee = '', phones = '' } = texts;
        const lines = leftBidLines({ absentee, phones }, languageOf(request));
        const lots = await lotIds(desk, id);
        if (lines.length === 0) {
          const wrong = [{ of: null, sentence: 'Enter a line for each bid.' }];
          return draw(desk, visit, auction, { texts, status: 422, wrong });
        }
        const bids = lines.map(({ lot, bid }) => ({ ...bid, lot_id: lots.get(lot.toUpperCase()) ?? NO_LOT }));
        const tried = await attempt(desk, () =>
          visit.perform('leaveBids', { params: { id }, body: { bids } }),
        );
        if (!('refused' in tried)) return desk.go(pathOf(auction));
        const { status, errors } = tried.refused;
        return draw(desk, visit, auction, { texts, status, wrong: wrongLines(errors, lines, lots) });
      }),
  });
}

/** An id that no lot has: a bid on none is refused as others are, and all that is wrong is said at once. */
const NO_LOT = Number.MAX_SAFE_INTEGER;

/** What is wrong with a line whatever the others are; null: nothing is known of it here. */
function wrongByItself({ field, lot }: LeftBidLine, lots: ReadonlyMap<string, number>): string | null {
  if (lot === '')
    return field === 'absentee'
      ? 'A line is a paddle, a lot and a maximum, with commas between them.'
      : 'A line is a paddle, a lot and a number, with commas between them.';
  return lots.has(lot.toUpperCase()) ? null : 'The auction has no such lot that is still open.';
}

type Bids = readonly Readonly<Record<string, unknown>>[];

/** What the bids' lots are called, by id. */
async function lotTitles(desk: Desk, bids: Bids): Promise<Readonly<Record<number, string>>> {
  const rows = await desk
    .knex('lots')
    .whereIn(
      'id',
      bids.map((bid) => Number(bid['lot_id'])),
    )
    .select<{ id: number; title: string }[]>('id', 'title');
  return Object.fromEntries(rows.map(({ id, title }) => [id, title]));
}

/**
 * What is wrong with the bids, line by line. What the schema refuses is judged before the lots are, so that a line
 * which names none is found here, and all that is wrong is said at once.
 */
function wrongLines(
  errors: Readonly<Record<string, readonly string[]>>,
  lines: readonly LeftBidLine[],
  lots: ReadonlyMap<string, number>,
): Wrong[] {
  const inWords = Object.entries(errors).map(([field, sentences]) => ({
    of: lines[Number(/^bids\.([0-9]+)\./.exec(field)?.[1])] ?? null,
    sentence: sentences.join(' '),
  }));
  return [null, ...lines].flatMap((line) => {
    const own = line === null ? null : wrongByItself(line, lots);
    return own === null ? inWords.filter(({ of }) => of === line) : [{ of: line, sentence: own }];
  });
}

/** The open lots by what people call them: `12A`, `7`. */
async function lotIds(desk: Desk, auctionId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await desk
    .knex('lots')
    .where('auction_id', auctionId)
    .whereIn('status', [...OPEN_LOTS])
    .select<{ id: number; lot_number: number; catalog_number: string | null }[]>(
      'id',
      'lot_number',
      'catalog_number',
    );
  return new Map(rows.map((one) => [(one.catalog_number ?? String(one.lot_number)).toUpperCase(), one.id]));
}

function remove(desk: Desk): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'POST',
    path: `${PATH}/{left_bid}/remove`,
    operationId: 'removeLeftBidOnPage',
    summary: 'Removes a bid that was left',
    params: Type.Object({ id: Id, left_bid: Id }),
    body: { form: Type.Object({}) },
    handle: (request) =>
      desk.at(request, async (visit) => {
        const auction = await saleAt(visit, request.params.id);
        await visit.perform('removeLeftBid', { params: request.params });
        return desk.go(pathOf(auction));
      }),
  });
}
