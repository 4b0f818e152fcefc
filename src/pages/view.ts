/**
 * Renders the pages' templates. Everything that a template prints is escaped unless it says otherwise; what templates
 * share (money, times, asset addresses) is `it.show`. The page helper calls it; templates are compiled once per
 * process.
 */
import { join } from 'node:path';
import { Eta } from 'eta';
import type { Operator } from '../shared/operator.ts';
import { PROJECT_ROOT } from '../shared/project-root.ts';
import type { ShownMeta } from './page-meta.ts';
import { shownIn } from './shown-text.ts';

const eta = new Eta({
  views: join(PROJECT_ROOT, 'src', 'pages'),
  autoEscape: true,
  autoTrim: ['nl', false],
  cache: true,
});

/** What every page is given besides its own data. */
export interface PageFrame {
  readonly title: string;
  readonly operator: Operator;
  readonly csrfToken: string;
  readonly user: { readonly name: string; readonly email: string; readonly isAdmin: boolean } | null;
  /** The page's own path, for the way back after signing in. */
  readonly path: string;
  /** The visitor's time zone, where the browser has sent it. */
  readonly zone: string | null;
  /** Unread notifications of who is signed in. */
  readonly unread: number;
  /** What the bell says. */
  readonly bellLabel: string;
  /** ISO 8601: countdowns go by it. */
  readonly now: string;
  readonly meta: ShownMeta | null;
}

/**
 * The page as HTML; `template` is its place under `src/pages`, or a name in `templates`. Throws when the template
 * does.
 */
export function renderPage(template: string, frame: PageFrame, data: object): string {
  return eta.render(pathOf(template), { ...data, ...frame, show: shownIn(frame.zone) });
}

/** A part of a page that is the same for everybody, as HTML for the template around it. */
export function renderPartial(template: string, data: object): string {
  return eta.render(pathOf(template), { ...data, show: shownIn(null) });
}

function pathOf(template: string): string {
  return template.includes('/') ? `/${template}` : `/templates/${template}`;
}
