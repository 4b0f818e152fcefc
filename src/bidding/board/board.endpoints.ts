/** `GET /me/board`: the lots that the caller bids on and watches, as they need them on the evening of a sale. */
import { Type } from '@sinclair/typebox';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listMeta, success } from '../../../adapters/http/envelope.ts';
import { decimalsOf, formatTotal } from '../../../engine/money.ts';
import { MOVED_BY_CLOCK, oneOf, orNull, Time } from '../../shared/fields.schema.ts';
import { listBody, page } from '../../shared/paging/page.schema.ts';
import { type BoardParts, type BoardRow, readBoard } from './board.ts';
import { BOARD_STANDINGS, ENDED_STANDINGS } from './board-position.ts';
import { boardMove } from './board-text.ts';

const ENDED_PER_PAGE = 20;

const Row = Type.Object(
  {
    lot_id: Type.Integer(),
    lot_number: Type.Integer(),
    close_group: orNull(Type.String(), {
      description: 'Lots of the auction with the same one close together.',
    }),
    title: Type.String(),
    auction: Type.Object({ id: Type.Integer(), title: Type.String(), slug: Type.String() }),
    currency: Type.String(),
    status: Type.String(),
    standing: oneOf([...BOARD_STANDINGS, ...ENDED_STANDINGS], {
      description:
        'While the lot is open `leading`, `outbid`, `watching` or `reserve_not_met` (leads below the reserve); then ' +
        '`won`, `lost`, `not_sold`, `defaulted` (won and did not pay), or `sold` where it was only watched.',
    }),
    sequence: Type.Integer({ description: 'Of the lot’s journal: a row with a higher one is newer.' }),
    bid_count: orNull(Type.Integer(), { description: 'Null while bids are sealed.' }),
    current_bid: orNull(Type.String(), {
      description:
        'The hammer price once the lot is sold; 0 before the first bid; null while bids are sealed.',
    }),
    minimum_next_bid: Type.String(),
    next_amount: orNull(Type.String(), {
      description:
        'The least `max_amount` that helps the caller: the minimum next bid or, for who leads, a step above their ' +
        'maximum. Null where they cannot bid now.',
    }),
    max_amount: orNull(Type.String(), {
      description: 'The caller’s own maximum while the lot is open: what they lead with, or what was outbid.',
    }),
    start_time: Time,
    end_time: Time,
    is_watched: Type.Boolean(),
    total_now: Type.String({
      description:
        'What they would pay with premium and tax, were it over now. Of lots that are sold together it is for all, ' +
        'and stands beside the first on which they lead, as `total_at_most` does; 0 beside the others.',
    }),
    total_at_most: Type.String({ description: 'The same at their maximum.' }),
    next_price: MOVED_BY_CLOCK.next_price,
    next_price_at: MOVED_BY_CLOCK.next_price_at,
  },
  { $id: 'BoardRow' },
);

const Board = Type.Object({
  open: Type.Array(Row, { description: 'What ends next first; at most 200.' }),
  ended: Type.Array(Row, { description: 'One page, what ended last first.' }),
  totals: Type.Array(Type.Object({ currency: Type.String(), now: Type.String(), at_most: Type.String() }), {
    description: 'What the caller would pay for the lots that they lead, with premium and tax.',
  }),
});

export function boardEndpoints(parts: BoardParts): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/me/board',
      operationId: 'readBoard',
      summary: 'The lots that the caller bids on or watches, what ends next first',
      description:
        'Pages are those of the lots that are over. `totals` says for each currency what the caller would pay if ' +
        'every lot that they lead were over now, and at most. A bid is placed with `next_amount` as `max_amount`.',
      tags: ['Bidding'],
      access: { kind: 'ability', ability: 'read' },
      query: Type.Object({ page }),
      responses: {
        200: {
          description: 'The board.',
          schema: Type.Object({ ...listBody(Row).properties, data: Board }),
        },
      },
      async handle({ query, principal }) {
        const paging = { page: query.page, perPage: ENDED_PER_PAGE };
        const board = await readBoard(parts, principal.userId, paging);
        const totals = board.sums.map(({ currency, nowCents, atMostCents }) => ({
          currency,
          now: formatTotal(BigInt(nowCents), decimalsOf(currency)),
          at_most: formatTotal(BigInt(atMostCents), decimalsOf(currency)),
        }));
        const data = { open: board.open.map(rowOf), ended: board.ended.map(rowOf), totals };
        const stale = board.stale ? { stale: true } : {};
        return success(data, { meta: { ...listMeta({ ...paging, total: board.endedTotal }), ...stale } });
      },
    }),
  ];
}

function rowOf({ lot, state, ...position }: BoardRow) {
  return {
    ...boardMove(state, position),
    lot_number: lot.lot_number,
    close_group: lot.close_group,
    title: lot.title,
    auction: { id: lot.auction_id, title: lot.auction_title, slug: lot.auction_slug },
    currency: lot.currency,
    is_watched: lot.is_watched,
  };
}
