/**
 * Gives the demo's lots a history: the twenty bidders bid against each other through the engine, as they would over
 * HTTP. Amounts follow from the seed and the rules alone. A lot that has ever had a bid is left as it is, so this may
 * be repeated.
 */
import type { CommandResult } from '../../../engine/actor/pending-command.ts';
import { incrementAt } from '../../../engine/auction/increments.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { memberIds, minimumNextCents, saleOf } from '../../../engine/formats/formats.ts';
import type { PlaceBid } from '../../../engine/lot/commands.ts';
import { parseCents } from '../../../engine/money.ts';
import type { PublishingParts } from '../../bidding/records/publishing.ts';
import { newBidId, newSalt } from '../../shared/node-crypto.ts';
import { Dice } from './dice.ts';
import { DEMO_SEED } from './document.ts';

export interface DemoLot {
  readonly auctionId: number;
  readonly lotId: number;
  readonly lotNumber: number;
}

export interface DemoBidder {
  readonly userId: number;
  readonly verified: boolean;
}

/**
 * Bids on all lots side by side, on each one bid after the other. Gives the number of bids that were accepted.
 * `onLot`: called with how many lots are done, of how many.
 */
export async function placeDemoBids(
  backends: PublishingParts,
  lots: readonly DemoLot[],
  bidders: readonly DemoBidder[],
  onLot: (done: number, total: number) => void = () => undefined,
): Promise<number> {
  let done = 0;
  const placed = await Promise.all(
    lots.map(async (lot, index) => {
      const count = await bidOn(backends, lot, bidders, new Dice(DEMO_SEED + 7_919 * (index + 1)));
      done += 1;
      onLot(done, lots.length);
      return count;
    }),
  );
  return placed.reduce((sum, count) => sum + count, 0);
}

async function bidOn(
  backends: PublishingParts,
  lot: DemoLot,
  bidders: readonly DemoBidder[],
  dice: Dice,
): Promise<number> {
  const { journal, engine } = backends;
  const [state, record] = await Promise.all([
    journal.load(lot.auctionId, lot.lotId),
    journal.loadRecord(lot.auctionId),
  ]);
  if (state === null || record === null || state.frozen) return 0;
  const ids = memberIds(state);
  if (ids.length > 1) return ids[0] === lot.lotId ? bidOnSale(backends, lot, bidders, dice) : 0;
  // The first bid would take the price away.
  if (state.buyNowCents !== null && state.reserveCents === null) return 0;
  const rounds = dice.chance(0.12) ? 0 : dice.int(2, 14);
  const circle = dice.some(bidders, Math.min(bidders.length, dice.int(2, 5)));
  let minimumCents = minimumNextCents(state, record, journal.nowUs());
  let last: DemoBidder | null = null;
  let placed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const bidder = dice.pick(circle.filter((one) => one !== last));
    const increment = incrementAt(record.increments, minimumCents);
    const isProxy = dice.chance(0.4);
    const cents = minimumCents + increment * (isProxy ? dice.int(0, 4) : dice.int(0, 1));
    const result: CommandResult = await engine.submit(lot.lotId, demoBid(bidder, isProxy, cents));
    // Closed meanwhile, say: the story ends where it ends.
    if (result.kind !== 'answer' || result.answer.kind !== 'bid') return placed;
    placed += 1;
    last = bidder;
    minimumCents = result.answer.lot.minimumNextCents;
  }
  return placed;
}

const SALE_ROUNDS = 18;
/** What people round their bids up to. */
const ROUND_CENTS = 100_000;

/** On neighbouring lots that are sold together: most bids lead, and some only stand. */
async function bidOnSale(
  { journal, engine }: PublishingParts,
  { auctionId, lotId }: DemoLot,
  bidders: readonly DemoBidder[],
  dice: Dice,
): Promise<number> {
  let placed = 0;
  for (let round = 0; round < SALE_ROUNDS; round += 1) {
    const [state, record] = await Promise.all([
      journal.load(auctionId, lotId),
      journal.loadRecord(auctionId),
    ]);
    if (state === null || record === null) return placed;
    const ids = memberIds(state);
    const from = dice.int(0, ids.length - 1);
    const lotIds = ids.slice(from, from + dice.int(1, 3));
    const quote = saleOf(state).quote(lotIds, record);
    const leads = dice.chance(0.7);
    const cents = parseCents(quote?.[leads ? 'price_to_lead' : 'minimum_bid'], state.decimals) ?? 0;
    const amount = Math.ceil(cents / ROUND_CENTS) * ROUND_CENTS;
    const bid = { ...demoBid(dice.pick(bidders), false, amount), lotIds, standing: true };
    const result = await engine.submit(lotIds[0] ?? lotId, bid);
    if (result.kind !== 'answer' || result.answer.kind !== 'bid') continue;
    placed += 1;
  }
  return placed;
}

/** A bid by one of the demo's people. */
export function demoBid({ userId, verified }: DemoBidder, isProxy: boolean, cents: number): PlaceBid {
  return {
    type: 'place_bid',
    bidId: newBidId(),
    salt: newSalt(),
    bidder: { key: userKey(userId), userId, verified, suspended: false, teamIds: [], paddle: null },
    channel: 'online',
    straightCents: isProxy ? null : cents,
    ceilingCents: isProxy ? cents : null,
    currency: 'usd',
    confirm: true,
    floor: null,
  };
}
