import { expect } from 'chai';
import { NetworkTries } from '../../../../src/accounts/people/network-tries.ts';

describe('Tries by network', () => {
  it('weigh on the address, less on its neighbours, and on nobody else; they are forgotten', () => {
    const from = ['198.51.100.7', '2001:db8:1:2::7'];
    const neighbours = [
      ['198.51.100.7', '198.51.100.8', '198.51.7.7', '198.52.100.7'],
      ['2001:db8:1:2:ffff::1', '2001:db8:1:3::7', '2001:db8:9::7', '2001:dba::7'],
    ];
    for (const [kind, near] of neighbours.entries()) {
      // Each of a tally of its own, for asking counts too.
      const weigh = (address: string, nowMs = 0) => {
        const tries = new NetworkTries();
        for (let n = 0; n < 8; n++) tries.note(from[kind] ?? '', 0);
        return tries.note(address, nowMs);
      };
      expect(near.map((address) => weigh(address))).to.deep.equal([24, 16, 8, 0]);
      expect(weigh(from[kind] ?? '', 1_200_000), 'twenty minutes later').to.equal(6);
    }
    expect(new NetworkTries().note('no address', 0)).to.equal(0);
  });
});
