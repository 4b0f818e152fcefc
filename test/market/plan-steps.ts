/**
 * What plans are made of: each gives operations one after the other, and looks between two at what has become of the
 * market, in which others do things too. Sellers and bidders are such as may; what then comes of it is the plan's.
 */
import type { Dice } from '../simulation/dice.ts';
import { endOf } from '../support/naive-views.ts';
import { type AuctionModel, type LotModel, TEAMS, type TeamModel } from './market-terms.ts';
import { isOpen, isUnderHammer, liveView, type MarketWorld } from './market-world.ts';
import type { InvoiceModel } from './money-terms.ts';
import type { Operation } from './operation.ts';
import { WAIT } from './steering.ts';

export type Steps<T = void> = Generator<Operation, T, void>;

/** Operations towards a situation that chance alone rarely makes. */
export type Plan = (world: MarketWorld, dice: Dice) => Steps;

const MINUTE_MS = 60_000;
const BIDDERS = 10;

const SALE = {
  ...{ privacy: 'public', status: 'scheduled', startInMs: -MINUTE_MS, mode: 'open', depositCents: 20_000 },
  ...{ premium: '5.00', staggerSeconds: 0, windowSeconds: 0, extensionSeconds: 60, maxExtensions: null },
  confirmFactor: 0,
};

export const newName = (letter: string, { length }: readonly unknown[], dice: Dice): string =>
  `${letter}${length + 1}x${dice.between(0, 9_999)}`;

/** Something that the owner of a team does, who may. */
export function* bySeller(world: MarketWorld, team: TeamModel, operation: Operation): Steps {
  const [by = ''] = [...team.roles].find(([, role]) => role === 'owner') ?? [];
  if (!team.approved) yield { kind: 'approve team', team: team.name };
  if (world.suspended.has(by)) yield { kind: 'unsuspend user', user: by };
  yield { ...operation, by, as: team.name };
}

export const someTeam = ({ teams }: MarketWorld, dice: Dice): TeamModel => teams[dice.pick(TEAMS)];

/** A sale that runs; null: it has not come to that. */
export function* aSale(
  world: MarketWorld,
  dice: Dice,
  over: Partial<Operation> = {},
  team = someTeam(world, dice),
): Steps<AuctionModel | null> {
  const name = newName('s', world.auctions, dice);
  const lengthMs = dice.pick([20, 60, 180]) * MINUTE_MS;
  yield* bySeller(world, team, { kind: 'create auction', name, ...SALE, lengthMs, ...over });
  return world.auction(name);
}

/** A lot of it under the hammer. */
export function* aLot(
  world: MarketWorld,
  dice: Dice,
  auction: AuctionModel,
  over: Partial<Operation> = {},
): Steps<LotModel | null> {
  const name = `${newName('t', world.lots, dice)}-${auction.name}`;
  const price = { startingCents: dice.between(1, 100) * 100, reserveCents: null, buyNowCents: null };
  const made = { kind: 'create lot', name, auction: auction.name, ...price, status: 'scheduled', ...over };
  yield* bySeller(world, auction.team, made);
  return world.lot(name);
}

/** Different ones, none of whom staff hold back. */
export function* someBidders(world: MarketWorld, dice: Dice, count: number): Steps<string[]> {
  const all = Array.from({ length: BIDDERS }, (_, at) => `bidder${at + 1}`);
  const found: string[] = [];
  while (found.length < count) found.push(dice.pick(all.filter((name) => !found.includes(name))));
  for (const user of found) if (world.suspended.has(user)) yield { kind: 'unsuspend user', user };
  return found;
}

/** High enough, unless somebody else bids before it; `over` may say another amount. */
export function bidOn(lot: LotModel, by: string, dice: Dice, over: Partial<Operation> = {}): Operation {
  const minimum = isUnderHammer(lot) ? liveView(lot).minimumNextCents : lot.startingCents;
  const amountCents = minimum + dice.pick([0, 0, 500, 2_500]);
  return { kind: 'bid', lot: lot.name, by, amountCents, maxCents: null, confirm: true, ...over };
}

/** What its seller decides about somebody, once it is known which registration is theirs. */
export function* decideOn(
  world: MarketWorld,
  { name: auction, registrations, team }: AuctionModel,
  bidder: string,
  over: Partial<Operation>,
): Steps {
  if ((registrations.get(bidder)?.id ?? 0) === 0)
    yield* bySeller(world, team, { kind: 'list registrations', auction });
  const decision = { status: 'approved', limitCents: null, ...over };
  yield* bySeller(world, team, { kind: 'decide registration', auction, bidder, ...decision });
}

/** By whichever way the sale lets people in but for a deposit. */
export function* admit(world: MarketWorld, auction: AuctionModel, bidder: string): Steps {
  const { name, team, privacy, mode } = auction;
  if (privacy === 'private') yield* bySeller(world, team, { kind: 'invite bidder', auction: name, bidder });
  else yield { kind: 'register', auction: name, by: bidder };
  if (mode === 'approval') yield* decideOn(world, auction, bidder, {});
}

/** The worker that then does what is due: alone, with another, or after one that has died. */
const someWorker = (dice: Dice): Partial<Operation> =>
  dice.pick([{ workers: 1 }, { workers: 2 }, { crashAt: dice.between(1, 60) }]);

export const moment = (dice: Dice, ms = 1_000): Operation => ({ kind: WAIT, ms, ...someWorker(dice) });

/** Time passes until a lot is over; gives whether it is. */
export function* untilOver(world: MarketWorld, lot: LotModel, dice: Dice): Steps<boolean> {
  const { auction } = lot;
  for (let tries = 0; tries < 3 && isOpen(lot) && isUnderHammer(lot); tries += 1) {
    const resumed = { kind: 'resume auction', auction: auction.name };
    if (auction.status === 'paused') yield* bySeller(world, auction.team, resumed);
    const leftMs = Math.ceil((endOf(auction.world, lot.id) - world.nowUs) / 1_000);
    yield moment(dice, Math.max(0, leftMs) + 1_000);
  }
  return !isOpen(lot);
}

/** The provider says that an invoice was paid, in so many parts. */
export function* pays(world: MarketWorld, dice: Dice, invoice: InvoiceModel, parts: number): Steps {
  const { ledger } = world;
  for (let left = parts; left > 0; left -= 1) {
    const owed = Math.max(1, Number(ledger.naive.owed(invoice.bill)));
    yield {
      kind: 'payment comes',
      event: newEvent(world, dice),
      payment: newName('q', ledger.payments, dice),
      ...{ invoice: invoice.name, cents: left === 1 ? owed : Math.ceil(owed / left) },
    };
  }
}

export const newEvent = ({ ledger }: MarketWorld, dice: Dice): string =>
  newName('g', [...ledger.naive.seen], dice);
