/** axe on every page, in both colour schemes and at two widths: nothing serious, and nothing wider than the screen. */
import type { Browser } from 'playwright-core';
import type { DemoSite } from './demo-site.ts';
import { pagesOf } from './pages-of.ts';

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Says how many pages were looked at. Throws with everything that was found. */
export async function checkAccessibility(site: DemoSite, browser: Browser, axe: string): Promise<string> {
  const found: string[] = [];
  const paths = await pagesOf(site);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await site.signIn(context, site.buyer.email, site.buyer.password);
      for (const path of paths) {
        await page.goto(`${site.url}${path}`);
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(over) > 0) found.push(`${path} is ${over} px wider than ${width}`);
        await page.evaluate(axe);
        const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
        for (const { id, impact, nodes } of violations) {
          if (impact !== 'serious' && impact !== 'critical') continue;
          found.push(
            `${path} ${colorScheme} ${width}: ${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 120)}`,
          );
        }
      }
      await context.close();
    }
  }
  if (found.length > 0) throw new Error(found.join('\n      '));
  return `${paths.length} pages, two schemes, two widths`;
}
