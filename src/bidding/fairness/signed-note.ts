/**
 * Signed notes as transparency logs use them (C2SP signed-note and tlog-checkpoint): a text whose first lines name
 * the log, the size of its tree and its root, then a blank line, then a line for each signature. Ed25519, so that any
 * library checks them.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** The signature algorithm that a key id is computed with. */
const ED25519 = 1;
const RAW_KEY_BYTES = 32;

/** What a checkpoint says. `root` has 32 bytes; `time` is ISO 8601 UTC. */
export interface CheckpointText {
  /** The log's name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly number: number;
  readonly time: string;
}

/** The signed text: origin, size and root as tlog-checkpoint wants them, number and time as extension lines. */
export function checkpointText({ origin, size, root, number, time }: CheckpointText): string {
  return `${origin}\n${size}\n${root.toString('base64')}\nnumber ${number}\ntime ${time}\n`;
}

/** Signs a text; 64 bytes. */
export function signText(text: string, privateKey: KeyObject): Buffer {
  return sign(null, Buffer.from(text, 'utf8'), privateKey);
}

/** The note: the text, a blank line, and the signature with the first four bytes of the key's id before it. */
export function signedNote(text: string, name: string, publicKey: Buffer, signature: Buffer): string {
  const signed = Buffer.concat([keyHash(name, publicKey), signature]).toString('base64');
  return `${text}\n— ${name} ${signed}\n`;
}

/** The key as note verifiers take it: `name+hash+base64`. */
export function verifierKey(name: string, publicKey: Buffer): string {
  const typed = Buffer.concat([Buffer.from([ED25519]), publicKey]).toString('base64');
  return `${name}+${keyHash(name, publicKey).toString('hex')}+${typed}`;
}

function keyHash(name: string, publicKey: Buffer): Buffer {
  const hash = createHash('sha256');
  hash
    .update(`${name}\n`)
    .update(Buffer.from([ED25519]))
    .update(publicKey);
  return hash.digest().subarray(0, 4);
}

/** The 32 bytes of the public half of an Ed25519 private key. */
export function rawPublicKey(key: KeyObject): Buffer {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return der.subarray(der.length - RAW_KEY_BYTES);
}

/** A private key from its PEM. */
export const privateKeyFrom = (pem: string): KeyObject => createPrivateKey(pem);
