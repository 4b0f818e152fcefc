/**
 * `/account/board`: what somebody bids on and watches, for the evening of a sale. One list, what ends next first, with
 * one button for the next amount on every row; it works without the script, which keeps it true.
 */
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { lastPageOf } from '../../../adapters/http/envelope.ts';
import { shownUnits } from '../../../engine/lot/units.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { type Board, type BoardParts, type BoardRow, readBoard } from '../../bidding/board/board.ts';
import { boardMove } from '../../bidding/board/board-text.ts';
import { Id, oneOf } from '../../shared/fields.schema.ts';
import type { Language } from '../../shared/language.ts';
import { perUnitText } from '../../shared/lot-units.ts';
import { inReadersWords } from '../../shared/translations.ts';
import type { Picture } from '../components/lot-card.ts';
import { readPictures } from '../components/lot-pictures.ts';
import { PageNumber } from '../lists.ts';
import { languageOf, PAGE, type Pages } from '../page.ts';
import { readPayable } from './checkouts.pages.ts';

export interface BoardPageParts extends BoardParts {
  readonly pages: Pages;
}

const BOARD = '/account/board';
const ENDED_PER_PAGE = 20;

export function boardPages(parts: BoardPageParts): Endpoint[] {
  const former = ['/account', '/account/bids', '/account/watchlist'].map((path, n) =>
    leadThere(parts, path, n),
  );
  return [boardPage(parts), ...former];
}

function boardPage(parts: BoardPageParts): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path: BOARD,
    operationId: 'boardPage',
    summary: 'The lots that the session’s user bids on and watches',
    query: Type.Object({
      page: PageNumber,
      bid: Type.Optional(oneOf(PLACED)),
      lot: Type.Optional(Id),
    }),
    handle: (request) =>
      parts.pages.forSignedIn(request, async ({ userId }) => {
        const { page, bid, lot: justBid = null } = request.query;
        const language = languageOf(request);
        const board = await readBoard(parts, userId, { page, perPage: ENDED_PER_PAGE });
        const shown = [...board.open, ...board.ended];
        const lotIds = shown.map(({ lot }) => lot.lot_id);
        const [pictures, invoices, grouped, payable] = await Promise.all([
          readPictures(parts.knex, lotIds),
          readInvoices(parts.knex, userId, lotIds),
          readGrouped(parts.knex, userId, lotIds),
          readPayable(parts.knex, userId),
        ]);
        const extras = { pictures, invoices, grouped };
        const data = {
          open: board.open.map((row) => shownRow(row, extras, language)),
          ended: board.ended.map((row) => shownRow(row, extras, language)),
          sums: board.sums,
          payable,
          stale: board.stale,
          page,
          lastPage: lastPageOf({ perPage: ENDED_PER_PAGE, total: board.endedTotal }),
          notice: placedNotice(board, bid, justBid),
          modules: ['board.js', 'push.js'],
        };
        return parts.pages.html(request, { title: 'My bids and watchlist', template: 'account/board', data });
      }),
  });
}

/** Where bids and watched lots were before they were one list. */
function leadThere({ pages }: BoardPageParts, path: string, n: number): Endpoint {
  return endpoint({
    ...PAGE,
    method: 'GET',
    path,
    operationId: `boardPage${n + 2}`,
    summary: 'Leads to the board',
    handle: (request) => pages.forSignedIn(request, () => pages.go(BOARD)),
  });
}

const PLACED = ['leading', 'outbid', 'max_raised', 'won'] as const;

const SAID: Readonly<Record<(typeof PLACED)[number], { kind: 'good' | 'bad'; text: string }>> = {
  leading: { kind: 'good', text: 'You lead' },
  max_raised: { kind: 'good', text: 'Your maximum was raised' },
  won: { kind: 'good', text: 'You have bought' },
  outbid: { kind: 'bad', text: 'You were outbid at once by an earlier maximum' },
};

/** What the bid that led here came to. */
function placedNotice({ open }: Board, bid: (typeof PLACED)[number] | undefined, lotId: number | null) {
  const row = open.find(({ lot }) => lot.lot_id === lotId);
  if (bid === undefined || row === undefined) return null;
  const { kind, text } = SAID[bid];
  return { kind, text: `${text}: ${row.lot.title}.` };
}

interface Extras {
  readonly pictures: ReadonlyMap<number, Picture | null>;
  readonly invoices: ReadonlyMap<number, BoardInvoice>;
  /** Lots on which the person's agent bids for a group. */
  readonly grouped: ReadonlySet<number>;
}

interface BoardInvoice {
  readonly number: string;
  readonly status: string;
}

function shownRow({ lot, state, ...position }: BoardRow, extras: Extras, language: Language) {
  const { pictures, invoices, grouped } = extras;
  const { nextCents, standing } = position;
  return {
    ...boardMove(state, position),
    // What was bought at once, or sold in the saleroom, is over before its end.
    endedAt: isoFromUs(Math.min(state.endsAtUs, state.recordedAtUs)),
    lot: inReadersWords(lot, language),
    auction: inReadersWords(
      { title: lot.auction_title, language: lot.language, translations: lot.auction_translations },
      language,
    ),
    isOnFloor: lot.type === 'simulcast',
    picture: pictures.get(lot.lot_id) ?? null,
    invoice: invoices.get(lot.lot_id) ?? null,
    isGrouped: grouped.has(lot.lot_id),
    per: state.hammerCents === null ? perUnitText(shownUnits(state.units)) : '',
    nowCents: position.nowCents,
    atMostCents: position.atMostCents,
    button: nextCents === null ? null : formatCents(nextCents, state.decimals),
    isConfirmed: standing === 'leading' || standing === 'reserve_not_met',
    key: randomUUID(),
  };
}

/** The newest invoice of each lot that the person won. */
async function readInvoices(
  knex: Knex,
  userId: number,
  lotIds: readonly number[],
): Promise<Extras['invoices']> {
  const rows = await knex('invoices')
    .where({ user_id: userId, kind: 'winner' })
    .whereIn('lot_id', [...lotIds])
    .whereNot('status', 'voided')
    .orderBy('id')
    .select<(BoardInvoice & { lot_id: number })[]>('lot_id', 'invoice_number as number', 'status');
  return new Map(rows.map((row) => [row.lot_id, row]));
}

/** Which of these lots are in a group of theirs that is at work. */
async function readGrouped(
  knex: Knex,
  userId: number,
  lotIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows: number[] = await knex('bid_group_lots as l')
    .join('bid_groups as g', 'g.id', 'l.group_id')
    .where({ 'g.user_id': userId, 'g.status': 'active' })
    .whereIn('l.lot_id', [...lotIds])
    .pluck('l.lot_id');
  return new Set(rows);
}
