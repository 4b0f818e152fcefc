/**
 * What a `sold` event of a simulcast platform says, and when it changes nothing (rule 14), and how long a call may be
 * taken back (rule 18), whatever the format.
 */
import type { AuctionRecord } from '../auction/record.ts';
import type { RefusalCode } from './answers.ts';
import type { RecordSale } from './commands.ts';
import { isClosed, type LotState } from './state.ts';
import { isPerUnit } from './units.ts';

/** Rule 18: how long after a call it may be taken back, and how often on one lot. */
export const UNDO_US = 10_000_000;
export const MAX_UNDOS = 3;

/** Why a `sold` event changes nothing; null: it does. */
export function saleRefusal(state: LotState, command: RecordSale, record: AuctionRecord): RefusalCode | null {
  if (isClosed(state)) {
    if (factsOf(command) === (state.saleFacts ?? factsOfClose(state))) return 'floor_duplicate';
    const mayReopen = state.status !== 'sold' && command.result === 'sold' && record.type === 'simulcast';
    if (!mayReopen) return 'lot_already_sold';
    if (!command.auctionRuns || record.cancelled) return 'invalid_transition';
  }
  const { platform, sequence } = command.floor;
  if (sequence <= (state.floorSequences[platform] ?? -1)) return 'floor_stale';
  if (state.status === 'withdrawn') return 'lot_withdrawn';
  return command.currency !== null && command.currency !== record.currency ? 'currency_mismatch' : null;
}

/** The facts of a `sold` event, to know a repetition from a contradiction. */
export function factsOf(command: RecordSale): string {
  if (command.result !== 'sold') return command.result;
  const chosen = command.choice === undefined ? '' : `:${command.choice.toSorted((a, b) => a - b).join()}`;
  return `sold:${command.hammerCents}:${command.winner?.key ?? ''}${chosen}`;
}

function factsOfClose(state: LotState): string {
  if (state.status !== 'sold') return state.status;
  // What the floor calls is the price of a unit, where the lot is sold by it: that is its current bid then.
  const calledCents = isPerUnit(state.units) ? state.currentCents : state.hammerCents;
  return `sold:${calledCents}:${state.winner?.key ?? ''}`;
}
