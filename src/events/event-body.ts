/**
 * An event as the world outside sees it. Both the deliveries and the list of events print it here, so that they say
 * the same to the letter; the data is text from Postgres and is never parsed on the way.
 */
import type { EventKind } from './event-names.ts';

/** A stored fact as it is read for printing. */
export interface EventText {
  readonly created_at: string;
  /** The JSON object. */
  readonly data_text: string;
}

/** The body of a delivery: `{"type", "timestamp", "data"}`. */
export function eventBody(kind: EventKind | 'webhook.test', event: EventText): string {
  return `{"type":"${kind}","timestamp":"${event.created_at}","data":${event.data_text}}`;
}

/** A row of the list of events: the same with its id. */
export function eventRow(id: string, kind: EventKind, event: EventText): string {
  return `{"id":"${id}",${eventBody(kind, event).slice(1)}`;
}
