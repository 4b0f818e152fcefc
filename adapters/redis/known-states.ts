/**
 * States of lots as they were read a moment ago, so that reading them again costs a look at their versions and not their whole
 * snapshots. The journal asks it for every load; a state counts only while Redis says that the lot stands at its sequence. It is
 * forgotten after some seconds all the same: a Redis that was rebuilt may give a number to another state.
 */
import type { LotState } from '../../engine/lot/state.ts';

const KEPT_MS = 5_000;
const MOST = 10_000;

export interface StateReads {
  /** Sequences by lot, null where there is no such lot. */
  versions(lotIds: readonly string[]): Promise<(string | null)[]>;
  states(lotIds: readonly string[]): Promise<(LotState | null)[]>;
}

export class KnownStates {
  readonly #known = new Map<string, { readonly state: LotState; readonly untilMs: number }>();

  /** The states as they stand now or later than now, in the order of the ids. Rejects when a read does. */
  async read(lotIds: readonly string[], reads: StateReads): Promise<(LotState | null)[]> {
    const nowMs = performance.now();
    const found = new Map<string, LotState | null>();
    const isKnown = (id: string) => (this.#known.get(id)?.untilMs ?? 0) > nowMs;
    const known = lotIds.filter(isKnown);
    const unknown = lotIds.filter((id) => !isKnown(id));
    const [versions] = await Promise.all([
      known.length === 0 ? [] : reads.versions(known),
      unknown.length === 0 ? null : this.#fetch(unknown, reads, found),
    ]);
    const changed: string[] = [];
    known.forEach((id, index) => {
      const version = versions[index] ?? null;
      const state = this.#known.get(id)?.state;
      if (version === null) found.set(id, null);
      else if (state !== undefined && String(state.sequence) === version) found.set(id, state);
      else changed.push(id);
    });
    if (changed.length > 0) await this.#fetch(changed, reads, found);
    return lotIds.map((id) => found.get(id) ?? null);
  }

  async #fetch(
    lotIds: readonly string[],
    reads: StateReads,
    found: Map<string, LotState | null>,
  ): Promise<void> {
    const states = await reads.states(lotIds);
    if (this.#known.size + lotIds.length > MOST) this.#known.clear();
    const untilMs = performance.now() + KEPT_MS;
    lotIds.forEach((id, index) => {
      const state = states[index] ?? null;
      found.set(id, state);
      if (state === null) this.#known.delete(id);
      else this.#known.set(id, { state, untilMs });
    });
  }
}
