/** What the clerk sees of bids that were left with the house: for the lot on the block, and whom to phone soon. */
import type { Knex } from 'knex';
import type { Increment } from '../../../engine/auction/increments.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { formatCents } from '../../../engine/money.ts';
import { nextOpenLots } from './block.ts';
import { readBook } from './left-bids.ts';
import { byMaximum, nextLeftBid } from './next-left-bid.ts';

export interface LeftOnBlock {
  /** The highest maximum first, of equal ones the one left first. */
  readonly absentee: readonly {
    readonly paddle: string;
    readonly maximum: string;
    /** It leads, it can still bid, or the price has passed it. */
    readonly state: 'leading' | 'in' | 'out';
  }[];
  /** What one key calls; null: nothing. */
  readonly next: { readonly paddle: string; readonly amount: string } | null;
  /** Of the lot on the block and of those that come soon. */
  readonly phones: readonly PhoneSoon[];
}

export interface PhoneSoon {
  /** 0: the lot is on the block. */
  readonly lotsAway: number;
  readonly lot: number | string;
  readonly paddle: string;
  readonly phone: string;
  readonly language: string | null;
  readonly clerk: string | null;
}

/** How many lots ahead telephone bidders are shown. */
const LOTS_AHEAD = 3;

interface Lead {
  readonly leaderPaddle: string | null;
  readonly minimumCents: number | null;
  readonly increments: readonly Increment[];
}

/** `lotIds` are those that are offered together with the lot on the block, which `state` decides for. */
export async function readLeftOnBlock(
  knex: Knex,
  state: LotState,
  lotIds: readonly number[],
  { leaderPaddle, minimumCents, increments }: Lead,
): Promise<LeftOnBlock> {
  const { auctionId, lotId, decimals } = state;
  const coming = await nextOpenLots(knex, auctionId, lotId, LOTS_AHEAD + lotIds.length);
  const ahead = coming.filter((id) => !lotIds.includes(id)).slice(0, LOTS_AHEAD);
  const book = await readBook(knex, auctionId, [...lotIds, ...ahead]);
  const away = new Map([
    ...lotIds.map((id) => [id, 0] as const),
    ...ahead.map((id, n) => [id, n + 1] as const),
  ]);
  const bids = book.flatMap(({ paddle, max_cents: maxCents, lot_id: id }) =>
    maxCents !== null && away.get(id) === 0 ? [{ paddle, maxCents }] : [],
  );
  const next =
    minimumCents === null || !isOpen(state)
      ? null
      : nextLeftBid(bids, { leaderPaddle, minimumCents, increments });
  return {
    absentee: byMaximum(bids).map(({ paddle, maxCents }) => ({
      paddle,
      maximum: formatCents(maxCents, decimals),
      state: paddle === leaderPaddle ? 'leading' : maxCents >= (minimumCents ?? Infinity) ? 'in' : 'out',
    })),
    next: next && { paddle: next.paddle, amount: formatCents(next.cents, decimals) },
    phones: book
      .flatMap((one) =>
        one.phone === null
          ? []
          : [
              {
                lotsAway: away.get(one.lot_id) ?? 0,
                lot: one.catalog_number ?? one.lot_number,
                ...{ paddle: one.paddle, phone: one.phone, language: one.language, clerk: one.clerk },
              },
            ],
      )
      .toSorted((one, other) => one.lotsAway - other.lotsAway),
  };
}
