/**
 * What the choice among bids on tracts costs (rule 23): which bids lead of all that stand, and deciding one bid more with
 * its price to lead. Bids lie on sets as people choose them, on any sets, and on sets at one price a tract, where nearly
 * every choice comes to the same. `npm run bench:parcels`; exits 1 where the worst takes longer than it may.
 */
import { GENESIS_HASH } from '../../engine/digest.ts';
import { chooserOf, type Offer } from '../../engine/formats/parcels/choosing.ts';
import { PARCELS } from '../../engine/formats/parcels/parcels.ts';
import type { ParcelBid, ParcelsState } from '../../engine/formats/parcels/parcels-state.ts';
import { aBid, aBidder, aPerson, aRecord, STARTS_AT_US } from '../../test/support/engine-terms.ts';
import { loadNow, markdownTable, measuredOn, printTable, shown, writeSection } from '../support/report.ts';

const ROUNDS = 40;

interface Size {
  readonly lots: number;
  readonly bids: number;
  readonly mayTakeMs: number;
}

const SIZES: readonly Size[] = [
  { lots: 9, bids: 200, mayTakeMs: 5 },
  { lots: 12, bids: 500, mayTakeMs: 5 },
  { lots: 16, bids: 2_000, mayTakeMs: 50 },
];

let seed = 23;

/** The same numbers in every run, below 1. */
function chance(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
}

const below = (count: number) => Math.floor(chance() * count);
const countOf = (set: number) => set.toString(2).replaceAll('0', '').length;

type Shape = (lots: number) => { readonly set: number; readonly cents: number };

const SHAPES: Readonly<Record<string, Shape>> = {
  // Some neighbours, seldom many, at about the same price a tract.
  neighbours: (lots) => {
    const length = 1 + Math.min(below(4), below(lots));
    const set = ((1 << length) - 1) << below(lots - length + 1);
    return { set, cents: Math.round(length * 100_000 * (0.8 + chance() * 0.4)) };
  },
  'any sets': (lots) => {
    const set = 1 + below((1 << lots) - 1);
    return { set, cents: Math.round(countOf(set) * 100_000 * (0.8 + chance() * 0.4)) };
  },
  'small sets': (lots) => {
    const set = (1 << below(lots)) | (1 << below(lots)) | (1 << below(lots));
    return { set, cents: Math.round(countOf(set) * 100_000 * (0.8 + chance() * 0.4)) };
  },
  'one price a tract': (lots) => {
    const set = 1 + below((1 << lots) - 1);
    return { set, cents: countOf(set) * 100_000 };
  },
  'all with the first': (lots) => {
    const set = 1 | (below(1 << (lots - 1)) << 1);
    return { set, cents: Math.round(countOf(set) * 100_000 * (0.8 + chance() * 0.4)) };
  },
};

function bidsOf({ lots, bids }: Size, shape: Shape): ParcelBid[] {
  return Array.from({ length: bids }, (_, index): ParcelBid => {
    const { set, cents } = shape(lots);
    const who = 1 + below(60);
    return {
      ...{ bidId: `bid-${index}`, sequence: index + 2, set, cents, totalCents: cents, key: `u:${who}` },
      ...{ userId: who, alias: `bidder-${who}`, paddle: String(1_000 + who), channel: 'online' },
    };
  });
}

const record = aRecord({ format: 'parcels' });

function stateOf({ lots }: Size, bids: readonly ParcelBid[]): ParcelsState {
  const all = Array.from({ length: lots }, (_, index) => ({
    ...{ lot_id: index + 1, lot_number: index + 1, starting_bid: '100.00' },
  }));
  const state = PARCELS.evolve(
    { ...PARCELS.unscheduled, hash: GENESIS_HASH },
    {
      ...{ type: 'lot_scheduled', sequence: 1, lotId: 1, auctionId: 7, lotNumber: 1, pausesApplied: 0 },
      ...{ startsAtUs: record.startsAtUs, endsAtUs: record.endsAtUs, salt: 's', format: 'parcels' },
      ...{ startingBidCents: 10_000, reserveCents: null, buyNowCents: null, consignorUserId: null },
      settings: { lots: all },
    },
  );
  const opened = PARCELS.evolve(state, { type: 'lot_opened', sequence: 2 });
  const leading = chooserOf(bids, lots).choose((1 << lots) - 1);
  return {
    ...opened,
    bids,
    sequence: bids.length + 2,
    leading: leading.map(({ bidId }) => bidId),
    totalCents: leading.reduce((sum, { totalCents }) => sum + totalCents, 0),
  };
}

/** Of the processor, so that others on the machine do not count. */
function took(work: () => unknown): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

/** One bid more, on a set that is drawn as the others are. */
function decideOne(state: ParcelsState, shape: Shape, lots: number): void {
  const { set, cents } = shape(lots);
  const lotIds = state.lots.map(({ lotId }) => lotId).filter((_, at) => (set & (1 << at)) !== 0);
  const command = aBid({ straightCents: cents * 2, lotIds, lotId: lotIds[0] ?? 1, bidder: aPerson(1) });
  const nowUs = STARTS_AT_US + 1_000_000;
  const decision = PARCELS.decide(state, command, {
    ...{ record, bidder: aBidder(1), exposureCents: 0, nowUs },
  });
  if ('need' in decision) throw new Error('a bid that needs something');
  PARCELS.exposureChanges(state, decision.next);
}

const median = (some: readonly number[]) => [...some].sort((a, b) => a - b)[some.length >> 1] ?? Number.NaN;

const load = loadNow();
let isTooSlow = false;
const rows: (string | number)[][] = [];
for (const size of SIZES) {
  for (const [name, shape] of Object.entries(SHAPES)) {
    const choosing: number[] = [];
    const deciding: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const bids = bidsOf(size, shape);
      const offers: readonly Offer[] = bids;
      choosing.push(took(() => chooserOf(offers, size.lots).choose((1 << size.lots) - 1)));
      const state = stateOf(size, bids);
      deciding.push(took(() => decideOne(state, shape, size.lots)));
    }
    // The first rounds are those of code that is still cold.
    const [warm, decided] = [choosing.slice(ROUNDS / 4), deciding.slice(ROUNDS / 4)];
    if (Math.max(median(warm), median(decided)) > size.mayTakeMs) isTooSlow = true;
    rows.push([
      `${size.lots} tracts, ${size.bids} bids: ${name}`,
      ...[median(warm), Math.max(...warm), median(decided), Math.max(...decided), size.mayTakeMs].map(shown),
    ]);
  }
}
const HEAD = ['bids', 'choice, ms', 'worst', 'a bid more, ms', 'worst', 'may take'];
printTable(HEAD, rows);
writeSection(
  'parcels',
  `### Which bids on tracts lead

Processor time, medians of ${ROUNDS - ROUNDS / 4} rounds: the choice among all bids, and deciding one bid more with its price to lead.

${markdownTable(HEAD, rows)}

${measuredOn('npm run bench:parcels', load)}`,
);
process.exitCode = isTooSlow ? 1 : 0;
