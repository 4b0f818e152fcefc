/**
 * A template in another language: each of its texts is looked up by its English. Of a value that it shows the value
 * itself is looked up, as texts that code chose are.
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
  const args = values.map(({ value, raw }) => (raw ? value : `__safe(__say(${value}))`));
  return `${before}<%~ __fill(${JSON.stringify(key).replaceAll('%>', String.raw`%\u003e`)}, [${args.join(', ')}]) %>${after}`;
}

const shown = ({ value, raw }: { readonly value: string; readonly raw: boolean }) =>
  raw ? `<%~ ${value} %>` : `<%= __say(${value}) %>`;

/** As HTML has it, in a text or in quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\u00a0', '&nbsp;');
}
