/**
 * Witnesses: each checkpoint goes to an address that the house has named, oldest first, so that somebody else holds
 * it too. It is sent until it is taken; a witness that is down for a while misses none.
 */

import { hkdfSync } from 'node:crypto';
import type { Knex } from 'knex';
import type { WebhookPoster } from '../../../adapters/webhooks/poster.ts';
import { signedHeaders, signingKey } from '../../../adapters/webhooks/signature.ts';
import type { CheckpointRow } from './checkpoints.ts';
import { presentCheckpoint } from './proofs.ts';

export interface Witness {
  readonly url: string;
  /** `whsec_…`, as for every subscriber of ours. */
  readonly secret: string;
}

const AT_ONCE = 20;

/** Sends what the witness does not have yet; the first that it does not take ends the round. Gives how many it took. */
export async function sendCheckpoints(
  knex: Knex,
  poster: Pick<WebhookPoster, 'post'>,
  witness: Witness,
): Promise<number> {
  const rows = await knex<CheckpointRow>('checkpoints').whereNull('sent_at').orderBy('number').limit(AT_ONCE);
  const keys = [signingKey(witness.secret)];
  for (const [index, row] of rows.entries()) {
    const body = JSON.stringify({
      type: 'checkpoint.created',
      timestamp: row.made_at,
      data: { event_key: `checkpoint-${row.number}`, ...presentCheckpoint(row) },
    });
    const headers = signedHeaders(keys, `checkpoint_${row.number}`, Date.now(), body);
    const { status, error } = await poster.post(witness.url, headers, body);
    if (status === null || status < 200 || status > 299) {
      const reason = status === null ? error : `it answered ${status}`;
      throw new Error(`the witness did not take checkpoint ${row.number}: ${reason}; ${index} were taken`);
    }
    await knex('checkpoints').where('number', row.number).update({ sent_at: knex.fn.now() });
  }
  return rows.length;
}

/** The secret of a witness for whom none was set: always the same for one `APP_SECRET`. */
export function witnessSecretFrom(appSecret: string): string {
  const key = Buffer.from(hkdfSync('sha256', appSecret, 'rostrum', 'checkpoint witness', 32));
  return `whsec_${key.toString('base64')}`;
}
