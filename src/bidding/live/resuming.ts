/** Where a stream of an auction's moves begins: the pages that open one declare its request with this. */
import { Type } from '@sinclair/typebox';
import { invalid } from '../../shared/refusal.ts';

/** What the request of a stream of moves says about where it begins. */
export const RESUMING = {
  query: Type.Object({
    since: Type.Optional(
      Type.String({ maxLength: 16, description: 'The moment that a page was drawn at; an event’s id wins.' }),
    ),
  }),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'Start with all lots that have changed since.' }),
    ),
  }),
} as const;

/** The moment that a stream of moves begins at, in microseconds; null: now. Throws 422 for what is none. */
export function resumesAt(request: {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: { readonly since?: string };
}): number | null {
  const text = String(request.headers['last-event-id'] || request.query.since || '');
  if (text === '') return null;
  if (/^[0-9]{1,16}$/.test(text)) return Number(text);
  throw invalid({ last_event_id: ['The Last-Event-ID must be an id of this stream.'] });
}
