/**
 * A template in another language: each of its texts is looked up by its English. Of a value that it shows the value
 * itself is looked up, as texts that code chose are; but never what people wrote, by the names that such values have.
 */
import { hasWords, keyOf, type Part, piecesOf } from './template-pieces.ts';

/**
 * The template with its texts looked up. It calls `say(value)` for what it prints, and `fill(text, values)` where
 * values stand in a text, which returns HTML; `say` of this function is for texts without values.
 */
export function inAnotherLanguage(template: string, say: (text: string) => string): string {
  return piecesOf(template)
    .map((piece) => (piece.kind === 'as is' ? piece.source : textPiece(piece.parts, say)))
    .join('');
}

function textPiece(parts: readonly Part[], say: (text: string) => string): string {
  const { key, before, after } = keyOf(parts);
  const values = parts.flatMap((part) => ('value' in part ? [part] : []));
  if (!hasWords(key)) return parts.map((part) => ('text' in part ? part.text : shown(part))).join('');
  if (values.length === 0) return `${before}${escapeHtml(say(key))}${after}`;
  const args = values.map(({ value, raw }) => (raw ? value : `__safe(${said(value)})`));
  return `${before}<%~ __fill(${JSON.stringify(key).replaceAll('%>', String.raw`%\u003e`)}, [${args.join(', ')}]) %>${after}`;
}

const shown = ({ value, raw }: { readonly value: string; readonly raw: boolean }) =>
  raw ? `<%~ ${value} %>` : `<%= ${said(value)} %>`;

/**
 * What people call and say: a title `Lot 1` or an answer `Yes` is none of our texts. Values of these names are what
 * people write, whatever they are of; alone, or one instead of it: where a template chooses between texts, one of ours
 * may be among them.
 */
const PEOPLES_WORDS =
  'legal_name|team_name|file_name|invited_by_name|answer|seller|place|delivery|location|locality|sku|close_group|' +
  'choice_group|near|q|(?:lot|auction|sale)_?[tT]itle';
/** And so are these, but of what we write ourselves. */
const WORDS_OF_A_THING = 'title|name|description|text|reason';
const OUR_THINGS =
  'article|category|cell|chart|column|confirmation|example|form|group|hit|item|line|notice|one|operation|page|' +
  'payable|reference|topic';
const LEFT_ALONE = new RegExp(
  String.raw`^[\w.?|\s]*(?:\.(?:${PEOPLES_WORDS})|(?<!\b(?:${OUR_THINGS})\??)\.(?:${WORDS_OF_A_THING})|` +
    // Said already, by `titleIn`; and parts of what somebody has written.
    String.raw`\bpage\.heading|^paragraph|^locality)$`,
);
const said = (value: string) => (LEFT_ALONE.test(value) ? value : `__say(${value})`);

/** As HTML has it, in a text or in quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\u00a0', '&nbsp;');
}
