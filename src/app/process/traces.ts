/**
 * Traces of a process: on where `OTEL_EXPORTER_OTLP_ENDPOINT` is set, and only then is anything of OpenTelemetry
 * loaded. Every answer is a span, under the one that the caller's `traceparent` names.
 */
import type { AnswerWrapper } from '../../../adapters/http/responder.ts';
import type { Tracing } from '../../../adapters/tracing/tracing.ts';
import type { Log } from '../../shared/log.ts';
import { programVersion } from '../../shared/project-root.ts';
import type { Config } from '../config/config.ts';

/** Null where traces are off. */
export async function openTracing(
  config: Pick<Config, 'tracing'>,
  role: string,
  log: Log,
): Promise<Tracing | null> {
  if (!config.tracing) return null;
  const { startTracing } = await import('../../../adapters/tracing/opentelemetry.ts');
  return startTracing({
    name: `rostrum-${role}`,
    version: await programVersion(),
    onTrouble: (message) => log.warn({ message }, 'traces cannot be sent'),
  });
}

/** What machines request every few seconds is not traced. */
const UNFOLLOWED = new Set(['/healthz', '/readyz', '/metrics']);

/** Makes a span of every answer. */
export function tracingAnswers(tracing: Tracing): AnswerWrapper {
  return async ({ method, path }, { headers, requestId }, answer) => {
    if (UNFOLLOWED.has(path)) return answer();
    const { traceparent } = headers;
    const span = tracing.begin(`${method} ${path}`, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: { 'http.request.method': method, 'http.route': path, 'rostrum.request_id': requestId },
    });
    const answered = await tracing.within(span, answer);
    const { status } = answered;
    span.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined);
    return answered;
  };
}
