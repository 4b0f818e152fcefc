import { expect } from 'chai';
import { inEvenTime } from '../../../../src/accounts/credentials/even-time.ts';

describe('An answer whose time reveals nothing', () => {
  const took = async (work: Promise<unknown>) => {
    const startMs = performance.now();
    await work.catch(() => undefined);
    return performance.now() - startMs;
  };

  it('comes no sooner where there is nothing to do, and with what the work returns', async () => {
    expect(await took(inEvenTime(80, async () => null))).to.be.above(75);
    expect(await inEvenTime(1, async () => 'made')).to.equal('made');
  });

  it('does not wait where the work fails', async () => {
    expect(await took(inEvenTime(5_000, () => Promise.reject(new Error('away'))))).to.be.below(4_000);
  });
});
