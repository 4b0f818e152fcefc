/** Money, moments, increments and canonical JSON: small things that everything else rests on. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { DEFAULT_INCREMENTS, houseIncrements, incrementAt } from '../../engine/auction/increments.ts';
import { canonicalJson } from '../../engine/canonical.ts';
import { formatCents, MAX_AMOUNT_CENTS, parseCents, shareOf, withDecimals } from '../../engine/money.ts';
import { isoFromUs, usFromIso } from '../../engine/time.ts';

describe('money', () => {
  const cents = fc.integer({ min: 0, max: MAX_AMOUNT_CENTS });

  it('reads back what it prints, as a string and as a number', () => {
    fc.assert(
      fc.property(cents, (amount) => {
        const text = formatCents(amount, 2);
        expect(text).to.match(/^[0-9]{1,12}\.[0-9]{2}$/);
        expect(parseCents(text, 2)).to.equal(amount);
        expect(parseCents(Number(text), 2)).to.equal(amount);
        expect(BigInt(text.replace('.', ''))).to.equal(BigInt(amount));
      }),
    );
  });

  it('parses amounts, and nothing else', () => {
    const amounts: [unknown, number][] = [
      ['1250', 125_000],
      ['1250.5', 125_050],
      ['0.05', 5],
      ['000000000007', 700],
      [0.1, 10],
      [1250.5, 125_050],
      [-0, 0],
      [999_999_999_999.99, MAX_AMOUNT_CENTS],
    ];
    for (const [value, wanted] of amounts) expect(parseCents(value, 2), String(value)).to.equal(wanted);
    const others = ['', ' 5', '5 ', '5.', '.5', '1.234', '1e3', '0x10', '+5', '-5', '1,000', '5\n', '１'];
    const odd = [
      1.005,
      1e21,
      1e-7,
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      null,
      undefined,
      [],
      ['5'],
      {},
      true,
      10n,
    ];
    for (const value of [...others, ...odd, '1234567890123']) expect(parseCents(value, 2)).to.equal(null);
  });

  it('has as many decimals as the currency, and two where it has none', () => {
    for (const [decimals, text, amount] of [
      [0, '22000.00', 22_000],
      [0, '22000', 22_000],
      [2, '1.23', 123],
      [3, '1.234', 1_234],
      [3, '1.2', 1_200],
    ] as const)
      expect(parseCents(text, decimals), text).to.equal(amount);
    for (const [decimals, text] of [
      [0, '22000.50'],
      [0, '22000.000'],
      [2, '1.234'],
      [3, '1.2345'],
      [3, '999999999999.999'],
    ] as const)
      expect(parseCents(text, decimals), text).to.equal(null);
    expect([formatCents(22_000, 0), formatCents(5, 2), formatCents(1_004, 3)]).to.deep.equal([
      '22000.00',
      '0.05',
      '1.004',
    ]);
    expect([withDecimals(12_000, 2, 0), withDecimals(12_050, 2, 0), withDecimals(1, 0, 3)]).to.deep.equal([
      120,
      null,
      1_000,
    ]);
    expect(incrementAt(houseIncrements('jpy'), 9_999)).to.equal(500);
    expect(incrementAt(houseIncrements('kwd'), 9_999)).to.equal(5_000);
  });

  it('takes shares rounded half up to the cent, exactly', () => {
    expect(shareOf(1_005, 1_000)).to.equal(101);
    expect(shareOf(1_004, 1_000)).to.equal(100);
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 10_000 }), (amount, points) => {
        const exact = (BigInt(amount) * BigInt(points) * 2n + 10_000n) / 20_000n;
        expect(BigInt(shareOf(amount, points))).to.equal(exact);
      }),
    );
  });
});

describe('moments', () => {
  const moments = fc.integer({ min: 0, max: Date.UTC(2200, 0) * 1_000 });

  it('are parsed as they are formatted, to the microsecond', () => {
    fc.assert(
      fc.property(moments, (us) => {
        const text = isoFromUs(us);
        expect(text).to.match(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
        expect(usFromIso(text)).to.equal(us);
        expect(Date.parse(text)).to.equal(Math.floor(us / 1_000));
      }),
    );
    expect(isoFromUs(1_783_850_400_123_456)).to.equal('2026-07-12T10:00:00.123456Z');
  });

  it('are refused each time they are not dates, whatever was formatted before', () => {
    const noDate = 9e18;
    isoFromUs(0);
    for (const _time of [1, 2]) expect(() => isoFromUs(noDate)).to.throw(RangeError);
    expect(isoFromUs(0)).to.equal('1970-01-01T00:00:00.000000Z');
  });

  it('are read with any offset and any precision', () => {
    const us = 1_783_850_400_000_000;
    for (const text of [
      '2026-07-12T10:00Z',
      '2026-07-12t10:00:00z',
      '2026-07-12 12:00:00+02:00',
      '2026-07-12T05:30:00.000-0430',
      '2026-07-12T10:00:00.000000000Z',
    ])
      expect(usFromIso(text), text).to.equal(us);
    expect(usFromIso('2026-07-12T10:00:00,5Z')).to.equal(us + 500_000);
    expect(usFromIso('2024-02-29T00:00Z')).to.equal(Date.UTC(2024, 1, 29) * 1_000);
  });

  it('that are none are not read', () => {
    for (const text of [
      '0000-12-31T23:59:59Z',
      '0001-01-01T00:30:00+01:00',
      '9999-12-31T23:30:00-01:00',
      '',
      '2026-07-12',
      '2026-07-12T10:00:00',
      '2026-02-29T10:00Z',
      '2026-02-31T10:00Z',
      '2026-13-01T10:00Z',
      '2026-07-12T25:00Z',
      '2026-07-12T10:60Z',
      '2026-07-12T10:00:00+25:00',
      '1783850400',
      'tomorrow',
    ])
      expect(usFromIso(text), text).to.equal(null);
  });
});

describe('increments', () => {
  it('are those of the band that holds the price, at both edges of each (rule 11)', () => {
    const dollars = [
      [0, 5],
      [99.99, 5],
      [100, 10],
      [499.99, 10],
      [500, 25],
      [999.99, 25],
      [1_000, 50],
      [4_999.99, 50],
      [5_000, 100],
      [9_999.99, 100],
      [10_000, 250],
      [49_999.99, 250],
      [50_000, 500],
      [99_999.99, 500],
      [100_000, 1_000],
      [499_999.99, 1_000],
      [500_000, 2_500],
      [999_999_999_999, 2_500],
    ] as const;
    for (const [price, increment] of dollars)
      expect(incrementAt(DEFAULT_INCREMENTS, Math.round(price * 100))).to.equal(increment * 100);
  });

  it('of any table are those of the last band from below', () => {
    const tables = fc
      .uniqueArray(fc.nat(100_000), { minLength: 0, maxLength: 6 })
      .map((froms) =>
        [...new Set([0, ...froms])]
          .sort((a, b) => a - b)
          .map((fromCents, index) => ({ fromCents, incrementCents: index + 1 })),
      );
    fc.assert(
      fc.property(tables, fc.nat(200_000), (table, price) => {
        const wanted = table.filter(({ fromCents }) => fromCents <= price).length;
        expect(incrementAt(table, price)).to.equal(wanted);
      }),
    );
  });
});

describe('canonical JSON (RFC 8785)', () => {
  it('says the same, whatever the order of keys, and is its own canonical form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).to.deep.equal(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).to.equal(text);
        expect(canonicalJson(turned(value))).to.equal(text);
      }),
    );
  });

  it("gives the RFC's own example", () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).to.equal(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 };
    expect(Object.values(JSON.parse(canonicalJson({ a: keys })).a)).to.have.length(7);
    expect(canonicalJson(keys)).to.equal('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it('throws on numbers and values that JSON does not have', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, 1n, { a: undefined }])
      expect(() => canonicalJson(value)).to.throw(TypeError);
  });
});

/** The same value with its keys in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]));
}
