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
 * What people call and say: a title `Lot 1` or an answer `Yes` is none of our texts. The value alone, or one instead of
 * it: where a template chooses between texts, one of ours may be among them.
 */
const PEOPLES_WORDS = new RegExp(
  String.raw`^[\w.?|\s]*(?:` +
    String.raw`\b(?:lot|auction|sale|tract|board|offer|row|photo)\.title|` +
    // Said already, by `titleIn`.
    String.raw`\bit\.title|\bfeed\.title|\bpage\.heading|` +
    String.raw`\b(?:seller|member|user|team|owner|token|passkey|row)\.name|` +
    String.raw`\b(?:row|registration)\.reason|\bauction\.seller|` +
    String.raw`\.(?:(?:lot|auction|sale)_?[tT]itle|team_name|file_name|answer|delivery|place))$`,
);
const said = (value: string) => (PEOPLES_WORDS.test(value) ? value : `__say(${value})`);

/** As HTML has it, in a text or in quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\u00a0', '&nbsp;');
}
