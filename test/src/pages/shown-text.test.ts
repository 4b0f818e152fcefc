/** Times as pages say them: rounded. `client-scripts.test.ts` sees to it that browsers say the same. */
import { expect } from 'chai';
import { shownIn } from '../../../src/pages/shown-text.ts';

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
