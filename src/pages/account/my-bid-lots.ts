/**
 * The lots that somebody has bid on, the newest bid first, each with their standing on it now: one row for a lot,
 * however many bids.
 */
import type { Knex } from 'knex';
import { readPrepared } from '../../../adapters/postgres/prepared.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { decodeSnapshot, lotView } from '../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { shownUnits } from '../../../engine/lot/units.ts';
import { formatCents } from '../../../engine/money.ts';
import { isoFromUs } from '../../../engine/time.ts';
import { STANDING_SQL, type Standing, standingOf } from '../../bidding/bids/my-standing.ts';
import { readOutcomes, type SaleOutcome } from '../../bidding/records/sale-outcomes.ts';
import { type MediaItem, mediaSql } from '../../catalog/media-presentation.ts';
import { perUnitText } from '../../shared/lot-units.ts';
import { type Picture, pictureOf } from '../components/lot-card.ts';

export interface MyLot {
  readonly lotId: number;
  readonly lotNumber: number;
  readonly title: string;
  readonly auction: { readonly title: string; readonly slug: string };
  readonly currency: string;
  readonly picture: Picture | null;
  readonly standing: Standing;
  readonly isOpen: boolean;
  /** The floor closes it, whatever its end says. */
  readonly isOnFloor: boolean;
  readonly price: string;
  /** What the price is for, where that is not the lot. */
  readonly per: string;
  /** The highest that they let us bid, while they lead. */
  readonly maxAmount: string | null;
  readonly endTime: string;
  /** Their newest bid on it. */
  readonly bidId: string | null;
  readonly invoice: { readonly number: string; readonly status: string } | null;
}

interface Row {
  readonly type: 'timed' | 'simulcast';
  readonly lot_id: number;
  readonly auction_id: number;
  readonly lot_number: number;
  readonly title: string;
  readonly auction_title: string;
  readonly slug: string;
  readonly currency: string;
  readonly media: MediaItem[];
  readonly snapshot: string;
  readonly bid_id: string | null;
  readonly invoice_number: string | null;
  readonly invoice_status: string | null;
}

export async function readMyLots(
  parts: { readonly knex: Knex; readonly journal: Pick<Journal, 'load'> },
  userId: number,
  {
    standing,
    page,
    perPage,
  }: { readonly standing: Standing | null; readonly page: number; readonly perPage: number },
): Promise<{ rows: MyLot[]; total: number }> {
  const { knex, journal } = parts;
  const filter = standing === null ? 'true' : STANDING_SQL[standing].replaceAll(':userId', '$1');
  const bids =
    '(SELECT lot_id, max(placed_at) AS newest FROM bids WHERE user_id = $1::bigint GROUP BY lot_id) b';
  const lotsOf = `JOIN lots l ON l.id = b.lot_id JOIN auctions a ON a.id = l.auction_id
    JOIN lot_states s ON s.lot_id = l.id`;
  const counted = await readPrepared<{ total: string }>(knex, {
    text: `SELECT count(*) AS total FROM ${bids} ${lotsOf} WHERE ${filter}`,
    values: [userId],
  });
  const rows = await readPrepared<Row>(knex, {
    text: `SELECT l.id AS lot_id, l.auction_id, l.lot_number, l.title, a.title AS auction_title, a.slug, a.type, a.currency,
       s.snapshot,
       (SELECT bid_id FROM bids WHERE lot_id = l.id AND user_id = $1::bigint ORDER BY sequence DESC LIMIT 1) AS bid_id,
       ${mediaSql('lot_id', 'l.id', "''")} AS media, i.invoice_number, i.status AS invoice_status
     FROM ${bids} ${lotsOf} LEFT JOIN LATERAL (SELECT invoice_number, status FROM invoices
       WHERE lot_id = l.id AND user_id = $1::bigint AND kind = 'winner' AND status <> 'voided'
       ORDER BY id DESC LIMIT 1) i ON true
     WHERE ${filter} ORDER BY b.newest DESC, l.id LIMIT $2::bigint OFFSET $3::bigint`,
    values: [userId, perPage, (page - 1) * perPage],
  });
  const outcomes = await readOutcomes(
    knex,
    userId,
    rows.map((row) => row.lot_id),
  );
  const lots = await Promise.all(
    rows.map(async (row) => {
      const live = await journal.load(row.auction_id, row.lot_id).catch(() => null);
      const state = live ?? decodeSnapshot(row.snapshot);
      return present(row, state, userId, outcomes.get(row.lot_id) ?? null);
    }),
  );
  return { rows: lots, total: Number(counted[0]?.total ?? 0) };
}

function present(row: Row, state: LotState, userId: number, outcome: SaleOutcome | null): MyLot {
  const view = lotView(state, {
    viewer: userKey(userId),
    increments: DEFAULT_INCREMENTS,
    nowUs: state.recordedAtUs,
  });
  const ceilingCents = view.own?.ceilingCents ?? null;
  return {
    lotId: row.lot_id,
    lotNumber: row.lot_number,
    title: row.title,
    auction: { title: row.auction_title, slug: row.slug },
    currency: row.currency,
    picture: pictureOf(row.media),
    standing: standingOf(state, userId, outcome),
    isOpen: isOpen(state),
    isOnFloor: row.type === 'simulcast',
    price: formatCents(state.hammerCents ?? state.currentCents, state.decimals),
    per: state.hammerCents === null ? perUnitText(shownUnits(state.units)) : '',
    maxAmount: ceilingCents !== null && isOpen(state) ? formatCents(ceilingCents, state.decimals) : null,
    endTime: isoFromUs(state.endsAtUs),
    bidId: row.bid_id,
    invoice:
      row.invoice_number === null ? null : { number: row.invoice_number, status: row.invoice_status ?? '' },
  };
}
