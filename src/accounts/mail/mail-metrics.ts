/** The outcome of mails, for Prometheus. */
import { Counter, type Registry } from 'prom-client';

export type MailResult = 'sent' | 'failed' | 'refused';

/** Gives what counts a try. */
export function mailMetrics(registry: Registry): (result: MailResult) => void {
  const results = new Counter({
    name: 'rostrum_mail_total',
    help: 'Mails by result; a failed attempt is retried.',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  return (result) => results.inc({ result });
}
