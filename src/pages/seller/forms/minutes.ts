/** What forms ask for in minutes where the API takes seconds: what takes hours rather than moments. */
import type { Schema } from './shapes.ts';

const IN_MINUTES = new Set([
  'stagger_seconds',
  'soft_close.window_seconds',
  'soft_close.extension_seconds',
  'tender_final_seconds',
]);

/** The schema of a form with those of its fields marked. */
export function inMinutes(schema: Schema): Schema {
  return marked('', schema);
}

function marked(path: string, schema: Schema): Schema {
  if (IN_MINUTES.has(path)) return { ...schema, 'x-minutes': true };
  if (path !== '' && path !== 'soft_close') return schema;
  const { properties, anyOf } = schema;
  const fields = Object.entries(properties ?? {}).map(
    ([name, one]) => [name, marked(path === '' ? name : `${path}.${name}`, one)] as const,
  );
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((branch) => marked(path, branch)) }),
  };
}
