/**
 * Where the ids of simulcast events are claimed, by the commit or by `event-claims.ts`: hashes id → lot, one for each
 * day, over all shards.
 */

export const CLAIMS_BUCKET_S = 86_400;
/** How long claims are kept at least, as the scripts take it. */
export const CLAIMS_KEPT_S = String(2 * CLAIMS_BUCKET_S + 3_600);

/** Whether an idempotency key is an event's: its id follows the sign. */
export function isEventField(field: string): boolean {
  return field.startsWith('@');
}

export function claimsKey(bucket: number): string {
  return `{event-claims}:${bucket}`;
}

/** The claims of a time bucket and those beside it. */
export function claimKeys(bucket: number): string[] {
  return [bucket - 1, bucket, bucket + 1].map(claimsKey);
}
