/** The parameters of scrypt: in this thread's pool, or in the thread for strangers. */
import { type ScryptOptions, scrypt } from 'node:crypto';

export interface Derivation {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly keyBytes: number;
  readonly options: ScryptOptions;
}

/** Derives a key alongside the event loop, at the process's own priority. */
export function derive({ password, salt, keyBytes, options }: Derivation): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
