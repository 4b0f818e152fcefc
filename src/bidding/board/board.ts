/**
 * Somebody's board for the evening of a sale: the lots that they bid on or watch, what ends next first, each with
 * where they stand by its journal; and what they would pay. Lots that are over come after them, in pages.
 */
import type { Knex } from 'knex';
import { readPrepared } from '../../../adapters/postgres/prepared.ts';
import type { LogTail } from '../../../adapters/redis/log-tail.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { houseIncrements } from '../../../engine/auction/increments.ts';
import { decodeSnapshot, shownHead } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { approvedTaxNumberSql } from '../../accounts/tax-numbers/tax-numbers.ts';
import type { Language } from '../../shared/language.ts';
import type { SaleTermColumns } from '../../shared/sale-terms.ts';
import { OPEN_LOT_SQL, OVER_LOT_SQL } from '../../shared/statuses/lot-statuses.ts';
import { type Translations, titlesSql } from '../../shared/translations.ts';
import { seesLotSql } from '../../shared/visibility/visibility-sql.ts';
import { type FreshBid, freshBidsOf } from '../bids/shard-tails.ts';
import { premiumTermsOf } from '../records/auction-rows.ts';
import { readOutcomes, type SaleOutcome } from '../records/sale-outcomes.ts';
import { onLotSql } from '../records/sale-units.ts';
import { type BoardPosition, type BoardViewer, boardPosition } from './board-position.ts';

/** Those that end first. */
const MAX_BOARD_LOTS = 200;

/** A lot of the board as Postgres has it. */
export interface BoardLot {
  readonly lot_id: number;
  readonly auction_id: number;
  readonly lot_number: number;
  readonly close_group: string | null;
  readonly title: string;
  readonly language: Language | null;
  readonly translations: Translations;
  readonly slug: string;
  readonly auction_title: string;
  readonly auction_translations: Translations;
  readonly auction_slug: string;
  readonly type: 'timed' | 'simulcast';
  readonly currency: string;
  readonly buyer_premium_bps: number;
  readonly premium_bands: SaleTermColumns['premium_bands'];
  readonly online_surcharge_bps: number;
  readonly sales_tax_ppm: number;
  readonly increments: readonly { readonly from_cents: number; readonly increment_cents: number }[] | null;
  readonly is_watched: boolean;
  readonly is_own: boolean;
  /** The newest bid of theirs that stands. */
  readonly bid_id: string | null;
  /** The highest maximum of theirs that stands, in the smallest unit; null: none, or only together with other lots. */
  readonly own_ceiling_cents: number | null;
  readonly snapshot: string | null;
  /** Whose journal it is in: its own, but where it is sold with others. */
  readonly journal_id: number;
}

export interface BoardRow extends BoardPosition {
  readonly lot: BoardLot;
  readonly state: LotState;
}

/** What somebody would pay in one currency, in its smallest unit. */
export interface BoardSum {
  readonly currency: string;
  readonly nowCents: number;
  readonly atMostCents: number;
}

export interface Board {
  /** What ends next first. */
  readonly open: readonly BoardRow[];
  /** What ended last first: one page. */
  readonly ended: readonly BoardRow[];
  readonly endedTotal: number;
  /** In the order of the open lots; empty where none of them is led. */
  readonly sums: readonly BoardSum[];
  /** The journal cannot be read: lots are as they were projected. */
  readonly stale: boolean;
}

export interface BoardParts {
  readonly knex: Knex;
  readonly journal: Pick<Journal, 'load' | 'nowUs'>;
  readonly tail: LogTail;
}

/**
 * `page` is that of the lots that are over, from 1. A bid that was acknowledged is in the very next board, whether
 * Postgres has it yet or not.
 */
