/** Who runs the marketplace, as the environment has it: `OPERATOR_NAME`, `_LOGO`, `_COLOR` and `_DIR`. */
import { readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Logo, MAX_LOGO, OPERATOR_COLOR, type OperatorSettings } from '../../shared/operator.ts';
import type { EnvironmentReader } from './environment-reader.ts';

const MAX_NAME = 60;
const LOGO_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
};

/** Throws `ConfigError` for what is no name, no picture, no colour or no folder. */
export function readOperator(read: EnvironmentReader): OperatorSettings {
  const name = read.text('OPERATOR_NAME');
  if (name !== null && (name.length > MAX_NAME || /[<>"\p{Cc}]/u.test(name)))
    read.fail('OPERATOR_NAME', `a name of 1 to ${MAX_NAME} characters`);
  const color = read.text('OPERATOR_COLOR')?.toLowerCase() ?? null;
  if (color !== null && !OPERATOR_COLOR.test(color)) read.fail('OPERATOR_COLOR', 'a colour such as #1d5a41');
  return { name, color, logo: readLogo(read), folder: readFolder(read) };
}

function readLogo(read: EnvironmentReader): Logo | null {
  const path = read.text('OPERATOR_LOGO');
  if (path === null) return null;
  const takes = `the path of an SVG, PNG, WebP or JPEG file of at most ${MAX_LOGO / 1024} KB`;
  const contentType = LOGO_TYPES[extname(path).toLowerCase().replace('.jpeg', '.jpg')];
  if (contentType === undefined) return read.fail('OPERATOR_LOGO', takes);
  try {
    const bytes = readFileSync(resolve(path));
    if (bytes.length > 0 && bytes.length <= MAX_LOGO) return { bytes, contentType };
  } catch {
    // Named below.
  }
  return read.fail('OPERATOR_LOGO', takes);
}

function readFolder(read: EnvironmentReader): string | null {
  const path = read.text('OPERATOR_DIR');
  if (path === null) return null;
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  return read.fail('OPERATOR_DIR', 'the path of a folder');
}
