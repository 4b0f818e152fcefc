/** Deciding a mailbox as one batch: what goes in, what is set aside, and what the commit has to check. */

import { expect } from 'chai';
import { AuctionCache } from '../../../engine/actor/auction-cache.ts';
import type { Journal } from '../../../engine/actor/journal.ts';
import type { PendingCommand } from '../../../engine/actor/pending-command.ts';
import { prepareBatch } from '../../../engine/actor/prepare.ts';
import { type AuctionRecord, userKey } from '../../../engine/auction/record.ts';
import { FALLING } from '../../../engine/formats/falling/falling.ts';
import type { Command } from '../../../engine/lot/commands.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import {
  aBid,
  aBidder,
  aLotState,
  aPerson,
  aRecord,
  countedRandomness,
  STARTS_AT_US,
  sha256,
} from '../../support/engine-terms.ts';

const SECOND_US = 1_000_000;

/** A book that holds `record` and users 1 to 9, with what they are bound to elsewhere. */
async function bookOf(record: AuctionRecord, exposure: Record<number, number> = {}): Promise<AuctionCache> {
  const journal = {
    loadRecord: async () => record,
    loadBidders: async (_auction: number, keys: readonly string[]) =>
      new Map(
        keys.map((key) => {
          const userId = Number(key.slice(2));
          return [key, { bidder: aBidder(userId), exposureCents: exposure[userId] ?? 0 }];
        }),
      ),
  };
  const book = new AuctionCache(record.auctionId, journal as unknown as Journal, countedRandomness());
  await book.load();
  await book.loadBidders([1, 2, 3, 4, 5, 6, 7, 8, 9].map(userKey));
  return book;
}

const pendingOf = (command: Command, key: PendingCommand['key'] = null): PendingCommand => ({
  command,
  key,
  resolve: () => undefined,
  reject: () => undefined,
  trace: null,
  arrival: 0,
  attempts: 0,
});

const by = (userId: number, straightCents: number) => aBid({ bidder: aPerson(userId), straightCents });
const key = (field: string, fingerprint = 'f') => ({ field, fingerprint });

async function prepare(
  commands: readonly PendingCommand[],
  record = aRecord(),
  state: LotState = aLotState(record),
  at = 60,
  exposure: Record<number, number> = {},
) {
  const nowUs = STARTS_AT_US + at * SECOND_US;
  const before = { digest: sha256, expectedPreviousHash: null, indexedDueUs: undefined };
  return prepareBatch(state, commands, await bookOf(record, exposure), nowUs, before);
}

/** A lot on a falling clock that runs: from 300.00 by 50.00 every minute. */
function aFallingLot(record: AuctionRecord): LotState {
  const settings = {
    ...{ start_price: '300.00', step: '50.00', step_seconds: 60, floor_price: '100.00' },
    ...{ floor_seconds: 0, quantity: 5 },
  };
  const lot = { lotId: 1, auctionId: record.auctionId, lotNumber: 1, salt: 'salt', settings };
  const state = FALLING.evolve(FALLING.unscheduled, {
    ...{ ...lot, type: 'lot_scheduled', sequence: 1, format: 'falling', pausesApplied: 0 },
    ...{ startingBidCents: 30_000, reserveCents: null, buyNowCents: null, consignorUserId: null },
    ...FALLING.firstTimes(lot, record),
  });
  return { ...FALLING.evolve(state, { type: 'lot_opened', sequence: 2 }), recordedAtUs: STARTS_AT_US };
}

