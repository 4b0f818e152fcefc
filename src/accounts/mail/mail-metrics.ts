/** The outcome of mails, for Prometheus. */
import { Counter, type Registry } from 'prom-client';

const RESULTS = ['sent', 'failed', 'refused'] as const;

export type MailResult = (typeof RESULTS)[number];

/** Gives what counts a try. */
export function mailMetrics(registry: Registry): (result: MailResult) => void {
  const results = new Counter({
    name: 'rostrum_mail_total',
    help: 'Mails by result; a failed attempt is retried.',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  // A count that first appears at 1 is no increase to Prometheus.
  for (const result of RESULTS) results.inc({ result }, 0);
  return (result) => results.inc({ result });
}
