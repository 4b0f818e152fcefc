/** A piece of a longer text around what was searched for, for lists of hits. */

const LENGTH = 200;
const BEFORE = 60;

/** About 200 characters around the first of the words that is found, cut between words; the beginning when none is. */
export function excerptOf(body: string, wanted: string): string {
  const text = body.replaceAll(/\s+/g, ' ').trim();
  if (text.length <= LENGTH) return text;
  const lower = text.toLowerCase();
  const offsets = wanted
    .toLowerCase()
    .split(/\s+/)
    .map((word) => lower.indexOf(word))
    .filter((offset) => offset >= 0);
  const first = offsets.length === 0 ? 0 : Math.min(...offsets);
  const from = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const cut = text.lastIndexOf(' ', from + LENGTH);
  const until = from + LENGTH >= text.length ? text.length : cut > from ? cut : from + LENGTH;
  return `${from > 0 ? '… ' : ''}${text.slice(from, until)}${until < text.length ? ' …' : ''}`;
}
