/** An authenticator in software, which says whatever a test wants: what a passkey is made of, by the standard's bytes. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Said {
  readonly origin: string;
  readonly rpId?: string;
  /** Whether its owner was verified; default true. */
  readonly verified?: boolean;
  readonly counter?: number;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest();

export class SoftAuthenticator {
  readonly id: string;
  readonly #key: KeyObject;
  readonly #public: Buffer;
  counter = 0;

  constructor(id = base64(randomBytes(16))) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.id = id;
    this.#key = privateKey;
    // COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
    this.#public = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** What a browser says when it has made the passkey. */
  made(challenge: string, said: Said): string {
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#public]);
    const authData = Buffer.concat([this.#head(said, 0x40), credential]);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(authData.length);
    // CBOR: {fmt: 'none', attStmt: {}, authData}.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      size,
      authData,
    ]);
    const clientDataJSON = clientData('webauthn.create', challenge, said);
    return this.#credential({ clientDataJSON, attestationObject: base64(attestation), transports: ['usb'] });
  }

  /** What a browser says when it has used it. */
  used(challenge: string, said: Said): string {
    this.counter += 1;
    const authenticatorData = this.#head({ counter: this.counter, ...said }, 0);
    const clientDataJSON = clientData('webauthn.get', challenge, said);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: base64(authenticatorData),
      signature: base64(sign('sha256', signed, this.#key)),
    });
  }

  #head(
    { origin, rpId = new URL(origin).hostname, verified = true, counter = 0 }: Said,
    more: number,
  ): Buffer {
    const head = Buffer.alloc(37);
    sha256(rpId).copy(head);
    head[32] = 0x01 | (verified ? 0x04 : 0) | more;
    head.writeUInt32BE(counter, 33);
    return head;
  }

  #credential(response: object): string {
    return JSON.stringify({
      ...{ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {} },
      response,
    });
  }
}

function clientData(type: string, challenge: string, { origin }: Said): string {
  return base64(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
}