export async function readBoard(
  parts: BoardParts,
  userId: number,
  { page, perPage }: { page: number; perPage: number },
): Promise<Board> {
  const fresh = await freshBidsOf(parts, userId);
  const [openLots, endedLots, endedTotal] = await Promise.all([
    readOpenLots(parts.knex, userId, fresh),
    readLots(parts.knex, userId, {
      fresh,
      where: `l.status IN ${OVER_LOT_SQL}`,
      order: 'l.closed_at DESC NULLS LAST, l.id DESC',
      limit: perPage,
      offset: (page - 1) * perPage,
    }),
    countLots(parts.knex, userId),
  ]);
  // A lot that closes between the two reads is in both.
  const known = new Set(openLots.map(({ lot_id }) => lot_id));
  const all = [...openLots, ...endedLots.filter(({ lot_id }) => !known.has(lot_id))];
  const [live, outcomes] = await Promise.all([
    readStates(parts, all),
    readOutcomes(
      parts.knex,
      userId,
      all.map(({ lot_id }) => lot_id),
    ),
  ]);
  const rows = all.flatMap((lot): BoardRow[] => {
    const state = live.states.get(lot.lot_id);
    if (state === undefined) return [];
    const viewer = viewerOf(lot, userId, {
      outcome: outcomes.get(lot.lot_id) ?? null,
      nowUs: parts.journal.nowUs(),
    });
    return [{ lot, state, ...boardPosition(state, viewer) }];
  });
  const open = rows.filter((row) => row.isOpen).sort(endingFirst);
  // What has closed a moment ago is not in the page of those that Postgres knows to be over.
  const ended = rows.filter((row) => !row.isOpen && (page === 1 || endedLots.includes(row.lot)));
  return { open, ended: ended.sort(endedLast), endedTotal, sums: sumsOf(open), stale: live.stale };
}

/** The open lots of the board, without their states: what the account's stream follows. */
export async function readBoardLots({ knex, tail }: Pick<BoardParts, 'knex' | 'tail'>, userId: number) {
  return readOpenLots(knex, userId, await freshBidsOf({ knex, tail }, userId));
}

function readOpenLots(knex: Knex, userId: number, fresh: LotsWanted['fresh']): Promise<BoardLot[]> {
  return readLots(knex, userId, {
    fresh,
    where: `l.status IN ${OPEN_LOT_SQL}`,
    order: 'coalesce(l.live_end_time, a.end_time), l.id',
    limit: MAX_BOARD_LOTS,
    offset: 0,
  });
}

/** How somebody looks at a lot of their board. */
export function viewerOf(
  lot: BoardLot,
  userId: number,
  now: { readonly outcome: SaleOutcome | null; readonly nowUs: number },
): BoardViewer {
  const bands = lot.increments?.map((band) => ({
    fromCents: band.from_cents,
    incrementCents: band.increment_cents,
  }));
  return {
    userId,
    hasBid: lot.bid_id !== null,
    mostCents: lot.own_ceiling_cents,
    mayBid: !lot.is_own,
    increments: bands ?? houseIncrements(lot.currency),
    terms: { ...premiumTermsOf(lot), taxPpm: lot.sales_tax_ppm },
    outcome: now.outcome,
    nowUs: now.nowUs,
  };
}

/** What somebody would pay, by currency. */
function sumsOf(rows: readonly BoardRow[]): BoardSum[] {
  const sums = new Map<string, BoardSum>();
  for (const { lot, nowCents, atMostCents } of rows) {
    if (atMostCents === 0) continue;
    const { currency } = lot;
    const sum = sums.get(currency) ?? { currency, nowCents: 0, atMostCents: 0 };
    sums.set(currency, {
      currency,
      nowCents: sum.nowCents + nowCents,
      atMostCents: sum.atMostCents + atMostCents,
    });
  }
  return [...sums.values()];
}

const endingFirst = (a: BoardRow, b: BoardRow) =>
  a.state.endsAtUs - b.state.endsAtUs || a.state.lotId - b.state.lotId;
const endedLast = (a: BoardRow, b: BoardRow) =>
  shownHead(b.state).recordedAtUs - shownHead(a.state).recordedAtUs || b.state.lotId - a.state.lotId;

