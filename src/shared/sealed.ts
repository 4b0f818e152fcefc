/**
 * Secrets at rest: AES-256-GCM under a key that is derived from `APP_SECRET`. Webhook and platform secrets go through
 * here on their way into the database and out of it. With `APP_SECRET=new,old` everything new is sealed with the
 * first, and what any of them has sealed can still be opened.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** None of the secrets opens this text, or it was changed. */
export class NotUnsealable extends Error {
  override readonly name = 'NotUnsealable';
}

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const MAX_KEYS = 100;

/** Encrypts a text with the first secret. The result is printable, and different every time. */
export function seal(text: string, secrets: readonly string[]): string {
  const [first] = secrets;
  if (first === undefined) throw new Error('sealing needs a secret');
  const key = keyOf(first);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${VERSION}.${key.id}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
}

/** Decrypts what `seal` made with any of the secrets. Throws `NotUnsealable`. */
export function unseal(sealed: string, secrets: readonly string[]): string {
  const [version, keyId, packed, ...rest] = sealed.split('.');
  const bytes = Buffer.from(packed ?? '', 'base64url');
  if (version !== VERSION || rest.length > 0 || bytes.length < IV_BYTES + TAG_BYTES) {
    throw new NotUnsealable('this is no sealed text');
  }
  for (const secret of secrets) {
    const key = keyOf(secret);
    if (key.id === keyId) return open(bytes, key.bytes);
  }
  throw new NotUnsealable('it was sealed with an APP_SECRET that is no longer configured');
}

function open(bytes: Buffer, key: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  } catch (cause) {
    throw new NotUnsealable('the sealed text was changed', { cause });
  }
}

interface Key {
  readonly bytes: Buffer;
  /** Says which secret it was without revealing anything of it. */
  readonly id: string;
}

const keys = new Map<string, Key>();

function keyOf(secret: string): Key {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const derived = Buffer.from(hkdfSync('sha256', secret, 'rostrum', 'sealed at rest', KEY_BYTES + 6));
  const key = {
    bytes: derived.subarray(0, KEY_BYTES),
    id: derived.subarray(KEY_BYTES).toString('base64url'),
  };
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(secret, key);
  return key;
}
