/** What waits in the queue of the service's own work: entries that Postgres refused, failed jobs, mails not sent. */
import { Type } from '@sinclair/typebox';
import pTimeout from 'p-timeout';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import { failedMails } from '../../accounts/mail/mail-delivery.ts';
import { retryOne } from '../../bidding/projection/retry.ts';
import { findFailure, oldestFailures, type ShownFailure } from '../../bidding/projection/set-aside.ts';
import { invoiceClosedLots } from '../../billing/invoices/winner-invoices.ts';
import { Id } from '../../shared/fields.schema.ts';
import { Refusal } from '../../shared/refusal.ts';
import { bidCell, type Cell, type OfficeParts, QUEUE } from './office.ts';
import type { Subject } from './office-action.ts';
import { decide, sectionOf } from './queue-table.ts';
import { subjectPages } from './subject-pages.ts';

export interface StoppedJob {
  /** With its queue's name in front. */
  readonly id: string;
  readonly queue: string;
  readonly name: string;
  readonly reason: string;
  readonly attempts: number;
  readonly failedAt: string;
}

/** Jobs that failed for good. Each method rejects while Redis is unavailable. */
export interface FailedJobs {
  list(limit: number): Promise<{ readonly rows: readonly StoppedJob[]; readonly total: number }>;
  find(id: string): Promise<StoppedJob | null>;
  retry(id: string): Promise<void>;
  discard(id: string): Promise<void>;
}

export interface WorkParts extends OfficeParts {
  readonly failedJobs: FailedJobs;
}

const CRUMBS = [[QUEUE, 'Queue']] as const;
/** Redis may be away; the rest of the queue is shown all the same. */
const PATIENCE_MS = 2_000;

export function workPages(parts: WorkParts): Endpoint[] {
  return [...subjectPages(parts, failureSubject), ...subjectPages(parts, jobSubject(parts))];
}

export function workQueue(parts: WorkParts) {
  const { knex } = parts;
  const jobs = jobSubject(parts);
  const failures = sectionOf({
    heading: 'Set aside',
    columns: ['What', 'Price', 'State', 'Why', 'Tried', 'Age'],
    empty: 'Nothing is set aside.',
    all: null,
    read: (limit) => oldestFailures(knex, limit),
    row: (one) => [
      { href: `${QUEUE}/failures/${one.id}`, text: nameOf(one) },
      bidCell(one.current_bid_cents, one.currency),
      stateOf(one),
      one.error,
      timesText(one.attempts),
      { since: one.created_at },
    ],
    // What only waits asks nothing of anybody.
    decisions: (one) =>
      one.transient ? [] : [decide(failureSubject, { action: 'try-again', id: one.id, about: nameOf(one) })],
  });
  const stopped = sectionOf({
    heading: 'Failed jobs',
    columns: ['Job', 'Why', 'Tried', 'Age'],
    empty: 'No job has failed.',
    all: null,
    unread: 'Redis does not answer: failed jobs are shown when it is back.',
    read: (limit) =>
      pTimeout(parts.failedJobs.list(limit), { milliseconds: PATIENCE_MS, fallback: () => null }).catch(
        () => null,
      ),
    row: (one) => [
      { href: `${QUEUE}/jobs/${encodeURIComponent(one.id)}`, text: `${one.queue}: ${one.name}` },
      one.reason,
      timesText(one.attempts),
      { since: one.failedAt },
    ],
    decisions: ({ id, name: about }) => [
      decide(jobs, { action: 'try-again', id, about }),
      decide(jobs, { action: 'discard', id, about }),
    ],
  });
  const mails = sectionOf({
    heading: 'Mails not sent',
    columns: ['To', 'About', 'Why', 'Age'],
    empty: 'Every mail of the last week was sent.',
    all: null,
    read: (limit) => failedMails(knex, limit),
    row: (one) => [
      { href: `/office/people?q=${encodeURIComponent(one.recipient)}`, text: one.recipient },
      (one.about ?? one.kind).replaceAll('_', ' '),
      one.error,
      { since: one.failed_at ?? one.created_at },
    ],
  });
  return { failures, stopped, mails, subjects: [failureSubject, jobs] };
}

