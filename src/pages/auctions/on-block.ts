/**
 * The saleroom as the buyers of a simulcast auction see it: the lot on the block with the one amount that they would
 * bid next, and the lots that come after it.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Principal } from '../../../adapters/http/endpoint.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { decodeSnapshot, formatOf, lotView } from '../../../engine/formats/formats.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { shownUnits, totalOf } from '../../../engine/lot/units.ts';
import { formatCents } from '../../../engine/money.ts';
import { type BoardPosition, boardPosition } from '../../bidding/board/board-position.ts';
import { onLotSql } from '../../bidding/records/sale-units.ts';
import { nextOpenLots, readBlock } from '../../bidding/saleroom/block.ts';
import { type MediaItem, mediaSql } from '../../catalog/media-presentation.ts';
import type { Language } from '../../shared/language.ts';
import { perUnitText } from '../../shared/lot-units.ts';
import { saleAmounts } from '../../shared/sale-amounts.ts';
import { inReadersWords, titlesSql } from '../../shared/translations.ts';
import { amountInShort } from '../../shared/typed-amount.ts';
import { type Picture, pictureOf } from '../components/lot-card.ts';
import type { AuctionInFull } from './auction-in-full.ts';

interface Parts {
  readonly knex: Knex;
  readonly journal: Journal;
}

const NEXT_LOTS = 5;

/** A lot of the saleroom, as its row has it. */
interface SaleroomLot {
  readonly id: number;
  readonly lot_number: number;
  readonly catalog_number: string | null;
  readonly title: string;
  readonly starting_bid_cents: number;
  readonly has_bid: boolean;
  readonly snapshot: string | null;
  readonly picture: Picture | null;
}

/** What the page shows. Amounts with two decimals are the API's, for forms; `button` is how the button says it. */
export interface OnBlock {
  readonly lot: SaleroomLot;
  readonly position: BoardPosition;
  readonly status: LotState['status'];
  readonly sequence: number;
  readonly bidCount: number;
  readonly per: string;
  readonly isWarned: boolean;
  /** The paddle that leads, or has bought it. */
  readonly leaderPaddle: string | null;
  readonly paddle: string | null;
  readonly next: string | null;
  readonly button: string | null;
  /** With premium and tax, at that amount. */
  readonly totalCents: number;
  /** Somebody who leads is asked first: it raises their own maximum. */
  readonly isConfirmed: boolean;
  readonly key: string;
  readonly nextLots: readonly SaleroomLot[];
}

/** Null where no lot is on the block, or the journal cannot be read and never was. */
export async function readOnBlock(
  parts: Parts,
  auction: AuctionInFull,
  viewer: Principal | null,
  language: Language,
): Promise<OnBlock | null> {
  const block = await readBlock(parts.knex, auction.id);
  if (block.lotId === null) return null;
  const { lotId } = block;
  const following = await nextOpenLots(parts.knex, auction.id, lotId, NEXT_LOTS);
  const lots = await readLots(parts.knex, [lotId, ...following], viewer?.userId ?? null, language);
  const lot = lots.get(lotId);
  const live = await parts.journal.load(auction.id, lotId).catch(() => null);
  const kept = lot === undefined || lot.snapshot === null ? null : decodeSnapshot(lot.snapshot);
  const state = live ?? kept;
  if (lot === undefined || state === null) return null;
  return {
    lot,
    ...shownState(auction, lot, state, viewer, parts.journal.nowUs()),
    isWarned: block.warnedSequence === state.sequence,
    paddle: viewer === null ? null : await readPaddle(parts, auction.id, viewer.userId),
    key: randomUUID(),
    nextLots: following.flatMap((id) => lots.get(id) ?? []),
  };
}

function shownState(
  auction: AuctionInFull,
  lot: SaleroomLot,
  state: LotState,
  viewer: Principal | null,
  nowUs: number,
) {
  const { increments, terms } = auction;
  const position = boardPosition(state, {
    ...{ userId: viewer?.userId ?? 0, hasBid: lot.has_bid, mayBid: viewer !== null && !auction.isOwn },
    ...{ increments, terms, nowUs, outcome: null, mostCents: null },
  });
  const { nextCents, standing } = position;
  const view = lotView(state, { viewer: null, increments, nowUs });
  return {
    position,
    status: state.status,
    sequence: state.sequence,
    leaderPaddle: (formatOf(state).leadersOf(state)[0] ?? state.winner)?.paddle ?? null,
    bidCount: view.bidCount ?? 0,
    per: perUnitText(shownUnits(state.units)),
    next: nextCents === null ? null : formatCents(nextCents, state.decimals),
    button: nextCents === null ? null : amountInShort(nextCents, state.decimals),
    totalCents: nextCents === null ? 0 : saleAmounts(totalOf(state.units, nextCents), terms).totalCents,
    isConfirmed: standing === 'leading' || standing === 'reserve_not_met',
  };
}

async function readLots(
  knex: Knex,
  ids: readonly number[],
  userId: number | null,
  language: Language,
): Promise<Map<number, SaleroomLot>> {
  // SQL: the list of a lot's media is a statement of its own.
  const { rows } = await knex.raw<{ rows: (Omit<SaleroomLot, 'picture'> & { media: MediaItem[] })[] }>(
    `SELECT l.id, l.lot_number, l.catalog_number, l.title, a.language, ${titlesSql('l')} AS translations,
       l.starting_bid_cents, s.snapshot,
       EXISTS (SELECT FROM bids b WHERE ${onLotSql('b', 'l')} AND b.user_id = CAST(:userId AS bigint) AND NOT b.voided) AS has_bid,
       ${mediaSql('lot_id', 'l.id', "''")} AS media
     FROM lots l JOIN auctions a ON a.id = l.auction_id LEFT JOIN lot_states s ON s.lot_id = l.id
     WHERE l.id = ANY(CAST(:ids AS bigint[]))`,
    { ids: [...ids], userId },
  );
  return new Map(
    rows.map(({ media, ...lot }) => [
      lot.id,
      { ...inReadersWords(lot, language), picture: pictureOf(media) },
    ]),
  );
}

/** The paddle that the script knows the viewer's bids by; null before their first bid there. */
async function readPaddle({ journal }: Parts, auctionId: number, userId: number): Promise<string | null> {
  const key = userKey(userId);
  const found = await journal.loadBidders(auctionId, [key]).catch(() => null);
  return found?.get(key)?.bidder?.paddle ?? null;
}
