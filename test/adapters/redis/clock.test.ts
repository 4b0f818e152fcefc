/** The lower bound of the server's clock, on a monotonic clock that the test turns by hand. */
import { expect } from 'chai';
import { ServerClock } from '../../../adapters/redis/clock.ts';

describe("the bound of the server's clock", () => {
  const SERVER_US = 1_783_850_400_000_000;
  let nowMs: number;
  let clock: ServerClock;
  beforeEach(() => {
    nowMs = 5_000;
    clock = new ServerClock(() => nowMs);
  });

  it('starts from the server’s time, and continues with the local clock', () => {
    clock.observe(SERVER_US);
    expect(clock.nowUs()).to.equal(SERVER_US);
    nowMs += 1.5;
    expect(clock.nowUs()).to.equal(SERVER_US + 1_500);
  });

  it('keeps the fastest reply: one that was long on its way says less', () => {
    clock.observe(SERVER_US);
    nowMs += 100;
    clock.observe(SERVER_US + 40_000);
    expect(clock.nowUs()).to.equal(SERVER_US + 100_000);
    clock.observe(SERVER_US + 100_300);
    expect(clock.nowUs()).to.equal(SERVER_US + 100_300);
  });

  it('drops replies after two windows, so that drift does not accumulate', () => {
    clock.observe(SERVER_US);
    for (let second = 1; second <= 25; second += 1) {
      nowMs = 5_000 + second * 1_000;
      // The server runs slower by a thousandth than this machine's clock.
      clock.observe(SERVER_US + second * 999_000);
    }
    expect(clock.nowUs() - (SERVER_US + 25 * 999_000)).to.be.within(0, 20_000);
  });

  it('starts over if the server disagrees, and waits until it has reported a later time', () => {
    clock.observe(SERVER_US);
    nowMs += 50;
    clock.reset(SERVER_US + 10_000);
    expect(clock.nowUs()).to.equal(SERVER_US + 10_000);
    nowMs += 50;
    clock.observe(SERVER_US + 10_000);
    expect(clock.nowUs()).to.equal(SERVER_US + 10_000);
    clock.observe(SERVER_US - 60_000_000);
    expect(clock.nowUs()).to.equal(SERVER_US + 10_000);
    clock.observe(SERVER_US + 60_000);
    nowMs += 1;
    expect(clock.nowUs()).to.equal(SERVER_US + 61_000);
  });

  it('never runs ahead of a server whose clock only moves forwards', () => {
    let serverUs = SERVER_US;
    for (let step = 0; step < 500; step += 1) {
      const passedMs = (step * 7) % 13;
      nowMs += passedMs;
      serverUs += passedMs * 1_000;
      clock.observe(serverUs - ((step * 31) % 9_000));
      expect(clock.nowUs()).to.be.at.most(serverUs);
    }
  });
});
