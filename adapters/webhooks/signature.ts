/**
 * Signing as Standard Webhooks has it: HMAC-SHA256 over `id.timestamp.body`, one `v1,` signature for each valid secret.
 * Called at every attempt; receivers check it with any library of that standard.
 */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret as its owner sees it: `whsec_` and base64. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The key that a `whsec_…` secret encodes. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
}

/**
 * The keys of a platform's secret, which may be any text: `whsec_…` encodes its key. Libraries differ about other
 * texts, taking their bytes or reading them as base64, so both sign where both are possible.
 */
export function platformKeys(secret: string): Buffer[] {
  if (secret.startsWith(PREFIX)) return [signingKey(secret)];
  const decoded = signingKey(secret);
  return decoded.toString('base64') === secret ? [Buffer.from(secret), decoded] : [Buffer.from(secret)];
}

/** The headers of one try. `atMs` is the try's moment; the id stays the same on every attempt and holds no dot. */
export function signedHeaders(
  keys: readonly Buffer[],
  id: string,
  atMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
