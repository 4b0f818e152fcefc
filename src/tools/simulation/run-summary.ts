/** Counts what returned and how long it took, for the simulation's progress line and summary. */

export interface Summary {
  readonly seconds: number;
  readonly requests: number;
  readonly accepted: number;
  readonly bids_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** By code, or by HTTP status where an answer had none. */
  readonly refused: Readonly<Record<string, number>>;
}

export class Tally {
  readonly #startedMs = performance.now();
  readonly #latenciesMs: number[] = [];
  readonly #refused = new Map<string, number>();
  #accepted = 0;

  /** One answer. `code` null: the bid was accepted. */
  count(latencyMs: number, code: string | null): void {
    this.#latenciesMs.push(latencyMs);
    if (code === null) this.#accepted += 1;
    else this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }

  summary(): Summary {
    const sorted = Float64Array.from(this.#latenciesMs).sort();
    const at = (share: number) =>
      rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    return {
      seconds: rounded(seconds),
      requests: sorted.length,
      accepted: this.#accepted,
      bids_per_second: rounded(this.#accepted / seconds),
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      refused: Object.fromEntries([...this.#refused].sort(([, one], [, other]) => other - one)),
    };
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The summary in a few lines. */
export function summaryText(summary: Summary): string {
  const refused = Object.entries(summary.refused).map(([code, count]) => `  ${code}: ${count}`);
  return [
    `${summary.accepted} of ${summary.requests} bids accepted in ${summary.seconds} s: ${summary.bids_per_second} bids/s`,
    `p50 ${summary.p50_ms} ms, p99 ${summary.p99_ms} ms`,
    refused.length === 0 ? 'Nothing was refused.' : `Refused:\n${refused.join('\n')}`,
  ].join('\n');
}
