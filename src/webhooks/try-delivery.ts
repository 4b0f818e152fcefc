/** One try of a delivery: signed for this moment with every valid secret, and posted. It never throws. */
import type { PostResult, WebhookPoster } from '../../adapters/webhooks/poster.ts';
import { signedHeaders } from '../../adapters/webhooks/signature.ts';
import type { DeliveryTerms } from './webhook-subscriptions.ts';

export type Post = Pick<WebhookPoster, 'post'>;

export function tryDelivery(
  poster: Post,
  terms: Pick<DeliveryTerms, 'url' | 'keys'>,
  eventId: string,
  body: string,
): Promise<PostResult> {
  return poster.post(terms.url, signedHeaders(terms.keys, eventId, Date.now(), body), body);
}