describe('a batch', () => {
  it('holds a clock up once for what the journal was away, whoever bids first', async () => {
    const away = { fromUs: STARTS_AT_US + 10 * SECOND_US, toUs: STARTS_AT_US + 40 * SECOND_US };
    const record = aRecord({ format: 'falling', startsAtUs: STARTS_AT_US, outages: [away] });
    const bids = [1, 2, 3].map((who) => pendingOf(by(who, 30_000)));
    const { batch, decided } = await prepare(bids, record, aFallingLot(record), 95);
    const { startsAtUs } = batch!.next;
    expect(startsAtUs).to.equal(STARTS_AT_US + 30 * SECOND_US);
    // A minute and five seconds of the clock's own.
    expect(decided.map(({ answer }) => answer.kind === 'bid' && answer.listedCents)).to.deep.equal([
      25_000, 25_000, 25_000,
    ]);
  });

  it('decides each on the result of the one before, and seals all as one entry', async () => {
    const { decided, batch } = await prepare([
      pendingOf(by(1, 10_000)),
      pendingOf(by(2, 10_500)),
      pendingOf(by(2, 20_000)),
    ]);
    const { entry, next } = batch!;
    expect(decided.map(({ answer }) => answer.kind)).to.deep.equal(['bid', 'refused', 'bid']);
    expect(entry).to.include({ firstSequence: 2, sequence: 3 });
    expect(next).to.include({ currentCents: 20_000, sequence: 3, hash: entry!.hash });
    for (const { answer } of decided)
      if (answer.kind === 'bid')
        expect(answer).to.include({ hash: entry!.hash, previousHash: entry!.previousHash });
    expect(batch!.exposure).to.deep.equal([{ key: userKey(2), deltaCents: 20_000 }]);
  });

  it('of refusals only has no entry, but what they depend on is committed', async () => {
    const { batch } = await prepare([pendingOf(by(1, 1), key('k'))]);
    expect(batch).to.include({ entry: null, expectedSequence: 1, recordVersion: 1 });
    expect(batch!.keys.map(({ field }) => field)).to.deep.equal(['k']);
    expect(batch!.keys[0]!.value).to.include('bid_too_low');
  });

  it('sets aside commands whose bidder is unknown or needs a fetch, and decides the others', async () => {
    const stranger = pendingOf(by(77, 10_000));
    const history = { sequence: 0, events: [] };
    const voiding = pendingOf({ type: 'void_bid', bidId: 'b', reason: 'r', history });
    const { decided, unknown, needHistory } = await prepare([stranger, voiding, pendingOf(by(1, 10_000))]);
    expect(unknown).to.deep.equal([stranger]);
    expect(needHistory).to.deep.equal([voiding]);
    expect(decided).to.have.length(1);
    const alone = await prepare([stranger]);
    expect(alone.batch).to.equal(null);
  });

  it('answers a repeated key once, and asks about keys whose answer is not kept', async () => {
    const record = aRecord({ confirmFactor: 2 });
    const large = { bidder: aPerson(1), ceilingCents: 50_000 };
    const { decided, batch } = await prepare(
      [
        pendingOf(by(2, 10_000), key('a')),
        pendingOf(by(2, 10_000), key('a')),
        pendingOf(aBid(large), key('b')),
      ],
      record,
    );
    expect(decided).to.have.length(2);
    expect(decided[0]!.followers).to.have.length(1);
    expect(batch!.keys.map(({ value }) => value === null)).to.deep.equal([false, true]);
  });

  it('that meets a bug rejects only whom it concerns', async () => {
    const broken = pendingOf({ type: 'void_bid', bidId: 'b', reason: 'r' } as unknown as Command);
    const result = await prepare([broken, pendingOf(by(1, 10_000))]);
    expect(result.broken.map((one) => one.pending)).to.deep.equal([broken]);
    expect(result.decided).to.have.length(1);
  });
});

