/** `/office/queue`: everything that waits for staff, the oldest first, with what decides it and its amount. */
import { Type } from '@sinclair/typebox';
import type { Endpoint } from '../../../adapters/http/endpoint.ts';
import type { MoneyActionParts } from './invoice-actions.ts';
import { type OfficePage, officeList, QUEUE } from './office.ts';
import { noticesOf } from './office-action.ts';
import type { PeopleParts } from './person-actions.ts';
import { moneyQueue } from './queue-money.ts';
import { peopleQueue } from './queue-people.ts';
import type { QueueSection } from './queue-table.ts';
import { type WorkParts, workPages, workQueue } from './queue-work.ts';

export type QueueParts = PeopleParts & MoneyActionParts & WorkParts;

export function queuePages(parts: QueueParts): Endpoint[] {
  const people = peopleQueue(parts);
  const money = moneyQueue(parts);
  const work = workQueue(parts);
  const sections: QueueSection[] = [
    people.applications,
    people.verifications,
    money.disputes,
    people.reports,
    money.unmatched,
    money.toSend,
    money.setAside,
    work.failures,
    work.stopped,
    work.mails,
    people.taxNumbers,
    money.toApprove,
    money.toPay,
  ];
  const subjects = [...people.subjects, ...money.subjects, ...work.subjects];
  const notices = noticesOf(subjects.flatMap(({ actions }) => actions));
  return [
    officeList(parts, {
      path: QUEUE,
      operationId: 'officeQueuePage',
      summary: 'What waits for staff',
      query: Type.Object({ done: Type.String({ maxLength: 60, default: '' }) }),
      read: async ({ done }) => ({ ...(await queuePage(sections)), notice: notices.get(done) ?? null }),
    }),
    ...workPages(parts),
  ];
}

async function queuePage(sections: readonly QueueSection[]): Promise<OfficePage> {
  const read = await Promise.all(sections.map((one) => one.read()));
  const total = read.reduce((sum, one) => sum + one.total, 0);
  const lead =
    total === 0 ? 'Nothing waits for you.' : `${total} ${total === 1 ? 'thing waits' : 'things wait'}.`;
  const [shown, others] = [read.filter(isShown), read.filter((one) => !isShown(one))];
  const empty = others.map(({ table }) => table.heading ?? '');
  return {
    section: 'queue',
    heading: 'Queue',
    lead,
    tables: shown.map(({ table }) => table),
    ...(empty.length === 0 ? {} : { foot: `Nothing under ${LIST.format(empty)}.` }),
  };
}

const isShown = ({ total, isUnread }: { readonly total: number; readonly isUnread: boolean }) =>
  total > 0 || isUnread;

const LIST = new Intl.ListFormat('en-US', { type: 'disjunction' });
