/**
 * What the seed decides about a run: its auctions with their lots, who bids, how many processes there are, how bad the
 * network is and for how long. Everything later is drawn from the same dice while the run continues.
 */

import type { LotToOpen } from '../../engine/actor/opening.ts';
import { DEFAULT_INCREMENTS } from '../../engine/auction/increments.ts';
import type { AuctionRecord } from '../../engine/auction/record.ts';
import { Dice } from './dice.ts';
import { CHOICE } from './formats/choice-play.ts';
import { PLAYED } from './formats/played.ts';
import { SALEROOM } from './formats/saleroom-play.ts';
import type { NetworkFaults } from './network.ts';
import { BASE_US } from './sim-redis.ts';

export interface PlannedLot extends LotToOpen {
  readonly auctionId: number;
  /** The lot whose journal it is decided in: its own, but where several are sold as one. */
  readonly hostId: number;
}

export interface Plan {
  readonly auctions: readonly AuctionRecord[];
  readonly lots: readonly PlannedLot[];
  /** How many shards the auctions are spread over. */
  readonly shards: number;
  readonly bidders: number;
  readonly webs: number;
  readonly workers: number;
  readonly faults: NetworkFaults;
  /** Mean time between two incidents of a process, a server or a clock. */
  readonly incidentGapUs: number;
  /** When bidders and staff stop, and when the faults end, in time since the beginning. */
  readonly biddingEndsUs: number;
  readonly faultsEndUs: number;
  /** Between two bids of one bidder. */
  readonly thinkUs: number;
  /** Lots that a process keeps at hand, and questions that go into one commit. */
  readonly resident: number;
  readonly batch: number;
  /** Questions that are worth a second commit alongside the one on its way. */
  readonly pipelineFrom: number;
  /** Questions that may wait at a lot, and how often one is decided again. */
  readonly mailbox: number;
  readonly attempts: number;
}

const SECOND = 1_000_000;
/** The formats have dice of their own: what is timed stays as it is, whatever others are played. */
const FORMAT_DICE = 2 ** 32;

export function drawPlan(dice: Dice, seed: number): Plan {
  const auctions: AuctionRecord[] = [];
  const lots: PlannedLot[] = [];
  const formatDice = new Dice(FORMAT_DICE + seed);
  const choiceDice = new Dice(2 * FORMAT_DICE + seed);
  let lastEndUs = 0;
  const many = dice.pick([1, 2, 2]);
  for (let auctionId = 1; auctionId <= many; auctionId += 1) {
    // Every other run has both auctions in one shard, so that they share its calls and its log.
    const record = drawRecord(dice, auctionId === 2 && dice.chance(0.5) ? 65 : auctionId);
    // In every third run the lots of an auction close together, or are offered together.
    const isGrouped = seed % 3 === 1;
    const count = isGrouped ? dice.between(2, 3) : dice.between(1, 2);
    const own = Array.from({ length: count }, (_, at) =>
      drawLot(dice, record.auctionId, lots.length + at + 1, at + 1),
    );
    const group = { name: 'all', lotIds: own.map(({ lotId }) => lotId), lastNumber: count };
    const timed = isGrouped ? { ...record, closeGroups: [group] } : record;
    const other = formatDice.pick([null, null, null, ...PLAYED]);
    const isCalled = other === null && !isGrouped && formatDice.chance(0.2);
    const isChoice = other === null && isGrouped && choiceDice.chance(0.6);
    const played = isChoice ? CHOICE : isCalled ? SALEROOM : other;
    const drawn =
      played === null
        ? { record: timed, lots: own, lastEndUs: record.endsAtUs }
        : played.draw(formatDice, record, own);
    lots.push(...drawn.lots);
    auctions.push(drawn.record);
    lastEndUs = Math.max(lastEndUs, drawn.lastEndUs - BASE_US);
  }
  const part = () => dice.pick([0, 0.01, 0.02, 0.04]);
  return {
    auctions,
    lots,
    shards: [64, 4, 64, 4, 64, 1, 64, 4][seed % 8]!,
    bidders: dice.between(3, 5),
    webs: dice.between(2, 3),
    workers: 2,
    faults: { lostRequests: part(), lostAnswers: part(), slow: part() },
    incidentGapUs: dice.pick([400_000, 900_000, 2 * SECOND]),
    biddingEndsUs: lastEndUs + dice.between(1, 3) * SECOND,
    faultsEndUs: lastEndUs + dice.between(-2, 4) * SECOND,
    thinkUs: dice.pick([200_000, 400_000, 700_000]),
    resident: dice.pick([2, 100, 100]),
    batch: dice.pick([2, 2_000, 2_000]),
    pipelineFrom: dice.pick([1, 1, 64]),
    mailbox: dice.pick([4, 10_000, 10_000, 10_000]),
    attempts: dice.pick([4, 200, 200, 200]),
  };
}

function drawRecord(dice: Dice, auctionId: number): AuctionRecord {
  const startsAtUs = BASE_US + dice.between(1, 2) * SECOND;
  return {
    auctionId,
    version: 1,
    type: 'timed',
    privacy: 'public',
    currency: 'usd',
    startsAtUs,
    endsAtUs: startsAtUs + dice.between(2, 5) * SECOND,
    staggerSeconds: dice.between(0, 1),
    pauses: [],
    cancelled: false,
    increments: DEFAULT_INCREMENTS,
    softClose: {
      windowSeconds: dice.pick([0, 1, 2, 2]),
      extensionSeconds: dice.pick([1, 2]),
      maxExtensions: dice.pick([null, 1, 3]),
    },
    confirmFactor: dice.pick([0, 0, 4]),
    premiumBps: 0,
    taxPpm: 0,
    registrationMode: 'open',
    requireVerified: false,
    bidLimitCents: dice.pick([null, 40_000, 90_000]),
    ownerTeamId: 90,
    ownerUserId: null,
  };
}

function drawLot(dice: Dice, auctionId: number, lotId: number, lotNumber: number): PlannedLot {
  return {
    auctionId,
    lotId,
    hostId: lotId,
    lotNumber,
    salt: dice.hex(4),
    startingBidCents: dice.pick([100, 1_000, 5_000]),
    reserveCents: dice.chance(0.4) ? dice.between(50, 400) * 100 : null,
    buyNowCents: dice.chance(0.3) ? dice.between(300, 800) * 100 : null,
    consignorUserId: null,
    ...(dice.chance(0.2)
      ? { units: { count: dice.between(1, 40_000), name: 'acre', isPriced: dice.chance(0.8) } }
      : {}),
  };
}