const timesText = (n: number) => (n === 1 ? 'once' : `${n} times`);

function nameOf({ lot_id, auction_id, title }: ShownFailure): string {
  if (lot_id === null) return `Auction ${auction_id ?? '?'}`;
  return title === null ? `Lot ${lot_id}` : `${lot_id} · ${title}`;
}

const stateOf = ({ transient }: ShownFailure): Cell => ({ pill: transient ? 'waiting' : 'refused' });

const FailureParams = Type.Object({ failure: Id });

const failureSubject: Subject<ShownFailure, typeof FailureParams> = {
  path: `${QUEUE}/failures/{failure}`,
  operationId: 'officeFailurePage',
  summary: 'An entry of the journal that waits, or that Postgres refused',
  params: FailureParams,
  find: (knex, { failure }) => findFailure(knex, failure),
  show: async (one) => ({
    section: 'queue',
    heading: nameOf(one),
    crumbs: CRUMBS,
    facts: [
      [
        'Auction',
        one.auction_id === null
          ? null
          : { href: `/office/auctions/${one.auction_id}`, text: `${one.auction_id}` },
      ],
      ['Lot', one.lot_id === null ? null : { href: `/office/lots/${one.lot_id}`, text: nameOf(one) }],
      ['Price', bidCell(one.current_bid_cents, one.currency)],
      ['State', stateOf(one)],
      ['Entry', one.sequence],
      ['Tried', timesText(one.attempts)],
      ['Since', { time: one.created_at }],
    ],
    text: one.error,
  }),
  actions: [
    {
      operationId: 'retryFailureInOffice',
      name: 'try-again',
      title: 'Write it again',
      button: 'Try again',
      notice: 'It is written: the lot goes on.',
      blockedBy: ({ transient }) =>
        transient ? 'It waits for a lock or a time limit of Postgres, and goes on by itself.' : null,
      // It holds a shard's position, in a transaction of its own.
      beyondPostgres: true,
      async act(knex, { id, shard, lot_id, auction_id }) {
        const { resolved } = await retryOne({ knex, onLotClosed: [invoiceClosedLots] }, { id, shard });
        const left = resolved ? null : await findFailure(knex, id);
        if (left !== null)
          throw new Refusal('invalid_transition', { message: `It is refused again: ${left.error}` });
        return { detail: { lot: lot_id, auction: auction_id }, to: QUEUE };
      },
    },
  ],
};

const JobParams = Type.Object({ job: Type.String({ maxLength: 300 }) });

function jobSubject(parts: WorkParts): Subject<StoppedJob, typeof JobParams> {
  const { failedJobs } = parts;
  const detail = ({ id, name }: StoppedJob) => ({ detail: { job: id, name }, to: QUEUE });
  return {
    path: `${QUEUE}/jobs/{job}`,
    operationId: 'officeJobPage',
    summary: 'A job that failed',
    params: JobParams,
    find: (_, { job }) => failedJobs.find(job),
    show: async (one) => ({
      section: 'queue',
      heading: `${one.queue}: ${one.name}`,
      crumbs: CRUMBS,
      facts: [
        ['Job', one.id],
        ['Tried', timesText(one.attempts)],
        ['Failed', { time: one.failedAt }],
      ],
      text: one.reason,
    }),
    actions: [
      {
        operationId: 'retryJobInOffice',
        name: 'try-again',
        title: 'Do the job again',
        button: 'Try again',
        notice: 'The job is done again.',
        beyondPostgres: true,
        async act(_, job) {
          await failedJobs.retry(job.id);
          return detail(job);
        },
      },
      {
        operationId: 'discardJobInOffice',
        name: 'discard',
        title: 'Forget the job',
        button: 'Discard',
        danger: true,
        notice: 'The job is forgotten.',
        beyondPostgres: true,
        async act(_, job) {
          await failedJobs.discard(job.id);
          return detail(job);
        },
      },
    ],
  };
}
