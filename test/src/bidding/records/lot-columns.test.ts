import { expect } from 'chai';
import { checkLot } from '../../../../src/bidding/records/lot-columns.ts';
import type { LotInput } from '../../../../src/shared/lot.schema.ts';

function errorsOf(input: Partial<LotInput>): string[] {
  const fields: string[] = [];
  checkLot({ starting_bid: '1.00', ...input }, 2, (field) => fields.push(field));
  return fields;
}

describe('The texts of a seller’s lot', () => {
  it('names a country of ISO 3166-1, or none', () => {
    for (const country of ['US', 'GB', 'DE', 'AX', null]) {
      expect(errorsOf({ location: { country } }), String(country)).to.deep.equal([]);
    }
    for (const country of ['ZZ', 'UK', 'EU', 'XK', 'AA', 'us']) {
      expect(errorsOf({ location: { country } }), country).to.deep.equal(['location.country']);
    }
    expect(errorsOf({ location: {} })).to.deep.equal([]);
    expect(errorsOf({ location: null })).to.deep.equal([]);
  });

  it('gives both coordinates or none', () => {
    expect(errorsOf({ location: { lat: 1 } })).to.deep.equal(['location.lng']);
    expect(errorsOf({ location: { lng: 1, lat: null } })).to.deep.equal(['location.lat']);
    expect(errorsOf({ location: { lat: 1, lng: 0 } })).to.deep.equal([]);
  });
});
