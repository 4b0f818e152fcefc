/**
 * Traces as the rest of the service sees them: spans that begin and end, and a context as text that goes with a
 * request, a journal entry or a row from one process to the next. Nothing is loaded for it; where traces are off there
 * is no `Tracing`, and callers begin no spans.
 */

/** What is said of a span: ids, codes and routes, never amounts, ceilings, tokens or addresses of people. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** As W3C's `traceparent` writes it; null where the trace is not sampled, and nothing follows on it. */
  readonly context: string | null;
  /** Ends it; only the first call counts. `error` says what went wrong, where something did. */
  end(attributes?: SpanAttributes, error?: string): void;
}

export interface SpanOptions {
  /** A span of this process, or the context of one of any; without it, the current one, or none. */
  readonly parent?: Span | string | null;
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
}

export interface Tracing {
  begin(name: string, options?: SpanOptions): Span;
  /** Does work during which the span is the current one, whatever it waits for. */
  within<T>(span: Span, work: () => T): T;
  current(): Span | null;
  /** Sends what has ended, within a bounded time. */
  close(): Promise<void>;
}
