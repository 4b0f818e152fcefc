/** Gives one module of this process another text than its file has: a planted fault. Loaded by `plant.mjs`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

let planted = null;

export function initialize(fault) {
  planted = fault;
}

export async function load(url, context, nextLoad) {
  // What a test compares with stays right.
  const isRight = url.endsWith('?right');
  if (planted === null || isRight || url.split('?')[0] !== planted.url) return nextLoad(url, context);
  const text = readFileSync(fileURLToPath(planted.url), 'utf8');
  const parts = text.split(planted.text);
  if (parts.length !== 2) throw new Error(`the text of "${planted.name}" is not in its file once`);
  const { code } = await transform(parts.join(planted.instead), { loader: 'ts', format: 'esm' });
  return { format: 'module', source: code, shortCircuit: true };
}
