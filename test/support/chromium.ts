/**
 * A real browser for tests, out of an npm package, so that no system package is needed: headless, as root too, with the
 * package's own libraries where the system lacks them. Nothing of it is loaded from the network.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packaged from '@sparticuz/chromium';
import { type Browser, chromium, type Page } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--no-zygote', '--disable-dev-shm-usage', '--font-render-hinting=none'];

/** Starts it; takes a few seconds the first time, when the package unpacks itself into the temporary folder. */
export async function openChromium(): Promise<Browser> {
  // One for each process that runs tests: the package does not guard against unpacking twice at the same moment.
  const folder = join(tmpdir(), `rostrum-chromium-${process.env['MOCHA_WORKER_ID'] ?? 'alone'}`);
  await mkdir(folder, { recursive: true });
  const executablePath = await unpack(folder);
  const fonts = join(folder, 'fonts.conf');
  await writeFile(fonts, fontConfiguration(folder));
  const env = { ...process.env, FONTCONFIG_FILE: fonts } as Record<string, string>;
  const launch = (more: Record<string, string>) =>
    chromium.launch({ executablePath, args: FLAGS, headless: true, env: { ...env, ...more } });
  return launch({}).catch(() => launch({ LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }));
}

/** Collects what goes wrong on a page: errors of its scripts, and what the browser writes to the console as an error. */
export function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return problems;
}

/** The package unpacks into the folder named by the environment, and its libraries only if it considers them needed. */
async function unpack(folder: string): Promise<string> {
  const said = { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' };
  const before = Object.fromEntries(Object.keys(said).map((name) => [name, process.env[name]]));
  Object.assign(process.env, said);
  try {
    return await packaged.executablePath();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** The system's fonts where it has any, and the package's own: without a single one the browser ends at once. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
