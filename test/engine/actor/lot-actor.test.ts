/**
 * What an actor does with a journal that is slow, changes its mind or fails; the journal is one that the test answers
 * by hand.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Engine } from '../../../engine/actor/engine.ts';
import type { Batch, Journal } from '../../../engine/actor/journal.ts';
import { JournalUnavailable, Overloaded } from '../../../engine/actor/journal.ts';
import { userKey } from '../../../engine/auction/record.ts';
import { NO_LOT } from '../../../engine/formats/english/evolve.ts';
import type { LotState } from '../../../engine/lot/state.ts';
import { aBid, aLotState, aPerson, countedRandomness, sha256 } from '../../support/engine-terms.ts';
import { engineOn, HandJournal, LOT } from './hand-journal.ts';

describe('an actor', () => {
  let journal: HandJournal;
  beforeEach(() => {
    journal = new HandJournal();
  });

  it('takes its whole mailbox as one batch, and answers only when the journal has it', async () => {
    const engine = engineOn(journal);
    let answered = 0;
    const pending = [1, 2, 3].map((userId) =>
      engine.submit(LOT, aBid({ bidder: aPerson(userId), straightCents: userId * 100_000 })).then(() => {
        answered += 1;
      }),
    );
    const { batch, settle } = await journal.full();
    expect(batch.entry).to.include({ firstSequence: 2, sequence: 4 });
    await turn();
    expect(answered).to.equal(0);
    settle({ kind: 'committed' });
    await Promise.all(pending);
  });

  it('has no bidder registered whose key no journal gives back: they would be registered for ever', async () => {
    const auction = engineOn(journal).auctionCache(7);
    const named = { key: 'x:hall:\ud800', userId: null, paddle: null };
    const fault = await auction.register([named]).catch((error: Error) => error);
    expect(String(fault)).to.match(/TypeError: .*is no text/);
  });

  it('decides again on the newer state after a conflict', async () => {
    const engine = engineOn(journal);
    const pending = engine.submit(LOT, aBid({ straightCents: 20_000 }));
    const first = await journal.full();
    const state = {
      ...aLotState(journal.record),
      sequence: 40,
      hash: 'a'.repeat(64),
      startingBidCents: 30_000,
    };
    first.settle({ kind: 'conflict', state });
    const second = await journal.full();
    expect(second.batch).to.include({ expectedSequence: 40, entry: null });
    second.settle({ kind: 'committed' });
    expect(await pending).to.have.nested.property('answer.code', 'bid_too_low');
  });

  /**
   * A bid that loses to a rival's entry and is committed after it: from then on the actor knows that the lot is
   * contended.
   */
  async function foughtOver(engine: Engine): Promise<LotState> {
    const pending = engine.submit(LOT, aBid({ bidder: aPerson(1), straightCents: 20_000 }));
    const lost = await journal.full();
    lost.settle({ kind: 'conflict', state: { ...aLotState(journal.record), sequence: 40 } });
    const { batch, settle } = await journal.full();
    journal.state = batch.next;
    settle({ kind: 'committed' });
    await pending;
    return batch.next;
  }

  const submitMany = (engine: Engine, from: number) =>
    [1, 2, 3, 4, 5].map((n) =>
      engine.submit(LOT, aBid({ bidder: aPerson(1), straightCents: from + n * 10_000, confirm: true })),
    );

  it('lets a competing process have its turn before it decides a long queue', async () => {
    const engine = engineOn(journal);
    const ours = await foughtOver(engine);
    const before = journal.loads;
    const pending = submitMany(engine, 50_000);
    expect((await journal.batch()).batch).to.equal(null);
    journal.state = { ...ours, sequence: ours.sequence + 7 };
    const { batch, settle } = await journal.full();
    expect(journal.loads).to.be.greaterThan(before);
    expect(batch.expectedSequence).to.equal(ours.sequence + 7);
    expect(batch.dueUs, 'others may have moved the end, and back').to.equal(ours.endsAtUs);
    settle({ kind: 'committed' });
    await Promise.all(pending);
  });

  it('waits for another process for a bounded time, and not at all once it has been silent for a while', async () => {
    const engine = engineOn(journal);
    let state = await foughtOver(engine);
    const loads: number[] = [];
    for (let round = 1; round <= 12; round += 1) {
      const before = journal.loads;
      const pending = submitMany(engine, round * 60_000);
      const { batch, settle } = await journal.full();
      expect(batch.expectedSequence).to.equal(state.sequence);
      state = batch.next;
      journal.state = state;
      settle({ kind: 'committed' });
      await Promise.all(pending);
      loads.push(journal.loads - before);
    }
    expect(Math.max(...loads)).to.be.within(1, 4);
    expect(loads.at(-1)).to.equal(0);
  });

  it('takes a replayed answer, too, as a sign that no other process has committed', async () => {
    const engine = engineOn(journal);
    const state = await foughtOver(engine);
    const pending = submitMany(engine, 60_000);
    for (let round = 0; round < 8; round += 1)
      (await journal.full()).settle({ kind: 'replayed', records: new Map() });
    const before = journal.loads;
    const { batch, settle } = await journal.full();
    expect(batch.expectedSequence).to.equal(state.sequence);
    expect(journal.loads).to.equal(before);
    settle({ kind: 'committed' });
    await Promise.all(pending);
  });

  it('decides a long queue even if it cannot refresh the lot', async () => {
    const engine = engineOn(journal);
    await foughtOver(engine);
    journal.load = async () => {
      throw new JournalUnavailable('unavailable');
    };
    const pending = submitMany(engine, 50_000);
    const { settle } = await journal.full();
    settle({ kind: 'committed' });
    for (const result of await Promise.all(pending)) expect(result).to.have.property('kind', 'answer');
  });

  it('shrinks its batches while they are too slow for their timestamp, and grows them again', async () => {
    const engine = engineOn(journal, { batch: 64, pipelineFrom: 64 });
    const pending = Array.from({ length: 64 }, (_, index) =>
      engine.submit(LOT, aBid({ straightCents: 10_000 + index * 1_000_000 })),
    );
    const sizes: number[] = [];
    for (let slow = 3; sizes.reduce((sum, size) => sum + size, 0) < 64; slow -= 1) {
      const { batch, settle } = await journal.full();
      if (slow > 0) settle({ kind: 'clock' });
      else {
        sizes.push(batch.next.bidCount - journal.state!.bidCount);
        journal.state = batch.next;
        settle({ kind: 'committed' });
      }
    }
    expect(sizes).to.deep.equal([8, 16, 32, 8]);
    await Promise.all(pending);
  });

  it('grows them again when a batch came back in time, even if not committed', async () => {
    const engine = engineOn(journal, { batch: 64, pipelineFrom: 64 });
    const pending = Array.from({ length: 32 }, (_, index) =>
      engine.submit(LOT, aBid({ straightCents: 10_000 + index * 1_000_000 })),
    );
    const bids = (batch: Batch) => batch.next.bidCount - journal.state!.bidCount;
    for (const _ of [32, 16]) (await journal.full()).settle({ kind: 'clock' });
    (await journal.full()).settle({ kind: 'replayed', records: new Map() });
    const sixteen = await journal.full();
    expect(bids(sixteen.batch)).to.equal(16);
    sixteen.settle({ kind: 'exposure', actual: new Map() });
    const all = await journal.full();
    expect(bids(all.batch)).to.equal(32);
    all.settle({ kind: 'committed' });
    await Promise.all(pending);
  });

  it('gives up a command that has been decided too often', async () => {
    const engine = engineOn(journal, { attempts: 5 });
    const pending = engine.submit(LOT, aBid()).then(
      () => null,
      (fault: unknown) => fault,
    );
    // Two of the tries went into fetching the record and the bidder.
    for (let tries = 2; tries < 6; tries += 1) (await journal.full()).settle({ kind: 'clock' });
    expect(journal.sources).to.deep.equal([]);
    expect(await pending).to.be.instanceOf(Overloaded);
  });

  it('reloads its state after a fault, which is reported to the caller', async () => {
    const engine = engineOn(journal);
    const pending = engine.submit(LOT, aBid());
    const fault = new JournalUnavailable('unavailable');
    (await journal.full()).settle({ kind: 'failed', fault });
    expect(await pending.catch((reason: unknown) => reason)).to.equal(fault);
    const loads = journal.loads;
    const next = engine.submit(LOT, aBid());
    (await journal.full()).settle({ kind: 'committed' });
    await next;
    expect(journal.loads).to.equal(loads + 1);
  });

  it('counts commands that wait for a fetch as waiting', async () => {
    const engine = engineOn(journal, { mailbox: 5 });
    let release = (): void => undefined;
    journal.meanwhile = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const submit = (userId: number) =>
      engine
        .submit(LOT, aBid({ bidder: aPerson(userId), straightCents: userId * 100_000 }))
        .catch((fault: unknown) => fault);
    const pending: Promise<unknown>[] = [];
    for (let userId = 1; userId <= 5; userId += 1) pending.push(submit(userId));
    expect((await journal.batch()).batch).to.equal(null);
    expect(await submit(6)).to.be.instanceOf(Overloaded);
    release();
    journal.meanwhile = async () => undefined;
    (await journal.full()).settle({ kind: 'committed' });
    expect(await Promise.all(pending)).to.have.length(5);
  });

  it('never decides on a bidder who was read before the record that it decides under', async () => {
    const engine = engineOn(journal);
    const first = engine.submit(LOT, aBid({ bidder: aPerson(2), straightCents: 20_000 }));
    (await journal.full()).settle({ kind: 'committed' });
    await first;

    let release = (): void => undefined;
    journal.meanwhile = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const pending = engine.submit(LOT, aBid({ bidder: aPerson(1), straightCents: 90_000 }));
    expect((await journal.batch()).batch).to.equal(null);
    // While the approved registration is on its way here, the suspension is on record, and another lot learns of it.
    journal.record = { ...journal.record, version: 2 };
    journal.status = 'suspended';
    await engine.auctionCache(7).load();
    release();
    journal.meanwhile = async () => undefined;
    const { batch, settle } = await journal.full();
    expect(batch).to.include({ recordVersion: 2, entry: null });
    settle({ kind: 'committed' });
    expect(await pending).to.have.nested.property('answer.code', 'bidder_suspended');
    expect(engine.auctionCache(7).bidder(userKey(1))).to.include({ status: 'suspended' });
  });

  it('says when nothing is unanswered any more', async () => {
    const engine = engineOn(journal);
    const pending = engine.submit(LOT, aBid());
    let drained = false;
    const waiting = engine
      .drained(() => turn())
      .then(() => {
        drained = true;
      });
    const { settle } = await journal.full();
    await turn();
    expect(drained).to.equal(false);
    settle({ kind: 'committed' });
    await pending;
    await waiting;
    expect(drained).to.equal(true);
  });

  it('of a lot that has left the journal only refuses', async () => {
    const parts = { journal: journal as unknown as Journal, digest: sha256, random: countedRandomness() };
    const archived = { ...aLotState(journal.record), status: 'sold' as const };
    const engine = new Engine(parts, { find: async () => ({ auctionId: 7, toOpen: null, archived }) });
    expect(await engine.submit(LOT, aBid())).to.have.nested.property('answer.code', 'lot_closed');
    expect(engine.residentLots).to.equal(0);
  });

  it('of a lot withdrawn before the journal had it refuses, with or without a record of its auction', async () => {
    const parts = { journal: journal as unknown as Journal, digest: sha256, random: countedRandomness() };
    const archived = { ...NO_LOT, lotId: LOT, auctionId: 8, status: 'withdrawn' as const };
    const engine = new Engine(parts, { find: async () => ({ auctionId: 8, toOpen: null, archived }) });
    expect(await engine.submit(LOT, aBid())).to.have.nested.property('answer.code', 'lot_withdrawn');
  });

  it('of a lot that the journal has lost is a fault, not a fresh start', async () => {
    journal.state = null;
    const fault = await engineOn(journal)
      .submit(LOT, aBid())
      .catch((reason: unknown) => reason);
    expect(fault).to.be.instanceOf(JournalUnavailable);
  });
});
