/**
 * A lot's state as compact text, for the journal to keep beside the chain: a JSON array without keys, because it is
 * written whole with every commit. The first element names the layout, so that an older one can still be read.
 */
import type { Leader, LotState } from './state.ts';

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
  'reserveLowered',
] as const satisfies readonly (keyof LotState)[];

/**
 * Prints a state; `decodeSnapshot` reads it back unchanged. By hand in the order of `FIELDS`, as every commit prints
 * one: only what others have named can hold anything that JSON must escape.
 */
export function encodeSnapshot(state: LotState): string {
  const { leader, winner, floorSequences, saleFacts } = state;
  return (
    `[${LAYOUT},${state.lotId},${state.auctionId},${state.lotNumber},${state.sequence},"${state.hash}",` +
    `${state.recordedAtUs},"${state.status}",${state.startsAtUs},${state.endsAtUs},${state.originalEndsAtUs},` +
    `${state.extensionCount},${state.pausesApplied},${state.paused},${state.startingBidCents},` +
    `${state.reserveCents},${state.buyNowCents},${state.consignorUserId},${state.currentCents},` +
    `${state.bidCount},${leader === null ? 'null' : printLeader(leader)},${state.frozen},` +
    `${state.hammerCents},${winner === null ? 'null' : JSON.stringify(winner)},` +
    `${JSON.stringify(floorSequences)},${saleFacts === null ? 'null' : JSON.stringify(saleFacts)},` +
    `${state.reserveLowered}]`
  );
}

function printLeader({ key, userId, alias, paddle, ceilingCents, bidId, listedCents }: Leader): string {
  return (
    `{"key":${JSON.stringify(key)},"userId":${userId},"alias":${JSON.stringify(alias)},` +
    `"paddle":${JSON.stringify(paddle)},"ceilingCents":${ceilingCents},"bidId":"${bidId}"` +
    (listedCents === undefined ? '}' : `,"listedCents":${listedCents}}`)
  );
}

/** Reads a printed state. Throws when the text is of a layout that this version does not know. */
export function decodeSnapshot(text: string): LotState {
  const row = JSON.parse(text) as unknown[];
  if (row[0] !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(row[0])}`);
  const state: Record<string, unknown> = {};
  FIELDS.forEach((field, index) => {
    state[field] = row[index + 1];
  });
  // Snapshots of before it was kept are shorter.
  state['reserveLowered'] ??= false;
  return state as unknown as LotState;
}
