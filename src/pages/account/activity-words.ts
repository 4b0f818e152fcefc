/** What the record of an action keeps of it, in words; the lists of activity show it. */
import type { ActivityDetail } from '../../accounts/activity/activity.ts';
import { wordsOf } from '../seller/forms/field-words.ts';

/** A text for each thing that is kept: `Second factor: no`, `Lot: 12`; nothing of what is not known. */
export function detailTexts(detail: ActivityDetail): string[] {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${wordsOf(name)}: ${valueText(value)}`);
}

/** Values of ours are words with `_` between them; addresses, numbers and names are as they were written. */
function valueText(value: ActivityDetail[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  return /^[a-z]+(?:_[a-z]+)+$/.test(text) ? text.replaceAll('_', ' ') : text;
}
