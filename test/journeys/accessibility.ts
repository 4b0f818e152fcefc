/** axe on every page, in both colour schemes and at two widths: nothing serious, and nothing wider than the screen. */
import type { Browser, Page } from 'playwright-core';
import type { DemoSite } from './demo-site.ts';
import { visitsOf } from './pages-of.ts';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Says how many pages were checked. Throws with everything that was found. */
export async function checkAccessibility(site: DemoSite, browser: Browser, axe: string): Promise<string> {
  const found: string[] = [];
  const seen = await visitsOf(site);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      for (const { who, paths } of seen) {
        const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
        const page = await site.signIn(context, who.email, who.password);
        for (const path of paths) {
          const wrong = await wrongOn(page, `${site.url}${path}`, axe);
          found.push(...wrong.map((sentence) => `${path} ${colorScheme} ${width}: ${sentence}`));
        }
        await context.close();
      }
    }
  }
  if (found.length > 0) throw new Error(found.join('\n      '));
  return `${seen.flatMap(({ paths }) => paths).length} pages, two schemes, two widths`;
}

async function wrongOn(page: Page, url: string, axe: string): Promise<string[]> {
  await page.goto(url);
  const over = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
  const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return [
    ...(over > 0 ? [`${over} px wider than the screen`] : []),
    ...bad.map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 120)}`),
  ];
}
