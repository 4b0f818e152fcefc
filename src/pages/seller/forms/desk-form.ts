/**
 * The body of every form of the desk, and its processing: an operation of the API is called with the input, and if it
 * is refused the form returns as filled in, each message next to its field.
 */
import { Type } from '@sinclair/typebox';
import type { Reply } from '../../../../adapters/http/endpoint.ts';
import type { OperationAnswer } from '../../../../adapters/http/operations.ts';
import { objectIn } from '../../../../engine/objects.ts';
import type { Desk, Visit } from '../frame/desk.ts';
import { fieldSentences } from './field-words.ts';
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

/** Tries something. Throws faults, bugs and 404. */
export async function attempt<T>(
  desk: Pick<Desk, 'refusalIn'>,
  work: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly refused: Refusal }> {
  try {
    return { done: await work() };
  } catch (error) {
    const { status, errors, message } = desk.refusalIn(error);
    return { refused: { status, errors: errors === undefined ? { '': [message] } : fieldSentences(errors) } };
  }
}

/**
 * Processes a form: runs `work` and redirects to `next`, which gets the API's answer; if it is refused, `redraw` shows
 * the form as filled in. Throws faults, bugs and 404.
 */
export async function submit(
  desk: Pick<Desk, 'refusalIn' | 'go'>,
  work: () => Promise<OperationAnswer | null>,
  redraw: (refused: Refusal) => Reply | Promise<Reply>,
  next: (data: unknown) => string,
): Promise<Reply> {
  const tried = await attempt(desk, work);
  return 'refused' in tried ? redraw(tried.refused) : desk.go(next(tried.done?.data));
}

/** Has the API change a resource by what differs on its form, if anything does. */
export async function changeResource(
  visit: Pick<Visit, 'perform'>,
  operationId: string,
  id: number,
  body: object,
): Promise<OperationAnswer | null> {
  return Object.keys(body).length === 0 ? null : visit.perform(operationId, { params: { id }, body });
}

/** The id of what the API has made. */
export const idIn = (data: unknown): string => String(objectIn(data)['id']);

/** The ids of what was ticked: fields `lot-7`, `lot-8`. */
export function tickedIn(form: FormTexts, prefix: string): number[] {
  return Object.keys(form)
    .filter((name) => new RegExp(`^${prefix}-[1-9][0-9]{0,14}$`).test(name))
    .map((name) => Number(name.slice(prefix.length + 1)));
}
