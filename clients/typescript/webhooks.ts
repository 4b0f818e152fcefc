/** Checks the signature of a webhook, as Standard Webhooks has it, with Web Crypto: in Node, Deno, Bun and workers. */

/** A delivery that was signed with your secret a moment ago. */
export interface WebhookEvent {
  /** The same on every attempt: what was seen before is answered and not done again. */
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own data, described at /docs/api/asyncapi.json.
  readonly data: any;
}

/** Answer 401 to what throws this. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const TOLERANCE_S = 300;

/**
 * The event in a request, once its signature is right; throws a `WebhookError` when it is not. `body` is the exact text
 * or bytes that were received; `headers` are a `Headers` or Node's object of them.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string,
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_S)
    throw new WebhookError('The webhook was not signed within the last five minutes.');
  const raw = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + raw.length);
  signed.set(head);
  signed.set(raw, head.length);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const keyBytes = bytesOf(secret.replace(/^whsec_/, ''));
  // Anybody can sign with an empty key.
  if (keyBytes.length === 0) throw new WebhookError('The secret is none: whsec_ and Base64.');
  const key = await crypto.subtle.importKey('raw', keyBytes, hmac, false, ['verify']);
  for (const one of headerOf(headers, 'webhook-signature').split(' ')) {
    if (!one.startsWith('v1,')) continue;
    if (await crypto.subtle.verify('HMAC', key, bytesOf(one.slice(3)), signed))
      return { id, ...JSON.parse(new TextDecoder().decode(raw)) };
  }
  throw new WebhookError('The webhook was not signed with this secret.');
}

function headerOf(headers: Parameters<typeof verifyWebhook>[1], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
  return key === undefined ? '' : String(headers[key] ?? '');
}

/** No bytes for what is not Base64, which no signature fits. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
