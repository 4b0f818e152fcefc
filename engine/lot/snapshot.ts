/**
 * A lot's state as compact text, for the journal to keep beside the chain: a JSON array without keys, because it is written
 * whole with every commit. The first element names the layout, so that an older one can still be read.
 */
import type { LotState } from './state.ts';

const LAYOUT = 1;

const FIELDS = [
  'lotId',
  'auctionId',
  'lotNumber',
  'sequence',
  'hash',
  'recordedAtUs',
  'status',
  'startsAtUs',
  'endsAtUs',
  'originalEndsAtUs',
  'extensionCount',
  'pausesApplied',
  'paused',
  'startingBidCents',
  'reserveCents',
  'buyNowCents',
  'consignorUserId',
  'currentCents',
  'bidCount',
  'leader',
  'frozen',
  'hammerCents',
  'winner',
  'floorSequences',
  'saleFacts',
] as const satisfies readonly (keyof LotState)[];

/** Prints a state; `decodeSnapshot` reads it back unchanged. */
export function encodeSnapshot(state: LotState): string {
  const row: unknown[] = [LAYOUT];
  for (const field of FIELDS) row.push(state[field]);
  return JSON.stringify(row);
}

/** Reads a printed state. Throws when the text is of a layout that this version does not know. */
export function decodeSnapshot(text: string): LotState {
  const row = JSON.parse(text) as unknown[];
  if (row[0] !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(row[0])}`);
  const state: Record<string, unknown> = {};
  FIELDS.forEach((field, index) => {
    state[field] = row[index + 1];
  });
  return state as unknown as LotState;
}
