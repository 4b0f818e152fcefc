/**
 * Which operation comes next. Mostly by chance alone; now and then what the market lacks, so that a short seed too has
 * sales that run, lots that are bid on, and money that moves.
 */
import type { Dice } from '../simulation/dice.ts';
import { endOf } from '../support/naive-views.ts';
import type { AuctionModel, LotModel } from './market-terms.ts';
import { isOpen, isUnderHammer, type MarketWorld } from './market-world.ts';
import type { Kind, Operation } from './operation.ts';

/** Nobody sends anything: time passes, and whatever is due happens. */
export const WAIT = 'wait';

const WAIT_CHANCE = 0.06;
const STEERED = 0.35;

export function propose(world: MarketWorld, dice: Dice, kinds: readonly Kind[]): Operation {
  if (dice.chance(WAIT_CHANCE)) return proposeWait(world, dice);
  const lacking = dice.chance(STEERED) ? lackingIn(world, dice) : null;
  if (lacking === WAIT) return proposeWait(world, dice);
  const wanted = kinds.find(({ name }) => name === lacking);
  const steered = wanted?.propose(world, dice) ?? null;
  if (wanted !== undefined && steered !== null)
    return { kind: wanted.name, ...steered, ...running(wanted.name) };
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  for (;;) {
    let left = dice.part() * total;
    const kind = kinds.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    const proposed = kind?.propose(world, dice) ?? null;
    if (kind !== undefined && proposed !== null) return { kind: kind.name, ...proposed };
  }
}

/** A sale that runs at once, and a lot that is in it. */
function running(kind: string): Partial<Operation> {
  if (kind === 'create auction') return { status: 'scheduled', startInMs: -60_000 };
  return kind === 'create lot' ? { status: 'scheduled' } : {};
}

function lackingIn(world: MarketWorld, dice: Dice): string | null {
  const active = world.auctions.filter(({ status }) => status === 'active');
  if (active.length === 0) return 'create auction';
  const open = active.flatMap(({ lots }) => lots.filter((lot) => isOpen(lot) && isUnderHammer(lot)));
  if (open.length < 3) return 'create lot';
  const { ledger, lots } = world;
  if (ledger.offers.some(({ status }) => status === 'offered') && dice.chance(0.3))
    return dice.chance(0.7) ? 'accept offer' : 'decline offer';
  const isLeft = (lot: LotModel) =>
    lot.status === 'passed' ? !ledger.isPromised(lot) : lot.status === 'sold' && ledger.isFreeAgain(lot);
  if (lots.some(isLeft) && dice.chance(0.15)) return 'offer second chance';
  const isUnknown = ({ mode, registrations }: AuctionModel) => mode !== 'open' && registrations.size < 4;
  if (active.some(isUnknown) && dice.chance(0.3)) return 'register';
  if (ledger.all.some(({ status, number }) => status === 'open' && number !== '') && dice.chance(0.7))
    return dice.chance(0.1) ? 'default lot' : 'payment comes';
  return open.filter(({ hadBid }) => hadBid).length < 3 || dice.chance(0.7) ? 'bid' : WAIT;
}

const SECOND_MS = 1_000;

function proposeWait(world: MarketWorld, dice: Dice): Operation {
  const open = world.lots.filter((lot) => isOpen(lot) && isUnderHammer(lot));
  const ends = open.filter(({ auction }) => auction.status === 'active');
  if (ends.length > 0 && dice.chance(0.5)) {
    const endUs = Math.min(...ends.map((lot) => endOf(lot.auction.world, lot.id)));
    const leftMs = Math.max(0, Math.ceil((endUs - world.nowUs) / 1_000));
    // To its last minute, or over its end.
    // Now and then a worker dies at it, before any of its statements.
    const crashAt = dice.chance(0.3) ? dice.between(1, 60) : 0;
    const ms = Math.max(1, leftMs + dice.pick([-30, 1, 1]) * SECOND_MS);
    // Or two workers find it together.
    return crashAt === 0 && dice.chance(0.4) ? { kind: WAIT, ms, workers: 2 } : { kind: WAIT, ms, crashAt };
  }
  const ms = dice.pick([1, 20, 60, 250, 600, 1_800, 4_500]) * SECOND_MS;
  return { kind: WAIT, ms, workers: dice.chance(0.4) ? 2 : 1 };
}
