/** Webhook metrics for Prometheus: how soon first attempts are made, and the outcomes of attempts. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { WebhookPoster } from '../../adapters/webhooks/poster.ts';

/** One try, by which a bid can be followed to its subscribers. */
export interface TriedDelivery {
  readonly event: string | undefined;
  readonly bid: string | undefined;
  readonly status: number | null;
}

export interface WebhookMetrics {
  firstTry(delayMs: number): void;
  /** What a try leaves its delivery as: `success`, `failed` (another attempt follows) or `exhausted`. */
  delivered(result: string): void;
  /** The poster, with every attempt counted by outcome and reported to `onTried`. */
  measured(
    poster: WebhookPoster,
    onTried: (tried: TriedDelivery) => void,
  ): Pick<WebhookPoster, 'post' | 'close'>;
}

export function webhookMetrics(registry: Registry): WebhookMetrics {
  const delay = new Histogram({
    name: 'rostrum_webhook_first_try_delay_seconds',
    help: 'From an event’s transaction to the first try of its delivery.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600],
    registers: [registry],
  });
  const tries = new Counter({
    name: 'rostrum_webhook_tries_total',
    help: 'Delivery attempts by the class of the answer.',
    labelNames: ['answer'] as const,
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'rostrum_webhook_deliveries_total',
    help: 'Deliveries by the result of an attempt: success, failed (to be retried) or exhausted.',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  // A count that first appears at 1 is no increase to Prometheus.
  for (const result of ['success', 'failed', 'exhausted']) deliveries.inc({ result }, 0);
  return {
    delivered: (result) => deliveries.inc({ result }),
    firstTry: (delayMs) => delay.observe(delayMs / 1_000),
    measured: (poster, onTried) => ({
      async post(url, headers, body) {
        const result = await poster.post(url, headers, body);
        tries.inc({ answer: result.status === null ? 'none' : `${Math.floor(result.status / 100)}xx` });
        onTried({ event: headers['webhook-id'], bid: bidOf(String(body)), status: result.status });
        return result;
      },
      close: () => poster.close(),
    }),
  };
}

/** The id, as Postgres prints it or as we do. */
function bidOf(body: string): string | undefined {
  return /"bid_id": ?"([\w-]+)"/.exec(body)?.[1];
}
