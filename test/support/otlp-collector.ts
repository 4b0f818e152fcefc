/** Receives what OTLP sends over HTTP as JSON, and keeps the spans with the name of the service that each came of. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status?: { readonly code?: number };
}

export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  close(): Promise<void>;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'service'>[] }[];
  }[];
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Sent;
    for (const { resource, scopeSpans } of resourceSpans) {
      const named = resource.attributes.find(({ key }) => key === 'service.name');
      const service = named?.value.stringValue ?? '';
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    spans,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

export type SpanTree = [string, ...SpanTree[]];

const FAILED = 2;

/**
 * The spans under one that did not fail, each with those under it, in an order of their texts; those that look alike are
 * one.
 */
export function treeOf(spans: readonly CollectedSpan[], parentId: string): SpanTree[] {
  const under = spans
    .filter(({ parentSpanId, status }) => parentSpanId === parentId && status?.code !== FAILED)
    .map(({ service, name, spanId }) => JSON.stringify([`${service} ${name}`, ...treeOf(spans, spanId)]));
  return [...new Set(under)].sort().map((text): SpanTree => JSON.parse(text));
}
