/** Journeys on a phone of 390 px, each with JavaScript and without, at the same time. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

const PHONE = { viewport: { width: 390, height: 844 } };
const WITHIN_MS = 20_000;

/** Plays a journey both ways; says of a failure in which. */
export async function bothWays(
  browser: Browser,
  journey: (context: BrowserContext, hasScript: boolean) => Promise<void>,
): Promise<void> {
  const played = [true, false].map(async (hasScript) => {
    const context = await openPhone(browser, hasScript);
    try {
      await journey(context, hasScript);
    } catch (error) {
      const pages = context.pages().map((page) => new URL(page.url()).pathname);
      const where = `${hasScript ? 'with' : 'without'} JavaScript, at ${pages.join(', ')}`;
      throw new Error(`${where}: ${error instanceof Error ? error.message : error}`, { cause: error });
    } finally {
      await context.close();
    }
  });
  const failed = (await Promise.allSettled(played)).filter((one) => one.status === 'rejected');
  if (failed.length > 0) throw failed[0]?.reason;
}

export async function openPhone(browser: Browser, hasScript = true): Promise<BrowserContext> {
  const context = await browser.newContext({ ...PHONE, javaScriptEnabled: hasScript });
  context.setDefaultTimeout(WITHIN_MS);
  return context;
}

/** Waits for what comes by itself with JavaScript, and by the next page without it. */
export async function comes(page: Page, hasScript: boolean, what: Locator): Promise<void> {
  if (hasScript) return what.first().waitFor();
  for (const endMs = performance.now() + WITHIN_MS; performance.now() < endMs; await page.reload()) {
    const isThere = await what
      .first()
      .waitFor({ timeout: 500 })
      .then(
        () => true,
        () => false,
      );
    if (isThere) return;
  }
  throw new Error(`${String(what)} is not on ${page.url()}`);
}

/** Throws where a page is wider than the phone, once its styles are there. */
export async function mustFit(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  if (over > 0) throw new Error(`${page.url()} is ${over} px wider than the screen`);
}
