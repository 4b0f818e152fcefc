/**
 * The operator's texts as HTML: headings, paragraphs, lists, bold words and links of Markdown, everything else as it is
 * written. All of it is escaped, and links lead only to pages and addresses.
 */

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const LINK = /\[([^\]\n]+)\]\(((?:https?:\/\/|mailto:|\/)[^\s()"]*)\)/g;

/** A text's HTML. Its headings begin at the page's second, since the first is the page's own. */
export function htmlOf(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map(blockOf)
    .join('\n');
}

function blockOf(block: string): string {
  const [, marks, heading] = /^(#{1,6}) +(.+)$/.exec(block) ?? [];
  if (marks !== undefined && heading !== undefined) {
    const level = Math.min(6, marks.length + 1);
    return `<h${level}>${inline(heading)}</h${level}>`;
  }
  const lines = block.split('\n');
  if (marks === undefined && /^#{1,6} /.test(block))
    return lines.map((line) => (/^#/.test(line) ? blockOf(line) : `<p>${inline(line)}</p>`)).join('\n');
  for (const [mark, tag] of [
    [/^[-*] +/, 'ul'],
    [/^\d+[.)] +/, 'ol'],
  ] as const) {
    if (lines.every((line) => mark.test(line)))
      return `<${tag}>${lines.map((line) => `<li>${inline(line.replace(mark, ''))}</li>`).join('')}</${tag}>`;
  }
  return `<p>${lines.map(inline).join('<br>')}</p>`;
}

function inline(text: string): string {
  return text
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
    .replaceAll(LINK, '<a href="$2">$1</a>')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '<strong>$1</strong>');
}
