/**
 * Renders the pages' templates. Everything that a template prints is escaped unless it says otherwise; what templates share
 * (money, times, asset addresses) is under `it.show`. The page helper calls it; templates are compiled once per process.
 */
import { join } from 'node:path';
import { Eta } from 'eta';
import { PROJECT_ROOT } from '../shared/project-root.ts';
import { assetUrl } from './assets.ts';

const eta = new Eta({
  views: join(PROJECT_ROOT, 'src', 'pages', 'templates'),
  autoEscape: true,
  autoTrim: ['nl', false],
  cache: true,
});

/** What every page is told besides its own data. */
export interface PageFrame {
  readonly title: string;
  readonly csrfToken: string;
  readonly user: { readonly name: string; readonly email: string } | null;
  /** The page's own path, for the way back after signing in. */
  readonly path: string;
}

/** The page as HTML. Throws when the template does. */
export function renderPage(template: string, frame: PageFrame, data: object): string {
  return eta.render(`./${template}`, { ...data, ...frame, show });
}

const TIME = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const show = {
  asset: assetUrl,
  /** Text in which backticks mean code, as HTML: escaped here, so templates print it raw. */
  marked(text: string): string {
    const escaped = text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!);
    return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>').replaceAll(/^- /gm, '');
  },
  /** `$1,250.00` */
  money(amount: string | number, currency: string): string {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(
      Number(amount),
    );
  },
  /** `Jul 12, 2026, 10:00 AM UTC` */
  time(iso: string): string {
    return `${TIME.format(new Date(iso))} UTC`;
  },
  /** `1 lot`, `2 lots` */
  count(n: number, one: string, many = `${one}s`): string {
    return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
  },
};
