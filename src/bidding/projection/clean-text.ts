/**
 * Text from outside as Postgres can store it. The journal keeps whatever it was given; a copy that Postgres would
 * refuse must not delay everything behind it.
 */

const LONE_SURROGATE = /\p{Cs}/gu;

/** Without NUL and without halves of surrogate pairs. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', '').replace(LONE_SURROGATE, '\ufffd');
}
