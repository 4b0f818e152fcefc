/**
 * The house's rules about imports and style, as functions over source texts: path → text in, sentences about what is
 * wrong out. The architecture test runs them over the repository, and over small wrong examples to prove that they
 * can fail.
 */

/** Path from the root, with forward slashes → text. */
export type Sources = ReadonlyMap<string, string>;

const MAX_LINES = 300;

/** Which layer may import which. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  engine: ['engine'],
  adapters: ['adapters', 'engine'],
  src: ['src', 'adapters', 'engine'],
  clients: ['clients'],
};

/** Layers that import no package. */
const ALONE: readonly string[] = ['engine', 'clients'];

/** Text without comments; with `strings` false, without the insides of strings too. */
export function codeOf(text: string, strings: boolean): string {
  return text.replaceAll(TOKENS, (token) => {
    if (token.startsWith('//') || token.startsWith('/*')) return token.replaceAll(/[^\n]/g, ' ');
    return strings || token.startsWith('/') ? token : `${token[0]}${token.at(-1)}`;
  });
}

// Strings and regular expressions come before comments, for they may hold what looks like one.
const TOKENS =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[(=,:?]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** What a file imports, as written; type imports and re-exports count like all others. */
export function importsOf(text: string): string[] {
  const code = codeOf(text, true);
  const found = [
    ...code.matchAll(/\b(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\s*['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g),
    ...code.matchAll(/\brequire\s*\(\s*['"`]([^'"`]+)['"`]/g),
  ];
  return found.map((match) => match[1]!);
}

/** The file that a relative import means. */
export function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Arrows that run up, to a sibling adapter, to a package from the engine, or without the `.ts` ending. */
export function wrongArrows(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    for (const specifier of importsOf(text)) {
      const reason = specifier.startsWith('.')
        ? relativeFault(path, specifier)
        : ALONE.includes(layerOf(path)) && `${layerOf(path)} imports nothing but itself`;
      if (reason) wrong.push(`${path} imports ${specifier}: ${reason}`);
    }
  }
  return wrong;
}

function relativeFault(path: string, specifier: string): string | null {
  if (!/\.(ts|json)$/.test(specifier)) return 'relative imports carry their ending';
  const target = resolve(path, specifier);
  const layer = layerOf(path);
  const allowed = LAYERS[layer];
  if (allowed === undefined) return null;
  if (target !== 'package.json' && !allowed.includes(layerOf(target))) return 'imports only go down';
  if (layer !== 'adapters' || layerOf(target) !== 'adapters') return null;
  return path.split('/')[1] === target.split('/')[1] ? null : 'adapters do not import each other';
}

export function layerOf(path: string): string {
  return path.split('/')[0] ?? '';
}

/**
 * The contexts of `src`, by how far up they are: imports run from a higher number to a lower one, never between
 * equals.
 */
const CONTEXTS: Readonly<Record<string, number>> = {
  app: 8,
  pages: 7,
  tools: 7,
  selling: 7,
  sales: 6,
  webhooks: 5,
  notifications: 5,
  billing: 5,
  media: 5,
  bidding: 4,
  catalog: 4,
  accounts: 3,
  events: 2,
  shared: 1,
};

/** The files that lie in no context. */
const LOOSE: readonly string[] = ['src/cli.ts'];

/** Files of `src` outside every context, and arrows between contexts that do not run down. */
export function contextFaults(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    if (layerOf(path) !== 'src' || LOOSE.includes(path)) continue;
    const from = contextOf(path);
    if (CONTEXTS[from] === undefined) wrong.push(`${path} lies in no context`);
    for (const specifier of importsOf(text)) {
      const target = resolve(path, specifier);
      if (!specifier.startsWith('.') || layerOf(target) !== 'src') continue;
      const to = contextOf(target);
      if (from === to || (CONTEXTS[to] ?? 9) < (CONTEXTS[from] ?? 0)) continue;
      wrong.push(`${path} imports ${specifier}: ${from} may not import ${to}`);
    }
  }
  return wrong;
}

export function contextOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Each room of a context: its folder, and each folder in that. */
function roomOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 3).join('/');
}

/** Rooms that import each other, directly or over others; each circle once. */
export function knots(sources: Sources): string[] {
  const rooms = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    const from = roomOf(path);
    const arrows = rooms.get(from) ?? new Set();
    rooms.set(from, arrows);
    for (const specifier of importsOf(text)) {
      const target = resolve(path, specifier);
      if (specifier.startsWith('.') && sources.has(target) && roomOf(target) !== from)
        arrows.add(roomOf(target));
    }
  }
  return circlesOf(rooms);
}

const MAX_CONTEXTS = 14;
const MAX_LOOSE = 3;

/** Too many folders or loose files right under `src`. */
export function crowding(sources: Sources): string[] {
  const inSrc = [...sources.keys()].filter((path) => layerOf(path) === 'src');
  const loose = inSrc.filter((path) => path.split('/').length === 2);
  const contexts = new Set(inSrc.filter((path) => path.split('/').length > 2).map(contextOf));
  const wrong: string[] = [];
  if (contexts.size > MAX_CONTEXTS) wrong.push(`src has ${contexts.size} folders`);
  if (loose.length > MAX_LOOSE) wrong.push(`src has ${loose.length} loose files`);
  return wrong;
}

/** Where processes begin, and the reference journal that tests hold the real one against: nobody imports these. */
export const ENTRIES: readonly string[] = [
  'src/cli.ts',
  'adapters/images/image-process.ts',
  'adapters/sheets/xlsx-process.ts',
  'adapters/memory/memory-journal.ts',
];

/** Files that no other file of the service imports; a test alone does not keep a file alive. */
export function deadFiles(sources: Sources): string[] {
  const imported = new Set<string>(ENTRIES);
  for (const [path, text] of sources) {
    for (const specifier of importsOf(text)) imported.add(resolve(path, specifier));
  }
  return [...sources.keys()].filter((path) => !imported.has(path)).map((path) => `nobody imports ${path}`);
}

/** Two files of one name: a search for the name must have one result. */
export function doubledNames(sources: Sources): string[] {
  const rooms = new Map<string, string[]>();
  for (const path of sources.keys()) {
    const name = path.split('/').at(-1) ?? '';
    rooms.set(name, [...(rooms.get(name) ?? []), path]);
  }
  return [...rooms.values()].filter((paths) => paths.length > 1).map((paths) => paths.join(' and '));
}

const MAX_LINE = 120;

/** Drawings, whose lines are paths and not text. */
const DRAWINGS = /^src\/tools\/demo\/(landscapes|still-lifes)\.ts$/;

/** Lines that are too long to read beside another file. Template literals cannot be broken and do not count. */
export function longLines(sources: Sources): string[] {
  const read = [...sources].filter(([path]) => !DRAWINGS.test(path));
  return read.flatMap(([path, text]) =>
    text
      .replaceAll(TOKENS, (token) => (token.startsWith('`') ? token.replaceAll(/[^\n]/g, '') : token))
      .split('\n')
      .flatMap((line, index) =>
        [...line].length > MAX_LINE ? [`${path}:${index + 1} has ${[...line].length} characters`] : [],
      ),
  );
}

/** Each circle of files once, as its way round. */
export function circles(sources: Sources): string[] {
  const arrows = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    const relative = importsOf(text).filter((specifier) => specifier.startsWith('.'));
    arrows.set(path, new Set(relative.map((specifier) => resolve(path, specifier))));
  }
  return circlesOf(arrows);
}

function circlesOf(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (path: string, way: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push([...way.slice(way.indexOf(path)), path].join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const target of arrows.get(path) ?? []) {
      if (arrows.has(target)) visit(target, [...way, path]);
    }
    state.set(path, 'done');
  };
  for (const path of arrows.keys()) visit(path, []);
  return found;
}

const FORBIDDEN_IN_ENGINE: readonly [RegExp, string][] = [
  [/\bDate\.now\b/, 'Date.now'],
  [/\bnew\s+Date\b(?!\s*\(\s*[^)\s])/, 'new Date()'],
  [/\bMath\.random\b/, 'Math.random'],
  [/\bset(?:Timeout|Interval|Immediate)\b/, 'a timer'],
  [/\bperformance\b\./, 'performance'],
  [/\bprocess\./, 'process'],
  [/\bglobalThis\b/, 'globalThis'],
  [/\bcrypto\./, 'crypto'],
];

/** Clocks, chance and the machine under `engine/`. */
export function impurities(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    if (layerOf(path) !== 'engine') continue;
    const code = codeOf(text, false);
    for (const [pattern, name] of FORBIDDEN_IN_ENGINE) {
      if (pattern.test(code)) wrong.push(`${path} uses ${name}`);
    }
  }
  return wrong;
}

/** `process.env` anywhere but in `src/app/config/config.ts`. */
export function strayEnvironment(sources: Sources): string[] {
  return [...sources]
    .filter(
      ([path, text]) =>
        path !== 'src/app/config/config.ts' && /\bprocess\s*\.\s*env\b/.test(codeOf(text, false)),
    )
    .map(([path]) => `${path} reads process.env`);
}

/** Files that are too long to be read in one go. */
export function overlongFiles(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.trimEnd().split('\n').length;
    return lines > MAX_LINES ? [`${path} has ${lines} lines`] : [];
  });
}

/** Default exports, names that say nothing, and modules that do not say what they are. */
export function styleFaults(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [path, text] of sources) {
    if (/\bexport\s+default\b|\bas\s+default\b/.test(codeOf(text, false)))
      wrong.push(`${path} exports a default`);
    if (/(^|[/.-])(utils?|helpers?|managers?)[/.-]/.test(path))
      wrong.push(`${path} is a name that says nothing`);
    if (/(^|\/)index\.ts$/.test(path)) wrong.push(`${path} is a barrel`);
    if (!/^(#![^\n]*\n)?\/\*\*/.test(text)) wrong.push(`${path} does not open with what it is`);
    if (/\bas any\b/.test(codeOf(text, false)) || /@ts-(?:ignore|nocheck)/.test(text)) {
      wrong.push(`${path} silences the compiler`);
    }
  }
  return wrong;
}
