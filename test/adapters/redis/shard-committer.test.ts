/** One shard's way into the journal, with a call that the test answers by hand. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { ShardCommitter } from '../../../adapters/redis/shard-committer.ts';
import type { Batch, CommitResult } from '../../../engine/actor/journal.ts';
import { JournalUnavailable, Overloaded } from '../../../engine/actor/journal.ts';
import { bidBatch } from '../../contracts/batches.ts';
import { aLotState, aRecord } from '../../support/engine-terms.ts';

describe("a shard's committer", () => {
  const record = aRecord();
  const batch = (lotId: number): Batch =>
    bidBatch(aLotState(record, { lotId }), record, record.startsAtUs + 1_000);

  interface Call {
    readonly lots: readonly number[];
    answer(results: CommitResult[]): void;
    fail(fault: Error): void;
  }

  function committerOf(nowUs: () => number = () => 0, weight = 1_000, pipelineFrom = 64) {
    const calls: Call[] = [];
    const committer = new ShardCommitter(
      3,
      (_shard, batches) =>
        new Promise((answer, fail) => calls.push({ lots: batches.map(({ lotId }) => lotId), answer, fail })),
      nowUs,
      { weight, pipelineFrom },
    );
    const results: [number, CommitResult][] = [];
    const enqueue = (
      lotId: number,
      prepare: (nowUs: number) => Batch | null = () => batch(lotId),
      ahead = false,
    ) =>
      committer.enqueue({
        auctionId: record.auctionId,
        pipelined: ahead,
        prepare,
        settle: (_batch, result) => results.push([lotId, result]),
      });
    return { committer, calls, results, enqueue };
  }

  it('allows one call beside the one in flight, for batches that pipeline', async () => {
    const { calls, enqueue } = committerOf();
    const ahead = (lotId: number) => enqueue(lotId, undefined, true);
    enqueue(1);
    await turn();
    enqueue(2);
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[1]]);
    ahead(1);
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[1], [2, 1]]);
    ahead(3);
    await turn();
    expect(calls).to.have.length(2);
    calls[1]!.answer([{ kind: 'committed' }, { kind: 'committed' }]);
    await turn();
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[1], [2, 1], [3]]);
  });

  it('allows a second call if enough wait for it, and never a third', async () => {
    const { calls, enqueue } = committerOf(undefined, undefined, 3);
    enqueue(1);
    await turn();
    enqueue(2);
    enqueue(3);
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[1]]);
    enqueue(4);
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[1], [2, 3, 4]]);
    for (const lotId of [5, 6, 7]) enqueue(lotId);
    await turn();
    expect(calls).to.have.length(2);
  });

  it('sends all that arrives in one turn in one call, and what arrives meanwhile in the next', async () => {
    const { committer, calls, results, enqueue } = committerOf();
    enqueue(1);
    enqueue(2);
    await turn();
    enqueue(3);
    enqueue(4);
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[1, 2]]);
    calls[0]!.answer([{ kind: 'committed' }, { kind: 'clock' }]);
    await turn();
    await turn();
    expect(results).to.deep.equal([
      [1, { kind: 'committed' }],
      [2, { kind: 'clock' }],
    ]);
    expect(calls.map(({ lots }) => lots)).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    expect(committer.idle).to.equal(false);
    calls[1]!.answer([{ kind: 'committed' }, { kind: 'committed' }]);
    await turn();
    expect(committer.idle).to.equal(true);
  });

  it('skips lots that have nothing to commit after all, and makes no empty call', async () => {
    const { calls, enqueue } = committerOf();
    enqueue(1, () => null);
    await turn();
    expect(calls).to.deep.equal([]);
    enqueue(2, () => null);
    enqueue(3);
    await turn();
    expect(calls.map(({ lots }) => lots)).to.deep.equal([[3]]);
  });

  it('sends no more in a call than its weight allows, nor than can be decided while timestamps are fresh', async () => {
    const light = committerOf(() => 0, 2);
    for (const lotId of [1, 2, 3, 4, 5]) light.enqueue(lotId);
    await turn();
    expect(light.calls[0]!.lots).to.deep.equal([1, 2]);

    let nowUs = 0;
    const slow = committerOf(() => nowUs);
    const stamps: number[] = [];
    for (const lotId of [1, 2, 3, 4, 5])
      slow.enqueue(lotId, (stampUs) => {
        stamps.push(stampUs);
        nowUs += 25_000;
        return batch(lotId);
      });
    await turn();
    expect(slow.calls[0]!.lots).to.deep.equal([1, 2, 3]);
    expect(stamps).to.deep.equal([0, 25_000, 50_000]);
    slow.calls[0]!.answer(Array<CommitResult>(3).fill({ kind: 'committed' }));
    await turn();
    await turn();
    expect(slow.calls[1]!.lots).to.deep.equal([4, 5]);
  });

  it('gives lots that are decided within a millisecond one stamp', async () => {
    let nowUs = 0;
    const { enqueue } = committerOf(() => nowUs);
    const stamps: number[] = [];
    for (const lotId of [1, 2, 3, 4, 5])
      enqueue(lotId, (stampUs) => {
        stamps.push(stampUs);
        nowUs += 400;
        return batch(lotId);
      });
    await turn();
    expect(stamps).to.deep.equal([0, 0, 0, 1_200, 1_200]);
  });

  it('fails every batch of a call that fails, with a fault that says what it was', async () => {
    const { calls, results, enqueue } = committerOf();
    for (const [index, fault] of [new Error('no wire'), new Overloaded('full')].entries()) {
      enqueue(index);
      await turn();
      calls[index]!.fail(fault);
      await turn();
    }
    const faults = results.map(([, result]) => (result.kind === 'failed' ? result.fault : null));
    expect(faults[0]).to.be.instanceOf(JournalUnavailable);
    expect(faults[1]).to.be.instanceOf(Overloaded);
  });
});
