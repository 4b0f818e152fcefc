/** What a form says of a text that its field cannot take; forms call it for each field that was refused. */
import { passedBound } from '../../../../adapters/http/json-bounds.ts';
import type { Language } from '../../../shared/language.ts';
import { amountShown, amountTyped, centsTyped, NO_AMOUNT } from '../../../shared/typed-amount.ts';
import { secondsOf } from './form-values.ts';
import type { Schema, Shape } from './shapes.ts';

/**
 * What is wrong with a text that the API was sent, in the words of the form: there an amount is no number of cents.
 * Null where the API's own sentence says it best.
 */
export function wrongText(
  { control, reads, schema }: Shape,
  text: string,
  language: Language = 'en',
): string | null {
  if (control === 'json')
    return passedBound(text)?.predicate ?? (isJson(text) ? null : 'must be JSON, such as {"length": 3}');
  if (reads === 'minutes') return wrongMinutes(text, schema);
  if (control !== 'money') return null;
  if (amountTyped(text, language) === null) return NO_AMOUNT;
  return reads === 'cents' ? wrongCents(text, schema, language) : null;
}

function wrongMinutes(text: string, { minimum = 0, maximum = 0 }: Schema): string {
  const seconds = secondsOf(text.trim());
  if (seconds === null) return 'must be a number of minutes, such as 5 or 0.5';
  return seconds < minimum ? `must be at least ${minimum / 60}` : `must be at most ${maximum / 60}`;
}

function wrongCents(text: string, { minimum = 0, maximum }: Schema, language: Language): string | null {
  const cents = centsTyped(text, 2, language);
  if (cents === null) return NO_AMOUNT;
  if (cents < minimum) return `must be at least ${amountShown(minimum, 2, language)}`;
  if (maximum === undefined || cents <= maximum) return null;
  return `must be at most ${amountShown(maximum, 2, language)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
