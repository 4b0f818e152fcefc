/** Times as pages say them: rounded. `client-scripts.test.ts` sees to it that browsers say the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { shownIn } from '../../../src/pages/shown-text.ts';
import type { Language } from '../../../src/shared/language.ts';
import { PROJECT_ROOT } from '../../../src/shared/project-root.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('times relative to now', () => {
  const CASES: readonly (readonly [seconds: number, text: string])[] = [
    [-1.6 * HOUR, '2 hours ago'],
    [-1.4 * HOUR, '1 hour ago'],
    [-59.7 * MINUTE, '1 hour ago'],
    [-58.2 * MINUTE, '58 minutes ago'],
    [-23.8 * HOUR, 'yesterday'],
    [2.7 * DAY, 'in 3 days'],
    [2.3 * DAY, 'in 2 days'],
    [89 * MINUTE, 'in 1 hour'],
    [91 * MINUTE, 'in 2 hours'],
    [29.8 * DAY, 'next month'],
    [40.2, 'in 40 seconds'],
  ];
  for (const [seconds, text] of CASES) {
    it(`${seconds} seconds are ${text}`, () => {
      const iso = new Date(Date.now() + seconds * 1_000).toISOString();
      expect(shownIn(null).agoTag(iso)).to.contain(`>${text}<`);
    });
  }

  it('say in a countdown what matters, in each language', () => {
    const said = (seconds: number, language: Language = 'en') => {
      const iso = new Date(Date.now() + (seconds + 0.5) * 1_000).toISOString();
      return shownIn(null, language)
        .countdownTag(iso, 'over')
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll(/\s/g, ' ');
    };
    expect([2.7 * DAY, DAY, 3.2 * HOUR, 58.2 * MINUTE, 40, -1].map((seconds) => said(seconds))).to.deep.equal(
      ['2 days 16 hr', '1 day', '3 hr 12 min', '58 min', '41 sec', 'over'],
    );
    expect((['de', 'es', 'fr', 'pt'] as const).map((language) => said(2.7 * DAY, language))).to.deep.equal([
      '2 Tg. 16 Std.',
      '2 d 16 h',
      '2 j 16 h',
      '2 dias 16 h',
    ]);
  });
});

describe('what pages show', () => {
  it('says the day of a period once, and both days where it ends on another', () => {
    const periodTag = (to: string) => shownIn('America/Chicago').periodTag('2026-12-01T15:00:00.000Z', to);
    const said = (tag: string) => tag.replaceAll(/<[^>]+>/g, '').replaceAll(/[\u2009\u202f]/g, ' ');
    expect(said(periodTag('2026-12-01T21:00:00.000Z'))).to.equal('Dec 1, 2026, 9:00 AM – 3:00 PM CST');
    expect(said(periodTag('2026-12-02T21:00:00.000Z'))).to.equal(
      'Dec 1, 2026, 9:00 AM CST – Dec 2, 2026, 3:00 PM CST',
    );
    expect(periodTag('2026-12-01T21:00:00.000Z')).to.contain('data-until="2026-12-01T21:00:00.000Z"');
  });

  it('says spans in the units that people use', () => {
    const { span } = shownIn(null);
    expect([300, 90, 1, 86_400, 5_400].map(span)).to.deep.equal([
      '5 minutes',
      '1 minute 30 seconds',
      '1 second',
      '1 day',
      '1 hour 30 minutes',
    ]);
  });

  it('is as it was written: no style puts capital letters in', () => {
    const folder = join(PROJECT_ROOT, 'src', 'pages', 'assets');
    const styles = readdirSync(folder).filter((name) => name.endsWith('.css'));
    expect(styles.length).to.be.above(5);
    const changing = styles.filter((name) =>
      /text-transform|font-variant:[^;]*caps/.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(changing).to.deep.equal([]);
  });
});
