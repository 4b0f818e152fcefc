/** Gathers what is wrong with a seller's input beyond its schema, and refuses it as 422 with every field named. */

import type { AddError } from '../shared/add-error.ts';
import { invalid } from '../shared/refusal.ts';

/** Runs the checks; throws 422 `validation_failed` if any of them added an error. */
export async function requireValid(check: (addError: AddError) => void | Promise<void>): Promise<void> {
  const errors: Record<string, string[]> = {};
  await check((field, sentence) => {
    const told = `The ${field} field ${sentence}.`;
    const known = Object.hasOwn(errors, field) ? errors[field]! : [];
    Object.defineProperty(errors, field, {
      value: [...known, told],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  });
  if (Object.keys(errors).length > 0) throw invalid(errors);
}
