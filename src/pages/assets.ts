/**
 * The pages' own style sheets, scripts and pictures: read once, served under names that hold a hash of their content,
 * so that browsers may cache them for ever. Templates call `assetUrl`; nothing is ever loaded from elsewhere. The
 * sheets that every page needs are served as one, and scripts are modules whose imports name each other by those hashed
 * names.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Endpoint, endpoint } from '../../adapters/http/endpoint.ts';
import { PROJECT_ROOT } from '../shared/project-root.ts';

const FOLDER = join(PROJECT_ROOT, 'src', 'pages', 'assets');

/** In the order in which they count. */
const SITE_SHEETS = ['tokens', 'base', 'controls', 'frame', 'cards', 'lot', 'account'] as const;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const FOR_GOOD = 'public, max-age=31536000, immutable';

interface Asset {
  readonly path: string;
  readonly bytes: Buffer;
  readonly contentType: string;
}

const assets = new Map<string, Asset>();
/** Script → the scripts that it imports, directly or over others. */
const imports = new Map<string, readonly string[]>();
/** Script → the quoted texts in it, among which are those that it says. */
const quoted = new Map<string, readonly string[]>();

const own = readdirSync(FOLDER);
add('site.css', Buffer.concat(SITE_SHEETS.map((name) => readOwn(`${name}.css`))));
for (const name of own.filter((one) => !one.endsWith('.js'))) add(name, readOwn(name));
for (const name of own.filter((one) => one.endsWith('.js'))) addScript(name, []);
for (const name of ['leaflet.js', 'leaflet.css']) add(name, ofLeaflet(name));

function readOwn(name: string): Buffer {
  return readFileSync(join(FOLDER, name));
}

/** From the package, without the line that points at a file for debuggers. */
function ofLeaflet(name: string): Buffer {
  const text = readFileSync(fileURLToPath(import.meta.resolve(`leaflet/dist/${name}`)), 'utf8');
  return Buffer.from(text.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
}

/** A module after those that it imports, because their hashes go into its text. Throws for a circle. */
function addScript(name: string, way: readonly string[]): void {
  if (assets.has(name)) return;
  if (way.includes(name)) throw new TypeError(`scripts import each other: ${[...way, name].join(' → ')}`);
  const found = new Set<string>();
  const text = readOwn(name)
    .toString('utf8')
    .replaceAll(/(\b(?:from|import) ')\.\/([\w-]+\.js)'/g, (_, before: string, imported: string) => {
      addScript(imported, [...way, name]);
      for (const one of [imported, ...(imports.get(imported) ?? [])]) found.add(one);
      return `${before}${assetUrl(imported)}'`;
    });
  imports.set(name, [...found]);
  quoted.set(
    name,
    [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'/g)].map(([, literal = '']) => literal),
  );
  add(name, Buffer.from(text));
}

function add(name: string, bytes: Buffer): void {
  const extension = extname(name);
  const contentType = TYPES[extension];
  if (contentType === undefined) throw new TypeError(`no content type is known for ${name}`);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const path = `/assets/${name.slice(0, -extension.length)}.${hash}${extension}`;
  assets.set(name, { path, bytes, contentType });
}

/** Where a browser finds an asset. Throws for a name that is not there. */
export function assetUrl(name: string): string {
  const asset = assets.get(name);
  if (asset === undefined) throw new TypeError(`there is no asset ${name}`);
  return asset.path;
}

/** The addresses of a script and of everything that it imports, for loading them at once. */
export function scriptUrls(name: string): string[] {
  return [name, ...(imports.get(name) ?? [])].map(assetUrl);
}

/** What these scripts and those that they import may say, as it stands in them. */
export function scriptTexts(names: readonly string[]): string[] {
  const all = new Set(names.flatMap((name) => [name, ...(imports.get(name) ?? [])]));
  return [...new Set([...all].flatMap((name) => quoted.get(name) ?? []))];
}

/** One endpoint for each asset; a name with another hash is not found. */
export function assetEndpoints(): Endpoint[] {
  return [...assets.values()].map(({ path, bytes, contentType }) =>
    endpoint({
      method: 'GET',
      path,
      operationId: `asset${path}`,
      summary: 'An asset of the pages',
      tags: ['Pages'],
      access: { kind: 'public' },
      undocumented: true,
      responses: { 200: { description: 'The file.', contentType } },
      handle: async () => ({
        status: 200,
        raw: bytes,
        contentType,
        headers: { 'Cache-Control': FOR_GOOD },
      }),
    }),
  );
}
