import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { HashQueue } from '../../../../src/accounts/people/hash-queue.ts';
import { verifyPassword } from '../../../../src/accounts/people/password.ts';
import type { Refusal } from '../../../../src/shared/refusal.ts';
import { quickHash } from '../../../support/browser-like.ts';

/** Work that ends when it is told to, and notes that it began. */
function hand() {
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
}

describe('The queue of password hashes', () => {
  it('works on one at a time; accounts take turns, and so do callers within one', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const ask = (name: string) =>
      queue.run(work(name), { group: name.slice(0, 1), caller: name.slice(0, 2) });
    const asked = ['aa1', 'aa2', 'aa3', 'ab1', 'ac1', 'ba1', 'ba2'].map(ask);
    for (let n = 0; n < 7; n++) await finish();
    await Promise.all(asked);
    expect(began).to.deep.equal(['aa1', 'ba1', 'aa2', 'ba2', 'ab1', 'ac1', 'aa3']);
    expect(queue.waiting).to.equal(0);
  });

  it('holds as many as are hashed in ten seconds, and sends one of the greediest away for a newcomer', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const refusals: Refusal[] = [];
    const ask = (caller: string, group = 'attacked') =>
      queue.run(work(caller), { caller, group }).catch((error: Refusal) => void refusals.push(error));
    const asked = Array.from({ length: queue.capacity + 5 }, () => ask('greedy'));
    await sleep(0);
    expect(queue.waiting).to.equal(queue.capacity);
    expect(refusals).to.have.length(4);
    expect(refusals[0]).to.include({ code: 'overloaded' });
    expect(refusals[0]?.retryAfterS).to.be.within(9, 11);
    asked.push(ask('owner'), ask('somebody else', 'another'));
    await sleep(0);
    expect(refusals).to.have.length(6);
    await finish();
    await finish();
    await finish();
    await finish();
    expect(began[1], 'another account is next').to.equal('somebody else');
    expect(began.slice(0, 4)).to.include('owner');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(asked);
  });

  it('is full for nobody but those who try the account that fills it', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const ask = (caller: string, group: string) =>
      queue.run(work(caller), { caller, group }).catch(() => void began.push(`refused ${caller}`));
    const many = Array.from({ length: queue.capacity + 1 }, (_, n) => ask(`guesser ${n}`, 'attacked'));
    await sleep(0);
    many.push(ask('one more', 'attacked'), ask('somebody else', 'another'));
    await sleep(0);
    expect(began[1]).to.equal('refused one more');
    expect(began[2]).to.match(/^refused guesser/);
    await finish();
    expect(began.at(-1)).to.equal('somebody else');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(many);
  });

  it('rests between wrong passwords of one account, and for nobody else', async () => {
    const queue = new HashQueue();
    for (let n = 0; n < 40; n++) queue.noteWrong();
    const began: string[] = [];
    const atMs: number[] = [];
    const ask = (name: string, group: string) =>
      queue.run(
        async () => {
          began.push(name);
          atMs.push(performance.now());
          await sleep(60);
        },
        { caller: name, group },
      );
    const asked = [ask('first', 'attacked'), ask('second', 'attacked')];
    await Promise.all(asked);
    expect((atMs[1] ?? 0) - (atMs[0] ?? 0), 'worked and rested').to.be.above(110);
    const after = [ask('third', 'attacked')];
    await sleep(5);
    after.push(ask('somebody else', 'another'));
    await Promise.all(after);
    expect(began).to.deep.equal(['first', 'second', 'somebody else', 'third']);
  });

  it('is longer the faster hashes are made', async () => {
    const queue = new HashQueue();
    const [before, place] = [queue.capacity, { caller: 'a', group: 'a' }];
    for (let n = 0; n < 20; n++) await queue.run(() => sleep(1), place);
    expect(queue.capacity).to.be.above(before * 10);
    const failed = await queue.run(() => Promise.reject(new Error('no')), place).catch(String);
    expect(failed).to.equal('Error: no');
    expect(await queue.run(async () => 'next', place)).to.equal('next');
  });
});

describe('A stranger’s password', () => {
  it('is hashed in a thread that leaves the processor to the rest, with the same result', async () => {
    const hash = quickHash('a long enough password');
    const turn = { group: 'somebody', caller: '192.0.2.1' };
    expect(await verifyPassword('a long enough password', hash, turn)).to.equal(true);
    expect(await verifyPassword('another', hash, turn)).to.equal(false);
    expect(await verifyPassword('another', null, turn)).to.equal(false);
    if (process.platform !== 'linux') return;
    const niceness = readdirSync('/proc/self/task').map((id) =>
      Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]),
    );
    const own = Math.min(...niceness);
    expect(niceness.filter((nice) => nice >= Math.min(19, own + 10))).not.to.deep.equal([]);
  });
});
