/** How the scripts of pages read a part anew: what moves while an answer is on its way is not lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

type Rereading = (read: () => Promise<void>) => (inMs?: number) => void;

describe('reading a part of a page anew', () => {
  let rereading: Rereading;
  before(async () => {
    // Cast: a script of pages, which no program of the server's imports.
    const file = '../../../src/pages/assets/reread.js' as string;
    rereading = ((await import(file)) as { rereading: Rereading }).rereading;
  });

  /** Reads that take as long as the test wants, and what was true when each began. */
  function slowReads() {
    const seen: number[] = [];
    const open: (() => void)[] = [];
    const state = { now: 0, atOnce: 0, most: 0 };
    const refresh = rereading(async () => {
      seen.push(state.now);
      state.atOnce += 1;
      state.most = Math.max(state.most, state.atOnce);
      await new Promise<void>((resolve) => open.push(resolve));
      state.atOnce -= 1;
      if (seen.length === 1) throw new Error('the network is away');
    });
    return { seen, open, state, refresh };
  }

  it('is once for many moves, one at a time, and once more for what moved meanwhile', async () => {
    const { seen, open, state, refresh } = slowReads();
    for (let move = 0; move < 5; move += 1) refresh(1);
    await sleep(30);
    expect(seen).to.deep.equal([0]);
    state.now = 1;
    for (let move = 0; move < 5; move += 1) refresh(1);
    await sleep(30);
    expect(seen, 'while the first is under way').to.deep.equal([0]);
    open.shift()?.();
    await sleep(400);
    expect(seen).to.deep.equal([0, 1]);
    open.shift()?.();
    await sleep(200);
    expect([seen, state.most]).to.deep.equal([[0, 1], 1]);
  });

  it('is at the first of the moments', async () => {
    const { seen, refresh } = slowReads();
    refresh(60_000);
    refresh(1);
    refresh(60_000);
    await sleep(30);
    expect(seen).to.have.length(1);
  });
});
