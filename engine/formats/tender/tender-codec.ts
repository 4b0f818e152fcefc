/** How a tender is stored: the format's name, and then what there is, under the names of the code. Bids are sealed. */
import type { TenderEvent } from './tender-events.ts';
import type { TenderState } from './tender-state.ts';

const NAME = 'tender';
const LAYOUT = 1;

export function encodeEvents(events: readonly TenderEvent[]): string {
  return JSON.stringify([NAME, ...events]);
}

/** Throws a SyntaxError for what is no JSON. */
export function decodeEvents(text: string): TenderEvent[] {
  const [, ...events] = JSON.parse(text);
  return events;
}

export function encodeSnapshot(state: TenderState): string {
  return JSON.stringify([NAME, LAYOUT, state]);
}

/** Throws when the row is of a layout that this version does not know. */
export function decodeSnapshot(row: readonly unknown[]): TenderState {
  const [, layout, state] = row;
  if (layout !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(layout)}`);
  // Cast: this layout is what `encodeSnapshot` wrote.
  return state as TenderState;
}