/** The lots of one person: bid on, or watched and still to be seen. */
const MINE = `SELECT lot_id FROM bids WHERE user_id = $1::bigint AND lot_ids IS NULL
    UNION SELECT named::bigint FROM bids, jsonb_array_elements_text(lot_ids) named WHERE user_id = $1::bigint
    UNION SELECT lot_id FROM watchlist WHERE user_id = $1::bigint`;
const THEIRS = `m JOIN lots l ON l.id = m.lot_id JOIN auctions a ON a.id = l.auction_id`;
const SEEN = seesLotSql('$1::bigint');

interface LotsWanted {
  readonly fresh: ReadonlyMap<number, FreshBid>;
  readonly where: string;
  readonly order: string;
  readonly limit: number;
  readonly offset: number;
}

async function readLots(
  knex: Knex,
  userId: number,
  { fresh, where, order, limit, offset }: LotsWanted,
): Promise<BoardLot[]> {
  const lots = await readPrepared<BoardLot>(knex, {
    text: `SELECT l.id AS lot_id, l.auction_id, l.lot_number, l.close_group, l.title, l.slug, a.title AS auction_title,
        a.language, ${titlesSql('l')} AS translations, ${titlesSql('a')} AS auction_translations,
        a.slug AS auction_slug, a.type, a.currency, a.buyer_premium_bps, a.premium_bands,
        a.online_surcharge_bps, a.increments, s.snapshot, coalesce(l.host_id, l.id) AS journal_id,
        CASE WHEN ${approvedTaxNumberSql('$1::bigint')} IS NULL THEN a.sales_tax_ppm ELSE 0 END AS sales_tax_ppm,
        EXISTS (SELECT FROM watchlist w WHERE w.lot_id = l.id AND w.user_id = $1::bigint) AS is_watched,
        EXISTS (SELECT FROM memberships o WHERE o.team_id = a.team_id AND o.user_id = $1::bigint) AS is_own,
        (SELECT bid_id FROM bids b WHERE ${onLotSql('b', 'l')} AND b.user_id = $1::bigint AND NOT b.voided
          ORDER BY sequence DESC LIMIT 1) AS bid_id,
        (SELECT max(ceiling_cents) FROM bids b
          WHERE b.lot_id = l.id AND b.lot_ids IS NULL AND b.user_id = $1::bigint AND NOT b.voided) AS own_ceiling_cents
      FROM (${MINE} UNION SELECT unnest($4::bigint[])) ${THEIRS} LEFT JOIN lot_states s ON s.lot_id = l.id
      WHERE ${where} AND ${SEEN} ORDER BY ${order} LIMIT $2::bigint OFFSET $3::bigint`,
    values: [userId, limit, offset, [...fresh.keys()]],
  });
  return lots.map((lot) => withFresh(lot, fresh.get(lot.lot_id)));
}

function withFresh(lot: BoardLot, bid: FreshBid | undefined): BoardLot {
  if (bid === undefined) return lot;
  const known = lot.own_ceiling_cents;
  const most = bid.ceilingCents === null ? known : Math.max(known ?? 0, bid.ceilingCents);
  return { ...lot, bid_id: bid.bidId, own_ceiling_cents: most };
}

async function countLots(knex: Knex, userId: number): Promise<number> {
  const rows = await readPrepared<{ total: string }>(knex, {
    text: `SELECT count(*) AS total FROM (${MINE}) ${THEIRS} WHERE l.status IN ${OVER_LOT_SQL} AND ${SEEN}`,
    values: [userId],
  });
  return Number(rows[0]?.total ?? 0);
}

/** Live states; those that the journal does not have, or cannot give, as they were projected. */
async function readStates({ journal }: BoardParts, lots: readonly BoardLot[]) {
  const states = new Map<number, LotState>();
  let stale = false;
  await Promise.all(
    lots.map(async (lot) => {
      const live = await journal.load(lot.auction_id, lot.lot_id).catch(() => {
        stale = true;
        return null;
      });
      if (live !== null) states.set(lot.lot_id, live);
      else if (lot.snapshot !== null) states.set(lot.lot_id, decodeSnapshot(lot.snapshot));
    }),
  );
  return { states, stale };
}
