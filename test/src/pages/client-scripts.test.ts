/**
 * What pages show and their scripts continue in the browser, which can import nothing of the server's: both say the
 * same of the same values.
 */
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { pricePath } from '../../../src/pages/lot/price-line.ts';
import { shownIn } from '../../../src/pages/shown-text.ts';
import { moneyText } from '../../../src/shared/money-text.ts';
import { saleAmounts } from '../../../src/shared/sale-amounts.ts';

const DAY_MS = 86_400_000;
const OFFSETS_MS = [
  0,
  1_000,
  59_000,
  61_000,
  3_585_000,
  3_599_000,
  5_800_000,
  7_300_000,
  DAY_MS,
  45 * DAY_MS,
  800 * DAY_MS,
];
const AMOUNTS = ['0.00', '0.01', '999.99', '1250.00', '999999999999.99'];

/** An element as far as the scripts use one. */
class FakeElement {
  readonly parts = new Map<string, FakeElement>();
  readonly dataset: Record<string, string> = {};
  textContent = '';
  path = '';

  querySelector(selector: string): FakeElement {
    const part = this.parts.get(selector) ?? new FakeElement();
    this.parts.set(selector, part);
    return part;
  }

  setAttribute(_name: string, value: string): void {
    this.path = value;
  }
}

describe('the scripts of pages', () => {
  const load = async (name: string) =>
    import(new URL(`../../../src/pages/assets/${name}.js`, import.meta.url).href);

  it('say everything in the language of the page', async () => {
    const folder = new URL('../../../src/pages/assets/', import.meta.url);
    const silent: string[] = [];
    for (const name of (await readdir(folder)).filter((file) => file.endsWith('.js'))) {
      const code = await readFile(new URL(name, folder), 'utf8');
      for (const [said] of code.matchAll(/(textContent|title|ariaLabel) =[^;]*;/g))
        if (/'[A-Z][a-z]/.test(said) && !said.includes('words(')) silent.push(`${name}: ${said}`);
    }
    expect(silent, 'without words()').to.deep.equal([]);
  });

  it('write times as the server does', async () => {
    // The server's clock is in the page.
    Object.assign(globalThis, { document: { querySelector: () => null } });
    const { timeText, agoText } = await load('times');
    Reflect.deleteProperty(globalThis, 'document');
    const shown = shownIn(Intl.DateTimeFormat().resolvedOptions().timeZone);
    for (const offsetMs of OFFSETS_MS.flatMap((ms) => [ms, -ms])) {
      // Away from where times are rounded, so that a millisecond between the two makes no difference.
      const iso = new Date(Date.now() + offsetMs + 250).toISOString();
      expect(timeText(iso)).to.equal(shown.time(iso));
      expect(shown.agoTag(iso)).to.include(`>${agoText(iso)}<`);
    }
  });

  it('count down to what matters: days and hours far away, seconds only within the last hour', async () => {
    Object.assign(globalThis, { document: { querySelector: () => null } });
    const { showCountdown } = await load('countdown');
    const texts: string[] = [];
    for (const seconds of [233_940, 172_800, 89_999, 86_400, 11_520, 3_600, 3_599, 729, 9]) {
      const iso = new Date(Date.now() + seconds * 1_000 - 1).toISOString();
      const time = { dateTime: iso, dataset: {}, textContent: '', closest: () => null };
      showCountdown(time);
      texts.push(time.textContent);
      if (seconds >= 3_600)
        expect(shownIn(null).countdownTag(iso, 'over')).to.include(`>${time.textContent}<`);
    }
    Reflect.deleteProperty(globalThis, 'document');
    expect(texts).to.deep.equal([
      '2 days 16 hr',
      '2 days',
      '1 day',
      '1 day',
      '3 hr 12 min',
      '1 hr',
      '59:59',
      '12:09',
      '0:09',
    ]);
  });

  it('write money as the server does', async () => {
    const script = await load('money');
    for (const currency of ['usd', 'eur', 'jpy', 'aud', 'kwd', 'iqd', 'isk', 'huf', 'clp'])
      for (const amount of AMOUNTS)
        expect(script.moneyText(amount, currency)).to.equal(moneyText(amount, currency));
  });

  it('draw the price over time as the server does', async () => {
    const { priceLine } = await load('price-line');
    const figure = new FakeElement();
    const points: [number, number][] = [];
    const add = priceLine(figure, points, String);
    for (const [index, amount] of ['100.00', '125.00', '99.00', '5000.00', '5000.01'].entries()) {
      add(new Date(index * index * 7_001).toISOString(), amount);
      expect(figure.querySelector('[data-line]').path).to.equal(pricePath(points));
    }
    expect(points.map(([, price]) => price)).to.deep.equal([100, 125, 125, 5_000, 5_000.01]);
  });

  it('add premium and tax as invoices do', async () => {
    const { startCost } = await load('would-cost');
    for (const [bands, surcharge, taxPpm] of [
      [[[0, 0]], 0, 0],
      [[[0, 1_000]], 0, 82_500],
      [[[0, 1_250]], 333, 1],
      [
        [
          [0, 2_500],
          [5, 1_999],
          [333_33, 1],
        ],
        0,
        999_999,
      ],
      [
        [
          [0, 333],
          [12_000, 101],
        ],
        77,
        999_999,
      ],
    ] as const) {
      const box = Object.assign(new FakeElement(), {
        dataset: { premium: JSON.stringify(bands), surcharge: String(surcharge), tax: String(taxPpm) },
      });
      const premiumBands = bands.map(([fromCents, percentageBps]) => ({ fromCents, percentageBps }));
      const terms = { premiumBps: 0, premiumBands, onlineSurchargeBps: surcharge, taxPpm };
      for (const cents of [1, 5, 333, 12_345, 99_999_999_999, 99_999_999_999_999]) {
        startCost(box, null, { currency: 'usd', minimum: '' }).setMinimum((cents / 100).toFixed(2));
        const { premiumCents, taxCents, totalCents } = saleAmounts(cents, terms);
        const parts = { amount: cents, premium: premiumCents, tax: taxCents, total: totalCents };
        for (const [name, sum] of Object.entries(parts))
          expect(box.querySelector(`[data-part="${name}"]`).textContent, name).to.equal(
            moneyText(sum / 100, 'usd'),
          );
      }
    }
  });
});
