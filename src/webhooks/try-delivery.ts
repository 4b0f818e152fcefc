/** One attempt of a delivery: signed with every valid secret and posted. Never throws. */

import type { Tracing } from '../../adapters/tracing/tracing.ts';
import type { PostResult, WebhookPoster } from '../../adapters/webhooks/poster.ts';
import { signedHeaders } from '../../adapters/webhooks/signature.ts';
import type { DeliveryTerms } from './webhook-subscriptions.ts';

export type Post = Pick<WebhookPoster, 'post'>;

export interface Trying {
  readonly poster: Post;
  /** Traces attempts of facts whose cause was traced; absent or null: tracing is off. */
  readonly tracing?: Tracing | null;
}

/** `trace`: the context of the fact's cause; the receiver is sent the attempt's own. */
export async function tryDelivery(
  { poster, tracing = null }: Trying,
  terms: Pick<DeliveryTerms, 'url' | 'keys'>,
  eventId: string,
  body: string,
  trace: string | null,
): Promise<PostResult> {
  const signed = signedHeaders(terms.keys, eventId, Date.now(), body);
  if (tracing === null || trace === null) return poster.post(terms.url, signed, body);
  const attributes = { 'rostrum.event_id': eventId };
  const span = tracing.begin('delivery', { parent: trace, kind: 'client', attributes });
  const headers = span.context === null ? signed : { ...signed, traceparent: span.context };
  const result = await poster.post(terms.url, headers, body);
  const { status } = result;
  const isTaken = status !== null && status < 400;
  span.end(
    status === null ? {} : { 'http.response.status_code': status },
    isTaken ? undefined : 'not delivered',
  );
  return result;
}
