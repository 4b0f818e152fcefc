/** What the pages of the clerk's console share: whose saleroom it is, its board, and what an action comes to. */

import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { HttpRequest, Reply } from '../../../../adapters/http/endpoint.ts';
import { decimalsOf } from '../../../../engine/money.ts';
import { readBlock } from '../../../bidding/saleroom/block.ts';
import { decidedOnBlock } from '../../../bidding/saleroom/clerk.ts';
import { type ConsoleParts, type LotOnBlock, readConsole } from '../../../bidding/saleroom/console.ts';
import { type NextLot, readNextLots } from '../../../bidding/saleroom/next-lots.ts';
import { readPaddles } from '../../../bidding/saleroom/paddles.ts';
import type { FoundLot } from '../../../bidding/simulcast/lot-finder.ts';
import { mediaUrl } from '../../../catalog/media-presentation.ts';
import { Id } from '../../../shared/fields.schema.ts';
import { sellsTogether } from '../../../shared/format-fields.ts';
import type { Language } from '../../../shared/language.ts';
import { invalidTransition, notFound, sentencesOf } from '../../../shared/refusal.ts';
import { OFFERED_LOTS } from '../../../shared/statuses/lot-statuses.ts';
import { inReadersWords, type Translations, titlesSql } from '../../../shared/translations.ts';
import { languageOf } from '../../page.ts';
import { auctionAt, type Desk, type SellersAuction, type Visit } from '../frame/desk.ts';
import { drawTracts, type TypedCall, typedIn } from './tracts-console.ts';

export interface SaleroomParts {
  readonly desk: Desk;
  readonly clerk: ConsoleParts;
}

export const PATH = '/seller/auctions/{id}/saleroom';
export const Params = Type.Object({ id: Id });
/** Text of a form's field. */
export const words = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });
/** The keys of the next calls, the lowest first: under the left hand, while the right one types paddles. */
const CALL_KEYS = ['Q', 'W', 'E', 'R', 'T'] as const;

/** Enough to see whose paddle was handed out just now, and its number. */
const NEWEST_PADDLES = 5;

/** A simulcast auction of the team. Throws 404. */
export async function saleroomAt(visit: Visit, id: number): Promise<SellersAuction> {
  const auction = await auctionAt(visit, id);
  if (auction.type !== 'simulcast') throw notFound('This auction has no saleroom: it is timed.');
  return auction;
}

/** Throws 404. */
export async function requireLotOf({ desk }: SaleroomParts, auctionId: number, lotId: number): Promise<void> {
  const row = await desk.knex('lots').where({ id: lotId, auction_id: auctionId }).first('id');
  if (row === undefined) throw notFound('There is no such lot.');
}

interface ListedLot {
  readonly id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly translations: Translations;
  readonly status: string;
}

interface Outcome {
  readonly notice: string | null;
  readonly status: number;
  /** What was typed of a call that is not taken yet. */
  readonly typed?: TypedCall;
}

/** The console, or its board alone. */
export async function draw(
  { desk, clerk }: SaleroomParts,
  visit: Visit,
  auction: SellersAuction,
  outcome: Outcome,
): Promise<Reply> {
  const { notice, status } = outcome;
  if (sellsTogether(auction.format)) return drawTracts({ desk, clerk }, visit, auction, outcome);
  const [block, paddles, lots] = await Promise.all([
    readConsole(clerk, auction.id),
    readPaddles(desk.knex, auction.id, { page: 1, perPage: NEWEST_PADDLES }),
    desk
      .knex('lots')
      .where('auction_id', auction.id)
      .whereIn('status', [...OFFERED_LOTS])
      .orderBy('lot_number')
      .limit(500)
      .select<ListedLot[]>(
        ...['id', 'lot_number', 'catalog_number', 'title', 'status'],
        // SQL: the titles of what else is said.
        desk.knex.raw(`${titlesSql('lots')} AS translations`),
      ),
  ]);
  const language = languageOf(visit.request);
  const board = block && inClerksWords(block, language);
  const isFragment = visit.request.headers['x-fragment'] === 'board';
  return desk.html(visit, {
    title: ['Saleroom: {0}', auction.title],
    template: isFragment ? 'seller/saleroom/board' : 'seller/saleroom/saleroom',
    status,
    data: {
      ...{ auction, board, notice, paddles: paddles.rows },
      lots: lots.map((lot) => inReadersWords(lot, language)),
      next:
        board === null
          ? []
          : (await readNextLots(desk.knex, auction.id, board.id)).map((lot) => withPicture(lot, language)),
      thumbnail: mediaUrl('', board?.thumbKey ?? null),
      callKeys: CALL_KEYS,
      callId: randomUUID(),
      modules: ['saleroom.js'],
    },
  });
}

const withPicture = (lot: NextLot, language: Language) => ({
  ...inReadersWords(lot, language),
  thumbnail: mediaUrl('', lot.thumb_key),
});

/** The lot on the block, and those offered with it, as the clerk's language calls them. */
function inClerksWords(board: LotOnBlock, language: Language): LotOnBlock {
  const { offer } = board;
  return {
    ...inReadersWords(board, language),
    offer: offer && { ...offer, lots: offer.lots.map((lot) => inReadersWords(lot, language)) },
  };
}

/** Does what a form of the console requests; what is refused is shown on the board. */
export function act(
  parts: SaleroomParts,
  request: HttpRequest<{ id: number }, unknown, { lot_id: number }>,
  work: (lot: FoundLot) => Promise<unknown>,
  isOnBlock = true,
): Promise<Reply> {
  const { desk } = parts;
  return desk.at(request, async (visit) => {
    const auction = await saleroomAt(visit, request.params.id);
    const lotIds = {
      auctionId: auction.id,
      lotId: request.body.lot_id,
      decimals: decimalsOf(auction.currency),
    };
    if (!isOnBlock) await requireLotOf(parts, auction.id, lotIds.lotId);
    const outcome = await (isOnBlock ? attempted(parts, lotIds, work) : outcomeOf(parts, () => work(lotIds)));
    const isFragment = request.headers['x-fragment'] === 'board';
    const typed = outcome.notice === null ? undefined : typedIn(request.body);
    if (outcome.notice === null && !isFragment) return desk.go(`/seller/auctions/${auction.id}/saleroom`);
    return draw(parts, visit, auction, typed === undefined ? outcome : { ...outcome, typed });
  });
}

function attempted(
  parts: SaleroomParts,
  lotIds: FoundLot,
  work: (lotIds: FoundLot) => Promise<unknown>,
): Promise<Outcome> {
  return outcomeOf(parts, async () => {
    const { lotId } = await readBlock(parts.clerk.knex, lotIds.auctionId);
    const onBlock = lotId === null ? null : await decidedOnBlock(parts.clerk, { ...lotIds, lotId });
    if (onBlock?.lotId !== lotIds.lotId) throw invalidTransition('Another lot is on the block now.');
    return work(lotIds);
  });
}

/** Does some work; what is refused becomes a sentence for the clerk. */
export async function outcomeOf({ desk }: SaleroomParts, work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return { notice: null, status: 200 };
  } catch (error) {
    const refusal = desk.refusalIn(error);
    return { status: refusal.status, notice: sentencesOf(refusal) };
  }
}
