/** Times as pages say them: rounded. `client-scripts.test.ts` sees to it that browsers say the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { shownIn } from '../../../src/pages/shown-text.ts';
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

  it('are rounded where a countdown says them without a script', () => {
    const iso = new Date(Date.now() + 2.7 * DAY * 1_000).toISOString();
    expect(shownIn(null).countdownTag(iso, 'over')).to.contain('>3 days<');
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
