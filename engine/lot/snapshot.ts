/**
 * A lot's state as compact text, for the journal to keep beside the chain: a JSON array without keys, because it is
 * written whole with every commit. The first element names the layout, so that an older one can still be read.
 */
import { NO_LOT } from './evolve.ts';
import type { Leader, LotState, Winner } from './state.ts';

const LAYOUT = 1;

/** A number, a truth value or nothing: none of them holds anything that JSON must escape. */
const plain = (value: number | boolean | null) => String(value);
/** Hashes and words of our own. */
const word = (value: string) => `"${value}"`;
/** What others have named. */
const json = (value: Winner | Readonly<Record<string, number>> | string | null) => JSON.stringify(value);

/**
 * The columns of the row in their order, each with how its value is serialized. The compiler wants every field of the
 * state here, and no other.
 */
const COLUMNS: { readonly [Field in keyof LotState]: (value: LotState[Field]) => string } = {
  lotId: plain,
  auctionId: plain,
  lotNumber: plain,
  sequence: plain,
  hash: word,
  recordedAtUs: plain,
  status: word,
  startsAtUs: plain,
  endsAtUs: plain,
  originalEndsAtUs: plain,
  extensionCount: plain,
  pausesApplied: plain,
  paused: plain,
  startingBidCents: plain,
  reserveCents: plain,
  buyNowCents: plain,
  consignorUserId: plain,
  currentCents: plain,
  bidCount: plain,
  leader: encodeLeader,
  frozen: plain,
  hammerCents: plain,
  winner: json,
  floorSequences: json,
  saleFacts: json,
  reserveLowered: plain,
  extendedByOutage: plain,
};

/** Serializes one field of a state. */
function encoderOf<Field extends keyof LotState>(field: Field): (state: LotState) => string {
  const encode = COLUMNS[field];
  return (state) => encode(state[field]);
}

const isField = (name: string): name is keyof LotState => name in COLUMNS;
const FIELDS = Object.keys(COLUMNS).filter(isField);
const ENCODERS = FIELDS.map(encoderOf);

/** Encodes a state; `decodeSnapshot` gives it back unchanged. */
export function encodeSnapshot(state: LotState): string {
  let row = `[${LAYOUT}`;
  for (const encode of ENCODERS) row += `,${encode(state)}`;
  return `${row}]`;
}

/** By hand, as nearly every commit brings a leader. */
function encodeLeader(leader: Leader | null): string {
  if (leader === null) return 'null';
  const { key, userId, alias, paddle, ceilingCents, bidId, listedCents } = leader;
  return (
    `{"key":${JSON.stringify(key)},"userId":${userId},"alias":${JSON.stringify(alias)},` +
    `"paddle":${JSON.stringify(paddle)},"ceilingCents":${ceilingCents},"bidId":"${bidId}"` +
    (listedCents === undefined ? '}' : `,"listedCents":${listedCents}}`)
  );
}

/** Decodes a state. Throws when the text is of a layout that this version does not know. */
export function decodeSnapshot(text: string): LotState {
  const row: unknown[] = JSON.parse(text);
  if (row[0] !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(row[0])}`);
  // Snapshots of before the last columns were kept are shorter.
  const kept = FIELDS.slice(0, row.length - 1).map((field, index) => [field, row[index + 1]]);
  return { ...NO_LOT, ...Object.fromEntries(kept) };
}
