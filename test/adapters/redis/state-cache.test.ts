import { expect } from 'chai';
import { StateCache } from '../../../adapters/redis/state-cache.ts';
import type { EnglishState } from '../../../engine/formats/english/english-state.ts';

/** A store of two answers, counting requests. */
function store(stored: Record<string, number>) {
  const readIds: string[] = [];
  const stateOf = (id: string) =>
    stored[id] === undefined ? null : ({ lotId: Number(id), sequence: stored[id] } as EnglishState);
  return {
    asked: readIds,
    versions: async (ids: readonly string[]) => {
      readIds.push(`versions ${ids.join(',')}`);
      return ids.map((id) => (stored[id] === undefined ? null : String(stored[id])));
    },
    states: async (ids: readonly string[]) => {
      readIds.push(`states ${ids.join(',')}`);
      return ids.map(stateOf);
    },
  };
}

describe('States that were read a moment ago', () => {
  it('are read again only if the lot has changed', async () => {
    const stored: Record<string, number> = { 1: 5, 2: 7 };
    const reads = store(stored);
    const known = new StateCache();
    const sequences = async (...ids: string[]) =>
      (await known.read(ids, reads)).map((state) => state?.sequence ?? null);
    expect(await sequences('1', '2', '3')).to.deep.equal([5, 7, null]);
    expect(await sequences('2', '1')).to.deep.equal([7, 5]);
    stored['2'] = 8;
    stored['3'] = 1;
    expect(await sequences('1', '2', '3')).to.deep.equal([5, 8, 1]);
    delete stored['1'];
    expect(await sequences('1', '2')).to.deep.equal([null, 8]);
    expect(reads.asked).to.deep.equal([
      'states 1,2,3',
      'versions 2,1',
      'versions 1,2',
      'states 3',
      'states 2',
      'versions 1,2',
    ]);
  });

  it('are not kept where the read fails', async () => {
    const known = new StateCache();
    const unavailable = { ...store({}), states: () => Promise.reject(new Error('unavailable')) };
    const said = await known.read(['1'], unavailable).catch((error: Error) => error.message);
    expect(said).to.equal('unavailable');
    expect((await known.read(['1'], store({ 1: 2 })))[0]?.sequence).to.equal(2);
  });
});
