/**
 * Preloaded into the process that generates a client: openapi-typescript prints through TypeScript's older compiler
 * interface, which TypeScript 7 no longer has, so its import of `typescript` gets the version that @ts-morph/common
 * carries.
 */
import { register } from 'node:module';

const hook = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
