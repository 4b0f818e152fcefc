/** The rule about exports: what only its own file uses is nobody else's matter, and says so by not being exported. */
import { codeOf, resolve, type Sources } from './rules.ts';

const IMPORT = /\b(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\s*'([^']+)'/g;
const LAZY_IMPORT = /\bimport\(\s*'([^']+)'\s*\)/g;
const VALUE = /^export\s+(?:abstract\s+|async\s+)*(?:const|let|function\*?|class)\s+(\w+)/gm;

/**
 * Functions, classes and constants of `sources` that are exported although no other file imports them; `importers`
 * are all files that might. Types are left out: they name what exported functions take and give.
 */
export function idleExports(sources: Sources, importers: Sources = sources): string[] {
  const imported = new Map<string, Set<string>>();
  const add = (path: string, specifier: string, names: readonly string[]) => {
    const target = resolve(path, specifier);
    imported.set(target, new Set([...(imported.get(target) ?? []), ...names]));
  };
  for (const [path, text] of importers) {
    const code = codeOf(text, true);
    for (const [, names = '', specifier = ''] of code.matchAll(IMPORT)) add(path, specifier, namesIn(names));
    for (const [, specifier = ''] of code.matchAll(LAZY_IMPORT)) add(path, specifier, ['*']);
  }
  return [...sources].flatMap(([path, text]) => {
    const used = imported.get(path) ?? new Set();
    const exported = [...codeOf(text, false).matchAll(VALUE)].map(([, name = '']) => name);
    const idle = used.has('*') ? [] : exported.filter((name) => !used.has(name));
    return idle.map((name) => `${path} exports ${name}, which no other file imports`);
  });
}

/**
 * Functions, classes and constants that no other file of `sources` imports and their own file does not use either: at
 * most a test calls them. `kept` are files that only tests and processes begin with.
 */
export function testedOnly(sources: Sources, kept: readonly string[]): string[] {
  const all = [...sources.values()].map((text) => codeOf(text, true)).join('\n');
  const counts = new Map<string, number>();
  for (const [word] of all.matchAll(/[\w$]+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...sources]
    .filter(([path]) => !kept.includes(path))
    .flatMap(([path, text]) =>
      [...codeOf(text, false).matchAll(VALUE)]
        .map(([, name = '']) => name)
        .filter((name) => counts.get(name) === 1)
        .map((name) => `${path} exports ${name}, which the service does not use`),
    );
}

/** The names in `{ a, type B, c as d }` as their own file calls them; `*` for all of them. */
function namesIn(clause: string): string[] {
  if (clause.startsWith('*')) return ['*'];
  return clause
    .slice(1, -1)
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+\w+$/, ''),
    );
}
