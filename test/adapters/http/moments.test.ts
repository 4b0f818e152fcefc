/** The check of moments takes a short cut for usual ones: what it says must be what the library says. */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { newAjv } from '../../../adapters/http/validate.ts';

const SCHEMA = { type: 'string', format: 'date-time' };

describe('the format of moments', () => {
  const plain = new Ajv();
  addFormats.default(plain);
  const wanted = plain.compile(SCHEMA);
  const quick = newAjv(false).compile(SCHEMA);

  const twoDigits = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
  const moment = fc
    .tuple(
      fc.constantFrom('2026', '2024', '0000', '9999', '202', '1900'),
      fc.oneof(fc.constantFrom('00', '01', '02', '12', '13'), twoDigits),
      fc.oneof(fc.constantFrom('00', '01', '28', '29', '30', '31'), twoDigits),
      fc.constantFrom('T', 't', ' ', 'x'),
      fc.oneof(fc.constantFrom('00', '23', '24'), twoDigits),
      fc.oneof(fc.constantFrom('00', '59', '60'), twoDigits),
      fc.oneof(fc.constantFrom('00', '59', '60', '5'), twoDigits),
      fc.constantFrom('', '.', '.1', '.123456', ',5'),
      fc.constantFrom('Z', 'z', '', '+00:00', '-24:00', 'Z\n', 'ZZ'),
    )
    .map(
      ([year, month, day, mark, hour, minute, second, part, zone]) =>
        `${year}-${month}-${day}${mark}${hour}:${minute}:${second}${part}${zone}`,
    );

  it('is that of the library', () => {
    const taken = new Set<boolean>();
    const same = (text: string) => {
      taken.add(wanted(text));
      expect(quick(text), JSON.stringify(text)).to.equal(wanted(text));
    };
    fc.assert(fc.property(moment, same), { numRuns: 5_000 });
    for (const usual of ['2026-02-28T23:59:59Z', '2026-02-29T00:00:00Z', '2024-02-29T00:00:00.5Z'])
      same(usual);
    expect(taken.size).to.equal(2);
  });
});
