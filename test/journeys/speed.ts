/** How long after a click in one browser the bid is on the other's screen: the middle of some tries, under 200 ms. */
import type { Browser } from 'playwright-core';
import type { Site } from './site.ts';

const TRIES = 9;
const MAX_MS = 200;
const PATIENCE_MS = 10_000;

export async function checkSpeed(site: Site, browser: Browser): Promise<string> {
  const { lotId } = await site.lot();
  const contexts = await Promise.all([browser.newContext(), browser.newContext()]);
  const pages = await Promise.all(
    contexts.map(async (context) => site.signIn(context, (await site.person()).email)),
  );
  for (const page of pages) {
    await page.goto(`${site.url}/lots/${lotId}`);
    await page.getByText('Connected').waitFor();
  }
  const tookMs: number[] = [];
  for (let n = 0; n < TRIES; n += 1) {
    const [bidder, watcher] = n % 2 === 0 ? pages : pages.toReversed();
    const text = `$${(100 + n * 10).toFixed(2)}`;
    const shown = watcher!.evaluate(
      `new Promise((done, fail) => {
        const price = () => document.querySelector('.price').textContent;
        const look = () => price() === ${JSON.stringify(text)} ? done(Date.now()) : setTimeout(look, 2);
        look();
        setTimeout(() => fail(new Error('${text} is not shown, but ' + price())), ${PATIENCE_MS});
      })`,
    );
    await bidder!.getByLabel('Your maximum').fill(String(100 + n * 10));
    const clicked = await bidder!.evaluate(
      `(() => { const at = Date.now(); document.querySelector('[data-bid] [data-place]').click(); return at; })()`,
    );
    tookMs.push(Number(await shown) - Number(clicked));
  }
  for (const context of contexts) await context.close();
  const middle = tookMs.toSorted((a, b) => a - b)[Math.floor(TRIES / 2)]!;
  if (middle > MAX_MS) throw new Error(`${middle} ms: ${tookMs.join(', ')}`);
  return `${middle} ms in the middle of ${tookMs.join(', ')}`;
}
