import { expect } from 'chai';
import { type AbsenteeBid, nextLeftBid } from '../../../../src/bidding/saleroom/next-left-bid.ts';

const INCREMENTS = [{ fromCents: 0, incrementCents: 10 }];
const bid = (paddle: string, maxCents: number): AbsenteeBid => ({ paddle, maxCents });

/** `88 at 110`, or nothing. */
function next(bids: readonly AbsenteeBid[], minimumCents: number, leaderPaddle: string | null = null) {
  const found = nextLeftBid(bids, { leaderPaddle, minimumCents, increments: INCREMENTS });
  return found === null ? null : `${found.paddle} at ${found.cents}`;
}

describe('the next absentee bid', () => {
  it('is the least amount where nobody else has left one', () => {
    expect(next([bid('1', 500)], 100)).to.equal('1 at 100');
    expect(next([bid('1', 500)], 500)).to.equal('1 at 500');
  });

  it('is never above its maximum, and none once the price has passed all', () => {
    expect(next([bid('1', 505), bid('2', 500)], 100)).to.equal('1 at 505');
    expect(next([bid('1', 500)], 501)).to.equal(null);
    expect(next([], 100)).to.equal(null);
  });

  it('is an increment over the next one that can still bid', () => {
    const bids = [bid('1', 300), bid('2', 800), bid('3', 500)];
    expect(next(bids, 100)).to.equal('2 at 510');
    expect(next(bids, 600)).to.equal('2 at 600');
    expect(next(bids, 510, '1')).to.equal('2 at 510');
    expect(next(bids, 210, '1')).to.equal('2 at 510');
  });

  it('is the one left first where maxima are equal, at that maximum', () => {
    expect(next([bid('1', 500), bid('2', 500)], 100)).to.equal('1 at 500');
    expect(next([bid('2', 500), bid('1', 500)], 100)).to.equal('2 at 500');
    expect(next([bid('1', 500), bid('2', 500)], 210, '2')).to.equal('1 at 500');
  });

  it('does not push the leader where the leader could not answer', () => {
    const bids = [bid('1', 500), bid('2', 500)];
    expect(next(bids, 210, '1')).to.equal('2 at 210');
    expect(next(bids, 490, '1')).to.equal('2 at 490');
    expect(next(bids, 495, '1')).to.equal(null);
    expect(next(bids, 510, '1')).to.equal(null);
  });

  it('holds for every list: the best maximum wins what only absentee bids bid on, and none pays more', () => {
    const maxima = [80, 100, 105, 110, 120, 200];
    for (const first of maxima)
      for (const second of maxima)
        for (const third of maxima)
          for (const started of [null, '1', '2', '3']) {
            const bids = [bid('1', first), bid('2', second), bid('3', third)];
            const begun = bids.find(({ paddle }) => paddle === started);
            if (begun !== undefined && begun.maxCents < 90) continue;
            let [leader, price] = [started, started === null ? 0 : 90];
            for (let calls = 0; ; calls++) {
              const minimumCents = leader === null ? 90 : price + 10;
              const found = nextLeftBid(bids, { leaderPaddle: leader, minimumCents, increments: INCREMENTS });
              if (found === null) break;
              const of = bids.find(({ paddle }) => paddle === found.paddle);
              expect(found.cents, JSON.stringify(bids)).to.be.within(minimumCents, of?.maxCents ?? 0);
              expect(found.paddle).not.to.equal(leader);
              expect(calls).to.be.below(4);
              [leader, price] = [found.paddle, found.cents];
            }
            const most = Math.max(first, second, third);
            const best = bids.find(({ maxCents }) => maxCents === most);
            if (most < 90) expect(leader).to.equal(null);
            // A leader who was called by hand keeps what the best one cannot beat by an increment.
            else if (leader !== best?.paddle) expect(most).to.be.below(price + 10);
          }
  });
});
