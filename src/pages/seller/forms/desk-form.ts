/**
 * The body of every form of the desk, and what becomes of it: an operation of the API is done with what was filled in,
 * and where it is refused the form comes back as it was, each sentence beside its field.
 */
import { Type } from '@sinclair/typebox';
import type { OperationAnswer } from '../../../../adapters/http/operations.ts';
import type { Desk } from '../frame/desk.ts';
import type { FieldErrors } from './form-fields.ts';
import type { FormTexts } from './form-values.ts';

/** Texts under any names: which of them count is for the schema of the operation to say. */
export const TextForm = Type.Object({}, { patternProperties: { '^.{1,120}$': Type.String() } });

/** The texts of a form's body. */
export function textsIn(body: object): FormTexts {
  return Object.fromEntries(
    Object.entries(body).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );
}

/** What was refused, and what is wrong with which field. */
export interface Refusal {
  readonly status: number;
  readonly errors: FieldErrors;
}

export type Attempt = { readonly done: OperationAnswer } | { readonly refused: Refusal };

/** Tries an operation. Throws faults, bugs and 404. */
export async function attempt(
  desk: Pick<Desk, 'refusalIn'>,
  work: () => Promise<OperationAnswer>,
): Promise<Attempt> {
  try {
    return { done: await work() };
  } catch (error) {
    const { status, errors, message } = desk.refusalIn(error);
    return { refused: { status, errors: errors ?? { '': [message] } } };
  }
}

/** The ids of what was ticked: fields `lot-7`, `lot-8`. */
export function tickedIn(form: FormTexts, prefix: string): number[] {
  return Object.keys(form)
    .filter((name) => new RegExp(`^${prefix}-[1-9][0-9]{0,14}$`).test(name))
    .map((name) => Number(name.slice(prefix.length + 1)));
}
