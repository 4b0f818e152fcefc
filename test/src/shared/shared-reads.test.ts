import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { BatchedReads, SharedReads } from '../../../src/shared/caching/shared-reads.ts';

describe('Reads that callers share', () => {
  it('read many keys at once, and never begin before the request', async () => {
    const reads: string[][] = [];
    let version = 0;
    const batched = new BatchedReads<string, number>(async (keys) => {
      reads.push([...keys]);
      const seen = version;
      await sleep(20);
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, seen]));
    }, 1);
    const first = [batched.get('a'), batched.get('b'), batched.get('a'), batched.get('none')];
    await turn();
    await turn();
    version = 1;
    const second = [batched.get('a'), batched.get('c')];
    expect(await Promise.all(first)).to.deep.equal([0, 0, 0, undefined]);
    expect(await Promise.all(second)).to.deep.equal([1, 1]);
    expect(reads).to.deep.equal([
      ['a', 'b', 'none'],
      ['a', 'c'],
    ]);
  });

  it('fail together, and the next one tries again', async () => {
    let fails = true;
    const batched = new BatchedReads<string, number>(async (keys) => {
      if (fails) throw new Error('unavailable');
      return new Map(keys.map((key) => [key, 1]));
    }, 2);
    const said = await Promise.allSettled([batched.get('a'), batched.get('b')]);
    expect(said.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await batched.get('a')).to.equal(1);
  });

  it('run one at a time for a key, and the next serves all callers that came meanwhile', async () => {
    const shared = new SharedReads<number>();
    let made = 0;
    const make = async () => {
      made += 1;
      const mine = made;
      await sleep(20);
      if (mine === 2) throw new Error('unavailable');
      return mine;
    };
    const first = shared.get('a', make);
    const waiting = [shared.get('a', make), shared.get('a', make)];
    const other = shared.get('b', async () => 7);
    expect(await first).to.equal(1);
    expect(await other).to.equal(7);
    const after = await Promise.allSettled(waiting);
    expect(after.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await shared.get('a', make)).to.equal(3);
    expect(made).to.equal(3);
  });
});
