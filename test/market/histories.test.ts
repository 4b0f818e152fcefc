/** Histories in which the market once differed from its model, as `npm run simulate:market` prints them. */
import { expect } from 'chai';
import { MarketService } from './market-service.ts';
import type { Operation } from './operation.ts';
import { playSeed } from './play-seed.ts';

describe('histories in which the market differed from its model', () => {
  let market: MarketService;

  before(async () => {
    market = await MarketService.open();
  });
  after(() => market.close());

  const play = async (seed: number, operations: readonly Operation[]) => {
    const { failure, counts } = await playSeed(market, { seed, operations });
    expect(failure, String(failure)).to.equal(null);
    // What names nothing that is there is left out: a history of that would show nothing.
    const done = [...counts].filter(([what]) => !what.startsWith('view '));
    expect(done.reduce((sum, [, times]) => sum + times, 0)).to.equal(operations.length);
  };

  it('a draft lot of a cancelled sale, in lists of withdrawn lots', () =>
    play(2, [
      ...saleOf('north', 'public'),
      { kind: 'publish auction', auction: 'a1', by: 'north.clerk', as: 'north' },
      { kind: 'create lot', ...lotOf('l1-a1', 'north'), status: 'draft' },
      { kind: 'cancel auction', auction: 'a1', by: 'north.owner', as: 'north' },
    ]));

  it('the end of a sale moved when a late bid has extended a lot', () =>
    play(204, [
      ...saleOf('south', 'unlisted'),
      { kind: 'create lot', ...lotOf('l1-a1', 'south'), status: 'scheduled' },
      { kind: 'publish auction', auction: 'a1', by: 'south.clerk', as: 'south' },
      { kind: 'wait', ms: 10_739_000 },
      { kind: 'bid', lot: 'l1-a1', by: 'bidder8', amountCents: 10_800, maxCents: null, confirm: false },
      { kind: 'change end', auction: 'a1', by: 'south.member', as: 'south', byMs: 600_000 },
      { kind: 'bid', lot: 'l1-a1', by: 'bidder7', amountCents: 20_800, maxCents: null, confirm: false },
    ]));

  it('a pending bidder who bids while Redis is lost for the second time, and after that', () =>
    play(73, [
      ...saleOf('north', 'public').map(
        (sale): Operation => ({ ...sale, mode: 'approval', status: 'scheduled' }),
      ),
      { kind: 'create lot', ...lotOf('l1-a1', 'north'), status: 'scheduled' },
      ...['bidder1', 'bidder2'].map((by) => ({ kind: 'register', auction: 'a1', by })),
      {
        ...{ kind: 'decide registration', auction: 'a1', bidder: 'bidder2', by: 'north.owner', as: 'north' },
        ...{ status: 'approved', limitCents: null },
      },
      ...[10_000, 30_000].flatMap((amountCents): Operation[] => [
        { kind: 'bid', lot: 'l1-a1', by: 'bidder2', amountCents, maxCents: null, confirm: true },
        { kind: 'redis is lost', older: false },
      ]),
      { kind: 'bid', lot: 'l1-a1', by: 'bidder1', amountCents: 50_000, maxCents: null, confirm: true },
    ]));

  it('a bid that is sent again by somebody who may not see its lot any more', () =>
    play(103, [
      ...saleOf('north', 'private').map((sale): Operation => ({ ...sale, status: 'scheduled' })),
      { kind: 'create lot', ...lotOf('l1-a1', 'north'), status: 'scheduled' },
      { kind: 'invite bidder', auction: 'a1', bidder: 'bidder1', by: 'north.owner', as: 'north' },
      { ...bidOf('bidder1', 10_000), key: 'k1' },
      {
        ...{ kind: 'decide registration', auction: 'a1', bidder: 'bidder1', by: 'north.owner', as: 'north' },
        ...{ status: 'declined', limitCents: null },
      },
      { kind: 'bid again', key: 'k1' },
      { kind: 'wait', ms: 14_400_000 },
      { kind: 'bid again', key: 'k1' },
    ]));

  it('a bid that came too late, and another under its key', () =>
    play(20_063, [
      ...saleOf('north', 'public').map((sale): Operation => ({ ...sale, status: 'scheduled' })),
      { kind: 'create lot', ...lotOf('l1-a1', 'north'), status: 'scheduled' },
      { kind: 'wait', ms: 14_400_000 },
      { ...bidOf('bidder1', 10_000), key: 'k1' },
      { kind: 'bid again', key: 'k1', otherwise: true },
      { kind: 'bid again', key: 'k1', twice: true },
    ]));
});

const bidOf = (by: string, amountCents: number): Operation => ({
  ...{ kind: 'bid', lot: 'l1-a1', by, amountCents, maxCents: null, confirm: true },
});

const saleOf = (team: string, privacy: string): Operation[] => [
  {
    ...{ kind: 'create auction', name: 'a1', by: `${team}.clerk`, as: team, privacy, status: 'draft' },
    ...{ startInMs: -60_000, lengthMs: 10_800_000, mode: 'open', premium: '5.00', staggerSeconds: 0 },
    ...{ windowSeconds: 120, extensionSeconds: 60, maxExtensions: null, confirmFactor: 0 },
  },
];

const lotOf = (name: string, team: string) => ({
  ...{ name, auction: 'a1', by: `${team}.clerk`, as: team },
  ...{ startingCents: 10_000, reserveCents: null, buyNowCents: null },
});
