/**
 * A lot's state as compact text, for the journal to keep beside the chain: a JSON array without keys, because it is
 * written whole with every commit. The first element names the layout, so that an older one can still be read.
 */
import { quoted } from '../../canonical.ts';
import type { EnglishState } from './english-state.ts';
import { NO_LOT } from './evolve.ts';
import type { Leader } from './leader.ts';

const LAYOUT = 1;

/** The fields of the row in their order. The compiler wants every field of the state here, and no other. */
const ORDER: { readonly [Field in Exclude<keyof EnglishState, 'format'>]: true } = {
  lotId: true,
  auctionId: true,
  lotNumber: true,
  sequence: true,
  hash: true,
  recordedAtUs: true,
  status: true,
  startsAtUs: true,
  endsAtUs: true,
  originalEndsAtUs: true,
  extensionCount: true,
  pausesApplied: true,
  paused: true,
  startingBidCents: true,
  reserveCents: true,
  buyNowCents: true,
  consignorUserId: true,
  currentCents: true,
  bidCount: true,
  leader: true,
  frozen: true,
  hammerCents: true,
  winner: true,
  floorSequences: true,
  saleFacts: true,
  reserveLowered: true,
  extendedByOutage: true,
  decimals: true,
  units: true,
  conditionsVersion: true,
  group: true,
  held: true,
  choice: true,
};

const isField = (name: string): name is keyof typeof ORDER => name in ORDER;
const FIELDS = Object.keys(ORDER).filter(isField);

/**
 * Encodes a state; `decodeSnapshot` gives it back unchanged. Written out in the order of the fields, which a test holds
 * it to: a loop over them costs three times as much. Hashes and words of our own hold nothing that JSON must escape.
 */
export function encodeSnapshot(state: EnglishState): string {
  const { leader, winner, saleFacts } = state;
  return (
    `[${LAYOUT},${state.lotId},${state.auctionId},${state.lotNumber},${state.sequence},"${state.hash}",` +
    `${state.recordedAtUs},"${state.status}",${state.startsAtUs},${state.endsAtUs},${state.originalEndsAtUs},` +
    `${state.extensionCount},${state.pausesApplied},${state.paused},${state.startingBidCents},` +
    `${state.reserveCents},${state.buyNowCents},${state.consignorUserId},${state.currentCents},` +
    `${state.bidCount},${leader === null ? 'null' : encodeLeader(leader)},${state.frozen},` +
    `${state.hammerCents},${winner === null ? 'null' : JSON.stringify(winner)},` +
    `${encodeFloor(state.floorSequences)},${saleFacts === null ? 'null' : JSON.stringify(saleFacts)},` +
    `${state.reserveLowered},${state.extendedByOutage},${state.decimals}${after(state)}]`
  );
}

/** Few lots have units, conditions, a group or a result that is held, and those without end here. */
function after({ units, conditionsVersion, group, held, choice }: EnglishState): string {
  if (choice !== null)
    return `,${JSON.stringify(units)},${conditionsVersion},null,${JSON.stringify(held)},${JSON.stringify(choice)}`;
  if (held !== null)
    return `,${JSON.stringify(units)},${conditionsVersion},${JSON.stringify(group)},${JSON.stringify(held)}`;
  if (group !== null) return `,${JSON.stringify(units)},${conditionsVersion},${JSON.stringify(group)}`;
  if (conditionsVersion > 0) return `,${JSON.stringify(units)},${conditionsVersion}`;
  return units === null ? '' : `,${JSON.stringify(units)}`;
}

/** Lots without a floor are most of all, and have nothing to print. */
function encodeFloor(sequences: EnglishState['floorSequences']): string {
  for (const _platform in sequences) return JSON.stringify(sequences);
  return '{}';
}

/** By hand, as nearly every commit brings a leader. */
function encodeLeader(leader: Leader): string {
  const { key, userId, alias, paddle, ceilingCents, bidId, listedCents } = leader;
  return (
    `{"key":${quoted(key)},"userId":${userId},"alias":${quoted(alias)},` +
    `"paddle":${quoted(paddle)},"ceilingCents":${ceilingCents},"bidId":"${bidId}"` +
    (listedCents === undefined ? '}' : `,"listedCents":${listedCents}}`)
  );
}

/** Decodes the row of a state. Throws when it is of a layout that this version does not know. */
export function decodeSnapshot(row: readonly unknown[]): EnglishState {
  if (row[0] !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(row[0])}`);
  // Snapshots of before the last columns were kept are shorter.
  const kept = FIELDS.slice(0, row.length - 1).map((field, index) => [field, row[index + 1]]);
  return { ...NO_LOT, ...Object.fromEntries(kept) };
}
