/** The forms in which a secret can lie somewhere without being read at a glance, and the search for all of them. */

/** Each form of a secret by name; a text that has one of them holds the secret. */
export function formsOf(secret: string): Map<string, string> {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = new Map([
    ['in the clear', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ s: secret }).toString().slice(2)],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll("'", '&#39;')],
    ['in hex', bytes.toString('hex')],
    ['backwards', [...secret].reverse().join('')],
  ]);
  for (const kind of ['base64', 'base64url'] as const) {
    for (const before of [0, 1, 2])
      forms.set(`in ${kind}, ${before} after a group`, innerBase64(bytes, kind, before));
  }
  return forms;
}

/** What base64 of any text has in it that holds the bytes, `before` of a group of three after its beginning. */
function innerBase64(bytes: Buffer, kind: 'base64' | 'base64url', before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes])
    .toString(kind)
    .replace(/=+$/, '');
  // The first and the last letters share bits with what surrounds the secret.
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor(((before + bytes.length) * 8) / 6);
  return whole.slice(first, last);
}

/** Which secrets are in a text, and in which form. Hex is searched for in small and capital letters. */
export function secretsIn(text: string, secrets: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const lower = text.toLowerCase();
  for (const [name, secret] of secrets) {
    for (const [form, hidden] of formsOf(secret)) {
      const isThere = form === 'in hex' ? lower.includes(hidden) : text.includes(hidden);
      if (isThere) found.push(`${name} ${form}`);
    }
  }
  return found;
}
