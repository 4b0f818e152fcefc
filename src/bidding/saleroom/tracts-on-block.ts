/**
 * What the clerk of a saleroom sees of a sale of tracts beside what leads there: whether it takes bids, what may be
 * taken back, and which lots a call names by their numbers.
 */
import { DEFAULT_INCREMENTS } from '../../../engine/auction/increments.ts';
import { faceOf, memberIds, saleOf } from '../../../engine/formats/formats.ts';
import { isOpen, type LotState } from '../../../engine/lot/state.ts';
import { invalid } from '../../shared/refusal.ts';
import { listBids } from '../bids/bid-list.ts';
import type { BidView } from '../bids/bid-views.ts';
import { readBlock } from './block.ts';
import { type ConsoleParts, stateOf } from './console.ts';
import { type HeldResult, readHeld } from './held-result.ts';
import { type LeftOnTracts, readLeftOnTracts } from './left-on-tracts.ts';

export interface TractsOnBlock {
  /** The lot that hosts the sale, which forms name. */
  readonly hostId: number;
  /** One that is still for sale, to follow; the host where none is. */
  readonly followId: number;
  readonly sequence: number;
  readonly isOpen: boolean;
  readonly isWarned: boolean;
  readonly held: HeldResult | null;
  /** The newest call from the floor that stands. */
  readonly lastCall: BidView | null;
  /** What was left with the house before the sale. */
  readonly left: LeftOnTracts;
}

const RECENT_BIDS = 50;

/** Null where the auction has no lot that could be on the block. Throws the journal's faults. */
export async function readTractsConsole(
  parts: ConsoleParts,
  auctionId: number,
): Promise<TractsOnBlock | null> {
  const { lotId: hostId, warnedSequence } = await readBlock(parts.knex, auctionId);
  if (hostId === null) return null;
  const [state, held, record] = await Promise.all([
    stateOf(parts, auctionId, hostId),
    readHeld(parts, auctionId),
    parts.journal.loadRecord(auctionId),
  ]);
  if (state === null) return null;
  const open = memberIds(state).filter((id) => isOpen(faceOf(state, id)));
  return {
    hostId,
    followId: open[0] ?? hostId,
    sequence: state.sequence,
    isOpen: open.length > 0,
    isWarned: open.length > 0 && warnedSequence === state.sequence,
    held,
    lastCall: await readLastCall(parts, state),
    left: await readLeftOnTracts(parts.knex, state, record?.increments ?? DEFAULT_INCREMENTS),
  };
}

async function readLastCall(parts: ConsoleParts, state: LotState): Promise<BidView | null> {
  const call = saleOf(state).lastCall();
  const [lotId] = call?.lotIds ?? [];
  if (call === null || lotId === undefined) return null;
  const lotIds = { auctionId: state.auctionId, lotId };
  const { rows } = await listBids(parts, lotIds, { page: 1, perPage: RECENT_BIDS }, null);
  return rows.find(({ id }) => id === call.bidId) ?? null;
}

const MAX_TRACTS = 16;

/** Ids of the lots with these numbers: `2, 5 6` or `2-4`. Throws 422 for what names none of the auction's. */
export async function lotsByNumbers(
  { knex }: Pick<ConsoleParts, 'knex'>,
  auctionId: number,
  typed: string,
): Promise<number[]> {
  const numbers = numbersIn(typed);
  if (numbers === null || numbers.length === 0 || numbers.length > MAX_TRACTS)
    throw invalid({ lots: ['Enter the numbers of the tracts, such as 2 5 6 or 2-4.'] });
  const rows: { id: number; lot_number: number }[] = await knex('lots')
    .where('auction_id', auctionId)
    .whereNotNull('host_id')
    .whereIn('lot_number', numbers)
    .orderBy('lot_number')
    .select('id', 'lot_number');
  const missing = numbers.find((number) => !rows.some(({ lot_number: known }) => known === number));
  if (missing !== undefined) throw invalid({ lots: [`There is no tract ${missing} in this sale.`] });
  return rows.map(({ id }) => id);
}

/** Null: something else is typed. */
function numbersIn(typed: string): number[] | null {
  const numbers = new Set<number>();
  for (const part of typed.split(/[\s,;+]+/).filter((text) => text !== '')) {
    const [, from = '', to = from] = /^([0-9]{1,6})(?:-([0-9]{1,6}))?$/.exec(part) ?? [];
    if (from === '' || Number(to) < Number(from) || Number(to) - Number(from) >= MAX_TRACTS) return null;
    for (let number = Number(from); number <= Number(to); number += 1) numbers.add(number);
  }
  return [...numbers];
}
