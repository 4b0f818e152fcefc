/** What scripts say, in the page's language: the page has the texts that are not English. */

const texts = JSON.parse(globalThis.document?.querySelector('#texts')?.textContent ?? '{}');

/** The language's locale, for numbers and dates. */
export const LOCALE = globalThis.document?.documentElement?.dataset.locale ?? 'en-US';

/** A text with its values in place of `{0}`, `{1}`. */
export function words(text, ...values) {
  return (texts[text] ?? text).replaceAll(/\{(\d+)\}/g, (_, n) => values[Number(n)] ?? '');
}
