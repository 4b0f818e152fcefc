/**
 * What the release before, 1.0.0, puts into its queues: each kind of job with its payload. Processes of both releases do
 * each other's jobs for as long as an upgrade lasts.
 */
export interface QueueJobs {
  /** By name; ids in names match any. */
  readonly jobs: Readonly<Record<string, null | Readonly<Record<string, number>>>>;
  /** Those that only another job puts in. */
  readonly byJobs?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export const JOBS_BEFORE: Readonly<Record<string, QueueJobs>> = {
  clock: {
    jobs: Object.fromEntries(
      [1_000, 2_000, 5_000, 60_000, 3_600_000].map((everyMs) => [`every-${everyMs}-ms`, null]),
    ),
  },
  'webhook-tries': { jobs: { due: { subscriptionId: 1 }, sweep: null, tidy: null } },
  mail: { jobs: { send: { id: 1 }, sweep: null, tidy: null } },
  media: { jobs: { 'medium-images': null, 'sweep-orphans': null } },
  papers: { jobs: { sweep: null, tidy: null }, byJobs: { make: { id: 1 } } },
};
