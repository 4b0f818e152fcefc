/**
 * Measuring in turn: every kind once in each round, so that whatever else the machine does weighs on all of them
 * alike, and the middle one of each kind's samples. Every bench that compares two things goes through here.
 */

/** One kind's figures, a sample for each round in the order of the rounds. */
export type Samples<Kind extends string, Sample> = Readonly<Record<Kind, readonly Sample[]>>;

/**
 * Calls `measure` once for each kind in each of `rounds` rounds, one after the other. Every other round goes through
 * the kinds backwards, so that none always follows the same one. Rejects with what `measure` rejects with.
 */
export async function interleaved<Kind extends string, Sample>(
  kinds: readonly Kind[],
  rounds: number,
  measure: (kind: Kind, round: number) => Promise<Sample>,
): Promise<Samples<Kind, Sample>> {
  const samples = Object.fromEntries(kinds.map((kind) => [kind, [] as Sample[]])) as Record<Kind, Sample[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      samples[kind].push(await measure(kind, round));
    }
  }
  return samples;
}

/**
 * The value below which a share of the values lies: `quantile(values, 0.99)`. NaN for none. Does not change `values`.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** The middle value; the mean of the two middle ones where their number is even. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, two) => one - two);
  const half = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[half]!;
  return ((sorted[half - 1] ?? Number.NaN) + (sorted[half] ?? Number.NaN)) / 2;
}

/** The medians of the fields of samples that are records of numbers. */
export function medians<Field extends string>(
  samples: readonly Readonly<Record<Field, number>>[],
): Record<Field, number> {
  const fields = Object.keys(samples[0] ?? {}) as Field[];
  return Object.fromEntries(
    fields.map((field) => [field, median(samples.map((sample) => sample[field]))]),
  ) as Record<Field, number>;
}
