/** How a lot on a falling clock is stored: the format's name, and then what there is, under the names of the code. */
import type { FallingEvent } from './falling-events.ts';
import type { FallingState } from './falling-state.ts';

const NAME = 'falling';
const LAYOUT = 1;

export function encodeEvents(events: readonly FallingEvent[]): string {
  return JSON.stringify([NAME, ...events]);
}

/** Throws a SyntaxError for what is no JSON. */
export function decodeEvents(text: string): FallingEvent[] {
  const [, ...events] = JSON.parse(text);
  return events;
}

export function encodeSnapshot(state: FallingState): string {
  return JSON.stringify([NAME, LAYOUT, state]);
}

/** Throws when the row is of a layout that this version does not know. */
export function decodeSnapshot(row: readonly unknown[]): FallingState {
  const [, layout, state] = row;
  if (layout !== LAYOUT) throw new Error(`a lot's snapshot has the unknown layout ${String(layout)}`);
  // Cast: this layout is what `encodeSnapshot` wrote.
  return state as FallingState;
}
