/** The content security policy of a page that shows something of others: as everywhere, with their hosts as well. */

/** `images` and `frames` are further sources. */
export function policyWith({
  images = [],
  frames = [],
}: {
  readonly images?: readonly string[];
  readonly frames?: readonly string[];
}): string {
  const framed = frames.length === 0 ? [] : [`frame-src 'self' ${frames.join(' ')}`];
  return [
    "default-src 'self'",
    ["img-src 'self' data: blob:", ...images].join(' '),
    ...framed,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join(';');
}
