/** Gives the files of one context all of their mutants as they are loaded. Registered by `try-mutants.ts`. */
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

let texts = null;

export function initialize(data) {
  texts = new Map(data.map(({ url, text }) => [url, text]));
}

export async function load(url, context, nextLoad) {
  const text = texts?.get(url.split('?')[0]);
  if (text === undefined) return nextLoad(url, context);
  const { code } = await transform(text, { loader: 'ts', format: 'esm', sourcefile: fileURLToPath(url) });
  return { format: 'module', source: code, shortCircuit: true };
}
