/**
 * Traces by OpenTelemetry's own packages, sent by OTLP over HTTP. Only loaded where traces are on. Endpoint, headers,
 * sampling, batches and limits are those of the standard `OTEL_…` variables, which the packages read themselves. A
 * receiver that is unavailable costs spans and nothing else.
 */
import {
  context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import pTimeout from 'p-timeout';
import type { Span, SpanAttributes, SpanOptions, Tracing } from './tracing.ts';

export interface TracedService {
  /** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override it. */
  readonly name: string;
  readonly version: string;
  /** Receives errors of the packages, such as a receiver that is unavailable. */
  readonly onTrouble: (message: string) => void;
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
const FAREWELL_MS = 2_000;

export function startTracing({ name, version, onTrouble }: TracedService): Tracing {
  const report = (message: string) => onTrouble(message);
  const silent = () => {};
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    DiagLogLevel.WARN,
  );
  const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return new OpenTelemetry(provider);
}

class OpenTelemetry implements Tracing {
  readonly #provider: NodeTracerProvider;
  readonly #tracer: Tracer;

  constructor(provider: NodeTracerProvider) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('rostrum');
  }

  begin(name: string, { parent = null, kind = 'internal', attributes = {} }: SpanOptions = {}): Span {
    const above = parent === null ? context.active() : contextOf(parent);
    return new Begun(this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, above));
  }

  within<T>(span: Span, work: () => T): T {
    return context.with(contextOf(span), work);
  }

  current(): Span | null {
    const active = trace.getActiveSpan();
    return active === undefined ? null : new Begun(active);
  }

  async close(): Promise<void> {
    const done = this.#provider.shutdown().catch(() => undefined);
    await pTimeout(done, { milliseconds: FAREWELL_MS, fallback: () => undefined });
  }
}

class Begun implements Span {
  readonly otel: OtelSpan;

  constructor(otel: OtelSpan) {
    this.otel = otel;
  }

  get context(): string | null {
    const { traceId, spanId, traceFlags } = this.otel.spanContext();
    return traceFlags & TraceFlags.SAMPLED ? `00-${traceId}-${spanId}-01` : null;
  }

  end(attributes: SpanAttributes = {}, error?: string): void {
    if (!this.otel.isRecording()) return;
    this.otel.setAttributes(attributes);
    if (error !== undefined) this.otel.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.otel.end();
  }
}

/** Text that is no context is none: the span begins its own trace. */
function contextOf(parent: Span | string) {
  if (typeof parent === 'string') return propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  return parent instanceof Begun ? trace.setSpan(ROOT_CONTEXT, parent.otel) : ROOT_CONTEXT;
}
