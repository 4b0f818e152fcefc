/** The hash of a leaf as RFC 6962 §2.1 has it: in the service Postgres makes it. */
import { createHash } from 'node:crypto';

export function hashLeaf(data: Uint8Array): Buffer {
  return createHash('sha256')
    .update(Buffer.from([0]))
    .update(data)
    .digest();
}