describe("a batch's deadline", () => {
  const bids = [pendingOf(by(1, 10_000))];
  const record = aRecord();
  const at = (seconds: number) => record.startsAtUs + seconds * SECOND_US;
  const untilUs = async (changed: AuctionRecord, state: LotState, seconds: number) =>
    (await prepare(bids, changed, state, seconds)).batch!.validUntilUs;

  it('is the start before it, the old end until it, and none after it', async () => {
    const scheduled = aLotState(record, { status: 'scheduled' });
    expect(await untilUs(record, scheduled, -1)).to.equal(at(0));
    expect(await untilUs(record, scheduled, 1)).to.equal(at(3_600));
    expect(await untilUs(record, aLotState(record), 3_599)).to.equal(at(3_600));
    expect(await untilUs(record, aLotState(record), 3_600)).to.equal(null);
  });

  it('follows the current schedule, not the one that the lot last knew', async () => {
    const state = aLotState(record);
    expect(await untilUs({ ...record, endsAtUs: at(100) }, state, 60)).to.equal(at(100));
    const scheduled = aLotState(record, { status: 'scheduled' });
    expect(await untilUs({ ...record, startsAtUs: at(50) }, scheduled, 49)).to.equal(at(50));
    const pauses = [{ fromUs: at(10), toUs: at(20) }];
    expect(await untilUs({ ...record, pauses }, state, 60)).to.equal(at(3_610));
  });

  it('does not exist in a pause, on a closed lot, or past the end of a simulcast', async () => {
    const pauses = [{ fromUs: at(10), toUs: null }];
    expect(await untilUs({ ...record, pauses }, aLotState(record), 60)).to.equal(null);
    expect(
      await untilUs({ ...record, pauses: [{ fromUs: at(3_601), toUs: null }] }, aLotState(record), 3_700),
    ).to.equal(null);
    expect(await untilUs(record, aLotState(record, { status: 'sold' }), 60)).to.equal(null);
    expect(await untilUs({ ...record, type: 'simulcast' }, aLotState(record), 9_000)).to.equal(null);
  });
});

describe("a batch's limits", () => {
  it('tell what was assumed, the largest rise above it, and whether one was refused for it', async () => {
    const record = aRecord({ bidLimitCents: 100_000 });
    const commands = [by(1, 20_000), by(2, 30_000), by(1, 50_000), by(1, 90_000), by(3, 60_000)];
    const { batch, decided } = await prepare(
      commands.map((bid) => pendingOf(bid)),
      record,
      aLotState(record),
      60,
      { 1: 40_000 },
    );
    expect(decided.map(({ answer }) => (answer.kind === 'refused' ? answer.code : 'taken'))).to.deep.equal([
      'taken',
      'taken',
      'taken',
      'bid_limit_exceeded',
      'taken',
    ]);
    const limitCents = 100_000;
    expect(batch!.limits).to.deep.equal([
      { key: userKey(1), limitCents, assumedCents: 40_000, increaseCents: 50_000, refused: true },
      { key: userKey(2), limitCents, assumedCents: 0, increaseCents: 30_000, refused: false },
      { key: userKey(3), limitCents, assumedCents: 0, increaseCents: 60_000, refused: false },
    ]);
    expect(batch!.exposure).to.deep.equal([{ key: userKey(3), deltaCents: 60_000 }]);
  });

  it('count what the bidder already leads with here as replaced, and give it back at the close', async () => {
    const record = aRecord({ bidLimitCents: 100_000 });
    const first = await prepare([pendingOf(by(1, 90_000))], record);
    const state = first.batch!.next;
    const raise = await prepare(
      [pendingOf(aBid({ bidder: aPerson(1), ceilingCents: 100_000 }))],
      record,
      state,
      61,
      {
        1: 90_000,
      },
    );
    expect(raise.batch!.limits[0]).to.include({ increaseCents: 10_000, refused: false });
    expect(raise.batch!.exposure).to.deep.equal([{ key: userKey(1), deltaCents: 10_000 }]);
    const close = await prepare([pendingOf({ type: 'advance' })], record, state, 3_600);
    expect(close.batch!.exposure).to.deep.equal([{ key: userKey(1), deltaCents: -90_000 }]);
    expect(close.batch!.dueUs).to.equal(null);
  });
});
