/** The rules about what pages are made of: no style, template or asset that no page uses, no side by its name. */
import type { Sources } from './rules.ts';

const COMMENTS = /\/\*[\s\S]*?\*\//g;
/** Of the map's own package, which writes them into the page itself. */
const FOREIGN = /^leaflet-/;

/** Classes that no other file names, and custom properties that no sheet takes. */
export function deadStyles(sources: Sources): string[] {
  const sheets = [...sources]
    .filter(([path]) => path.endsWith('.css'))
    .map(([path, text]) => [path, text.replaceAll(COMMENTS, '')] as const);
  const styles = sheets.map(([, text]) => text).join('\n');
  const others = [...sources].filter(([path]) => !path.endsWith('.css')).map(([, text]) => text);
  const words = new Set(others.flatMap((text) => text.match(/[A-Za-z][\w-]*/g) ?? []));
  return sheets.flatMap(([path, text]) => {
    const selectors = text.replaceAll(/\{[^{}]*\}/g, '{}');
    const classes = namesIn(selectors, /\.([a-zA-Z][\w-]*)/g);
    const properties = namesIn(text, /(--[\w-]+)\s*:/g);
    return [
      ...classes.filter((name) => !words.has(name) && !FOREIGN.test(name)).map((name) => `.${name}`),
      ...properties.filter((name) => !styles.includes(`var(${name}`)),
    ].map((name) => `${path} has ${name}, which no page uses`);
  });
}

const SIDES = new RegExp(
  '(?:^|[\\s;{])((?:(?:margin|padding|border|scroll-margin|scroll-padding)-)?(?:left|right)(?:-\\w+)?|' +
    'border-(?:top|bottom)-(?:left|right)-radius|(?:text-align|float|clear):\\s*(?:left|right))\\s*[:;]',
  'g',
);

/** Left and right, where a language that is written the other way needs start and end. */
export function sidedStyles(sources: Sources): string[] {
  return [...sources]
    .filter(([path]) => path.endsWith('.css'))
    .flatMap(([path, text]) =>
      [...text.replaceAll(COMMENTS, '').matchAll(SIDES)].map(([, side]) => `${path} names a side: ${side}`),
    );
}

/** Templates and assets that no other file names. */
export function deadParts(sources: Sources): string[] {
  return [...sources.keys()]
    .filter((path) => path.endsWith('.eta') || path.includes('/assets/'))
    .filter((path) => {
      const name = path.split('/').at(-1) ?? '';
      const stem = name.slice(0, name.lastIndexOf('.'));
      const named = new RegExp(`['"\`/](?:${stem}|${name.replaceAll('.', '\\.')})['"\`]`);
      return ![...sources].some(([other, text]) => other !== path && named.test(text));
    })
    .map((path) => `no page uses ${path}`);
}

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
}
