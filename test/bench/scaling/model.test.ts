import { expect } from 'chai';
import { forecast } from '../../../bench/scaling/model.ts';

const DEMAND = { webUs: 100, redisUs: 20, loadUs: 0, aloneMs: 2 };

describe('the model of scaling', () => {
  it('says which part saturates first, and its throughput', () => {
    const many = { connections: 1_000 };
    expect(forecast(DEMAND, { ...many, cores: 64, webProcesses: 1 })).to.deep.equal({
      bound: 'web processes',
      perSecond: 10_000,
    });
    expect(forecast(DEMAND, { ...many, cores: 64, webProcesses: 8 })).to.deep.equal({
      bound: 'Redis',
      perSecond: 50_000,
    });
    expect(forecast(DEMAND, { ...many, cores: 1.2, webProcesses: 8 })).to.deep.equal({
      bound: 'cores',
      perSecond: 10_000,
    });
    expect(forecast(DEMAND, { connections: 4, cores: 64, webProcesses: 8 })).to.deep.equal({
      bound: 'connections',
      perSecond: 2_000,
    });
  });
});
