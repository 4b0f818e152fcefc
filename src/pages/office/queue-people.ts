/** What waits in the queue of people: applications to sell, verifications, reported lots and tax numbers. */
import type { Knex } from 'knex';
import { waitingPeople } from '../../accounts/people/verification.ts';
import { waitingTaxNumbers } from '../../accounts/tax-numbers/tax-numbers.ts';
import { waitingApplications } from '../../accounts/teams/applications.ts';
import { unverifiedBids } from '../../bidding/origins/refused-bids.ts';
import { openReports } from '../../catalog/questions/questions.ts';
import { APPLICATION, APPLICATIONS, salesOf } from './applications.pages.ts';
import { TAX_NUMBERS } from './money-lists.ts';
import { bidCell } from './office.ts';
import { person } from './people.pages.ts';
import type { PeopleParts } from './person-actions.ts';
import { type Decidable, decide, named, sectionOf } from './queue-table.ts';
import { REPORTS } from './reports.pages.ts';
import { TAX_NUMBER_QUEUE } from './tax-number-queue.pages.ts';

const personCell = (id: number, text: string) => ({ href: `/office/people/${id}`, text });

export function peopleQueue(parts: PeopleParts) {
  const { knex } = parts;
  const people: Decidable = person(parts);
  const subjects: Decidable[] = [APPLICATION, people, REPORTS, TAX_NUMBER_QUEUE];
  return {
    applications: applicationsWaiting(knex),
    verifications: verificationsWaiting(knex, people),
    reports: reportsWaiting(knex),
    taxNumbers: taxNumbersWaiting(knex),
    subjects,
  };
}

function applicationsWaiting(knex: Knex) {
  return sectionOf({
    heading: 'Applications',
    columns: ['Auction house', 'Applicant', 'What it sells', 'Sales a year', 'Age'],
    empty: 'No application to sell waits.',
    all: APPLICATIONS,
    read: (limit) => waitingApplications(knex, limit),
    row: (one) => [
      { href: `${APPLICATIONS}/${one.id}`, text: one.team?.name ?? '' },
      personCell(one.user_id, one.user?.name ?? ''),
      one.sells,
      salesOf(one),
      { since: one.created_at },
    ],
    decisions: ({ id, team }) =>
      ['approve', 'decline'].map((action) => decide(APPLICATION, { action, id, about: team?.name ?? '' })),
  });
}

function verificationsWaiting(knex: Knex, people: Decidable) {
  return sectionOf({
    heading: 'Verifications',
    columns: ['Person', 'Email address', 'Would bid', 'Age'],
    empty: 'Nobody waits for verification.',
    all: '/office/people?state=pending',
    async read(limit) {
      const { rows, total } = await waitingPeople(knex, limit);
      const bids = await unverifiedBids(
        knex,
        rows.map(({ id }) => id),
      );
      return { rows: rows.map((one) => ({ ...one, bid: bids.get(one.id) ?? null })), total };
    },
    row: (one) => [personCell(one.id, one.name), one.email, one.bid, { since: one.waits_since }],
    decisions: ({ id, name: about }) =>
      ['verify', 'reject-verification'].map((action) => decide(people, { action, id, about })),
  });
}

function reportsWaiting(knex: Knex) {
  return sectionOf({
    heading: 'Reports',
    columns: ['Lot', 'Price', 'Reason', 'Words', 'By', 'Age'],
    empty: 'No lot is reported.',
    all: REPORTS.path,
    read: async (limit) => named(knex, await openReports(knex, limit), (one) => one.user_id),
    row: ({ one, person: by }) => [
      { href: `/office/lots/${one.lot_id}`, text: `${one.lot_id} · ${one.lot_title}` },
      bidCell(one.current_bid_cents, one.currency),
      one.reason,
      one.text,
      by,
      { since: one.created_at },
    ],
    decisions: ({ one: { id, lot_title: about } }) => [
      decide(REPORTS, { action: 'close', id: null, about, hidden: { report: String(id) } }),
    ],
  });
}

function taxNumbersWaiting(knex: Knex) {
  return sectionOf({
    heading: 'Tax numbers',
    columns: ['Number', 'Kind', 'Region', 'Person', 'Age'],
    empty: 'No tax number waits.',
    all: TAX_NUMBERS,
    read: async (limit) => named(knex, await waitingTaxNumbers(knex, limit), (one) => one.user_id),
    row: ({ one, person: holder }) => [one.number, one.kind, one.region, holder, { since: one.created_at }],
    decisions: ({ one: { id, number: about } }) =>
      ['approve', 'refuse'].map((action) =>
        decide(TAX_NUMBER_QUEUE, { action, id: null, about, hidden: { tax_number: String(id) } }),
      ),
  });
}
