/**
 * The board of the clerk's console: the lot on the block, or all tracts of a sale, and what the clerk can do. Drawn by
 * the saleroom's pages, whole or, for their script, alone.
 */
import { randomUUID } from 'node:crypto';
import type { Reply } from '../../../../adapters/http/endpoint.ts';
import { type ConsoleParts, readConsole } from '../../../bidding/saleroom/console.ts';
import { type NextLot, readNextLots } from '../../../bidding/saleroom/next-lots.ts';
import { mediaUrl } from '../../../catalog/media-presentation.ts';
import { sellsTogether } from '../../../shared/format-fields.ts';
import { OFFERED_LOTS } from '../../../shared/statuses/lot-statuses.ts';
import type { Desk, SellersAuction, Visit } from '../frame/desk.ts';
import { drawTracts, type TypedCall } from './tracts-console.ts';

export interface SaleroomParts {
  readonly desk: Desk;
  readonly clerk: ConsoleParts;
}

/** The keys of the next calls, the lowest first: under the left hand, while the right one types paddles. */
const CALL_KEYS = ['Q', 'W', 'E', 'R', 'T'] as const;

export interface Outcome {
  readonly said: string | null;
  readonly status: number;
  /** What was typed of a call that is not taken yet. */
  readonly typed?: TypedCall;
}

/** The console as it is now, with what came of a form. Throws the journal's faults. */
export async function draw(
  { desk, clerk }: SaleroomParts,
  visit: Visit,
  auction: SellersAuction,
  outcome: Outcome,
): Promise<Reply> {
  const { said, status } = outcome;
  if (sellsTogether(auction.format)) return drawTracts({ desk, clerk }, visit, auction, outcome);
  const [board, lots] = await Promise.all([
    readConsole(clerk, auction.id),
    desk
      .knex('lots')
      .where('auction_id', auction.id)
      .whereIn('status', [...OFFERED_LOTS])
      .orderBy('lot_number')
      .limit(500)
      .select('id', 'lot_number', 'catalog_number', 'title', 'status'),
  ]);
  const isFragment = visit.request.headers['x-fragment'] === 'board';
  return desk.html(visit, {
    title: `Saleroom: ${auction.title}`,
    template: isFragment ? 'seller/saleroom/board' : 'seller/saleroom/saleroom',
    status,
    data: {
      ...{ auction, board, lots, said },
      next: board === null ? [] : (await readNextLots(desk.knex, auction.id, board.id)).map(withPicture),
      thumbnail: mediaUrl('', board?.thumbKey ?? null),
      callKeys: CALL_KEYS,
      callId: randomUUID(),
      modules: ['saleroom.js'],
    },
  });
}

const withPicture = (lot: NextLot) => ({ ...lot, thumbnail: mediaUrl('', lot.thumb_key) });
