/** Turns: everybody gets one, in order, and the event loop runs between long ones. */
import { expect } from 'chai';
import { FairScheduler } from '../../../adapters/redis/fair-scheduler.ts';

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Works for longer than a turn lasts. */
function long(): void {
  const until = performance.now() + 3;
  while (performance.now() < until);
}

describe('scheduler', () => {
  it('come in order of request, never at once, and also to those who ask during a turn', async () => {
    const scheduler = new FairScheduler();
    const seen: string[] = [];
    scheduler.schedule(() => {
      seen.push('first');
      scheduler.schedule(() => seen.push('asked in a turn'));
    });
    scheduler.schedule(() => seen.push('second'));
    expect(seen).to.deep.equal([]);
    while (seen.length < 3) await later();
    expect(seen).to.deep.equal(['first', 'second', 'asked in a turn']);
    scheduler.schedule(() => seen.push('again'));
    while (seen.length < 4) await later();
    expect(seen.at(-1)).to.equal('again');
  });

  it('let other work run between long ones', async () => {
    const scheduler = new FairScheduler();
    const seen: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      scheduler.schedule(() => {
        long();
        seen.push(name);
        setImmediate(() => seen.push(`after ${name}`));
      });
    }
    while (seen.length < 6) await later();
    expect(seen.indexOf('after one')).to.be.lessThan(seen.indexOf('three'));
  });
});
