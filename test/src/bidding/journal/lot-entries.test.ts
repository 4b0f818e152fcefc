import { expect } from 'chai';
import type { SealedEntry } from '../../../../engine/lot/entry.ts';
import { joined } from '../../../../src/bidding/journal/lot-entries.ts';

/** More than a call of a function takes arguments. */
const MANY = 300_000;

describe('the entries of a lot from several places', () => {
  it('are one list in order, none twice, however many there are', () => {
    const entries = Array.from({ length: MANY }, (_, at) => entryAt(at + 1));
    const all = joined(entries.slice(0, MANY - 10), entries.slice(0, 5), entries.slice(MANY - 20));
    expect(all.length).to.equal(MANY);
    expect(all.every(({ sequence }, at) => sequence === at + 1)).to.equal(true);
  });
});

function entryAt(sequence: number): SealedEntry {
  return {
    lotId: 1,
    auctionId: 1,
    firstSequence: sequence,
    sequence,
    hash: '',
    previousHash: '',
    publicText: '',
    privateText: '',
    recordedAtUs: sequence,
  };
}
