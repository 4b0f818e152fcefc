/** An HMAC made of two hashes is the runtime's, whatever the lengths of key and message are. */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { HmacKey } from '../../../adapters/webhooks/hmac.ts';

const secret = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
  fc.integer({ min: 60, max: 68 }).map((length) => 'k'.repeat(length)),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.integer({ min: 65_400, max: 65_600 }).map((length) => new Uint8Array(length).fill(length)),
);
const message = fc.tuple(fc.stringMatching(/^[0-9]{1,12}\.$/), bytes);

describe('an HMAC of two hashes', () => {
  it('is that of the runtime, one message after the other', () => {
    fc.assert(
      fc.property(secret, fc.array(message, { minLength: 1, maxLength: 4 }), (text, messages) => {
        const key = new HmacKey(text);
        for (const [head, array] of messages) {
          const body = Buffer.from(array);
          const wanted = createHmac('sha256', text).update(head).update(body).digest('hex');
          expect(key.hexOf(head, body)).to.equal(wanted);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
