/**
 * What the release before, v0.1.0, puts into its queues: each kind of job with its payload, and where in its sources
 * that is said. Processes of both releases do each other's jobs for as long as an upgrade lasts.
 */
export interface QueueJobs {
  /** By name; ids in names match any. */
  readonly jobs: Readonly<Record<string, null | Readonly<Record<string, number>>>>;
  /** The files of v0.1.0 that name them. */
  readonly sources: readonly string[];
}

export const JOBS_BEFORE: Readonly<Record<string, QueueJobs>> = {
  clock: {
    jobs: {
      'start-auctions': null,
      'end-auctions': null,
      'publish-pending': null,
      'run-campaigns': null,
      'forget-bid-origins': null,
      'bind-invitations': null,
      'mail-invitations': null,
      'follow-listed-lots': null,
      'settle-auctions': null,
      'apply-deposits': null,
      'return-deposits': null,
      'return-surplus': null,
      'expire-offers': null,
      'record-resales': null,
      'mark-overdue': null,
      'renew-subscriptions': null,
      'checkpoint-closed-lots': null,
      'checkpoint-live-lots': null,
      'checkpoint-all-lots': null,
      'send-checkpoints': null,
    },
    sources: ['scheduled-jobs', 'money-jobs', 'checkpoint-jobs'].map((name) => `src/app/jobs/${name}.ts`),
  },
  'webhook-tries': {
    jobs: { due: { subscriptionId: 1 }, sweep: null, tidy: null },
    sources: ['src/webhooks/retry-jobs.ts', 'src/app/jobs/start-webhooks.ts'],
  },
  mail: {
    jobs: { send: { id: 1 }, sweep: null, tidy: null },
    sources: ['src/app/jobs/start-mail.ts'],
  },
  media: { jobs: { 'medium-images': null, 'sweep-orphans': null }, sources: ['src/app/jobs/media-jobs.ts'] },
};

/** Queues that the release before does not have: its processes put nothing there and take nothing from there. */
export const QUEUES_SINCE: readonly string[] = ['papers'];
