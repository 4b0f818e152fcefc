/** Collects the errors of a seller's input beyond its schema, and refuses it with 422, naming every field. */

import type { AddError } from './add-error.ts';
import { invalid } from './refusal.ts';

/** Runs the checks; throws 422 `validation_failed` if any of them added an error. */
export async function requireValid(check: (addError: AddError) => void | Promise<void>): Promise<void> {
  const errors = new Map<string, string[]>();
  await check((field, message) => {
    errors.set(field, [...(errors.get(field) ?? []), `The ${field} field ${message}.`]);
  });
  if (errors.size > 0) throw invalid(Object.fromEntries(errors));
}
