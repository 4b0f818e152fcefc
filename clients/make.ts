/**
 * `npm run clients`: makes both clients from the description that the service serves, in `dist/clients/`. The
 * hand-written part of each is copied from its folder here; what names the API's operations and objects is printed.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startService } from '../test/support/service.ts';
import { type Description, operationsOf } from './operations.ts';
import { printPython } from './print-python.ts';
import { printTypescript } from './print-typescript.ts';
import { PythonTypes } from './python-types.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const here = (...parts: string[]): string => join(ROOT, 'clients', ...parts);

/** The folders of the clients, and the packed one of TypeScript. */
export interface MadeClients {
  readonly typescript: string;
  readonly tarball: string;
  readonly python: string;
}

/** Makes them in this folder, which is emptied first. */
export async function makeClients(description: Description, folder: string): Promise<MadeClients> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const document = join(folder, 'openapi.json');
  await writeFile(document, JSON.stringify(onlyAnswers(description)));
  const { version, license } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const typescript = await makeTypescript(description, document, join(folder, 'typescript'), {
    version,
    license,
  });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: typescript });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const python = await makePython(description, join(folder, 'python'), version);
  return { typescript, tarball: join(folder, filename), python };
}

async function makePython(description: Description, folder: string, version: string): Promise<string> {
  await cp(here('python'), folder, { recursive: true });
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const types = new PythonTypes(description.components.schemas);
  const inPackage = join(folder, 'rostrum_client');
  await writeFile(join(inPackage, 'client.py'), printPython(operationsOf(description), types));
  await writeFile(join(inPackage, 'types.pyi'), types.print());
  await writeFile(join(inPackage, 'py.typed'), '');
  await writeFile(join(folder, 'pyproject.toml'), pyproject(version));
  return folder;
}

function pyproject(version: string): string {
  return `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "rostrum-client"
version = "${version}"
description = "The API of a Rostrum marketplace, typed, with the standard library only"
readme = "README.md"
requires-python = ">=3.9"
dependencies = []

[tool.setuptools]
packages = ["rostrum_client"]

[tool.setuptools.package-data]
rostrum_client = ["py.typed", "*.pyi"]
`;
}

async function makeTypescript(
  description: Description,
  document: string,
  folder: string,
  about: { readonly version: string; readonly license: string },
): Promise<string> {
  const sources = join(folder, 'src');
  await cp(here('typescript'), sources, { recursive: true });
  await cp(here('typescript', 'README.md'), join(folder, 'README.md'));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(sources, 'client.ts'), printTypescript(operationsOf(description)));
  const packed = { name: 'rostrum-client', ...about, ...PACKAGE };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  const preload = join(ROOT, 'test', 'support', 'typescript-for-generators.ts');
  const generator = join(ROOT, 'test', 'support', 'generate-client.ts');
  const node = ['--import', 'tsx', '--import', preload, generator, document, join(sources, 'types.ts')];
  await run(process.execPath, node, { cwd: ROOT });
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(COMPILING));
  await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder]);
  return folder;
}

/** Without the refusals and headers of every operation, which are alike and three quarters of the types' text. */
function onlyAnswers(description: Description): Description {
  const paths = mapValues(description.paths, (item) =>
    mapValues(item, (operation) => ({
      ...operation,
      responses: mapValues(
        Object.fromEntries(Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))),
        ({ headers: _, ...answer }) => answer,
      ),
    })),
  );
  return { ...description, paths };
}

function mapValues<A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

const COMPILING = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: [],
    module: 'NodeNext',
    strict: true,
    declaration: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};

const PACKAGE = {
  description: 'The API of a Rostrum marketplace, typed, without dependencies',
  type: 'module',
  sideEffects: false,
  engines: { node: '>=20.19' },
  exports: { '.': { types: './dist/client.d.ts', default: './dist/client.js' } },
  files: ['dist'],
};

async function main(): Promise<void> {
  const service = await startService();
  try {
    // Cast: it is what the service serves as its description.
    const made = await makeClients(service.web.app.document as Description, join(ROOT, 'dist', 'clients'));
    console.log(Object.values(made).join('\n'));
  } finally {
    await service.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
