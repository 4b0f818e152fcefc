import { expect } from 'chai';
import { browserName } from '../../../src/pages/account/browser-name.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the name of a browser', () => {
  for (const [agent, name] of [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Firefox on Windows',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/147.0 Safari/537.36 Edg/147.0`,
      'Edge on Windows',
    ],
    [`Mozilla/5.0 (Linux; Android 15; K) ${WEBKIT} Chrome/147.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/19.0 Safari/605.1',
      'Safari on macOS',
    ],
    ['curl/8.5.0', 'curl'],
    ['', 'An unknown browser'],
    ['x'.repeat(200), 'x'.repeat(60)],
  ] as const) {
    it(`is ${name.slice(0, 20)}`, () => expect(browserName(agent)).to.equal(name));
  }
});
