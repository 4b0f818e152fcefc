/**
 * The signature of simulcast events: `X-Signature: sha256=<hex>`, an HMAC-SHA256 over the timestamp, a dot and the
 * raw body, with `X-Timestamp` in Unix seconds. Compared in constant time; too old or too far ahead is as wrong as
 * forged.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/** Hex HMAC as the header carries it, `sha256=` in front. */
export function signSimulcast(secret: string, timestamp: number, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

export interface SignedRequest {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Buffer | undefined;
}

/** Whether any of the secrets signed this, within the tolerance of `nowSeconds`. */
export function isSignedBy(secrets: readonly string[], request: SignedRequest, nowSeconds: number): boolean {
  const { timestamp, signature, body } = request;
  if (body === undefined) return false;
  if (timestamp === undefined || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (signature === undefined || !/^sha256=[0-9a-f]{64}$/i.test(signature)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const signatureHex = Buffer.from(signature.slice('sha256='.length).toLowerCase(), 'latin1');
  return secrets.some((secret) => {
    // As hex: the runtime makes that text in half the time of a buffer.
    const wanted = createHmac('sha256', keyOf(secret)).update(`${timestamp}.`).update(body).digest('hex');
    return timingSafeEqual(Buffer.from(wanted, 'latin1'), signatureHex);
  });
}

const MAX_KEYS = 1_000;
const keys = new Map<string, KeyObject>();

function keyOf(secret: string): KeyObject {
  let key = keys.get(secret);
  if (key === undefined) {
    if (keys.size >= MAX_KEYS) keys.clear();
    key = createSecretKey(Buffer.from(secret));
    keys.set(secret, key);
  }
  return key;
}
