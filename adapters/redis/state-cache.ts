/**
 * States of lots as they were read a moment ago, so that reading them again costs a read of their versions and not of
 * their whole snapshots. The journal reads it for every load; a state counts only while Redis says that the lot is at
 * its sequence. It is dropped after some seconds all the same: a Redis that was rebuilt may give a number to another
 * state.
 */
import type { LotState } from '../../engine/lot/state.ts';

const KEPT_MS = 5_000;
const MAX_STATES = 10_000;

export interface StateReads {
  /** Sequences by lot, null where there is no such lot. */
  versions(lotIds: readonly string[]): Promise<(string | null)[]>;
  states(lotIds: readonly string[]): Promise<(LotState | null)[]>;
}

export class StateCache {
  readonly #cached = new Map<string, { readonly state: LotState; readonly untilMs: number }>();

  /** The states as of now or later, in the order of the ids. Rejects when a read does. */
  async read(lotIds: readonly string[], reads: StateReads): Promise<(LotState | null)[]> {
    const nowMs = performance.now();
    const found = new Map<string, LotState | null>();
    const isCached = (id: string) => (this.#cached.get(id)?.untilMs ?? 0) > nowMs;
    const cached = lotIds.filter(isCached);
    const missing = lotIds.filter((id) => !isCached(id));
    const [versions] = await Promise.all([
      cached.length === 0 ? [] : reads.versions(cached),
      missing.length === 0 ? null : this.#fetch(missing, reads, found),
    ]);
    const changed: string[] = [];
    cached.forEach((id, index) => {
      const version = versions[index] ?? null;
      const state = this.#cached.get(id)?.state;
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
    if (this.#cached.size + lotIds.length > MAX_STATES) this.#cached.clear();
    const untilMs = performance.now() + KEPT_MS;
    lotIds.forEach((id, index) => {
      const state = states[index] ?? null;
      found.set(id, state);
      if (state === null) this.#cached.delete(id);
      else this.#cached.set(id, { state, untilMs });
    });
  }
}
