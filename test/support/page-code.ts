/** The code that a page prints. */

/** Each example of a page, by its name. */
export function codeOfPage(html: string): Map<string, string> {
  const found = html.matchAll(/data-example="([^"]+)"><code>([^<]*)</g);
  return new Map([...found].map(([, name = '', code = '']) => [name, decoded(code)]));
}

/** HTML's text as it was before. */
export function decoded(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
