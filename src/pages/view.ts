/**
 * Renders the pages' templates. Everything that a template prints is escaped unless it says otherwise; what templates
 * share (money, times, asset addresses) is `it.show`. The page helper calls it; templates are compiled once per
 * process.
 */
import { join } from 'node:path';
import { Eta, type EtaConfig } from 'eta';
import type { AboutMoney } from '../shared/exchange-rates.ts';
import { LANGUAGES, type Language } from '../shared/language.ts';
import { type Phrasebook, phrasebook } from '../shared/languages/phrasebook.ts';
import { escapeHtml, inAnotherLanguage } from '../shared/languages/template-texts.ts';
import type { Operator } from '../shared/operator.ts';
import { PROJECT_ROOT } from '../shared/project-root.ts';
import type { ShownMeta } from './page-meta.ts';
import { shownIn } from './shown-text.ts';

const OPTIONS: Partial<EtaConfig> = {
  views: join(PROJECT_ROOT, 'src', 'pages'),
  autoEscape: true,
  autoTrim: ['nl', false],
  cache: true,
};

/** Templates of a language: its texts are put in before they are compiled, once for a process. */
const engines = new Map<Language, Eta>([['en', new Eta(OPTIONS)]]);

function engineOf(language: Language): Eta {
  let engine = engines.get(language);
  if (engine === undefined) {
    const book = phrasebook(language);
    engine = book === null ? new Eta(OPTIONS) : engineWith(book);
    engines.set(language, engine);
  }
  return engine;
}

function engineWith(book: Phrasebook): Eta {
  const words = {
    say: (value: unknown) => (typeof value === 'string' ? book.say(value) : value),
    safe: (value: unknown) => escapeHtml(String(value)),
    fill: (text: string, values: readonly string[]) => book.fill(text, values, escapeHtml),
  };
  const translate = {
    processTemplate: (source: string) => inAnotherLanguage(source, (text) => book.say(text)),
  };
  return new Eta({
    ...OPTIONS,
    functionHeader: 'const { say: __say, safe: __safe, fill: __fill } = this.config.words;',
    plugins: [translate],
    ...{ words },
  });
}

const NAMES = Object.entries(LANGUAGES);

/** What every page is given besides its own data. */
export interface PageFrame {
  readonly title: string;
  readonly operator: Operator;
  readonly csrfToken: string;
  readonly user: { readonly name: string; readonly email: string; readonly isAdmin: boolean } | null;
  /** The page's own path. */
  readonly path: string;
  /** The same with its query, to come back to. */
  readonly ownAddress: string;
  /** The visitor's time zone, where the browser has sent it. */
  readonly zone: string | null;
  /** Unread notifications of who is signed in. */
  readonly unread: number;
  /** What the bell says. */
  readonly bellLabel: string;
  /** ISO 8601: countdowns go by it. */
  readonly now: string;
  readonly meta: ShownMeta | null;
  readonly language: Language;
  /** Amounts in a currency that the reader has chosen beside the sale's; null: none. */
  readonly about: AboutMoney | null;
}

/**
 * The page as HTML; `template` is its place under `src/pages`, or a name in `templates`. Throws when the template
 * does.
 */
export function renderPage(template: string, frame: PageFrame, data: object): string {
  const { language, zone } = frame;
  return engineOf(language).render(pathOf(template), {
    ...data,
    ...frame,
    languages: NAMES,
    show: shownIn(zone, language),
  });
}

/** A part of a page that is the same for everybody, as HTML for the template around it. */
export function renderPartial(template: string, data: object, language: Language = 'en'): string {
  return engineOf(language).render(pathOf(template), { ...data, language, show: shownIn(null, language) });
}

function pathOf(template: string): string {
  return template.includes('/') ? `/${template}` : `/templates/${template}`;
}
