import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { HashQueue } from '../../../../src/accounts/people/hash-queue.ts';
import type { Refusal } from '../../../../src/shared/refusal.ts';

describe('the line of password hashes', () => {
  /** Work that ends when it is told to, and notes that it began. */
  const hand = () => {
    const began: string[] = [];
    const endings: (() => void)[] = [];
    const work = (name: string) => () => {
      began.push(name);
      return new Promise<void>((resolve) => endings.push(resolve));
    };
    const finish = async () => {
      endings.shift()?.();
      await sleep(0);
    };
    return { began, work, finish };
  };

  it('works on one at a time; callers take turns, and known browsers go first', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const asked: Promise<void>[] = [];
    const ask = (name: string, known = false) =>
      asked.push(queue.run(work(name), { caller: name.slice(0, 1), known }));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) ask(name);
    ask('k1', true);
    for (let n = 0; n < 6; n++) await finish();
    await Promise.all(asked);
    expect(began).to.deep.equal(['a1', 'k1', 'a2', 'b1', 'c1', 'a3']);
    expect(queue.waiting).to.equal(0);
  });

  it('holds as many as are hashed in ten seconds, and sends one of the greediest away for a newcomer', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const refusals: Refusal[] = [];
    const ask = (caller: string) =>
      queue.run(work(caller), { caller }).catch((error: Refusal) => void refusals.push(error));
    const asked = Array.from({ length: queue.capacity + 5 }, () => ask('greedy'));
    await sleep(0);
    expect(queue.waiting).to.equal(queue.capacity);
    expect(refusals).to.have.length(4);
    expect(refusals[0]).to.include({ code: 'overloaded' });
    expect(refusals[0]?.retryAfterS).to.be.within(9, 11);
    asked.push(ask('owner'));
    await sleep(0);
    expect(refusals).to.have.length(5);
    await finish();
    await finish();
    expect(began.slice(0, 3)).to.include('owner');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(asked);
  });

  it('is never full of strangers for a known browser', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const ask = (caller: string, known = false) =>
      queue.run(work(caller), { caller, known }).catch(() => void began.push(`refused ${caller}`));
    const asked = Array.from({ length: queue.capacity + 1 }, (_, n) => ask(`stranger ${n}`));
    await sleep(0);
    asked.push(ask('owner', true));
    await sleep(0);
    expect(began).to.deep.equal(['stranger 0', 'refused stranger 1']);
    await finish();
    await sleep(0);
    expect(began.at(-1)).to.equal('owner');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(asked);
  });

  it('is longer the faster hashes are made', async () => {
    const queue = new HashQueue();
    const before = queue.capacity;
    for (let n = 0; n < 20; n++) await queue.run(() => sleep(1), { caller: 'a' });
    expect(queue.capacity).to.be.above(before * 10);
    const failed = await queue.run(() => Promise.reject(new Error('no')), { caller: 'a' }).catch(String);
    expect(failed).to.equal('Error: no');
    expect(await queue.run(async () => 'next', { caller: 'a' })).to.equal('next');
  });
});
